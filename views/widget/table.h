/* SPDX-License-Identifier: MIT */
/*
 * The table widget: sorted rows, flat or as a tree, with a selection by id (not position),
 * scrolling, and columns fitted to the width.
 *
 *   view: gather()   table_add() one row per item, with its id, parent and sort key
 *   table_order()    sort, build the tree, find the selection again
 *   table_draw()     scroll, and draw the visible rows; view: draw(row, column) for each cell
 *
 * Marked rows come first, in a tree with their ancestors; not in tables with heading rows.
 *
 * Until the user selects a row, a row at the top is selected. Later the selection keeps its id; if
 * that row is removed, the row at its index is selected (enum table_follow has exceptions). The
 * table is independent of the model. One thread.
 */
#ifndef VIEWS_TABLE_H
#define VIEWS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/hash_index.h"
#include "views/widget/arrangement.h"
#include "views/widget/keys.h"
#include "views/widget/marks.h"
#include "views/draw/surface.h"

/* Value of column.fills: the column can use any width. */
#define FILLS_ALL UINT8_MAX

struct row;
struct slot;
struct view_ctx; /* context of a view's functions, which the table only passes on */

/* A column of a table. If it has no draw(), number() or text(), the view draws its cells
 * (view_ops.draw), for example for rows of several kinds. */
