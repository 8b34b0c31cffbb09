/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/widget/table.h"
#include "views/widget/table_fit.h"
#include "views/widget/table_sort.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/humanize.h"
#include "monitor/base/secrets.h"

void table_release(struct table *table)
{
	free(table->rows);
	free(table->items);
	free(table->ordered);
	tr2_hash_index_release(&table->by_id);
	free(table->links);
	free(table->spare);
	*table = (struct table){ .sort = SORT_NATURAL };
}

void table_clear(struct table *table)
{
	if (table->arrangement) {
		table->sort = table->arrangement->sort;
		table->reverse = table->arrangement->reverse;
	}
	table->nr_rows = 0;
	table->nr_hidden = 0;
	memset(table->headings, 0, sizeof(table->headings));
	table->newest = 0;
}

struct row *table_add(struct table *table, uint64_t id)
{
	GROW(table->rows, table->nr_rows, table->cap_rows, 64);
	struct row *row = &table->rows[table->nr_rows++];

	*row = (struct row){ .id = id, .parent = ROW_NO_PARENT };
	return row;
}

/* Make the working memory as large as `rows`: flatten() swaps `rows` and `spare`. */
static void reserve_scratch(struct table *table)
{
	if (table->cap_scratch == table->cap_rows)
		return;
	table->cap_scratch = table->cap_rows;
	table->links =
		xreallocarray(table->links, 2 * (size_t)table->cap_scratch, sizeof(*table->links));
	table->spare = xreallocarray(table->spare, table->cap_scratch, sizeof(*table->spare));
}

/* Build the sorted list of each row's children, by pushing rows to the front, the last sorted row
 * first. `*root` heads the list of root rows. */
static void link_children(struct table *table, const struct sorted_row *sorted, uint32_t *first,
			  uint32_t *next, uint32_t *root)
{
	*root = ROW_NO_PARENT;
	for (uint32_t i = 0; i < table->nr_rows; i++)
		first[i] = ROW_NO_PARENT;
	for (uint32_t i = table->nr_rows; i-- > 0;) {
		uint32_t row = sorted[i].row, parent = table->rows[row].parent;
		uint32_t *head = table->flat || parent >= table->nr_rows || parent == row
					 ? root
					 : &first[parent];

		next[row] = *head;
		*head = row;
	}
}

/*
 * Put the rows into the order of the screen: a depth-first walk over sorted lists of children.
 *
 * The walk needs no stack: after a subtree it goes up by `parent`, which is a valid row number on
 * every level but 0. Each row is in one list, so it is visited at most once. Rows below folded
 * ones, and rows whose ancestors form a cycle, are not visited; nr_hidden counts them.
 */
static void flatten(struct table *table, const struct sorted_row *sorted)
{
	uint32_t *first = table->links, *next = table->links + table->cap_scratch;
	uint32_t at, level = 0, nr = 0;
	uint64_t lines = 0;

	link_children(table, sorted, first, next, &at);
	while (at != ROW_NO_PARENT) {
		struct row *row = &table->spare[nr++];

		*row = table->rows[at];
		row->level = level < UINT16_MAX ? (uint16_t)level : UINT16_MAX;
		row->last = next[at] == ROW_NO_PARENT;
		if (level < 64)
			lines = row->last ? lines & ~(1ull << level) : lines | 1ull << level;
		row->lines = lines;
		row->folded = first[at] != ROW_NO_PARENT && table->folded.nr &&
			      marks_has(&table->folded, table->owner, row->id);
		if (first[at] != ROW_NO_PARENT && !row->folded) {
			at = first[at];
			level++;
			continue;
		}
		for (; level && next[at] == ROW_NO_PARENT; level--)
			at = table->rows[at].parent;
		at = next[at];
	}
	table->nr_hidden += table->nr_rows - nr;
	struct row *swap = table->rows;

	table->rows = table->spare;
	table->spare = swap;
	table->nr_rows = nr;
}

static void keep_headings(struct table *table, uint32_t *number)
{
	bool any = false;

	for (uint32_t i = table->nr_rows; i-- > 0;) {
		if (!table->rows[i].fixed) {
			any |= number[i] != ROW_NO_PARENT;
			continue;
		}
		number[i] = any ? i : ROW_NO_PARENT;
		any = false;
	}
}

/* Parents may form a cycle, so the walk up stops at an ancestor that is already kept. */
static void keep_ancestors(struct table *table, uint32_t *number)
{
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		if (number[i] == ROW_NO_PARENT || table->rows[i].dimmed)
			continue;
		for (uint32_t up = table->rows[i].parent;
		     up < table->nr_rows && number[up] == ROW_NO_PARENT;
		     up = table->rows[up].parent) {
			number[up] = up;
			table->rows[up].dimmed = true;
			table->nr_hidden--;
		}
	}
}

