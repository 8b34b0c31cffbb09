/* SPDX-License-Identifier: MIT */
/* Tests of the table widget. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "views/widget/table.h"

static const struct column columns[] = {
	{ .title = "NAME", .min_cells = 6, .grow = 1 },
	{ .title = "COUNT", .min_cells = 5, .rank = 1, .right = true, .descending = true },
	{ .title = "EXTRA", .min_cells = 5, .rank = 2, .right = true, .no_sort = true },
};

static void draw(void *ctx, const struct row *row, int column, const struct slot *slot)
{
	(void)ctx;
	if (column == 0) {
		struct slot rest = slot_tree(slot, row);

		slot_printf(&rest, STYLE_TEXT, "row%d", (int)row->id);
	} else {
		slot_count(slot, STYLE_TEXT, row->id * 100);
	}
}

static void fill(struct table *table, int from, int to)
{
	table_clear(table);
	for (int i = from; i < to; i++)
		table_add(table, (uint64_t)i)->key = i;
	table_order(table);
}

static uint64_t selected(const struct table *table)
{
	const struct row *row = table_selected(table);

	return row ? row->id : 0;
}

static void sorting_is_stable_and_reverses(void **state)
{
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	for (int round = 0; round < 2; round++) {
		table.reverse = round;
		table_clear(&table);
		for (int i = 0; i < 1000; i++)
			table_add(&table, (uint64_t)i + 1)->key = i % 7;
		table_order(&table);
		assert_int_equal(table.nr_rows, 1000);
		for (int i = 1; i < 1000; i++) {
			const struct row *a = &table.rows[i - 1], *b = &table.rows[i];

			if (a->key == b->key)
				assert_true(a->id < b->id);
			else
				assert_int_equal(a->key < b->key, !round);
		}
	}
	table_release(&table);
}

static void sorting_does_not_depend_on_the_numbers_of_rows(void **state)
{
	struct table again = { .sort = SORT_NATURAL };
	unsigned random = 1;

	(void)state;
	for (unsigned round = 0; round < 100; round++) {
		struct table fresh = { .sort = SORT_NATURAL };

		table_clear(&again);
		for (unsigned i = 0; i < 500; i++) {
			random = random * 1103515245 + 12345;
			/* Row i gets another id about every 60 rounds; in some rounds it is
			 * absent. */
			uint64_t id = i + 1000 * (uint64_t)((round + i % 50) / 60);

			if ((random >> 16) % 40 == 0)
				continue;
			table_add(&again, id)->key = (int64_t)(id * 7919 % 997);
			table_add(&fresh, id)->key = (int64_t)(id * 7919 % 997);
		}
		table_order(&again);
		table_order(&fresh);
		assert_int_equal(again.nr_rows, fresh.nr_rows);
		for (unsigned i = 0; i < again.nr_rows; i++)
			assert_int_equal(again.rows[i].id, fresh.rows[i].id);
		table_release(&fresh);
	}
	table_release(&again);
}

static void is_ordered_until_its_order_changes(void **state)
{
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	for (uint64_t id = 1; id < 4; id++)
		table_add(&table, id);
	table_order(&table);
	assert_true(table_is_ordered(&table));
	table_select(&table, 2);
	table_reselect(&table);
	assert_int_equal(selected(&table), 2);
	assert_int_equal(table.at, 1);
	assert_true(table_is_ordered(&table));
	for (int i = 0; i < 5; i++) {
		if (i == 0)
			table.reverse = true;
		else if (i == 1)
			table.flat = true;
		else if (i == 2)
			marks_toggle(&table.marks, 0, 2);
		else if (i == 3)
			marks_toggle(&table.folded, 0, 2);
		else
			table.sort = 0;
		assert_false(table_is_ordered(&table));
		table_order(&table);
		assert_true(table_is_ordered(&table));
		assert_int_equal(table.nr_rows, 3);
	}
	table_release(&table);
}

