/* SPDX-License-Identifier: MIT */
/*
 * Times from ticks, with a simulated clock and counter: how inexact they are, that they never
 * decrease, and that any misbehaviour of the counter is detected.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "engine/tr2_ticks.h"

/* A simulated clock and counter. */
struct world {
	double clock, count; /* ns, ticks */
	double rate;         /* ticks per ns */
	uint32_t random;
	/* A thread, its times, and their errors. */
	struct tr2_ticks ticks;
	ns_t last;
	ns_t behind, ahead; /* maximum deviation from the clock */
	unsigned by_ticks, by_clock, back;
};

static uint32_t chance(struct world *w, uint32_t below)
{
	w->random = w->random * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)w->random * below >> 32);
}

static void pass(struct world *w, double ns)
{
	w->clock += ns;
	w->count += ns * w->rate;
}

/* An event. Reading the clock takes 10 ns before and `then` after the actual reading. */
static void event_broken_off(struct world *w, ns_t then)
{
	ns_t time, now = (ns_t)w->clock;

	if (tr2_ticks_time(&w->ticks, (uint64_t)w->count, &time)) {
		w->by_ticks++;
	} else {
		uint64_t before = (uint64_t)w->count;

		pass(w, 10);
		now = (ns_t)w->clock;
		pass(w, (double)then);
		time = tr2_ticks_update(&w->ticks, before, now, (uint64_t)w->count);
		w->by_clock++;
	}
	if (now - time > w->behind)
		w->behind = now - time;
	if (time - now > w->ahead)
		w->ahead = time - now;
	w->back += time < w->last;
	w->last = time;
}

static void event(struct world *w)
{
	event_broken_off(w, 10);
}

/* Emit events about 50 ns apart for this time. */
static void go_on(struct world *w, ns_t ns)
{
	double end = w->clock + (double)ns;

	while (w->clock < end) {
		event(w);
		pass(w, 20 + chance(w, 60));
	}
}

static void see_anew(struct world *w)
{
	w->behind = w->ahead = 0;
	w->by_ticks = w->by_clock = w->back = 0;
}

/* A thread that has measured. The previous shared result is dropped. */
static void begin(struct world *w, double rate)
{
	*w = (struct world){ .clock = 77e12, .count = 5e12, .rate = rate, .random = 1 };
	go_on(w, 60 * NS_PER_MS);
	see_anew(w);
}

static void all_is_well(const struct world *w)
{
	assert_true(w->by_ticks > 100 * w->by_clock);
	assert_in_range(w->behind, 0, 200);
	assert_in_range(w->ahead, 0, 50);
	assert_int_equal(w->back, 0);
}

/* A counter of any rate is followed closely. */
static void times_are_the_clocks(void **state)
{
	static const double rates[] = { 5.9, 3.0, 2.6, 1.0, 0.1 };

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct world w;

		begin(&w, rates[i]);
		go_on(&w, 50 * NS_PER_MS);
		all_is_well(&w);
	}
}

/* With ticks of 42 ns. */
static void a_coarse_counter_is_followed(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 0.024);
	go_on(&w, 50 * NS_PER_MS);
	assert_true(w.by_ticks > w.by_clock);
	assert_in_range(w.behind, 0, 300);
	assert_in_range(w.ahead, 0, 100);
}

static void rare_events_are_the_clocks(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 3);
	for (int i = 0; i < 1000; i++) {
		event(&w);
		pass(&w, 1 + chance(&w, 900 * NS_PER_MS));
	}
	assert_in_range(w.behind, 0, 200);
	assert_in_range(w.ahead, 0, 50);
	assert_int_equal(w.back, 0);
}

/* A time is off by at most the trusted period, and soon correct again. */
static void jumps_are_found_out(void **state)
{
	static const double jumps[] = { 1e3, 1e4, 1e5, 5e5, 1e6, 1e9, 1e13 };
	struct world w;

	(void)state;
	begin(&w, 3);
	for (size_t i = 0; i < 2 * sizeof(jumps) / sizeof(jumps[0]); i++) {
		w.count += i % 2 ? -jumps[i / 2] : jumps[i / 2];
		if (w.count < 0)
			w.count = 0;
		go_on(&w, 10 * NS_PER_MS);
		assert_in_range(w.behind, 0, TR2_TICKS_TRUST_NS + 300);
		assert_in_range(w.ahead, 0, TR2_TICKS_TRUST_NS + 300);
		see_anew(&w);
		go_on(&w, 10 * NS_PER_MS);
		all_is_well(&w);
	}
}

