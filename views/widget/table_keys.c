/* SPDX-License-Identifier: MIT */
/*
 * Actions of keys and the mouse on a table: a function table_act_NAME() for each TABLE_KEY row of
 * keys.def; the compiler checks that none is missing.
 */
#include "config.h"

#include "views/widget/table.h"

struct drawn_by {
	const struct column *columns;
	int nr;
};

typedef void table_act(struct table *table, const struct drawn_by *by);

/* Store the sort order in the user's arrangement, which outlives the table. */
static void keep_order(struct table *table)
{
	if (!table->arrangement)
		return;
	table->arrangement->sort = table->sort;
	table->arrangement->reverse = table->reverse;
}

/* Store the changed order, and forget the selection unless the table follows a row. */
static void order_changed(struct table *table)
{
	keep_order(table);
	if (!table->follow)
		table_let_go(table);
}

void table_sort_by(struct table *table, int column)
{
	table->sort = column;
	table->reverse = false;
	order_changed(table);
}

/* Sort by the next (`step` 1) or previous (-1) column that can be sorted and is not hidden, in a
 * circle in which the natural order comes after the last column. */
static void sort_step(struct table *table, const struct drawn_by *by, int step)
{
	struct column drawn[MAX_COLUMNS];
	uint8_t index[MAX_COLUMNS];
	int shown = table_columns(table, by->columns, by->nr, drawn, index);
	int at = -1;

	for (int i = 0; i < shown; i++)
		if (index[i] == table->sort)
			at = i;
	do {
		at += step;
		at = at < -1 ? shown - 1 : at >= shown ? -1 : at;
	} while (at >= 0 && drawn[at].no_sort);
	table_sort_by(table, at < 0 ? SORT_NATURAL : index[at]);
}

static int64_t page_of(const struct table *table)
{
	return table->page_rows > 1 ? table->page_rows - 1 : 1;
}

static void table_act_up(struct table *table, const struct drawn_by *by)
{
	(void)by;
	table_move(table, (int64_t)table->at - 1, -1);
}

static void table_act_down(struct table *table, const struct drawn_by *by)
{
	(void)by;
	table_move(table, (int64_t)table->at + 1, 1);
}

static void table_act_page_up(struct table *table, const struct drawn_by *by)
{
	(void)by;
	table_move(table, (int64_t)table->at - page_of(table), -1);
}

static void table_act_page_down(struct table *table, const struct drawn_by *by)
{
	(void)by;
	table_move(table, (int64_t)table->at + page_of(table), 1);
}

static void table_act_home(struct table *table, const struct drawn_by *by)
{
	(void)by;
	table_move(table, 0, 1);
	table->touched = false; /* select a row at the top until the user selects another one */
	table->top = 0;
}

static void table_act_end(struct table *table, const struct drawn_by *by)
{
	(void)by;
	table_move(table, table->nr_rows, -1);
}

static void table_act_left(struct table *table, const struct drawn_by *by)
{
	(void)by;
	table->left = table->left > 8 ? table->left - 8 : 0;
}

static void table_act_right(struct table *table, const struct drawn_by *by)
{
	(void)by;
	table->left = table->left + 8 < table->over ? table->left + 8 : table->over;
}

static void table_act_sort_right(struct table *table, const struct drawn_by *by)
{
	sort_step(table, by, 1);
}

static void table_act_sort_left(struct table *table, const struct drawn_by *by)
{
	sort_step(table, by, -1);
}

static void table_act_reverse(struct table *table, const struct drawn_by *by)
{
	(void)by;
	table->reverse = !table->reverse;
	order_changed(table);
}

static void table_act_tree(struct table *table, const struct drawn_by *by)
{
	(void)by;
	table->flat = !table->flat;
}

/* Follow in turn no row, the newest row (if the view names one, or there are no rows), and the
 * selected row. */
static void table_act_follow(struct table *table, const struct drawn_by *by)
{
	(void)by;
	if (table->follow == FOLLOW_NONE)
		table->follow = table->newest || !table->nr_rows ? FOLLOW_NEWEST : FOLLOW_SELECTED;
	else
		table->follow = table->follow == FOLLOW_NEWEST && table_selected(table)
					? FOLLOW_SELECTED
					: FOLLOW_NONE;
	table->touched |= table->follow != FOLLOW_NEWEST;
}

static void table_act_mark(struct table *table, const struct drawn_by *by)
{
	(void)by;
	table_hold(table);
	if (table_selected(table))
		marks_toggle(&table->marks, table->owner, table->selected);
}

static void table_act_unmark(struct table *table, const struct drawn_by *by)
{
	(void)by;
	marks_clear(&table->marks);
}

static void table_act_fold(struct table *table, const struct drawn_by *by)
{
	(void)by;
	table_hold(table);
	if (table_selected(table))
		marks_toggle(&table->folded, table->owner, table->selected);
}

static table_act *const acts[NR_ACTIONS] = {
#define TABLE_KEY(ID, act, keys, short_name, group, doc) [ACTION_##ID] = table_act_##act,
#include "views/widget/keys.def"
};

bool table_action(struct table *table, enum action action, const struct column *columns,
		  int nr_columns)
{
	if (!acts[action])
		return false;
	acts[action](table, &(struct drawn_by){ columns, nr_columns });
	return true;
}

/* Return the rightmost column that starts at or before screen column `x`, or -1. */
static int column_under(const struct table *table, int x, int nr_columns)
{
	int found = -1;

	for (int i = 0; i < nr_columns; i++)
		if (table->heads[i] >= 0 && x >= table->heads[i] &&
		    (found < 0 || table->heads[i] > table->heads[found]))
			found = i;
	return found;
}

bool table_press(struct table *table, int x, int y, const struct column *columns, int nr_columns)
{
	int row = y - table->body_y, column;

	if (row >= 0 && row < table->page_rows && table->top + (uint32_t)row < table->nr_rows) {
		table_go(table, table->top + (uint32_t)row);
		return true;
	}
	if (row != -1)
		return false;
	column = column_under(table, x, nr_columns);
	if (column < 0 || columns[column].no_sort)
		return false;
	if (table->sort != column) {
		table_sort_by(table, column);
	} else {
		table->reverse = !table->reverse;
		order_changed(table);
	}
	return true;
}