static void rows_may_be_cleared_before_they_are_ordered(void **state)
{
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	fill(&table, 0, 10);
	for (int i = 0; i < 1000; i++)
		table_add(&table, (uint64_t)i);
	fill(&table, 0, 10);
	fill(&table, 0, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(table.rows[i].id, i);
	table_release(&table);
}

static void sorting_does_not_depend_on_the_previous_order(void **state)
{
	static const char *const texts[] = { "", "a", "ab", "b" };
	struct table again = { .sort = SORT_NATURAL };
	int64_t keys[500] = { 0 };
	unsigned random = 1;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		unsigned nr = round % 10 == 9 ? round * 2 : 490 + round % 10;
		struct table fresh = { .sort = SORT_NATURAL, .reverse = round / 50 % 2 };

		/* In most rounds a few rows change, in some many. */
		for (unsigned i = 0; i < (round % 25 ? 5 : 500); i++) {
			random = random * 1103515245 + 12345;
			keys[(random >> 8) % 500] = (int64_t)(random >> 18 & 0xff);
		}
		again.reverse = fresh.reverse;
		table_clear(&again);
		for (unsigned i = 0; i < nr; i++) {
			struct row *a = table_add(&again, i + 1), *b = table_add(&fresh, i + 1);

			a->key = b->key = keys[i];
			a->text = b->text = texts[keys[i] % 4];
			a->text_len = b->text_len = (uint32_t)strlen(a->text);
		}
		table_order(&again);
		table_order(&fresh);
		for (unsigned i = 0; i < nr; i++)
			assert_int_equal(again.rows[i].id, fresh.rows[i].id);
		for (unsigned i = 1; i < nr; i++)
			assert_true(fresh.reverse ? fresh.rows[i - 1].key >= fresh.rows[i].key
						  : fresh.rows[i - 1].key <= fresh.rows[i].key);
		table_release(&fresh);
	}
	table_release(&again);
}

static void text_breaks_ties(void **state)
{
	static const char *const names[] = { "beta", "alpha", "alph", "gamma" };
	struct table table = { .sort = 0 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct row *row = table_add(&table, (uint64_t)i + 1);

		row->text = names[i];
		row->text_len = (uint32_t)strlen(names[i]);
	}
	table_order(&table);
	assert_int_equal(table.rows[0].id, 3);
	assert_int_equal(table.rows[1].id, 2);
	assert_int_equal(table.rows[2].id, 1);
	table_release(&table);
}

static void children_follow_their_parents(void **state)
{
	struct table table = { .sort = SORT_NATURAL };
	static const uint32_t parents[] = { ROW_NO_PARENT, ROW_NO_PARENT, 0, 2, 0 };
	static const uint64_t wanted[] = { 2, 1, 3, 4, 5 };

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		struct row *row = table_add(&table, i + 1);

		row->parent = parents[i];
		row->key = i == 0 ? 10 : i;
	}
	table_order(&table);
	for (int i = 0; i < 5; i++)
		assert_int_equal(table.rows[i].id, wanted[i]);
	assert_int_equal(table.rows[3].level, 2);
	assert_false(table.rows[2].last);
	assert_true(table.rows[4].last);
	table_release(&table);
}

/* Each row is the child of the one before; ids begin with 1. */
static void add_chain(struct table *table, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		table_add(table, i + 1)->parent = i ? i - 1 : ROW_NO_PARENT;
}

static void deep_trees_are_shown_in_full(void **state)
{
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	add_chain(&table, 70000);
	table_order(&table);
	assert_int_equal(table.nr_rows, 70000);
	assert_int_equal(table.nr_hidden, 0);
	for (uint32_t i = 0; i < 70000; i++) {
		assert_int_equal(table.rows[i].id, i + 1);
		assert_int_equal(table.rows[i].level, i < UINT16_MAX ? i : UINT16_MAX);
		assert_true(table.rows[i].last);
	}
	table_release(&table);
}

/* A sibling at level 1 follows level 300. */
static void rows_after_a_deep_branch_keep_their_level(void **state)
{
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	add_chain(&table, 301);
	table_add(&table, 302)->parent = 0;
	table_add(&table, 303)->parent = ROW_NO_PARENT;
	table_order(&table);
	assert_int_equal(table.nr_rows, 303);
	assert_int_equal(table.rows[300].level, 300);
	assert_int_equal(table.rows[301].id, 302);
	assert_int_equal(table.rows[301].level, 1);
	assert_false(table.rows[1].last);
	assert_int_equal(table.rows[302].id, 303);
	assert_int_equal(table.rows[302].level, 0);
	assert_false(table.rows[0].last);
	table_release(&table);
}