void table_keep(struct table *table, bool (*keep)(void *data, const struct row *row), void *data)
{
	uint32_t *number, nr = 0;

	if (!table->nr_rows)
		return;
	reserve_scratch(table);
	/* new number of each row by its old number; ROW_NO_PARENT: removed */
	number = table->links;
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		bool stays = table->rows[i].fixed || keep(data, &table->rows[i]);

		number[i] = stays ? i : ROW_NO_PARENT;
		table->nr_hidden += !stays;
	}
	if (!table->flat)
		keep_ancestors(table, number);
	keep_headings(table, number);
	for (uint32_t i = 0; i < table->nr_rows; i++)
		if (number[i] != ROW_NO_PARENT)
			number[i] = nr++;
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		if (number[i] == ROW_NO_PARENT)
			continue;
		struct row *row = &table->rows[number[i]];

		*row = table->rows[i];
		if (row->parent < table->nr_rows)
			row->parent = number[row->parent];
	}
	table->nr_rows = nr;
}

static uint32_t selectable(const struct table *table, uint32_t at, int step)
{
	int64_t i = at;

	while (i >= 0 && i < table->nr_rows && table->rows[i].fixed)
		i += step;
	if (i >= 0 && i < table->nr_rows)
		return (uint32_t)i;
	for (i = at; i >= 0 && i < table->nr_rows && table->rows[i].fixed; i -= step)
		;
	return i >= 0 && i < table->nr_rows ? (uint32_t)i : at;
}

static void set_selection(struct table *table, int64_t at, int step)
{
	if (!table->nr_rows)
		return;
	at = at < 0 ? 0 : at >= table->nr_rows ? table->nr_rows - 1 : at;
	table->at = selectable(table, (uint32_t)at, step);
	table->selected = table->rows[table->at].id;
	table->has_selection = true;
}

static void select_first(struct table *table)
{
	uint32_t at = 0;

	while (at + 1 < table->nr_rows && table->rows[at].dimmed)
		at++;
	set_selection(table, at, 1);
}

static void find_selection(struct table *table)
{
	uint32_t old = table->at;
	bool newest = table->follow == FOLLOW_NEWEST && table->newest;
	uint64_t wanted = newest ? table->newest : table->selected;

	table->lost = false;
	if (!table->nr_rows) {
		table->at = table->top = 0;
		return;
	}
	if (!table->touched && !table->follow) {
		select_first(table);
		return;
	}
	if (table->has_selection && old < table->nr_rows && table->rows[old].id == wanted)
		return;
	if (table->has_selection || newest) {
		for (uint32_t i = 0; i < table->nr_rows; i++)
			if (table->rows[i].id == wanted) {
				table->at = i;
				table->selected = wanted;
				table->has_selection = true;
				/* Unless the table was at its top, keep the selected row's position
				 * on the screen. */
				if (table->top)
					table->top =
						table->top + i > old ? table->top + i - old : 0;
				return;
			}
	}
	if (table->follow == FOLLOW_SELECTED) {
		table->lost = true;
		return;
	}
	set_selection(table, old, 1);
}

static bool has_headings(const struct table *table)
{
	for (uint32_t i = 0; i < table->nr_rows; i++)
		if (table->rows[i].fixed)
			return true;
	return false;
}

static void find_marks(struct table *table)
{
	bool stays = table->marks.nr && has_headings(table);

	table->nr_marked = 0;
	for (uint32_t i = 0; table->marks.nr && i < table->nr_rows; i++) {
		struct row *row = &table->rows[i];

		row->marked = marks_has(&table->marks, table->owner, row->id);
		if (!row->marked)
			continue;
		table->nr_marked++;
		row->pinned = !stays;
		for (uint32_t up = row->parent;
		     !stays && !table->flat && up < table->nr_rows && !table->rows[up].pinned;
		     up = table->rows[up].parent)
			table->rows[up].pinned = true;
	}
}

static struct ordered_by order_now(const struct table *table)
{
	const struct arrangement *arrangement = table->arrangement;

	return (struct ordered_by){
		.sort = arrangement ? arrangement->sort : table->sort,
		.reverse = arrangement ? arrangement->reverse : table->reverse,
		.flat = table->flat,
		.owner = table->owner,
		.marks = table->marks.version,
		.folded = table->folded.version,
	};
}

void table_order(struct table *table)
{
	find_marks(table);
	if (table->nr_rows) {
		reserve_scratch(table);
		flatten(table, table_sort(table));
	}
	table->ordered_by = order_now(table);
	find_selection(table);
}

bool table_is_ordered(const struct table *table)
{
	struct ordered_by now = order_now(table), last = table->ordered_by;

	return now.sort == last.sort && now.reverse == last.reverse && now.flat == last.flat &&
	       now.owner == last.owner && now.marks == last.marks && now.folded == last.folded;
}

