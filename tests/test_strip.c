/* SPDX-License-Identifier: MIT */
/* Tests of counts over time. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/over_time.h"
#include "monitor/history/lookback.h"
#include "tests/journal_script.h"

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static void assert_slots_equal(const struct strip_slots *a, const struct strip_slots *b)
{
	assert_int_equal(a->nr, b->nr);
	assert_int_equal(a->shift, b->shift);
	for (uint32_t i = 0; i < a->nr; i++) {
		assert_int_equal(a->numbers[i], b->numbers[i]);
		assert_memory_equal(strip_slot_at(a, i), strip_slot_at(b, i),
				    sizeof(struct strip_slot));
	}
}

static void assert_strips_equal(const struct strip *a, const struct strip *b)
{
	assert_slots_equal(&a->all, &b->all);
	assert_slots_equal(&a->recent, &b->recent);
	assert_int_equal(a->untimed, b->untimed);
}

static struct strip_part part_random(uint64_t *seed, unsigned range)
{
	struct strip_part part = { .began = 1767323040 - (int64_t)(next_random(seed) % range),
				   .ended = STRIP_NO_SECOND,
				   .elapsed = NS_NONE,
				   .untimed = next_random(seed) % 50 == 0 };
	unsigned kind = next_random(seed) % 8;

	if (part.untimed)
		part.began = STRIP_NO_SECOND;
	if (part.untimed || !kind)
		return part;
	part.ended = part.began + next_random(seed) % 5;
	part.failed = kind == 1;
	part.signaled = kind == 2;
	part.lost = kind == 3;
	if (kind != 4)
		part.elapsed = (ns_t)exp2(next_random(seed) % 41) - 100;
	return part;
}

static void buckets_are_half_octaves_from_62500_ns(void **state)
{
	(void)state;
	assert_int_equal(strip_bucket_bound(8), NS_PER_MS);
	assert_int_equal(strip_bucket_bound(2), 125000);
	assert_int_equal(strip_bucket(-5), 0);
	assert_int_equal(strip_bucket(0), 0);
	assert_int_equal(strip_bucket(INT64_MAX), STRIP_BUCKETS - 1);
	for (unsigned i = 1; i < STRIP_BUCKETS; i++) {
		double exact = 1e6 * exp2(((double)i - 8) / 2);

		assert_true(fabs((double)strip_bucket_bound(i) - exact) < 1);
		assert_true((double)strip_bucket_bound(i) >= exact * (1 - 1e-15));
		assert_int_equal(strip_bucket(strip_bucket_bound(i)), i);
		assert_int_equal(strip_bucket(strip_bucket_bound(i) - 1), i - 1);
		assert_true(fabs((double)strip_bucket_middle(i) / (exact * exp2(0.25)) - 1) < 1e-5);
	}
}

static void quantiles_are_middles_of_buckets_up_to_the_longest(void **state)
{
	struct strip_slot slot = STRIP_SLOT_EMPTY;

	(void)state;
	assert_int_equal(strip_quantile(&slot, 0.5), NS_NONE);
	slot.buckets[8] = 9;
	slot.buckets[20] = 1;
	slot.longest = 70 * NS_PER_MS;
	assert_int_equal(strip_quantile(&slot, 0.5), strip_bucket_middle(8));
	assert_int_equal(strip_quantile(&slot, 0.9), strip_bucket_middle(8));
	assert_int_equal(strip_quantile(&slot, 0.91), 70 * NS_PER_MS);
	slot.longest = 80 * NS_PER_MS;
	assert_int_equal(strip_quantile(&slot, 1), strip_bucket_middle(20));
}

static void quantiles_are_shown_with_two_digits(void **state)
{
	(void)state;
	assert_string_equal(over_time_quantile_text(NS_NONE).text, "-");
	assert_string_equal(over_time_quantile_text(9513657).text, "~9.5ms");
	assert_string_equal(over_time_quantile_text(107634741).text, "~110ms");
	assert_string_equal(over_time_quantile_text(99600).text, "~100us");
	assert_string_equal(over_time_quantile_text(-3 * NS_PER_SEC).text, "~-3s");
	assert_string_equal(over_time_quantile_text(74325).text, "~74us");
	assert_string_equal(over_time_quantile_text(0).text, "~0ns");
}

static void slots_double_their_width_beyond_the_bound(void **state)
{
	struct strip strip = { 0 };
	struct strip_part part = { .ended = STRIP_NO_SECOND, .elapsed = NS_NONE };

	(void)state;
	assert_int_equal(strip_bytes(&strip), 0);
	for (int64_t i = 0; i < STRIP_ALL; i++) {
		part.began = i * 7 - 3000;
		strip_part_add(&strip, &part);
	}
	assert_int_equal(strip.all.nr, STRIP_ALL);
	assert_int_equal(strip.all.shift, 0);
	assert_int_equal(strip.recent.nr, 0);
	assert_ptr_equal(strip_seconds(&strip), &strip.all);
	/* At the bound, a new slot widens the slots; another count in a slot that is in use does
	 * not. */
	strip_part_add(&strip, &part);
	assert_int_equal(strip.all.shift, 0);
	part.began = -4000;
	strip_part_add(&strip, &part);
	/* Every seventh second has a slot: widths of 2 and 4 would give no fewer slots. */
	assert_int_equal(strip.all.shift, 3);
	assert_true(strip.all.numbers[0] == -4000 / 8);
	assert_int_equal(strip.recent.nr, STRIP_RECENT);
	assert_ptr_equal(strip_seconds(&strip), &strip.recent);
	assert_true(strip.recent.numbers[0] == (int64_t)(STRIP_ALL - STRIP_RECENT) * 7 - 3000);
	assert_true(strip_bytes(&strip) <= 400 << 10);
	strip_release(&strip);
}