static void rows_in_a_cycle_are_counted_as_hidden(void **state)
{
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	table_add(&table, 1)->parent = 1;
	table_add(&table, 2)->parent = 0;
	table_add(&table, 3)->parent = ROW_NO_PARENT;
	table_order(&table);
	assert_int_equal(table.nr_rows, 1);
	assert_int_equal(table.nr_hidden, 2);
	table_release(&table);
}

static void fill_tree(struct table *table)
{
	static const uint32_t parents[] = { ROW_NO_PARENT, 0, 1, 0, ROW_NO_PARENT };

	table_clear(table);
	for (uint32_t i = 0; i < 5; i++) {
		struct row *row = table_add(table, i + 1);

		row->key = (int64_t)i;
		row->parent = parents[i];
	}
	table_order(table);
}

static void subtrees_fold_and_unfold(void **state)
{
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	fill_tree(&table);
	assert_int_equal(table.nr_rows, 5);
	table_action(&table, ACTION_FOLD, columns, 3);
	fill_tree(&table);
	assert_int_equal(table.nr_rows, 2);
	assert_int_equal(table.nr_hidden, 3);
	assert_int_equal(table.rows[1].id, 5);
	assert_true(table.rows[0].folded);
	assert_int_equal(selected(&table), 1);
	table.flat = true;
	fill_tree(&table);
	assert_int_equal(table.nr_rows, 5);
	table.flat = false;
	table_action(&table, ACTION_FOLD, columns, 3);
	fill_tree(&table);
	assert_int_equal(table.nr_rows, 5);
	assert_int_equal(table.nr_hidden, 0);
	assert_false(table.rows[0].folded);
	table_release(&table);
}

static void cyclic_rows_terminate(void **state)
{
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	table_add(&table, 1)->parent = 0;
	table_add(&table, 2)->parent = 77;
	table_order(&table);
	assert_int_equal(table.nr_rows, 2);
	table_release(&table);
}

static void selection_stays_with_its_row(void **state)
{
	struct surface *surface = surface_new(30, 6, false);
	struct rect area = { 0, 0, 30, 6 };
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	fill(&table, 100, 200);
	table_draw(&table, surface, area, columns, 3, true, draw, NULL);
	for (int i = 0; i < 50; i++) {
		table_action(&table, ACTION_DOWN, columns, 3);
		table_draw(&table, surface, area, columns, 3, true, draw, NULL);
	}
	assert_int_equal(selected(&table), 150);
	uint32_t line = table.at - table.top;

	fill(&table, 50, 200);
	table_draw(&table, surface, area, columns, 3, true, draw, NULL);
	assert_int_equal(selected(&table), 150);
	assert_int_equal(table.at - table.top, line);
	fill(&table, 151, 200);
	assert_true(selected(&table) >= 151);
	table_release(&table);
	surface_free(surface);
}

/* Before any selection the cursor stays on the top row; table_hold() fixes it on its row. */
static void unused_tables_stay_at_the_top(void **state)
{
	struct surface *surface = surface_new(30, 6, false);
	struct rect area = { 0, 0, 30, 6 };
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	fill(&table, 100, 200);
	table_draw(&table, surface, area, columns, 3, true, draw, NULL);
	fill(&table, 50, 200);
	table_draw(&table, surface, area, columns, 3, true, draw, NULL);
	assert_int_equal(selected(&table), 50);
	assert_int_equal(table.top, 0);
	table_hold(&table);
	fill(&table, 20, 200);
	table_draw(&table, surface, area, columns, 3, true, draw, NULL);
	assert_int_equal(selected(&table), 50);
	assert_true(table.top > 0);
	table_action(&table, ACTION_DOWN, columns, 3);
	table_draw(&table, surface, area, columns, 3, true, draw, NULL);
	assert_int_equal(selected(&table), 51);
	table_release(&table);
	surface_free(surface);
}