static void another_rate_is_measured(void **state)
{
	static const double rates[] = { 3.3, 3.0, 2.7, 2.4, 4.8, 3.001 };
	struct world w;

	(void)state;
	begin(&w, 3);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		w.rate = rates[i];
		go_on(&w, 10 * NS_PER_MS);
		assert_in_range(w.behind, 0, TR2_TICKS_TRUST_NS);
		assert_in_range(w.ahead, 0, TR2_TICKS_TRUST_NS);
		see_anew(&w);
		go_on(&w, 10 * NS_PER_MS);
		all_is_well(&w);
	}
}

/* A clock that is slewed to correct it. */
static void a_slewed_clock_is_followed(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 3);
	for (int ppm = -500; ppm <= 500; ppm += 100) {
		w.rate = 3 * (1 + ppm / 1e6);
		go_on(&w, 20 * NS_PER_MS);
		assert_in_range(w.behind, 0, 500);
		assert_in_range(w.ahead, 0, 500);
		assert_int_equal(w.back, 0);
	}
}

/* The counter continues while the clock stops. */
static void sleep_is_found_out(void **state)
{
	static const double seconds[] = { 1e-4, 1e-3, 1e-2, 0.1, 0.9, 10, 36000 };
	struct world w;

	(void)state;
	begin(&w, 3);
	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		w.count += seconds[i] * 3e9;
		go_on(&w, 10 * NS_PER_MS);
		assert_in_range(w.behind, 0, TR2_TICKS_TRUST_NS);
		assert_in_range(w.ahead, 0, TR2_TICKS_TRUST_NS + 300);
		see_anew(&w);
		go_on(&w, 10 * NS_PER_MS);
		all_is_well(&w);
	}
}

/* Interrupted readings give no wrong result. */
static void broken_readings_are_not_believed(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 3);
	for (int i = 0; i < 200000; i++) {
		event_broken_off(&w, chance(&w, 3) ? 10 : 10 + chance(&w, 5 * NS_PER_MS));
		pass(&w, 20 + chance(&w, 5000));
	}
	assert_true(w.by_ticks > w.by_clock);
	assert_in_range(w.behind, 0, 1300);
	assert_in_range(w.ahead, 0, 300);
	assert_int_equal(w.back, 0);
}

static void threads_tell_one_another(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 3);
	w.ticks = (struct tr2_ticks){ 0 };
	event(&w);
	assert_int_equal(w.by_clock, 1);
	for (int i = 0; i < 1000; i++) {
		pass(&w, 100);
		event(&w);
	}
	assert_int_equal(w.by_clock, 1);
	all_is_well(&w);
}

/* It cannot be measured, so only the clock is used. */
static void a_slow_counter_is_not_used(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 3);
	w.count += 1e5;
	while (w.by_clock < 2)
		event(&w);
	w.rate = 0.001;
	w.ticks = (struct tr2_ticks){ 0 };
	see_anew(&w);
	go_on(&w, 50 * NS_PER_MS);
	assert_int_equal(w.by_ticks, 0);
	assert_int_equal(w.behind, 0);
	assert_int_equal(w.ahead, 0);
}

/* Whatever this machine has. */
static void this_machine_has_a_time(void **state)
{
	struct tr2_ticks ticks = { 0 };
	ns_t before = tr2_clock_monotonic(), end = before + 20 * NS_PER_MS;

	(void)state;
	tr2_ticks_allow();
	while (before < end) {
		ns_t time, after;

		before = tr2_clock_monotonic();
		time = tr2_ticks_now(&ticks);
		after = tr2_clock_monotonic();
		assert_in_range(time, before - TR2_TICKS_TRUST_NS, after + TR2_TICKS_TRUST_NS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_the_clocks),
		cmocka_unit_test(a_coarse_counter_is_followed),
		cmocka_unit_test(rare_events_are_the_clocks),
		cmocka_unit_test(jumps_are_found_out),
		cmocka_unit_test(another_rate_is_measured),
		cmocka_unit_test(a_slewed_clock_is_followed),
		cmocka_unit_test(sleep_is_found_out),
		cmocka_unit_test(broken_readings_are_not_believed),
		cmocka_unit_test(threads_tell_one_another),
		cmocka_unit_test(a_slow_counter_is_not_used),
		cmocka_unit_test(this_machine_has_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