static void order_does_not_matter(void **state)
{
	static const unsigned ranges[] = { 300, 1500, 20000, 400000, 2000000000 };

	(void)state;
	for (unsigned r = 0; r < sizeof(ranges) / sizeof(*ranges); r++) {
		enum { NR = 3000 };
		struct strip forwards = { 0 }, backwards = { 0 }, copy = { 0 };
		struct strip_part *list = calloc(NR, sizeof(*list));
		uint64_t seed = r + 1;

		for (unsigned i = 0; i < NR; i++) {
			list[i] = part_random(&seed, ranges[r]);
			strip_part_add(&forwards, &list[i]);
		}
		for (unsigned i = NR; i-- > 0;)
			strip_part_add(&backwards, &list[i]);
		assert_strips_equal(&forwards, &backwards);
		strip_copy(&copy, &forwards);
		assert_strips_equal(&forwards, &copy);
		strip_release(&forwards);
		strip_release(&backwards);
		strip_release(&backwards);
		strip_release(&copy);
		free(list);
	}
}

static void widening_keeps_all_counts(void **state)
{
	struct strip strip = { 0 };
	struct strip_part part;
	struct strip_slot before = STRIP_SLOT_EMPTY, after = STRIP_SLOT_EMPTY;
	uint64_t seed = 9;

	(void)state;
	for (unsigned i = 0; i < 500; i++) {
		part = part_random(&seed, 900);
		strip_part_add(&strip, &part);
	}
	part.began = -7; /* before 1970 */
	strip_part_add(&strip, &part);
	for (uint32_t i = 0; i < strip.all.nr; i++)
		strip_slot_add(&before, strip_slot_at(&strip.all, i));
	strip_widen(&strip, 0);
	assert_int_equal(strip.all.nr, 2);
	for (uint32_t i = 0; i < strip.all.nr; i++)
		strip_slot_add(&after, strip_slot_at(&strip.all, i));
	assert_memory_equal(&before, &after, sizeof(before));
	strip_release(&strip);
}