static void headings_cannot_be_selected(void **state)
{
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct row *row = table_add(&table, (uint64_t)i + 1);

		row->key = i;
		row->fixed = i % 2 == 0;
	}
	table_order(&table);
	assert_int_equal(selected(&table), 2);
	table_action(&table, ACTION_DOWN, columns, 3);
	assert_int_equal(selected(&table), 4);
	table_action(&table, ACTION_HOME, columns, 3);
	assert_int_equal(selected(&table), 2);
	table_release(&table);
}

static void narrow_tables_drop_columns_by_rank(void **state)
{
	static const struct {
		int cols;
		const char *heading;
	} cases[] = {
		{ 24, " NAME        COUNT EXTRA\n" },
		{ 15, " NAME     COUNT\n" },
		{ 10, " NAME\n" },
	};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct surface *surface = surface_new(cases[i].cols, 1, false);
		struct table table = { .sort = SORT_NATURAL };
		struct tr2_buf out;

		tr2_buf_init(&out, 1 << 10);
		table_draw(&table, surface, (struct rect){ 0, 0, cases[i].cols, 1 }, columns, 3,
			   true, draw, NULL);
		surface_dump(surface, &out);
		assert_string_equal(tr2_buf_cstr(&out), cases[i].heading);
		tr2_buf_release(&out);
		table_release(&table);
		surface_free(surface);
	}
}

static const char long_label[] = "transport_push/get_refs_list";

static void draw_label_and_bar(void *ctx, const struct row *row, int column,
			       const struct slot *slot)
{
	(void)ctx;
	if (column == 0)
		slot_text(slot, STYLE_TEXT, long_label, SIZE_MAX);
	else if (column == 1)
		slot_count(slot, STYLE_TEXT, row->id * 100);
}

/* A label is cut only if the values would not fit without the bar. If the bar cannot prevent the
 * cut, it keeps its least width. */
static void bars_yield_their_cells_to_labels(void **state)
{
	static const struct column three[] = {
		{ .title = "LABEL", .min_cells = 10, .grow = 1 },
		{ .title = "COUNT", .min_cells = 5, .right = true },
		{ .title = "BAR", .min_cells = 12, .fills = 20, .rank = 1, .yields = true },
	};
	const int label = (int)strlen(long_label), values = 1 + label + 1 + 5;

	(void)state;
	for (int cols = 32; cols <= 80; cols++) {
		struct surface *surface = surface_new(cols, 3, false);
		struct table table = { .sort = SORT_NATURAL };
		int bar;

		fill(&table, 1, 3);
		table_draw(&table, surface, (struct rect){ 0, 0, cols, 3 }, three, 3, true,
			   draw_label_and_bar, NULL);
		bar = cols - values - 1;
		assert_int_equal(table.widths[0] == label, cols >= values);
		assert_int_equal(table.widths[1], 5);
		assert_int_equal(table.widths[2], cols < values ? 12
						  : bar < 3     ? 0
						  : bar < 20    ? bar
								: 20);
		surface_free(surface);
		table_release(&table);
	}
}

static void clicks_sort_by_headings_and_select_rows(void **state)
{
	struct surface *surface = surface_new(30, 6, false);
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	fill(&table, 1, 20);
	table_draw(&table, surface, (struct rect){ 0, 0, 30, 6 }, columns, 3, true, draw, NULL);
	assert_true(table_press(&table, 3, 4, columns, 3));
	assert_int_equal(selected(&table), 4);
	assert_true(table_press(&table, table.heads[1] + 1, 0, columns, 3));
	assert_int_equal(table.sort, 1);
	assert_true(table_press(&table, table.heads[1] + 1, 0, columns, 3));
	assert_true(table.reverse);
	table_release(&table);
	surface_free(surface);
}