void table_reselect(struct table *table)
{
	find_selection(table);
}

const struct row *table_selected(const struct table *table)
{
	return !table->lost && table->at < table->nr_rows && !table->rows[table->at].fixed
		       ? &table->rows[table->at]
		       : NULL;
}

void table_select(struct table *table, uint64_t id)
{
	table->selected = id;
	table->has_selection = table->touched = true;
}

void table_hold(struct table *table)
{
	table->touched |= table->has_selection && table->follow != FOLLOW_NEWEST;
}

void table_let_go(struct table *table)
{
	table->touched = table->has_selection = false;
	table->at = table->top = 0;
}

void table_move(struct table *table, int64_t at, int step)
{
	set_selection(table, at, step);
	table->follow = FOLLOW_NONE;
	table->lost = false;
	table->touched = true;
}

void table_go(struct table *table, uint32_t at)
{
	table_move(table, at, 1);
}

static void table_scroll(struct table *table, int rows)
{
	uint32_t page = rows > 0 ? (uint32_t)rows : 1;

	table->page_rows = (int)page;
	if (!table->touched && !table->follow) {
		table->top = 0;
		if (table->at < page)
			return;
	}
	if (table->follow == FOLLOW_SELECTED)
		table->top = table->at > page / 2 ? table->at - page / 2 : 0;
	if (table->at < table->top)
		table->top = table->at;
	if (table->at >= table->top + page)
		table->top = table->at - page + 1;
	if (table->top + page > table->nr_rows)
		table->top = table->nr_rows > page ? table->nr_rows - page : 0;
}

static void draw_sorted(const struct table *table, const struct slot *slot,
			const struct column *column)
{
	bool up = table->reverse == column->descending;
	int cells = surface_text_cells(column->title, SIZE_MAX, slot->surface->ascii);
	struct slot text = *slot;

	text.cols = cells < slot->cols ? cells : slot->cols - 1;
	if (slot->right)
		text.x = slot->x + slot->cols - 1 - text.cols;
	slot_text(&text, STYLE_SORTED, column->title, (size_t)(text.cols > 0 ? text.cols : 0));
	surface_glyph(slot->surface, text.x + text.cols, slot->y, STYLE_SORTED,
		      up ? GLYPH_UP : GLYPH_DOWN);
}

static void table_draw_heading(const struct table *table, struct surface *surface, struct rect area,
			       const struct drawn *drawn)
{
	surface_overlay(surface, (struct rect){ area.x, area.y, area.cols, 1 }, STYLE_TEXT);
	for (int i = 0; i < drawn->nr; i++) {
		const struct column *column = &drawn->columns[i];
		struct slot slot = { surface,       table->heads[drawn->index[i]],
				     area.y,        drawn->widths[i],
				     column->right, 0,
				     NULL };

		if (slot.x < 0)
			continue;
		if (drawn->index[i] == table->sort)
			draw_sorted(table, &slot, column);
		else
			slot_text(&slot, STYLE_HEADING, column->title, SIZE_MAX);
	}
}

/* Return where column `at` would begin if the columns before it had their min_cells. */
static int least_x(const struct table *table, const struct drawn *drawn, int at)
{
	int x = table->heads[drawn->index[0]];

	for (int i = 0; i < at; i++)
		x += drawn->columns[i].min_cells + 1;
	return x;
}

/* `end`: the screen column after the table. */
static void table_draw_row(struct table *table, const struct row *row, struct surface *surface,
			   int y, int end, const struct drawn *drawn, table_draw_cell *draw,
			   void *ctx)
{
	for (int i = 0; i < drawn->nr; i++) {
		int column = drawn->index[i];
		struct slot slot = { surface,
				     table->heads[column],
				     y,
				     drawn->widths[i],
				     drawn->columns[i].right,
				     drawn->columns[i].grow ? table->left : 0,
				     drawn->columns[i].grow ? &table->over : NULL };

		if (slot.x < 0)
			continue;
		if (row->wide && drawn->columns[i].grow) {
			if (row->wrapped && slot.x > least_x(table, drawn, i))
				slot.x = least_x(table, drawn, i);
			slot.cols = end - slot.x;
			draw(ctx, row, column, &slot);
			return;
		}
		if (table_spills(drawn, i, row, ctx) && drawn->widths[i + 1])
			slot.cols += drawn->widths[i + 1] + 1;
		draw(ctx, row, column, &slot);
	}
}