static void slots_of_twice_the_width_are_sums_of_pairs(void **state)
{
	struct strip narrow = { 0 }, wide = { 0 };
	struct strip_part part;
	uint64_t seed = 5;
	uint32_t at = 0;

	(void)state;
	for (unsigned i = 0; i < 900; i++) {
		part = part_random(&seed, 1020);
		strip_part_add(&narrow, &part);
		strip_part_add(&wide, &part);
	}
	assert_int_equal(narrow.all.shift, 0);
	/* Starts far from the other seconds double the width of the slots of `wide` once. */
	part = (struct strip_part){ .ended = STRIP_NO_SECOND, .elapsed = NS_NONE };
	for (unsigned i = 0; wide.all.shift < 1; i++) {
		part.began = 1000000 + i;
		strip_part_add(&wide, &part);
	}
	for (uint32_t i = 0; i < wide.all.nr; i++) {
		struct strip_slot sum = STRIP_SLOT_EMPTY;

		if (wide.all.numbers[i] < 2000000 / 2)
			continue;
		for (; at < narrow.all.nr && narrow.all.numbers[at] >> 1 == wide.all.numbers[i];
		     at++)
			strip_slot_add(&sum, strip_slot_at(&narrow.all, at));
		assert_memory_equal(&sum, strip_slot_at(&wide.all, i), sizeof(sum));
	}
	assert_int_equal(at, narrow.all.nr);
	strip_release(&narrow);
	strip_release(&wide);
}

static void script_command(struct script *s, unsigned i)
{
	char sid[64], child[128], more[64];
	double at = (i * 37) % 3200;

	snprintf(sid, sizeof(sid), "c%u", i);
	snprintf(child, sizeof(child), "c%u/d", i);
	snprintf(more, sizeof(more), "'t_abs':%u.25,'code':%u", i % 9, i % 3);
	if (i % 10 == 3) {
		script_event(s, "start", sid, SCRIPT_NO_TIME, "'argv':['x']");
		script_event(s, "error", sid, SCRIPT_NO_TIME, "'msg':'e'");
		script_event(s, "atexit", sid, SCRIPT_NO_TIME, more);
		return;
	}
	/* About half of the commands have a child, which never counts as a command. The start of
	 * the child is written before or after that of the command. */
	if (i % 4 == 1)
		script_event(s, "start", child, at + 0.5, "'argv':['y']");
	script_event(s, "start", sid, at, "'argv':['x']");
	if (i % 5 == 0)
		script_event(s, "error", sid, i % 2 ? SCRIPT_NO_TIME : at + 1, "'msg':'e'");
	if (i % 4 == 2) {
		script_event(s, "start", child, at + 0.5, "'argv':['y']");
		script_event(s, "error", child, at + 0.5, "'msg':'e'");
	}
	if (i % 4 == 1 || i % 4 == 2)
		script_event(s, "atexit", child, at + 0.6, more);
	if (i % 7 == 0)
		script_event(s, "exec", sid, at + 1, "'exec_id':0,'argv':['z']");
	else if (i % 7 == 1)
		script_event(s, "signal", sid, at + 2, "'t_abs':2.0,'signo':15");
	else if (i % 7 == 2)
		script_event(s, "atexit", sid, at - 3, "'t_abs':-3.0,'code':0");
	else
		script_event(s, "exit", sid, at + i % 9, more);
	if (i % 7 == 4)
		script_event(s, "atexit", sid, at + 20, more);
}

static void orders_and_evictions_do_not_matter(void **state)
{
	enum { NR = 1500 };
	struct strip first = { 0 }, other = { 0 };
	uint64_t seed = 3;

	(void)state;
	for (unsigned run = 0; run < 4; run++) {
		unsigned order[NR];
		struct model *m;
		struct script s;

		script_init(&s);
		s.cut_every = run % 2 ? 10 : 0;
		for (unsigned i = 0; i < NR; i++)
			order[i] = i;
		for (unsigned i = NR; run && i-- > 1;) {
			unsigned with = next_random(&seed) % (i + 1), other_one = order[i];

			order[i] = order[with];
			order[with] = other_one;
		}
		for (unsigned i = 0; i < NR; i++)
			script_command(&s, order[i]);
		m = script_model(&s, -1, run > 1 ? run * 20 : 0);
		assert_int_equal(model_dropped(m)->silent + model_dropped(m)->late_events, 0);
		assert_int_equal(model_dropped(m)->finished > 1000, run > 1);
		model_strip(m, run ? &other : &first);
		if (run)
			assert_strips_equal(&first, &other);
		model_free(m);
		script_release(&s);
	}
	assert_true(first.all.shift > 0);
	assert_int_equal(first.untimed, NR / 10);
	strip_release(&first);
	strip_release(&other);
}