static void changing_the_order_selects_the_top(void **state)
{
	static const enum action keys[] = { ACTION_SORT, ACTION_SORT_LEFT, ACTION_REVERSE };
	struct surface *surface = surface_new(30, 6, false);
	struct rect area = { 0, 0, 30, 6 };
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	for (int i = 0; i < 4; i++) {
		fill(&table, 1, 21);
		table_action(&table, ACTION_END, columns, 3);
		table_draw(&table, surface, area, columns, 3, true, draw, NULL);
		assert_int_equal(table.top, 15);
		if (i == 3)
			table_press(&table, table.heads[1] + 1, 0, columns, 3);
		else
			table_action(&table, keys[i], columns, 3);
		table_order(&table);
		table_draw(&table, surface, area, columns, 3, true, draw, NULL);
		assert_int_equal(table.top, 0);
		assert_int_equal(selected(&table), table.rows[0].id);
	}
	/* A row that is followed stays selected. */
	table_action(&table, ACTION_END, columns, 3);
	table.follow = FOLLOW_SELECTED;
	table_action(&table, ACTION_REVERSE, columns, 3);
	fill(&table, 1, 21);
	assert_int_equal(selected(&table), 20);
	table_release(&table);
	surface_free(surface);
}

/* Cut at the front, the text would not look like a URL with a password. */
static void scrolled_cells_hide_passwords(void **state)
{
	struct surface *surface = surface_new(40, 1, false);
	struct tr2_buf text;

	(void)state;
	tr2_buf_init(&text, 1 << 16);
	for (int left = 0; left < 20; left++) {
		struct slot slot = { surface, 0, 0, 40, false, left, NULL };

		surface_clear(surface);
		slot_text(&slot, STYLE_TEXT, "https://user:geheim@host/repo", SIZE_MAX);
		tr2_buf_clear(&text);
		surface_row_text(surface, 0, &text);
		assert_null(strstr(tr2_buf_cstr(&text), "heim"));
		assert_non_null(strstr(tr2_buf_cstr(&text), "ED>@host/repo"));
	}
	tr2_buf_release(&text);
	surface_free(surface);
}

static void panning_stops_at_the_end_of_the_text(void **state)
{
	struct tr2_buf out = { .max = 1 << 16 };
	struct surface *surface = surface_new(10, 2, false);
	int over = 0;
	struct slot slot = { surface, 0, 0, 8, false, 100, &over };

	(void)state;
	slot_text(&slot, STYLE_TEXT, "short", SIZE_MAX);
	assert_int_equal(over, 0);
	slot.y = 1;
	slot_text(&slot, STYLE_TEXT, "0123456789ab", SIZE_MAX);
	assert_int_equal(over, 4);
	surface_dump(surface, &out);
	assert_non_null(strstr(tr2_buf_cstr(&out), "short"));
	assert_non_null(strstr(tr2_buf_cstr(&out), "456789ab"));
	tr2_buf_release(&out);
	surface_free(surface);
}

static void home_releases_the_selection(void **state)
{
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	fill(&table, 10, 20);
	table_action(&table, ACTION_END, columns, 3);
	table_action(&table, ACTION_HOME, columns, 3);
	assert_int_equal(selected(&table), 10);
	fill(&table, 1, 20);
	assert_int_equal(selected(&table), 1);
	table_release(&table);
}

static void following_selects_the_newest_until_moved(void **state)
{
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	fill(&table, 1, 10);
	table.newest = 9;
	table_action(&table, ACTION_FOLLOW, columns, 3);
	table_clear(&table);
	for (int i = 1; i < 20; i++)
		table_add(&table, (uint64_t)i)->key = i;
	table.newest = 19;
	table_order(&table);
	assert_int_equal(selected(&table), 19);
	table_action(&table, ACTION_UP, columns, 3);
	assert_false(table.follow);
	assert_int_equal(selected(&table), 18);
	table_release(&table);
}

