/* SPDX-License-Identifier: MIT */
/*
 * The table widget: sorted rows, flat or as a tree, with a selection by identity (not position),
 * scrolling, sorting, and columns that are fitted to the width.
 *
 *   view: gather()  table_add() one row per item, with its id, parent and sort key
 *   table_order()   sort, build the tree, find the selection again, scroll
 *   table_draw()    for visible rows only: view: draw(row, column)
 *
 * Marked rows come first, with their ancestors; not in tables with headings.
 *
 * A refresh never moves the user's selection to another id. Before the user selects a row, the
 * first row that is not dimmed is selected. If the selected row is gone, the one at its position is
 * selected. The table is independent of the model. One thread. Ordering 10,000 rows takes about 1
 * ms.
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
struct view_ctx; /* context of a view's functions, opaque to the table */

/*
 * A column: its look, and its cells as a value or as a drawing function. Without either the view
 * draws it (view_ops.draw), which is best for rows of several kinds.
 */
struct column {
	const char *title; /* "": no heading; cannot be arranged */
	const char *said;  /* heading for speech output; NULL: the title */
	uint8_t min_cells; /* minimum width */
	uint8_t grow;      /* share of the remaining width; 0: does not grow */
	uint8_t rank;      /* columns with the highest rank are dropped first; 0: never dropped */
	uint8_t from_cols; /* hidden on narrower screens */
	bool right;        /* right-aligned */
	bool no_sort;
	bool descending; /* largest first, unless reversed */
	bool hidden;     /* hidden until the user shows it in the setup */
	bool of_several; /* visible only while the table is `of_several` */
	/* Its value for sorting; INT64_MIN: unknown. Drawn as a count without draw(). */
	int64_t (*number)(const struct view_ctx *ctx, const struct row *row);
	/* The same for text, borrowed until the table is ordered; NULL: absent. */
	const char *(*text)(const struct view_ctx *ctx, const struct row *row, size_t *len);
	/* Draw the cell. */
	void (*draw)(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
};

#define ROW_NO_PARENT UINT32_MAX

struct row {
	uint64_t id; /* unique in the table; identifies the selection */
	int64_t key; /* sort key, smallest first */
	const char
		*text; /* secondary sort key; borrowed until table_order() returns; may be NULL */
	uint32_t text_len;
	uint32_t parent;    /* parent's number in order of adding, or ROW_NO_PARENT */
	uint32_t ref, ref2; /* for the view */
	uint8_t kind;       /* for the view */
	bool fixed : 1;     /* cannot be selected (headings) */
	bool dimmed : 1;    /* kept only because of a descendant */
	bool wide : 1;      /* its first growing column also uses the empty columns after it */
	/* set by table_order(): */
	bool marked, pinned; /* pinned: it or a descendant is marked */
	bool folded;         /* its descendants are hidden */
	bool last;           /* last child of its parent */
	uint16_t level;      /* depth in the tree; UINT16_MAX: that or greater */
	uint64_t lines;      /* bit n: the tree's line of level n continues below */
};

#define SORT_NATURAL (-1)

enum table_follow {
	FOLLOW_NONE,
	FOLLOW_NEWEST, /* the selection moves to the view's `newest` */
	FOLLOW_SELECTED, /* it stays with its row, in the middle; if that is gone, nothing is selected */
};

struct table {
	struct row *rows; /* ro: in screen order */
	uint32_t nr_rows, cap_rows;
	uint32_t nr_hidden; /* rw by gather: items without a row because of a limit */
	int sort;           /* column or SORT_NATURAL */
	bool reverse;
	bool flat;           /* ignore parents */
	uint8_t follow;      /* enum table_follow */
	bool lost;           /* ro: the followed row does not exist */
	bool of_several;     /* rw by gather: the rows come from several agents */
	const char *heading; /* rw by gather: replaces the first column's title; NULL: the title */
	uint64_t newest;     /* id of the newest row, set by gather; 0: unknown */
	bool has_selection;
	bool touched;            /* the user selected the row; until then the top row is selected */
	uint64_t selected;       /* id of the selected row */
	uint32_t at;             /* ro: index of the selected row */
	uint32_t top;            /* ro: index of the first visible row */
	int page_rows;           /* ro: number of visible rows in the last frame */
	int body_y;              /* ro: screen row of the first visible row, for the mouse */
	int left;                /* cells by which text columns are scrolled to the left */
	int over;                /* ro: cells by which the longest drawn text is cut */
	struct sort_item *items; /* private: memory for sorting */
	uint32_t *ordered;       /* private: rows in the order of the last sort */
	uint32_t nr_ordered, cap_ordered;
	uint32_t *links;   /* private */
	struct row *spare; /* private */
	uint32_t cap_scratch;
	struct marks marks;              /* rw */
	struct marks folded;             /* rw: folded rows */
	uint64_t owner;                  /* rw: owner of the rows, for the marks */
	uint32_t nr_marked;              /* ro: number of marked rows */
	struct arrangement *arrangement; /* rw: the user's arrangement; borrowed; may be NULL */
	int heads[MAX_COLUMNS];          /* ro: screen column of each column; -1: not shown */
	int widths[MAX_COLUMNS]; /* ro: its width, for views that draw their rows themselves */
};

/* A cell of the table, drawn by the view. */
struct slot {
	struct surface *surface;
	int x, y, cols;
	bool right;
	int left;  /* scrolled cells, for growing columns; never more than the text is cut by */
	int *over; /* raised to the cells by which a text is cut; may be NULL */
};

/* The view's drawing function. */
typedef void table_draw_cell(void *ctx, const struct row *row, int column, const struct slot *slot);

void table_release(struct table *table);

/* Get the visible columns regardless of the screen's width, as arrangement_columns(). */
int table_columns(const struct table *table, const struct column *columns, int nr,
		  struct column *out, uint8_t *index);

/* Remove all rows before gathering. */
void table_clear(struct table *table);

/* Add a row with this id; the pointer is valid until the next call. Its number is nr_rows - 1. */
struct row *table_add(struct table *table, uint64_t id);

/*
 * Remove the rows for which `keep` is false, between gathering and ordering; they count as hidden.
 * Ancestors of a kept row are kept and dimmed, except in a flat table. Headings (fixed rows) are
 * kept if a row below them is.
 */
void table_keep(struct table *table, bool (*keep)(void *data, const struct row *row), void *data);

/* Sort, build the tree, find the selection. */
void table_order(struct table *table);

/* Return the selected row, or NULL. */
const struct row *table_selected(const struct table *table);
void table_select(struct table *table, uint64_t id);

/* Fix the selection on its row, because the user acted on it. */
void table_hold(struct table *table);

/* Release the selection: after table_order() the top row is selected. */
void table_let_go(struct table *table);

/*
 * Select the row at index `at` for the user, and stop following. The index is clamped; if the row
 * cannot be selected, the next one in the direction of `step` is, else the previous one.
 * table_go(): step 1.
 */
void table_move(struct table *table, int64_t at, int step);
void table_go(struct table *table, uint32_t at);

/* Draw the heading and the rows. `ctx` is passed to `draw`. */
void table_draw(struct table *table, struct surface *surface, struct rect area,
		const struct column *columns, int nr_columns, bool focused, table_draw_cell *draw,
		void *ctx);

/* Sort by a column or SORT_NATURAL, and go to the top. */
void table_sort_by(struct table *table, int column);

/* Execute an action of the TABLE_KEY rows of keys.def. Returns false for other actions. */
bool table_action(struct table *table, enum action action, const struct column *columns,
		  int nr_columns);

/* Handle a click at (x, y) of the screen: selects a row, or sorts by a heading. Returns false if
 * it hit neither. */
bool table_press(struct table *table, int x, int y, const struct column *columns, int nr_columns);

/* ---- helpers of drawing ---- */

/* Draw text, a number or a duration into a slot, aligned like its column. */
void slot_text(const struct slot *slot, enum style style, const char *text, size_t len);
void slot_printf(const struct slot *slot, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void slot_duration(const struct slot *slot, enum style style, int64_t ns);
void slot_count(const struct slot *slot, enum style style, uint64_t count);

/* Draw "42.1%" in the first PERCENT_CELLS of a slot. Returns the rest of the slot, for a bar. */
#define PERCENT_CELLS 6
struct slot slot_percent(const struct slot *slot, double share);

/* Draw the tree's lines before a row's text. Returns the rest of the slot. */
struct slot slot_tree(const struct slot *slot, const struct row *row);
/* Return the slot without its first `cells`. */
struct slot slot_rest(const struct slot *slot, int cells);

#endif
