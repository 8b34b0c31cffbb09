/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/widget/table_fit.h"

#include <limits.h>
#include <string.h>

#include "monitor/base/humanize.h"

#define SETTLED_NS (5 * NS_PER_SEC)

/* A wanted width without limit. */
#define ALL_CELLS (1 << 20)

/* Columns of this rank and above may be dropped so that the others fit at their ample widths. */
#define RANK_EXTRA 5

/* A bar that yields is hidden rather than narrower than this or its heading. */
#define LEAST_BAR 3

static int fit_min(int a, int b)
{
	return a < b ? a : b;
}

static int fit_max(int a, int b)
{
	return a > b ? a : b;
}

int table_columns(const struct table *table, const struct column *columns, int nr,
		  struct column *out, uint8_t *index)
{
	int all = arrangement_columns(table->arrangement, columns, nr, out, index), there = 0;

	for (int i = 0; i < all; i++) {
		if (out[i].of_several && !table->of_several)
			continue;
		out[there] = out[i];
		if (index[i] < TABLE_MAX_HEADINGS && table->headings[index[i]])
			out[there].title = table->headings[index[i]];
		index[there++] = index[i];
	}
	return there;
}

static void list_columns(const struct table *table, int cols, const struct column *columns,
			 int nr_columns, struct drawn *drawn)
{
	int nr = 0;

	drawn->nr = table_columns(table, columns, nr_columns, drawn->columns, drawn->index);
	for (int i = 0; i < drawn->nr; i++) {
		if (cols < drawn->columns[i].from_cols)
			continue;
		drawn->columns[nr] = drawn->columns[i];
		drawn->index[nr++] = drawn->index[i];
	}
	drawn->nr = nr;
}

static int cell_width(const struct row *row, int column, struct surface *scratch,
		      table_draw_cell *draw, void *ctx)
{
	struct slot slot = { scratch, 0, 0, SURFACE_MAX_COLS, false, 0, NULL };

	scratch->reach = 0;
	draw(ctx, row, column, &slot);
	return scratch->reach;
}

/* Widths of the longest values, by column: of those that stay in their column, and of those that
 * also use the next one. */
struct measured {
	uint16_t *longest, *spilled;
};

/* Raise the widths to those of the cells of at most `nr` visible rows; a `wide` text does not widen
 * its column. Returns the number of rows that were measured. */
static uint32_t measure_rows(const struct table *table, int nr, bool ascii,
			     const struct drawn *drawn, table_draw_cell *draw, void *ctx,
			     const struct measured *to)
{
	struct surface scratch = {
		.cols = SURFACE_MAX_COLS, .rows = 1, .ascii = ascii, .is_ruler = true
	};

	uint32_t r = table->top;

	for (; r < table->nr_rows && (int)(r - table->top) < nr; r++) {
		const struct row *row = &table->rows[r];

		for (int i = 0; i < drawn->nr; i++) {
			const struct column *column = &drawn->columns[i];
			uint8_t index = drawn->index[i];
			uint16_t *width;

			if (row->wide && column->grow) {
				to->longest[index] = (uint16_t)fit_max(to->longest[index], 1);
				break;
			}
			if (column->fills || column->exact)
				continue;
			width = table_spills(drawn, i, row, ctx) ? &to->spilled[index]
								 : &to->longest[index];
			*width = (uint16_t)fit_max(*width,
						   cell_width(row, index, &scratch, draw, ctx));
		}
	}
	return r - table->top;
}

bool table_spills(const struct drawn *drawn, int i, const struct row *row, void *ctx)
{
	return drawn->columns[i].spills && i + 1 < drawn->nr && drawn->columns[i].spills(ctx, row);
}

/* Return the wanted width of a column in cells; 0: hide the column. */
static int wanted_width(const struct table *table, const struct column *column, int index,
			int longest, uint32_t nr_rows, bool ascii)
{
	bool has_title = column->title && *column->title;

	if (column->exact)
		return column->min_cells;
	if (column->fills == FILLS_ALL || (!nr_rows && column->grow))
		return ALL_CELLS;
	if (column->fills || !nr_rows)
		return fit_max(column->fills, nr_rows ? 0 : column->min_cells);
	if (!longest && !(has_title && table->sort == index))
		return 0;
	/* The heading of the sort column takes one more cell, for the glyph of the direction. */
	return fit_max(longest, has_title ? surface_text_cells(column->title, SIZE_MAX, ascii) +
						    (table->sort == index)
					  : 0);
}