static void keeps_the_selected_row_or_none(void **state)
{
	struct table table = { .sort = SORT_NATURAL };
	struct surface *surface = surface_new(30, 6, false);

	(void)state;
	fill(&table, 1, 30);
	table_go(&table, 19);
	/* this table has no newest row to follow */
	table_action(&table, ACTION_FOLLOW, columns, 3);
	assert_int_equal(table.follow, FOLLOW_SELECTED);
	for (int from = 1; from < 20; from += 3) {
		fill(&table, from, from + 40);
		table_draw(&table, surface, (struct rect){ 0, 0, 30, 6 }, columns, 3, true, draw,
			   NULL);
		assert_int_equal(selected(&table), 20);
		assert_true(table.at >= table.top && table.at < table.top + 5);
	}
	fill(&table, 30, 40); /* the row is gone: no other one is selected */
	assert_int_equal(selected(&table), 0);
	assert_true(table.lost);
	fill(&table, 1, 40);
	assert_int_equal(selected(&table), 20);
	fill(&table, 30, 40);
	table_action(&table, ACTION_DOWN, columns, 3);
	assert_int_equal(table.follow, FOLLOW_NONE);
	assert_true(selected(&table) >= 30);
	table_release(&table);
	surface_free(surface);
}

static void marked_rows_are_grouped_and_keep_their_mark(void **state)
{
	struct table table = { .sort = SORT_NATURAL };
	struct surface *surface = surface_new(30, 8, false);
	struct tr2_buf text;

	(void)state;
	fill(&table, 1, 30);
	table_go(&table, 24);
	table_action(&table, ACTION_MARK, columns, 3);
	table_go(&table, 9);
	table_action(&table, ACTION_MARK, columns, 3);
	for (int reverse = 0; reverse < 2; reverse++) {
		table.reverse = reverse;
		fill(&table, 1, 30);
		assert_int_equal(table.nr_marked, 2);
		assert_int_equal(table.rows[0].id, reverse ? 25 : 10);
		assert_int_equal(table.rows[1].id, reverse ? 10 : 25);
		assert_int_equal(table.rows[2].id, reverse ? 29 : 1);
		/* the cursor moved with its row */
		assert_int_equal(selected(&table), 10);
	}
	/* Marked rows, also the selected one, have a sign. */
	table.reverse = false;
	fill(&table, 1, 30);
	table_draw(&table, surface, (struct rect){ 0, 0, 30, 8 }, columns, 3, true, draw, NULL);
	tr2_buf_init(&text, 1 << 16);
	surface_dump(surface, &text);
	assert_non_null(strstr(tr2_buf_cstr(&text), "◈row10"));
	assert_non_null(strstr(tr2_buf_cstr(&text), "◆row25"));
	tr2_buf_release(&text);
	fill(&table, 12, 20);
	assert_int_equal(table.nr_marked, 0);
	fill(&table, 1, 30);
	assert_int_equal(table.nr_marked, 2);
	/* Rows of another owner with the same ids are different rows. */
	table.owner = 7;
	fill(&table, 1, 30);
	assert_int_equal(table.nr_marked, 0);
	table.owner = 0;
	table_action(&table, ACTION_UNMARK, columns, 3);
	fill(&table, 1, 30);
	assert_int_equal(table.nr_marked, 0);
	assert_int_equal(table.rows[0].id, 1);
	table_release(&table);
	surface_free(surface);
}

static void marking_a_child_moves_its_tree_to_the_top(void **state)
{
	/* the tree 1 > 2 > 3; 4 > 5, 6 */
	static const uint32_t parents[] = { ROW_NO_PARENT, 0, 1, ROW_NO_PARENT, 3, 3 };
	static const uint64_t wanted[] = { 4, 6, 5, 1, 2, 3 };
	struct table table = { .sort = SORT_NATURAL };

	(void)state;
	marks_toggle(&table.marks, 0, 6);
	table_clear(&table);
	for (unsigned i = 0; i < 6; i++) {
		struct row *row = table_add(&table, i + 1);

		row->key = i;
		row->parent = parents[i];
	}
	table_order(&table);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(table.rows[i].id, wanted[i]);
	table_release(&table);
}

static void too_many_marks_drop_the_first(void **state)
{
	static struct marks marks;

	(void)state;
	for (uint64_t i = 0; i < MAX_MARKS + 10; i++)
		marks_toggle(&marks, i % 3, i * 7919 % 1000003);
	assert_int_equal(marks.nr, MAX_MARKS);
	for (uint64_t i = 0; i < MAX_MARKS + 10; i++)
		assert_int_equal(marks_has(&marks, i % 3, i * 7919 % 1000003), i >= 10);
	marks_toggle(&marks, 10 % 3, 10 * 7919 % 1000003);
	assert_int_equal(marks.nr, MAX_MARKS - 1);
}

