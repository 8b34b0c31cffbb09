/* SPDX-License-Identifier: MIT */
/* Tests of regions per group of processes. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "monitor/analysis/group_regions.h"
#include "tests/screen_fixture.h"

#define NR_TREES 3

static struct group_regions_of regions_of(const struct screen *screen, enum attribute attribute)
{
	struct group_regions_of of = { .processes = { .model = screen->model, .depth = -1 },
				       .process = HANDLE_NONE,
				       .by = commands_by(attribute),
				       .nesting = -1,
				       .until = NS_NONE };

	if (attribute == NR_ATTRIBUTES)
		of.by.nr = 0;
	return of;
}

/* Process N of p0, p1 ... has N regions c/outer of 3 s, each with a region c/inner of 1 s. Odd
 * processes fail. There are NR_TREES working trees. */
static void feed_processes(struct screen *screen, int nr)
{
	struct tr2_buf text;

	tr2_buf_init(&text, 1 << 22);
	for (int i = 0; i < nr; i++) {
		char sid[16];

		snprintf(sid, sizeof(sid), "p%d", i);
		tr2_buf_addf(
			&text,
			"{\"event\":\"start\",\"sid\":\"%s\",\"thread\":\"main\",\"time\":"
			"\"2026-01-02T12:28:00.000000Z\",\"t_abs\":0.0,\"argv\":[\"git\","
			"\"status\"]}\n"
			"{\"event\":\"cmd_name\",\"sid\":\"%s\",\"thread\":\"main\",\"name\":"
			"\"status\",\"hierarchy\":\"status\"}\n"
			"{\"event\":\"def_repo\",\"sid\":\"%s\",\"thread\":\"main\",\"repo\":1,"
			"\"worktree\":\"/home/tree%d\"}\n",
			sid, sid, sid, i % NR_TREES);
		for (int k = 0; k < 4 * i; k++)
			tr2_buf_addf(&text,
				     "{\"event\":\"region_%s\",\"sid\":\"%s\",\"thread\":\"main\","
				     "\"time\":\"2026-01-02T12:%02d:%02d.000000Z\",\"t_rel\":%d.0,"
				     "\"nesting\":%d,\"category\":\"c\",\"label\":\"%s\"}\n",
				     k % 4 < 2 ? "enter" : "leave", sid, 28 + k / 60, k % 60,
				     k % 4 == 2 ? 1 : 3, k % 4 == 1 || k % 4 == 2 ? 2 : 1,
				     k % 4 == 1 || k % 4 == 2 ? "inner" : "outer");
		tr2_buf_addf(&text,
			     "{\"event\":\"atexit\",\"sid\":\"%s\",\"thread\":\"main\",\"time\":"
			     "\"2026-01-02T12:28:30.000000Z\",\"t_abs\":30.0,\"code\":%d}\n",
			     sid, i % 2);
	}
	screen_feed(screen, tr2_buf_cstr(&text), text.len);
	tr2_buf_release(&text);
	screen_frame(screen);
}

static void add_timing(struct timing *sum, const struct timing *timing)
{
	sum->count += timing->count;
	sum->failed += timing->failed;
	sum->total += timing->total;
	sum->self += timing->self;
}

static void assert_adds_up(const struct screen *screen, enum attribute attribute, int64_t nesting)
{
	struct timing_limits limits = { nesting, -1 };
	struct group_regions_of of = regions_of(screen, attribute);
	struct group_regions g = { 0 };
	struct timing groups = { 0 }, whole = { 0 }, timing;
	uint32_t in_groups = 0;

	of.nesting = nesting;
	group_regions_make(&g, &of);
	for (uint32_t i = 0; i < g.nr; i++)
		add_timing(&groups, &g.items[i].timing);
	for (uint32_t i = 0; i < g.nr_groups; i++)
		in_groups += g.groups[i].nr_regions;
	for (uint32_t i = 0; i < model_nr_timing_rows(screen->model); i++)
		if (model_timing(screen->model, i, &limits, &timing))
			add_timing(&whole, &timing);
	assert_true(whole.count > 0);
	assert_int_equal(in_groups, g.nr);
	assert_int_equal(groups.count, whole.count);
	assert_int_equal(groups.failed, whole.failed);
	assert_int_equal(groups.total, whole.total);
	assert_int_equal(groups.self, whole.self);
	group_regions_release(&g);
}

static void groups_add_up_to_the_timings(void **state)
{
	struct screen screen;
	int nr = 0;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_scene(&screen);
	feed_processes(&screen, 20);
	for (int i = 0; i <= NR_ATTRIBUTES; i++) {
		if (i < NR_ATTRIBUTES &&
		    (attributes[i].key || !(attributes[i].uses & ATTRIBUTE_USE_GROUP_BY)))
			continue;
		for (int64_t nesting = -1; nesting < 3; nesting += nesting < 0 ? 2 : 1)
			assert_adds_up(&screen, (enum attribute)i, nesting);
		nr++;
	}
	assert_true(nr > 20);
	screen_close(&screen);
}