struct column {
	/* heading; "": none; NULL in the first column: no row of headings */
	const char *title;
	const char *said; /* heading for speech output; NULL: the title */
	/* name in configuration files of earlier versions; may be NULL */
	const char *former;
	/* minimum width in cells, if values or headings need it; see also `right`, `yields` and
	 * `exact` */
	uint8_t min_cells;
	/* relative share of the free cells; 0: like 1, but the column is not a "growing column" */
	uint8_t grow;
	/* desired width: columns of rank 5 and above are dropped to give the other columns this
	 * width, if their values need it */
	uint8_t ample;
	/* if there is too little room, columns with the highest rank are dropped first; 0: not
	 * dropped */
	uint8_t rank;
	uint8_t from_cols; /* hidden on screens with fewer columns */
	/* Largest useful width of a column whose cells adapt to any width, such as bars; FILLS_ALL:
	 * no limit. 0: the column's values have widths. */
	uint8_t fills;
	/* a bar that may be narrowed below min_cells or hidden, so that no value is cut */
	bool yields;
	bool right; /* right-aligned; dropped rather than narrowed, unless `fills` is set */
	bool exact; /* min_cells is the wanted width, such as one that the user chose */
	bool no_sort;
	/* sort from the largest value to the smallest, unless reversed */
	bool descending;
	bool hidden;     /* hidden until the user shows it */
	bool of_several; /* visible only while `of_several` of the table is set */
	/* filter field (enum filter_field) that number() or text() returns; 0: none */
	uint8_t field;
	bool is_duration; /* number() returns nanoseconds */
	/* Return the value of a cell, for sorting; INT64_MIN: unknown. If the column has no draw(),
	 * the value is drawn as a duration or a count; an unknown value is not drawn. */
	int64_t (*number)(const struct view_ctx *ctx, const struct row *row);
	/* Return the text of a cell, borrowed until the table is ordered; NULL: absent. */
	const char *(*text)(const struct view_ctx *ctx, const struct row *row, size_t *len);
	/* True if the row's text in this column may also use the cells of the next column. NULL:
	 * false. */
	bool (*spills)(const struct view_ctx *ctx, const struct row *row);
	/* Draw a cell. */
	void (*draw)(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
};

#define ROW_NO_PARENT UINT32_MAX

struct row {
	uint64_t id; /* unique in the table; identifies the row in later frames */
	int64_t key; /* sort key: ascending, unless reversed */
	const char
		/* text to sort by if keys are equal; borrowed until table_order() returns; may
		 * be NULL */
		*text;
	uint32_t text_len;
	uint32_t parent;    /* number of the parent row in the order of adding, or ROW_NO_PARENT */
	uint32_t ref, ref2; /* free for the view that adds the row */
	uint8_t kind;       /* free for the view, like `ref` */
	bool fixed : 1;     /* the row cannot be selected, such as a heading */
	bool dimmed : 1;    /* kept only because a descendant matches the filter */
	/* the row's text in the first growing column also uses the columns after it, whose cells
	 * are not drawn */
	bool wide : 1;
	/* the text of the `wide` row begins at most min_cells, with gaps, of the columns before it
	 * from the left, so that text that was wrapped before the columns were measured fits */
	bool wrapped : 1;
	bool flashes : 1; /* highlighted in this frame */
	/* table_order() sets the following members. */
	bool placed : 1; /* private to table_sort() */
	/* pinned: at the top, because the row or a descendant of it is marked */
	bool marked, pinned;
	bool folded; /* the user folded the row: its children are hidden */
	bool last;   /* the row is the last one of its siblings */
	/* depth in the tree; UINT16_MAX: that depth or a larger one */
	uint16_t level;
	/* bit n (n <= level, n < 64): the vertical line of tree level n continues below the row */
	uint64_t lines;
};

#define SORT_NATURAL       (-1)
#define TABLE_MAX_HEADINGS 3

/* Inputs of table_order(), besides the rows. */
struct ordered_by {
	int sort;
	bool reverse, flat;
	uint64_t owner;
	uint32_t marks, folded; /* versions */
};

struct sorted_row {
	uint64_t id;
	uint32_t row; /* number of the row in the order of adding */
};

enum table_follow {
	FOLLOW_NONE,
	FOLLOW_NEWEST, /* the selection moves to the row with the id `newest`, if there is one */
	/* the table scrolls to keep the selected row in the middle, if possible; if the row is
	 * removed, no row is selected */
	FOLLOW_SELECTED,
};

struct table {
	struct row *rows; /* ro: after table_order(): rows in the order of the screen */
	uint32_t nr_rows, cap_rows;
	/* rw by gather: number of items without a row; table_keep() and table_order() add to it */
	uint32_t nr_hidden;
	int sort; /* index of the sort column, or SORT_NATURAL */
	bool reverse;
	bool flat;      /* show no tree */
	uint8_t follow; /* enum table_follow */
	bool lost;      /* ro: with FOLLOW_SELECTED: the table has rows, but not the followed one */
	/* rw: show columns with `of_several`, for several agents or for groups */
	bool of_several;
	/* rw by gather: headings of the first columns of the view; NULL: their titles */
	const char *headings[TABLE_MAX_HEADINGS];
	uint64_t newest; /* rw by gather: id of the newest row; 0: none */
	bool has_selection;
	bool touched;      /* false: a row at the top is selected, unless one is followed */
	uint64_t selected; /* id of the selected row */
	uint32_t at;       /* index of the selected row */
	uint32_t top;      /* index of the first visible row */
	int page_rows;     /* ro: number of rows for which the last frame had room, at least 1 */
	int body_y;        /* ro: screen row of the first visible row */
	/* number of cells by which the texts of growing columns are scrolled to the left */
	int left;
	/* ro: largest number of cells by which a visible text of a growing column exceeds its
	 * cell */
	int over;
	struct sort_item *items;    /* private: working memory of table_order() */
	struct sorted_row *ordered; /* private: the rows in the order of the last sort */
	uint32_t nr_ordered, cap_ordered;
	struct ordered_by ordered_by; /* private: input of the last table_order() */
	struct tr2_hash_index by_id;  /* private: working memory */
	uint32_t *links;              /* private: working memory */
	struct row *spare;            /* private: working memory */
	uint32_t cap_scratch;
	struct marks marks;  /* rw: marked rows */
	struct marks folded; /* rw: folded rows */
	uint64_t owner;      /* rw: owner of the rows in `marks` and `folded` */
	uint32_t nr_marked;  /* ro: number of marked rows */
	/* rw: the user's arrangement of columns; borrowed; may be NULL */
	struct arrangement *arrangement;
	int heads[MAX_COLUMNS]; /* ro: screen column of each column; -1: not shown */
	/* ro: width of each column; valid if the column is shown */
	int widths[MAX_COLUMNS];
	/* private: by column: width of the longest value since the widths were last reset */
	uint16_t longest[MAX_COLUMNS];
	/* private: by column: width of the longest value that also uses the next column */
	uint16_t spilled[MAX_COLUMNS];
	int wanted_cols; /* ro: width of the table at which no visible value is cut */
	bool resettle;   /* rw: column widths may shrink in the next frame */
	int64_t now_ns;  /* rw: monotonic time of the current frame */
	/* private: monotonic time at which the widths were last reset */
	int64_t settled_ns;
};

/* The area of a table's cell on the surface. */
struct slot {
	struct surface *surface;
	int x, y, cols;
	bool right;
	/* cells by which the text is scrolled to the left, at most until its end is visible if
	 * `over` is set */
	int left;
	/* slot_text() raises this to the number of cells of its text that do not fit; may be
	 * NULL */
	int *over;
};

typedef void table_draw_cell(void *ctx, const struct row *row, int column, const struct slot *slot);

void table_release(struct table *table);

/* Like arrangement_columns(), but with table->headings, and with `of_several` columns only if
 * table->of_several is set. */
int table_columns(const struct table *table, const struct column *columns, int nr,
		  struct column *out, uint8_t *index);

/* Prepare for gathering: reset the rows, nr_hidden, headings and `newest`, and take the sort order
 * from the arrangement. */
void table_clear(struct table *table);

/* Add a row with this id; the pointer is valid until the next call. Its number is nr_rows - 1. */
struct row *table_add(struct table *table, uint64_t id);

/*
 * Remove the rows for which `keep` is false, between gathering and table_order(). Removed rows
 * except headings count as hidden. An ancestor of a kept row is kept, too, but dimmed if `keep` is
 * false for it; not in a flat table. Headings (fixed rows) are kept if a row between them and the
 * next heading is kept.
 */
void table_keep(struct table *table, bool (*keep)(void *data, const struct row *row), void *data);

void table_order(struct table *table);

/* True if the sort order, tree mode, owner, marks and folded rows are those of the last
 * table_order(). Then, if the rows and their keys are the same, too, table_reselect() can replace
 * clearing, adding and ordering: it only finds the selected row again. */
bool table_is_ordered(const struct table *table);
void table_reselect(struct table *table);

/* Return the selected row, or NULL. */
const struct row *table_selected(const struct table *table);
void table_select(struct table *table, uint64_t id);

/* If a row is selected, keep the selection on it from now on, even if it moves; no effect while the
 * table follows the newest row. */
void table_hold(struct table *table);

/* Forget the selection, and scroll to the top. */
void table_let_go(struct table *table);

/*
 * Select the row at index `at` as if the user did, and stop following. The index is clamped; if
 * that row cannot be selected, the next one in the direction of `step` that can is selected, or
 * else the next in the other direction. table_go() uses step 1.
 */
void table_move(struct table *table, int64_t at, int step);
void table_go(struct table *table, uint32_t at);

/* Compute table->wanted_cols like table_draw(), for `rows` rows on a surface of `cols` columns. */
void table_measure(struct table *table, int cols, int rows, bool ascii,
		   const struct column *columns, int nr_columns, table_draw_cell *draw, void *ctx);

/* Scroll to the selection, and draw the heading and the visible rows. `ctx` is passed to `draw`. */
void table_draw(struct table *table, struct surface *surface, struct rect area,
		const struct column *columns, int nr_columns, bool focused, table_draw_cell *draw,
		void *ctx);

/* Sort by this column, or SORT_NATURAL, not reversed, and select the top row, unless the table
 * follows a row. */
void table_sort_by(struct table *table, int column);

/* Execute an action of the TABLE_KEY rows of keys.def. Returns false for other actions. */
bool table_action(struct table *table, enum action action, const struct column *columns,
		  int nr_columns);

/* Handle a click at (x, y) of the screen: select the row, or sort by the column of the heading or,
 * if sorted by it, reverse the order. Returns false if no row or sortable column is there. */
bool table_press(struct table *table, int x, int y, const struct column *columns, int nr_columns);

/* Draw text, a number or a duration into a cell, aligned like its column. */
void slot_text(const struct slot *slot, enum style style, const char *text, size_t len);
void slot_printf(const struct slot *slot, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void slot_duration(const struct slot *slot, enum style style, int64_t ns);
void slot_count(const struct slot *slot, enum style style, uint64_t count);

/* Draw `share` (1 is 100 %), such as "42.1%", into the first PERCENT_CELLS cells of a table cell.
 * Returns the rest of the cell after one blank cell, for a bar. */
#define PERCENT_CELLS 6
struct slot slot_percent(const struct slot *slot, double share);

/* Draw the lines of the tree at the beginning of a row's cell. Returns the rest of the cell. */
struct slot slot_tree(const struct slot *slot, const struct row *row);
/* Return the area of a cell without its first `cells` cells. */
struct slot slot_rest(const struct slot *slot, int cells);

#endif