static void sort_column_is_marked_by_a_character(void **state)
{
	struct table table = { .sort = 1 };
	struct surface *surface = surface_new(30, 4, false);
	struct tr2_buf text;

	(void)state;
	tr2_buf_init(&text, 1 << 16);
	fill(&table, 1, 3);
	table_draw(&table, surface, (struct rect){ 0, 0, 30, 4 }, columns, 3, true, draw, NULL);
	surface_row_text(surface, 0, &text);
	assert_non_null(strstr(tr2_buf_cstr(&text), "COUNT▼"));
	table.reverse = true;
	table_draw(&table, surface, (struct rect){ 0, 0, 30, 4 }, columns, 3, true, draw, NULL);
	tr2_buf_clear(&text);
	surface_row_text(surface, 0, &text);
	assert_non_null(strstr(tr2_buf_cstr(&text), "COUNT▲"));
	tr2_buf_release(&text);
	table_release(&table);
	surface_free(surface);
}

static bool is_kept(void *data, const struct row *row)
{
	return *(unsigned *)data >> row->id & 1;
}

static void ancestors_of_matches_are_dimmed(void **state)
{
	/* the tree 1 > 2 > 3, 1 > 4; 5 alone; headings 6 (no row remains), 7 (of 8) */
	static const uint32_t parents[] = { ROW_NO_PARENT, 0, 1, 0, ROW_NO_PARENT };
	struct table table = { .sort = SORT_NATURAL };
	unsigned mask = 1u << 1 | 1u << 3 | 1u << 4 | 1u << 8;

	(void)state;
	table_clear(&table);
	for (unsigned i = 0; i < 5; i++) {
		struct row *row = table_add(&table, i + 1);

		row->key = i;
		row->parent = parents[i];
	}
	for (unsigned i = 6; i < 9; i++) {
		struct row *row = table_add(&table, i);

		row->key = i;
		row->fixed = i < 8;
	}
	table_keep(&table, is_kept, &mask);
	table_order(&table);
	assert_int_equal(table.nr_rows, 6);
	assert_int_equal(table.nr_hidden, 1);
	for (uint32_t i = 0; i < 6; i++) {
		static const struct {
			unsigned id, level;
			bool dimmed;
		} wanted[] = { { 1, 0, false }, { 2, 1, true },  { 3, 2, false },
			       { 4, 1, false }, { 7, 0, false }, { 8, 0, false } };

		assert_int_equal(table.rows[i].id, wanted[i].id);
		assert_int_equal(table.rows[i].level, wanted[i].level);
		assert_int_equal(table.rows[i].dimmed, wanted[i].dimmed);
	}
	mask = 1u << 3;
	table_clear(&table);
	for (unsigned i = 0; i < 5; i++) {
		struct row *row = table_add(&table, i + 1);

		row->key = i;
		row->parent = i == 0 ? 1 : parents[i]; /* 1 and 2 are each other's parent */
	}
	table_keep(&table, is_kept, &mask);
	table_order(&table);
	assert_true(table.nr_rows <= 1);
	table_release(&table);
}

/* The filter keeps the last of three rows in a chain. */
static void keep_last(struct table *table)
{
	unsigned mask = 1u << 3;

	table_clear(table);
	for (unsigned i = 0; i < 3; i++) {
		struct row *row = table_add(table, i + 1);

		row->key = i;
		row->parent = i ? i - 1 : ROW_NO_PARENT;
	}
	table_keep(table, is_kept, &mask);
	table_order(table);
}

static bool is_odd(const struct view_ctx *ctx, const struct row *row)
{
	(void)ctx;
	return row->id & 1;
}

static void draw_spilling(void *ctx, const struct row *row, int column, const struct slot *slot)
{
	(void)ctx;
	if (!column)
		slot_text(slot, STYLE_TEXT, row->id & 1 ? "a long command" : "short", SIZE_MAX);
	else if (!(row->id & 1))
		slot_text(slot, STYLE_TEXT, "what it does", SIZE_MAX);
}

