/* SPDX-License-Identifier: MIT */
/* Tests of times from ticks, mostly with a simulated clock and counter. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "engine/tr2_ticks.h"

struct simulated_clock {
	double clock, count; /* clock in ns, counter in ticks */
	double rate;         /* ticks per ns */
	uint32_t random;
	struct tr2_ticks ticks;
	ns_t last;
	ns_t behind, ahead; /* maximum deviation from the clock in both directions */
	unsigned by_ticks, by_clock, back;
};

static uint32_t clock_random_below(struct simulated_clock *w, uint32_t below)
{
	w->random = w->random * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)w->random * below >> 32);
}

static void advance_clock(struct simulated_clock *w, double ns)
{
	w->clock += ns;
	w->count += ns * w->rate;
}

/* Reading the clock takes 10 ns before and `then` ns after the actual reading. */
static void event_interrupted(struct simulated_clock *w, ns_t then)
{
	ns_t time, now = (ns_t)w->clock;

	if (tr2_ticks_time(&w->ticks, (uint64_t)w->count, &time)) {
		w->by_ticks++;
	} else {
		uint64_t before = (uint64_t)w->count;

		advance_clock(w, 10);
		now = (ns_t)w->clock;
		advance_clock(w, (double)then);
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

static void emit_event_at(struct simulated_clock *w)
{
	event_interrupted(w, 10);
}

/* The events are about 50 ns apart. */
static void emit_events_for(struct simulated_clock *w, ns_t ns)
{
	double end = w->clock + (double)ns;

	while (w->clock < end) {
		emit_event_at(w);
		advance_clock(w, 20 + clock_random_below(w, 60));
	}
}

static void reset_errors(struct simulated_clock *w)
{
	w->behind = w->ahead = 0;
	w->by_ticks = w->by_clock = w->back = 0;
}

/* Begin a simulated clock, let its tick length be measured, and reset the counted errors. */
static void begin_measured(struct simulated_clock *w, double rate)
{
	*w = (struct simulated_clock){ .clock = 77e12, .count = 5e12, .rate = rate, .random = 1 };
	emit_events_for(w, 60 * NS_PER_MS);
	reset_errors(w);
}

static void times_are_valid(const struct simulated_clock *w)
{
	assert_true(w->by_ticks > 100 * w->by_clock);
	assert_in_range(w->behind, 0, 200);
	assert_in_range(w->ahead, 0, 50);
	assert_int_equal(w->back, 0);
}

static void times_follow_clock(void **state)
{
	static const double rates[] = { 5.9, 3.0, 2.6, 1.0, 0.1 };

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct simulated_clock w;

		begin_measured(&w, rates[i]);
		emit_events_for(&w, 50 * NS_PER_MS);
		times_are_valid(&w);
	}
}

static void follows_coarse_counter(void **state)
{
	struct simulated_clock w;

	(void)state;
	begin_measured(&w, 0.024);
	emit_events_for(&w, 50 * NS_PER_MS);
	assert_true(w.by_ticks > w.by_clock);
	assert_in_range(w.behind, 0, 300);
	assert_in_range(w.ahead, 0, 100);
}

static void rare_events_use_clock(void **state)
{
	struct simulated_clock w;

	(void)state;
	begin_measured(&w, 3);
	for (int i = 0; i < 1000; i++) {
		emit_event_at(&w);
		advance_clock(&w, 1 + clock_random_below(&w, 900 * NS_PER_MS));
	}
	assert_in_range(w.behind, 0, 200);
	assert_in_range(w.ahead, 0, 50);
	assert_int_equal(w.back, 0);
}

/* After a jump of the counter a time is off by about the trusted period at most, and soon correct
 * again. */
static void detects_jumps(void **state)
{
	static const double jumps[] = { 1e3, 1e4, 1e5, 5e5, 1e6, 1e9, 1e13 };
	struct simulated_clock w;

	(void)state;
	begin_measured(&w, 3);
	for (size_t i = 0; i < 2 * sizeof(jumps) / sizeof(jumps[0]); i++) {
		w.count += i % 2 ? -jumps[i / 2] : jumps[i / 2];
		if (w.count < 0)
			w.count = 0;
		emit_events_for(&w, 10 * NS_PER_MS);
		assert_in_range(w.behind, 0, TR2_TICKS_TRUST_NS + 300);
		assert_in_range(w.ahead, 0, TR2_TICKS_TRUST_NS + 300);
		reset_errors(&w);
		emit_events_for(&w, 10 * NS_PER_MS);
		times_are_valid(&w);
	}
}

static void measures_changed_rate(void **state)
{
	static const double rates[] = { 3.3, 3.0, 2.7, 2.4, 4.8, 3.001 };
	struct simulated_clock w;

	(void)state;
	begin_measured(&w, 3);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		w.rate = rates[i];
		emit_events_for(&w, 10 * NS_PER_MS);
		assert_in_range(w.behind, 0, TR2_TICKS_TRUST_NS);
		assert_in_range(w.ahead, 0, TR2_TICKS_TRUST_NS);
		reset_errors(&w);
		emit_events_for(&w, 10 * NS_PER_MS);
		times_are_valid(&w);
	}
}