/* Return the width below which a column is not narrowed but dropped, unless its rank is 0.
 * Right-aligned values are mostly numbers, so they are not narrowed. */
static int least_width(const struct column *column, int wanted)
{
	return column->right && !column->fills ? wanted : fit_min(column->min_cells, wanted);
}

/* Set the shown columns (width > 0) to the widths `least`, and drop columns of `rank` and above,
 * highest rank first, until the others fit. Returns the cells that these use, with one gap after
 * each. */
static int drop_columns(const struct column *columns, int nr, int room, const int *least, int rank,
			int *widths)
{
	int used = 0;

	for (int i = 0; i < nr; i++) {
		widths[i] = widths[i] ? least[i] : 0;
		used += widths[i] ? widths[i] + 1 : 0;
	}
	while (used - 1 > room) {
		int worst = -1;

		for (int i = 0; i < nr; i++)
			if (widths[i] && columns[i].rank >= rank &&
			    (worst < 0 || columns[i].rank > columns[worst].rank))
				worst = i;
		if (worst < 0)
			break;
		used -= widths[worst] + 1;
		widths[worst] = 0;
	}
	return used;
}

/* After a wide column was dropped, show dropped columns again if they fit, lowest rank first. */
static void take_back(const struct column *columns, int nr, int room, const int *least, int used,
		      int *widths)
{
	for (;;) {
		int best = -1;

		for (int i = 0; i < nr; i++)
			if (!widths[i] && least[i] && used + least[i] <= room &&
			    (best < 0 || columns[i].rank < columns[best].rank))
				best = i;
		if (best < 0)
			return;
		widths[best] = least[best];
		used += widths[best] + 1;
	}
}

static bool wants_more(const struct column *column, bool bars, int wanted, int width)
{
	return width && width < wanted && (column->fills != 0) == bars;
}

/* Share `left` cells in proportion to `grow` (at least 1) among the columns that want more, up to
 * the widths that they want. Returns the number of cells that are left. */
static int share_once(const struct column *columns, int nr, int left, bool bars, const int *wanted,
		      int *widths)
{
	int share = 0;

	for (int i = 0; i < nr; i++)
		if (wants_more(&columns[i], bars, wanted[i], widths[i]))
			share += fit_max(columns[i].grow, 1);
	for (int i = 0; i < nr && left > 0; i++) {
		int grow = fit_max(columns[i].grow, 1), more;

		if (!wants_more(&columns[i], bars, wanted[i], widths[i]))
			continue;
		more = fit_min(left * grow / share, wanted[i] - widths[i]);
		widths[i] += more;
		left -= more;
		share -= grow;
	}
	return left;
}

/* Share `left` cells among the columns that want more, first among values, then among bars. */
static void share_rest(const struct column *columns, int nr, int left, const int *wanted,
		       int *widths)
{
	for (int bars = 0; bars < 2; bars++)
		for (int before = left + 1; left > 0 && left < before;) {
			before = left;
			left = share_once(columns, nr, left, bars, wanted, widths);
		}
}

static int least_bar(const struct table *table, const struct column *column, int index, bool ascii)
{
	int title = column->title ? surface_text_cells(column->title, SIZE_MAX, ascii) : 0;

	return fit_max(LEAST_BAR, title + (title && table->sort == index));
}

/* Narrow or hide bars that yield, last first, if that gives the cut values enough room besides the
 * `left` free cells. Returns the number of cells that are left. */
static int yield_bars(const struct table *table, struct drawn *drawn, int left, const int *wanted,
		      bool ascii)
{
	int missing = -left, spare = 0;

	for (int i = 0; i < drawn->nr; i++) {
		if (drawn->columns[i].yields)
			spare += drawn->widths[i] ? drawn->widths[i] + 1 : 0;
		else if (!drawn->columns[i].fills && drawn->widths[i])
			missing += wanted[i] - drawn->widths[i];
	}
	for (int i = drawn->nr - 1; i >= 0 && missing > 0 && missing <= spare; i--) {
		int width = drawn->widths[i], more;

		if (!drawn->columns[i].yields || !width)
			continue;
		more = width - missing >=
				       least_bar(table, &drawn->columns[i], drawn->index[i], ascii)
			       ? missing
			       : width + 1;
		drawn->widths[i] -= fit_min(more, width);
		missing -= more;
		spare -= width + 1;
		left += more;
	}
	return left;
}