static void errors_that_left_a_full_list_stay_counted(void **state)
{
	struct strip strips[2];
	struct script s;

	(void)state;
	memset(strips, 0, sizeof(strips));
	script_init(&s);
	script_event(&s, "start", "p", 5, "'argv':['x']");
	for (unsigned i = 0; i < 12000; i++)
		script_event(&s, "error", "p", i % 2 ? SCRIPT_NO_TIME : i / 100, "'msg':'e'");
	for (unsigned i = 0; i < 2; i++) {
		struct model *m = script_model(&s, -1, i ? 10 : 0);

		assert_int_equal(model_dropped(m)->list_items > 0, i);
		model_strip(m, &strips[i]);
		model_free(m);
	}
	assert_strips_equal(&strips[0], &strips[1]);
	assert_int_equal(strip_slot_at(&strips[0].all, 5)->errors, 6000 + 50);
	strip_release(&strips[0]);
	strip_release(&strips[1]);
	script_release(&s);
}

static void a_copy_holds_only_slots_in_use(void **state)
{
	struct model *m, *copy;
	struct script s;

	(void)state;
	script_init(&s);
	for (unsigned i = 0; i < 300; i++)
		script_command(&s, i);
	m = script_model(&s, -1, 0);
	assert_int_equal(strip_bytes(model_strip_evicted(m)), 0);
	model_free(m);
	m = script_model(&s, -1, 50);
	copy = model_copy(m);
	assert_strips_equal(model_strip_evicted(m), model_strip_evicted(copy));
	assert_int_equal(model_strip_evicted(copy)->all.cap, model_strip_evicted(m)->all.nr);
	assert_true(strip_bytes(model_strip_evicted(m)) > strip_bytes(model_strip_evicted(copy)));
	model_free(m);
	model_free(copy);
	script_release(&s);
}

/* Live model, base, cursor and checkpoints of looking back have one strip each. */
static void a_full_strip_has_a_bounded_size(void **state)
{
	const size_t copies = LOOKBACK_CHECKPOINTS + 3;
	struct strip strip = { 0 };

	(void)state;
	assert_int_equal(strip_bytes(&strip), 0);
	for (int64_t i = 0; i < 5000; i++) {
		strip_part_add(&strip, &(struct strip_part){ .began = i, .ended = i + 1 });
		if (!i)
			assert_in_range(strip_bytes(&strip), 1, 4096);
	}
	assert_int_equal(strip.recent.nr, STRIP_RECENT);
	assert_in_range(strip_bytes(&strip), 300 << 10, 400 << 10);
	assert_true(strip_bytes(&strip) * copies <= 4 << 20);
	strip_release(&strip);
}

static void updates_equal_a_strip_made_at_once(void **state)
{
	struct strip at_once = { 0 };
	struct over_time *t = over_time_new();
	struct script s;

	(void)state;
	script_init(&s);
	s.cut_every = 3;
	for (unsigned i = 0; i < 1200; i++)
		script_command(&s, (i * 7) % 1200);
	for (unsigned max = 0; max <= 200; max += 100) {
		struct model *m = model_new(
			&s.syms, &(struct model_config){ .nesting = -1, .max_processes = max });

		for (unsigned i = 0; i < s.nr_batches; i++) {
			model_apply(m, s.batches[i]);
			if (i % 3)
				continue;
			model_settle(m);
			over_time_update(t, m);
			if (i % 4)
				continue;
			model_strip(m, &at_once);
			assert_strips_equal(&at_once, over_time_strip(t));
			assert_false(over_time_update(t, m));
		}
		model_free(m);
	}
	strip_release(&at_once);
	over_time_free(t);
	script_release(&s);
}