/* The clock runs slower or faster while it is being corrected. */
static void follows_slewed_clock(void **state)
{
	struct simulated_clock w;

	(void)state;
	begin_measured(&w, 3);
	for (int ppm = -500; ppm <= 500; ppm += 100) {
		w.rate = 3 * (1 + ppm / 1e6);
		emit_events_for(&w, 20 * NS_PER_MS);
		assert_in_range(w.behind, 0, 500);
		assert_in_range(w.ahead, 0, 500);
		assert_int_equal(w.back, 0);
	}
}

/* The counter continues while the clock stops. */
static void detects_sleep(void **state)
{
	static const double seconds[] = { 1e-4, 1e-3, 1e-2, 0.1, 0.9, 10, 36000 };
	struct simulated_clock w;

	(void)state;
	begin_measured(&w, 3);
	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		w.count += seconds[i] * 3e9;
		emit_events_for(&w, 10 * NS_PER_MS);
		assert_in_range(w.behind, 0, TR2_TICKS_TRUST_NS);
		assert_in_range(w.ahead, 0, TR2_TICKS_TRUST_NS + 300);
		reset_errors(&w);
		emit_events_for(&w, 10 * NS_PER_MS);
		times_are_valid(&w);
	}
}

static void ignores_interrupted_readings(void **state)
{
	struct simulated_clock w;

	(void)state;
	begin_measured(&w, 3);
	for (int i = 0; i < 200000; i++) {
		event_interrupted(&w, clock_random_below(&w, 3)
					      ? 10
					      : 10 + clock_random_below(&w, 5 * NS_PER_MS));
		advance_clock(&w, 20 + clock_random_below(&w, 5000));
	}
	assert_true(w.by_ticks > w.by_clock);
	assert_in_range(w.behind, 0, 1300);
	assert_in_range(w.ahead, 0, 300);
	assert_int_equal(w.back, 0);
}

static void threads_share_scale(void **state)
{
	struct simulated_clock w;

	(void)state;
	begin_measured(&w, 3);
	w.ticks = (struct tr2_ticks){ 0 };
	emit_event_at(&w);
	assert_int_equal(w.by_clock, 1);
	for (int i = 0; i < 1000; i++) {
		advance_clock(&w, 100);
		emit_event_at(&w);
	}
	assert_int_equal(w.by_clock, 1);
	times_are_valid(&w);
}

/* A counter that is too slow cannot be measured. */
static void ignores_slow_counter(void **state)
{
	struct simulated_clock w;

	(void)state;
	begin_measured(&w, 3);
	w.count += 1e5;
	while (w.by_clock < 2)
		emit_event_at(&w);
	w.rate = 0.001;
	w.ticks = (struct tr2_ticks){ 0 };
	reset_errors(&w);
	emit_events_for(&w, 50 * NS_PER_MS);
	assert_int_equal(w.by_ticks, 0);
	assert_int_equal(w.behind, 0);
	assert_int_equal(w.ahead, 0);
}

/* This uses the counter of this machine, if tr2_ticks_allow() permits it. */
static void time_increases_on_this_machine(void **state)
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
		cmocka_unit_test(times_follow_clock),
		cmocka_unit_test(follows_coarse_counter),
		cmocka_unit_test(rare_events_use_clock),
		cmocka_unit_test(detects_jumps),
		cmocka_unit_test(measures_changed_rate),
		cmocka_unit_test(follows_slewed_clock),
		cmocka_unit_test(detects_sleep),
		cmocka_unit_test(ignores_interrupted_readings),
		cmocka_unit_test(threads_share_scale),
		cmocka_unit_test(ignores_slow_counter),
		cmocka_unit_test(time_increases_on_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