void table_draw(struct table *table, struct surface *surface, struct rect area,
		const struct column *columns, int nr_columns, bool focused, table_draw_cell *draw,
		void *ctx)
{
	bool heading = columns[0].title != NULL;
	struct drawn drawn;

	table->over = 0;
	table_scroll(table, area.rows - heading);
	table_fit(table, surface, area, area.rows - heading, columns, nr_columns, draw, ctx,
		  &drawn);
	if (heading)
		table_draw_heading(table, surface, area, &drawn);
	table->body_y = area.y + heading;
	for (int i = 0; i < area.rows - heading && table->top + (uint32_t)i < table->nr_rows; i++) {
		const struct row *row = &table->rows[table->top + (uint32_t)i];
		int y = table->body_y + i;

		if (focused && row == table_selected(table))
			surface_put_cursor(surface, area.x, y);
		table_draw_row(table, row, surface, y, area.x + area.cols, &drawn, draw, ctx);
		if (row->dimmed) {
			surface_restyle(surface, (struct rect){ area.x, y, area.cols, 1 },
					STYLE_DIM);
			surface_glyph(surface, area.x, y, STYLE_DIM, GLYPH_DOT);
		}
		if (row->folded)
			surface_glyph(surface, area.x + area.cols - 1, y, STYLE_HINT, GLYPH_FOLDED);
		if (row->marked)
			surface_glyph(surface, area.x, y, STYLE_MARKED, GLYPH_MARK);
		if (row == table_selected(table)) {
			surface_glyph(surface, area.x, y, row->marked ? STYLE_MARKED : STYLE_FOCUS,
				      row->marked ? GLYPH_CURSOR_MARK : GLYPH_CURSOR);
			surface_overlay(surface, (struct rect){ area.x, y, area.cols, 1 },
					focused ? STYLE_SELECTED : STYLE_CHOSEN);
		}
		if (row->flashes)
			surface_overlay(surface, (struct rect){ area.x + 1, y, area.cols - 1, 1 },
					STYLE_FLASH);
	}
}

/* Return by how many cells to scroll a text to the left. If slot->over is set, stop when the text's
 * end is visible, and raise `*slot->over` to the number of cells that do not fit. */
static int panned(const struct slot *slot, const char *text, size_t len)
{
	int over;

	if (!slot->over || len <= (size_t)slot->cols)
		return slot->over ? 0 : slot->left;
	over = surface_text_cells(text, len, slot->surface->ascii) - slot->cols;
	if (over > *slot->over)
		*slot->over = over;
	return over <= 0 ? 0 : slot->left < over ? slot->left : over;
}

void slot_text(const struct slot *slot, enum style style, const char *text, size_t len)
{
	struct tr2_buf copy = SECRETS_COPY;

	if (slot->cols <= 0)
		return;
	if (len == SIZE_MAX)
		len = strlen(text);
	/* Hide passwords before the text is cut, because a password is recognised by the text
	 * around it. */
	text = secrets_hide(&copy, text, &len);
	for (int left = panned(slot, text, len); left > 0 && len; left--) {
		uint32_t ch;
		size_t taken = tr2_utf8_decode(text, len, &ch);

		text += taken;
		len -= taken;
	}
	if (slot->right)
		surface_text_right(slot->surface, slot->x, slot->y, slot->cols, style, text, len);
	else
		surface_text(slot->surface, slot->x, slot->y, slot->cols, style, text, len);
	tr2_buf_release(&copy);
}

void slot_printf(const struct slot *slot, enum style style, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	slot_text(slot, style, text, SIZE_MAX);
}

void slot_duration(const struct slot *slot, enum style style, int64_t ns)
{
	slot_text(slot, style, human_duration(ns).text, SIZE_MAX);
}

void slot_count(const struct slot *slot, enum style style, uint64_t count)
{
	slot_text(slot, style, human_count(count).text, SIZE_MAX);
}

struct slot slot_rest(const struct slot *slot, int cells)
{
	struct slot rest = *slot;

	rest.x += cells;
	rest.cols -= cells;
	return rest;
}

struct slot slot_percent(const struct slot *slot, double share)
{
	struct slot number = *slot;

	number.cols = PERCENT_CELLS;
	number.right = true;
	slot_printf(&number, STYLE_TEXT, share >= 0.9995 ? "%.0f%%" : "%.1f%%", share * 100);
	return slot_rest(slot, PERCENT_CELLS + 1);
}

struct slot slot_tree(const struct slot *slot, const struct row *row)
{
	int x = slot->x, end = slot->x + slot->cols;

	for (int level = 1; level <= row->level && x + 3 <= end; level++, x += 3) {
		bool goes_on = level < 64 && row->lines >> level & 1;

		if (level < row->level) {
			if (goes_on)
				surface_glyph(slot->surface, x, slot->y, STYLE_TREE,
					      GLYPH_BRANCH_PASS);
			continue;
		}
		surface_glyph(slot->surface, x, slot->y, STYLE_TREE,
			      row->last ? GLYPH_BRANCH_LAST : GLYPH_BRANCH);
		surface_glyph(slot->surface, x + 1, slot->y, STYLE_TREE, GLYPH_BRANCH_LINE);
	}
	return slot_rest(slot, x - slot->x);
}
