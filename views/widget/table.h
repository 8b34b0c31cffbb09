/* SPDX-License-Identifier: MIT */
/*
 * The hard widget, once: rows in order, flat or as a tree, with a selection that is an identity
 * and not a position, scrolling, sorting, and columns that are squeezed to what there is.
 *
 *   view: gather()  table_add() a row for each thing, with its id, parent and sort key
 *   table_order()   sort, make the tree, find the selection again, scroll
 *   table_draw()    for visible rows only: view: draw(row, column)
 *
 * Marked rows come before others, with the rows above them in the tree; not among headings.
 *
 * A refresh never moves a selection that the user has made to another id; until then it is the
 * first row that is not dimmed. Where the selected row has gone, the one at its place is selected.
 * The table knows nothing of models. One thread. Ordering 10,000 rows takes about 1 ms.
 */
#ifndef VIEWS_TABLE_H
#define VIEWS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "views/widget/arrangement.h"
#include "views/widget/keys.h"
#include "views/widget/marks.h"
#include "views/draw/surface.h"

struct row;
struct slot;
struct view_ctx; /* whatever a view's functions are called with: the table knows nothing of it */

/*
 * A column is one row: its look, and what stands in its cells, as a value or as a function that
 * draws. Without either its view draws it (view_ops.draw); rows of several kinds are best drawn so.
 */