static void rows_are_the_regions_of_each_group(void **state)
{
	struct screen screen;
	struct group_regions_of of;
	struct group_regions g = { 0 };
	const struct region_group *group;
	const struct timing *timing;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	feed_processes(&screen, 3);
	of = regions_of(&screen, ATTRIBUTE_WORKTREE);
	group_regions_make(&g, &of);
	assert_int_equal(g.nr, 4);
	for (uint32_t slot = model_first_slot(screen.model); slot != SLOT_NONE;
	     slot = model_next_slot(screen.model, slot)) {
		uint64_t id = commands_group(screen.model, model_slot(screen.model, slot), of.by);

		group = group_regions_find(&g, id);
		assert_non_null(group);
		assert_true(handle_equal(group->process, model_handle(screen.model, slot)));
		assert_int_equal(group->len, strlen("/home/tree0"));
		assert_int_equal(g.texts.data[group->text + group->len - 1], '0' + slot);
		assert_int_equal(group->nr_regions, slot ? 2 : 0);
		if (!slot)
			continue;
		timing = &g.items[group->first].timing;
		assert_int_equal(timing->count, slot);
		assert_int_equal(timing->failed, slot == 1 ? 1 : 0);
		assert_int_equal(timing->total, slot * 3 * NS_PER_SEC);
		assert_int_equal(timing->self, slot * 2 * NS_PER_SEC);
	}
	assert_null(group_regions_find(&g, 1));
	group_regions_release(&g);
	screen_close(&screen);
}

static void slices_equal_the_whole(void **state)
{
	struct screen screen;
	struct spans spans = { 0 };
	struct group_regions_of of;
	struct group_regions whole = { 0 }, parts = { 0 };
	int nr = 0;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_scene(&screen);
	feed_processes(&screen, 20);
	while (spans_read(&spans, screen.journal) < 100)
		;
	of = regions_of(&screen, ATTRIBUTE_WORKTREE);
	of.spans = &spans;
	group_regions_make(&whole, &of);
	group_regions_begin(&parts);
	for (; !group_regions_continue(&parts, &of, 1); nr++)
		;
	assert_true(nr > 20);
	assert_int_equal(parts.nr, whole.nr);
	assert_int_equal(parts.nr_durations, whole.nr_durations);
	for (uint32_t i = 0; i < whole.nr; i++) {
		const struct group_region *a = &whole.items[i], *b = &parts.items[i];

		assert_memory_equal(&a->timing, &b->timing, sizeof(a->timing));
		assert_int_equal(a->group, b->group);
		assert_int_equal(a->nr_durations, a->timing.count);
		assert_int_equal(a->nr_durations, b->nr_durations);
		assert_int_equal(a->p50, b->p50);
		assert_int_equal(a->p99, b->p99);
		assert_true(a->timing.min <= a->p50 && a->p50 <= a->p99 && a->p99 <= a->timing.max);
	}
	group_regions_release(&whole);
	group_regions_release(&parts);
	spans_release(&spans);
	screen_close(&screen);
}

static void durations_after_the_displayed_time_are_left_out(void **state)
{
	struct screen screen;
	struct spans spans = { 0 };
	struct group_regions_of of;
	struct group_regions g = { 0 };

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	feed_processes(&screen, 2);
	while (spans_read(&spans, screen.journal) < 100)
		;
	of = regions_of(&screen, NR_ATTRIBUTES);
	of.spans = &spans;
	group_regions_make(&g, &of);
	assert_int_equal(g.nr_durations, 2);
	of.until = screen.in.wall_ns - screen.in.wall_ns % (60 * NS_PER_SEC) + 2 * NS_PER_SEC;
	group_regions_make(&g, &of);
	assert_int_equal(g.nr_durations, 1);
	group_regions_release(&g);
	spans_release(&spans);
	screen_close(&screen);
}

static void regions_past_the_limit_are_one_row(void **state)
{
	struct screen screen;
	struct group_regions_of of;
	struct group_regions all = { 0 }, few = { 0 };
	struct timing of_all = { 0 }, of_few = { 0 };
	uint32_t nr_other = 0;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	feed_processes(&screen, 20);
	of = regions_of(&screen, ATTRIBUTE_WORKTREE);
	group_regions_make(&all, &of);
	of.max_rows = 3;
	group_regions_make(&few, &of);
	assert_int_equal(all.nr, 2 * NR_TREES);
	assert_int_equal(few.nr, 4);
	for (uint32_t i = 0; i < all.nr; i++)
		add_timing(&of_all, &all.items[i].timing);
	for (uint32_t i = 0; i < few.nr; i++) {
		add_timing(&of_few, &few.items[i].timing);
		nr_other += few.items[i].is_other;
	}
	assert_int_equal(nr_other, 1);
	assert_memory_equal(&of_all, &of_few, sizeof(of_all));
	group_regions_release(&all);
	group_regions_release(&few);
	screen_close(&screen);
}