static void place_columns(struct table *table, struct rect area, struct drawn *drawn)
{
	int x = area.x + 1;

	for (int i = 0; i < MAX_COLUMNS; i++)
		table->heads[i] = -1;
	for (int i = 0; i < drawn->nr; i++) {
		int room = area.x + area.cols - x;

		if (drawn->widths[i] > room)
			drawn->widths[i] = room > 0 ? room : 0;
		table->heads[drawn->index[i]] = drawn->widths[i] ? x : -1;
		table->widths[drawn->index[i]] = drawn->widths[i];
		x += drawn->widths[i] ? drawn->widths[i] + 1 : 0;
	}
}

/* Return the wanted width of the next drawn column and the gap; 0 if there is none, or its width is
 * 0 or unlimited. */
static int next_width(const struct drawn *drawn, int i, const int wanted[MAX_COLUMNS])
{
	return i + 1 < drawn->nr && wanted[i + 1] && wanted[i + 1] < ALL_CELLS ? wanted[i + 1] + 1
									       : 0;
}

static void want_widths(struct table *table, const struct drawn *drawn, int nr, bool ascii,
			table_draw_cell *draw, void *ctx, const struct measured *to,
			int wanted[MAX_COLUMNS])
{
	uint32_t nr_rows = measure_rows(table, nr, ascii, drawn, draw, ctx, to);

	table->wanted_cols = 1;
	for (int i = drawn->nr - 1; i >= 0; i--) {
		const struct column *column = &drawn->columns[i];
		uint8_t index = drawn->index[i];
		int longest = to->longest[index], least;

		if (to->spilled[index])
			longest =
				fit_max(longest, to->spilled[index] - next_width(drawn, i, wanted));
		wanted[i] = wanted_width(table, column, index, longest, nr_rows, ascii);
		least = column->fills || wanted[i] == ALL_CELLS ? column->min_cells : wanted[i];
		table->wanted_cols += least ? least + 1 : 0;
	}
}

void table_measure(struct table *table, int cols, int rows, bool ascii,
		   const struct column *columns, int nr_columns, table_draw_cell *draw, void *ctx)
{
	uint16_t longest[MAX_COLUMNS], spilled[MAX_COLUMNS];
	int wanted[MAX_COLUMNS];
	struct drawn drawn;

	list_columns(table, cols, columns, nr_columns, &drawn);
	memcpy(longest, table->longest, sizeof(longest));
	memcpy(spilled, table->spilled, sizeof(spilled));
	want_widths(table, &drawn, rows, ascii, draw, ctx, &(struct measured){ longest, spilled },
		    wanted);
}

void table_fit(struct table *table, const struct surface *surface, struct rect area, int rows,
	       const struct column *columns, int nr_columns, table_draw_cell *draw, void *ctx,
	       struct drawn *drawn)
{
	int wanted[MAX_COLUMNS] = { 0 }, least[MAX_COLUMNS] = { 0 }, ample[MAX_COLUMNS] = { 0 };
	int room = area.cols - 1, used, left;

	list_columns(table, surface->cols, columns, nr_columns, drawn);
	if (table->resettle || table->now_ns - table->settled_ns >= SETTLED_NS) {
		memset(table->longest, 0, sizeof(table->longest));
		memset(table->spilled, 0, sizeof(table->spilled));
		table->settled_ns = table->now_ns;
		table->resettle = false;
	}
	want_widths(table, drawn, rows, surface->ascii, draw, ctx,
		    &(struct measured){ table->longest, table->spilled }, wanted);
	for (int i = 0; i < drawn->nr; i++) {
		least[i] = least_width(&drawn->columns[i], wanted[i]);
		ample[i] = fit_max(least[i], fit_min(drawn->columns[i].ample, wanted[i]));
	}
	memcpy(drawn->widths, ample, sizeof(ample));
	used = drop_columns(drawn->columns, drawn->nr, room, ample, RANK_EXTRA, drawn->widths);
	if (used - 1 <= room) {
		take_back(drawn->columns, drawn->nr, room, ample, used, drawn->widths);
	} else {
		used = drop_columns(drawn->columns, drawn->nr, room, least, 1, drawn->widths);
		take_back(drawn->columns, drawn->nr, room, least, used, drawn->widths);
	}
	used = 0;
	for (int i = 0; i < drawn->nr; i++) {
		drawn->widths[i] = drawn->widths[i] ? least[i] : 0;
		used += drawn->widths[i] ? drawn->widths[i] + 1 : 0;
	}
	left = yield_bars(table, drawn, room - used + 1, wanted, surface->ascii);
	share_rest(drawn->columns, drawn->nr, left, wanted, drawn->widths);
	place_columns(table, area, drawn);
}