static void check_columns(struct over_time *t, const struct over_time_span *span,
			  const struct strip_slots *slots)
{
	const struct over_time_column *columns = over_time_columns(t, span);
	struct over_time_walk walk;

	assert_ptr_equal(columns, over_time_columns(t, span));
	assert_int_equal(span->first % span->seconds, 0);
	for (uint32_t i = 0; i < span->nr; i++) {
		struct strip_slot sum = STRIP_SLOT_EMPTY;
		ns_t begin = over_time_column_begin(span, i), end = over_time_column_end(span, i);
		uint64_t running = 0;

		assert_int_equal(end - begin, span->seconds * NS_PER_SEC - 1000);
		assert_int_equal(over_time_column_of(span, begin), i);
		assert_int_equal(over_time_column_of(span, end), i);
		over_time_walk_begin(&walk, over_time_strip(t), slots);
		while (over_time_walk_next(&walk)) {
			if (walk.start <= end)
				running = walk.running;
			if (walk.start >= begin && walk.start <= end)
				strip_slot_add(&sum, walk.slot);
		}
		assert_memory_equal(&sum, &columns[i].sum, sizeof(sum));
		assert_int_equal(columns[i].running, running);
		assert_int_equal(columns[i].p50, strip_quantile(&sum, 0.5));
		assert_int_equal(columns[i].p90, strip_quantile(&sum, 0.9));
	}
	assert_int_equal(over_time_column_of(span, over_time_column_begin(span, 0) - 1), span->nr);
	assert_int_equal(over_time_column_of(span, over_time_column_begin(span, span->nr)),
			 span->nr);
}

static void columns_are_sums_of_slots(void **state)
{
	struct over_time *t = over_time_new();
	struct over_time_span span;
	struct script s;
	struct model *m;

	(void)state;
	script_init(&s);
	for (unsigned i = 0; i < 1500; i++)
		script_command(&s, i);
	m = script_model(&s, -1, 100);
	assert_false(over_time_whole(t, 40, &span));
	assert_true(over_time_update(t, m));
	assert_true(over_time_strip(t)->all.shift > 0);
	for (uint32_t max = 2; max < 3000; max = max * 3 / 2 + 1) {
		const struct strip *strip = over_time_strip(t);
		ns_t now = (SCRIPT_T0_SECONDS + 3190) * NS_PER_SEC + 5;

		assert_true(over_time_whole(t, max, &span));
		assert_in_range(span.nr, 1, max);
		assert_true(span.nr > max / 2 - 1 || span.seconds == 1 << strip->all.shift);
		check_columns(t, &span, &strip->all);
		over_time_last(t, 600, now, max, &span);
		assert_in_range(span.nr, 1, max);
		assert_in_range(span.seconds * span.nr, 600, 600 + span.seconds);
		assert_int_equal(over_time_column_of(&span, now), span.nr - 1);
		check_columns(t, &span, strip_seconds(strip));
	}
	model_free(m);
	over_time_free(t);
	script_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_are_half_octaves_from_62500_ns),
		cmocka_unit_test(quantiles_are_middles_of_buckets_up_to_the_longest),
		cmocka_unit_test(quantiles_are_shown_with_two_digits),
		cmocka_unit_test(slots_double_their_width_beyond_the_bound),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(widening_keeps_all_counts),
		cmocka_unit_test(slots_of_twice_the_width_are_sums_of_pairs),
		cmocka_unit_test(orders_and_evictions_do_not_matter),
		cmocka_unit_test(errors_that_left_a_full_list_stay_counted),
		cmocka_unit_test(a_copy_holds_only_slots_in_use),
		cmocka_unit_test(a_full_strip_has_a_bounded_size),
		cmocka_unit_test(updates_equal_a_strip_made_at_once),
		cmocka_unit_test(columns_are_sums_of_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