struct column {
	const char *title; /* "": it has no heading, and cannot be arranged */
	const char *said;  /* its heading where that is read aloud; NULL: the title */
	uint8_t min_cells; /* its width, but for growth */
	uint8_t grow;      /* share of what is left over; 0: none */
	uint8_t rank;      /* the highest go first where there is no room; 0: never goes */
	uint8_t from_cols; /* not there on narrower screens */
	bool right;        /* numbers */
	bool no_sort;
	bool descending; /* the largest first, unless reversed */
	bool hidden;     /* not there until the user shows it in the setup */
	bool of_several; /* there only while the rows are `of_several` */
	/* Its value, INT64_MIN where that is not known: it is sorted by that, and drawn as a count
	 * where there is no draw(). */
	int64_t (*number)(const struct view_ctx *ctx, const struct row *row);
	/* The same of a text, borrowed until the table is in order; NULL: none. */
	const char *(*text)(const struct view_ctx *ctx, const struct row *row, size_t *len);
	/* Draw the cell. */
	void (*draw)(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
};

#define ROW_NO_PARENT UINT32_MAX

struct row {
	uint64_t id;      /* unique in the table; what the selection remembers */
	int64_t key;      /* sort key, smallest first */
	const char *text; /* sort key behind `key`; borrowed until table_order() ends; NULL */
	uint32_t text_len;
	uint32_t parent;    /* number of the parent row by order of adding, or ROW_NO_PARENT */
	uint32_t ref, ref2; /* the view's own */
	uint8_t kind;       /* the view's own */
	bool fixed : 1;     /* cannot be selected (headings) */
	bool dimmed : 1;    /* it was not kept for itself, but for what is below it in the tree */
	bool wide : 1; /* its first column that grows takes those behind, which it leaves empty */
	/* by table_order(): */
	bool marked, pinned; /* pinned: it, or what is below it in the tree, is marked */
	bool folded;         /* what is below it in the tree is hidden */
	bool last;           /* of its parent's rows */
	uint16_t level;      /* depth in the tree; UINT16_MAX also stands for any greater depth */
	uint64_t lines;      /* bit n: the tree's line of level n goes on below */
};

#define SORT_NATURAL (-1)

enum table_follow {
	FOLLOW_NONE,
	FOLLOW_NEWEST,   /* the selection goes to the view's `newest` */
	FOLLOW_SELECTED, /* it stays with its row, in the middle; where that is gone, with none */
};

struct table {
	struct row *rows; /* ro: in the order of the screen */
	uint32_t nr_rows, cap_rows;
	uint32_t nr_hidden; /* rw by gather: things that are not rows because of a limit */
	int sort;           /* column or SORT_NATURAL */
	bool reverse;
	bool flat;           /* ignore parents */
	uint8_t follow;      /* enum table_follow */
	bool lost;           /* ro: the row that is followed is not among the rows */
	bool of_several;     /* rw by gather: the rows are of more than one agent */
	const char *heading; /* rw by gather: in place of the first column's title; NULL: that */
	uint64_t newest;     /* id of the newest row, set by gather; 0: none */
	bool has_selection;
	bool touched;            /* the user chose the row; until then it is the one at the top */
	uint64_t selected;       /* id */
	uint32_t at;             /* ro: index of the selected row */
	uint32_t top;            /* ro: index of the first visible row */
	int page_rows;           /* ro: how many rows were visible in the last drawing */
	int body_y;              /* ro: screen row of the first visible row, for the mouse */
	int left;                /* cells that text columns are scrolled to the left */
	int over;                /* ro: so many cells of the longest drawn text have no room */
	struct sort_item *items; /* private: to sort in */
	uint32_t *ordered;       /* private: rows in the order of the last sorting */
	uint32_t nr_ordered, cap_ordered;
	uint32_t *links;   /* private */
	struct row *spare; /* private */
	uint32_t cap_scratch;
	struct marks marks;              /* rw */
	struct marks folded;             /* rw: rows without what is below them in the tree */
	uint64_t owner;                  /* rw: whose rows these are, for the marks */
	uint32_t nr_marked;              /* ro: of the rows */
	struct arrangement *arrangement; /* rw: the user's; borrowed; NULL: none */
	int heads[MAX_COLUMNS];  /* ro: where each column begins on the screen; -1: not there */
	int widths[MAX_COLUMNS]; /* ro: and its cells, for views that draw their rows themselves */
};

/* One cell of the table, to be drawn by the view. */
struct slot {
	struct surface *surface;
	int x, y, cols;
	bool right;
	int left; /* cells scrolled away, for growing columns; never more than its text is cut by */
	int *over; /* raised to the cells that a text has no room for; NULL: not asked */
};

/* The view's part of drawing. */
typedef void table_draw_cell(void *ctx, const struct row *row, int column, const struct slot *slot);

void table_release(struct table *table);

/* The columns in sight but for the width of the screen: as arrangement_columns(). */
int table_columns(const struct table *table, const struct column *columns, int nr,
		  struct column *out, uint8_t *index);

/* Begin gathering: no rows. */
void table_clear(struct table *table);

/* A new row with this id; valid until the next one. Its number is nr_rows - 1. */
struct row *table_add(struct table *table, uint64_t id);

/*
 * Leave out the rows of which `keep` is false, between gathering and ordering; they count as
 * hidden. What is above a row that stays in the tree stays with it, dimmed; where the table is
 * flat, it does not. Headings (fixed rows) stay where something stays below them.
 */
void table_keep(struct table *table, bool (*keep)(void *data, const struct row *row), void *data);

/* Sort, make the tree, find the selection. */
void table_order(struct table *table);

/* The selected row, or NULL where there is none. */
const struct row *table_selected(const struct table *table);
void table_select(struct table *table, uint64_t id);

/* The row that is selected is acted on: it is what the user chose from now on. */
void table_hold(struct table *table);

/* The other way round: the row at the top is selected, whichever that is after table_order(). */
void table_let_go(struct table *table);

/*
 * Select the row at index `at`, as the user does: it is followed no longer. Beyond either end it is
 * the last row there; where it cannot be selected, the next one in the direction of `step`, else
 * the one before. table_go(): step 1.
 */
void table_move(struct table *table, int64_t at, int step);
void table_go(struct table *table, uint32_t at);

/* Draw a heading and the rows. `ctx` goes to `draw`. */
void table_draw(struct table *table, struct surface *surface, struct rect area,
		const struct column *columns, int nr_columns, bool focused, table_draw_cell *draw,
		void *ctx);

/* Sort by a column, or SORT_NATURAL, from the top. */
void table_sort_by(struct table *table, int column);

/* Movement and sorting: the TABLE_KEY rows of keys.def. False where the action is none of those. */
bool table_action(struct table *table, enum action action, const struct column *columns,
		  int nr_columns);

/* Press at (x, y) of the screen: selects a row, or sorts by a heading. False: neither. */
bool table_press(struct table *table, int x, int y, const struct column *columns, int nr_columns);

/* ---- helpers of drawing ---- */

/* Text, number or duration into a slot, aligned as its column is. */
void slot_text(const struct slot *slot, enum style style, const char *text, size_t len);
void slot_printf(const struct slot *slot, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void slot_duration(const struct slot *slot, enum style style, int64_t ns);
void slot_count(const struct slot *slot, enum style style, uint64_t count);

/* "42.1%" in the first PERCENT_CELLS of a slot; what is left behind it, for a bar. */
#define PERCENT_CELLS 6
struct slot slot_percent(const struct slot *slot, double share);

/* The tree's lines before a row's text; the slot that is left. */
struct slot slot_tree(const struct slot *slot, const struct row *row);
/* The slot without its first `cells`. */
struct slot slot_rest(const struct slot *slot, int cells);

#endif