static void text_continues_in_an_empty_cell(void **state)
{
	static const struct column two[] = {
		{ .title = "C", .min_cells = 3, .spills = is_odd },
		{ .title = "D", .min_cells = 3 },
	};
	struct surface *surface = surface_new(30, 3, false);
	struct table table = { .sort = SORT_NATURAL };
	struct tr2_buf out;

	(void)state;
	tr2_buf_init(&out, 1 << 10);
	fill(&table, 1, 3);
	table_draw(&table, surface, (struct rect){ 0, 0, 30, 3 }, two, 2, false, draw_spilling,
		   NULL);
	surface_dump(surface, &out);
	assert_string_equal(tr2_buf_cstr(&out), " C     D\n▸a long command\n short what it does\n");
	tr2_buf_release(&out);
	surface_free(surface);
	table_release(&table);
}

/* The match is selected, not a dimmed ancestor. */
static void filtering_selects_the_first_match(void **state)
{
	struct table table = { .sort = SORT_NATURAL };
	struct surface *surface = surface_new(30, 6, false);
	struct tr2_buf text;

	(void)state;
	tr2_buf_init(&text, 1 << 16);
	keep_last(&table);
	assert_int_equal(table.nr_rows, 3);
	assert_int_equal(table_selected(&table)->id, 3);
	table_draw(&table, surface, (struct rect){ 0, 0, 30, 6 }, columns, 3, true, draw, NULL);
	assert_int_equal(table.top, 0);
	surface_row_text(surface, 1, &text);
	assert_int_equal(memcmp(tr2_buf_cstr(&text), "\xc2\xb7", 2), 0);
	table_draw(&table, surface, (struct rect){ 0, 0, 30, 3 }, columns, 3, true, draw, NULL);
	assert_int_equal(table.top, 1);
	table.flat = true;
	keep_last(&table);
	assert_int_equal(table.nr_rows, 1);
	assert_int_equal(table.nr_hidden, 2);
	assert_int_equal(table.rows[0].id, 3);
	tr2_buf_release(&text);
	surface_free(surface);
	table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ancestors_of_matches_are_dimmed),
		cmocka_unit_test(filtering_selects_the_first_match),
		cmocka_unit_test(text_continues_in_an_empty_cell),
		cmocka_unit_test(sorting_is_stable_and_reverses),
		cmocka_unit_test(rows_may_be_cleared_before_they_are_ordered),
		cmocka_unit_test(sorting_does_not_depend_on_the_previous_order),
		cmocka_unit_test(sorting_does_not_depend_on_the_numbers_of_rows),
		cmocka_unit_test(is_ordered_until_its_order_changes),
		cmocka_unit_test(text_breaks_ties),
		cmocka_unit_test(children_follow_their_parents),
		cmocka_unit_test(deep_trees_are_shown_in_full),
		cmocka_unit_test(rows_after_a_deep_branch_keep_their_level),
		cmocka_unit_test(rows_in_a_cycle_are_counted_as_hidden),
		cmocka_unit_test(subtrees_fold_and_unfold),
		cmocka_unit_test(cyclic_rows_terminate),
		cmocka_unit_test(selection_stays_with_its_row),
		cmocka_unit_test(unused_tables_stay_at_the_top),
		cmocka_unit_test(headings_cannot_be_selected),
		cmocka_unit_test(narrow_tables_drop_columns_by_rank),
		cmocka_unit_test(bars_yield_their_cells_to_labels),
		cmocka_unit_test(changing_the_order_selects_the_top),
		cmocka_unit_test(panning_stops_at_the_end_of_the_text),
		cmocka_unit_test(home_releases_the_selection),
		cmocka_unit_test(clicks_sort_by_headings_and_select_rows),
		cmocka_unit_test(keeps_the_selected_row_or_none),
		cmocka_unit_test(marked_rows_are_grouped_and_keep_their_mark),
		cmocka_unit_test(marking_a_child_moves_its_tree_to_the_top),
		cmocka_unit_test(too_many_marks_drop_the_first),
		cmocka_unit_test(scrolled_cells_hide_passwords),
		cmocka_unit_test(sort_column_is_marked_by_a_character),
		cmocka_unit_test(following_selects_the_newest_until_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