static bool is_said(struct screen *screen, const char *text)
{
	return strstr(screen_text(screen), text) != NULL;
}

static void groups_open(struct screen *screen, const char *keys)
{
	screen_open(screen, 120, 40, NULL);
	feed_processes(screen, 7);
	screen_keys(screen, keys);
}

static void the_menu_groups_the_timings_and_ends_it(void **state)
{
	struct screen screen;
	char before[32768];

	(void)state;
	groups_open(&screen, "3 z");
	snprintf(before, sizeof(before), "%s", screen_text(&screen));
	assert_false(is_said(&screen, "GROUP"));
	screen_keys(&screen, "b w");
	assert_true(is_said(&screen, "Timings · by worktree · all processes"));
	assert_true(is_said(&screen, "/home/tree1 c/outer"));
	screen_keys(&screen, "b");
	assert_true(is_said(&screen, "▸w  worktree"));
	screen_keys(&screen, "-");
	assert_string_equal(before, screen_text(&screen));
	screen_close(&screen);
}

static void a_group_is_a_field_of_its_rows(void **state)
{
	struct screen screen;

	(void)state;
	groups_open(&screen, "3 z b w F4 w o r k t r e e = / h o m e / t r e e 1 Enter");
	assert_true(is_said(&screen, "/home/tree1 c/outer"));
	assert_true(is_said(&screen, " 2 of 6 "));
	assert_false(is_said(&screen, "/home/tree2 c"));
	screen_close(&screen);
	groups_open(&screen, "3 z b w / t r e e 2 Enter");
	assert_true(is_said(&screen, "▸/home/tree2 c/"));
	screen_close(&screen);
}

static void keys_use_the_group_of_the_row(void **state)
{
	struct screen screen;

	(void)state;
	groups_open(&screen, "3 z b w F4 t r e e 1 Enter +");
	assert_true(is_said(&screen, "w  worktree = \"/home/tree1\""));
	screen_keys(&screen, "w F4 Backspace Backspace Backspace Backspace Backspace Enter");
	assert_true(is_said(&screen, "processes with worktree = \"/home/tree1\""));
	assert_false(is_said(&screen, "/home/tree2 c"));
	screen_keys(&screen, "e");
	assert_true(
		is_said(&screen, "filter: category = \"c\" and label = \"outer\" and worktree = "));
	screen_keys(&screen, "Esc Enter");
	assert_true(is_said(&screen, "Region · c/outer · worktree = /home/tree1 "));
	assert_true(is_said(&screen, "5 times · total 15.0s · mean 3.00s · max 3.00s"));
	screen_close(&screen);
}

static void the_page_of_a_region_is_of_the_group(void **state)
{
	struct screen screen;

	(void)state;
	groups_open(&screen, "3 z b w F4 o u t e r Enter / t r e e 1 Enter Enter");
	assert_true(is_said(&screen, "Region · c/outer · worktree = /home/tree1 "));
	assert_true(is_said(&screen, "5 times · total 15.0s"));
	assert_true(is_said(&screen, "By process "));
	screen_keys(&screen, "A");
	assert_true(is_said(&screen, "What is different · /home/tree1 · c/outer · the slow"));
	screen_keys(&screen, "Esc Esc b - Enter");
	assert_true(is_said(&screen, "Region · c/outer · all processes"));
	assert_true(is_said(&screen, "21 times · total "));
	screen_close(&screen);
}

static void groups_respect_limits_and_scope(void **state)
{
	struct screen screen;

	(void)state;
	groups_open(&screen, "End 3 z b w F7 F7 F7 F7");
	assert_true(is_said(&screen, "by worktree · nesting ≤ 1"));
	assert_true(is_said(&screen, "/home/tree1 c/outer"));
	assert_false(is_said(&screen, "c/inner"));
	screen_keys(&screen, "F8 F8 a");
	assert_true(is_said(&screen, "by worktree · status"));
	assert_true(is_said(&screen, "/home/tree0 c/inner"));
	assert_false(is_said(&screen, "/home/tree1 c/inner"));
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_add_up_to_the_timings),
		cmocka_unit_test(rows_are_the_regions_of_each_group),
		cmocka_unit_test(slices_equal_the_whole),
		cmocka_unit_test(durations_after_the_displayed_time_are_left_out),
		cmocka_unit_test(regions_past_the_limit_are_one_row),
		cmocka_unit_test(the_menu_groups_the_timings_and_ends_it),
		cmocka_unit_test(a_group_is_a_field_of_its_rows),
		cmocka_unit_test(keys_use_the_group_of_the_row),
		cmocka_unit_test(the_page_of_a_region_is_of_the_group),
		cmocka_unit_test(groups_respect_limits_and_scope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
