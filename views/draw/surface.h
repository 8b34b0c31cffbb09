/* SPDX-License-Identifier: MIT */
/*
 * A surface: what a screen shows, as a grid of cells, before any terminal knows of it. Views
 * draw on it, golden tests compare it as text, the terminal thread puts it on the glass.
 *
 *   cell = up to 3 code points (a base and what combines with it), a style, an overlay, a width
 *   width 2 takes the next cell, too: that one has width 0 and is nobody's to draw
 *
 * It is not a terminal: it has no escape sequences and no notion of colour; styles say what a
 * thing means (styles.def), themes what that looks like. It knows the one cell where a terminal's
 * cursor is to stand: braille displays and magnifiers follow that. Nothing but printable text ever
 * reaches a cell: controls, ill-formed bytes and invisible characters are made visible on the way
 * in, whoever calls.
 *
 * Everything clips: drawing outside of the grid is no error and draws nothing. One owner at a
 * time, no locks. Cost of a text: a table lookup a character beyond ASCII.
 */
#ifndef VIEWS_SURFACE_H
#define VIEWS_SURFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "views/draw/styles.h"

#define SURFACE_MAX_COLS 1000
#define SURFACE_MAX_ROWS 500
#define CELL_MAX_CHARS   3

struct cell {
	uint32_t ch[CELL_MAX_CHARS]; /* ch[0]: a base; unused ones are 0 */
	uint8_t style;               /* enum style */
	uint8_t over;                /* STYLE_TEXT, or a style laid over it (a selection) */
	uint8_t width;               /* 1 or 2; 0: the right half of a wide one */
};

struct surface {
	int cols, rows;         /* ro */
	int cursor_x, cursor_y; /* ro: within them */
	struct cell *cells;     /* ro: row by row */
	bool ascii;             /* rw: draw with ASCII only */
	bool said; /* rw: it is read aloud: of glyphs MORE alone is drawn, no bar, no spark */
};

/* Glyphs that are drawn, not said: each with its form in UTF-8 and in ASCII (glyphs.def). */
enum glyph {
#define GLYPH(ID, utf8, ascii) GLYPH_##ID,
#include "views/draw/glyphs.def"
	NR_GLYPHS
};

/* An area of a surface, in cells. May lie partly or wholly outside of it. */
struct rect {
	int x, y, cols, rows;
};

/* An empty surface (all blanks). Sizes are cut to 1..SURFACE_MAX. */
struct surface *surface_new(int cols, int rows, bool ascii);
void surface_free(struct surface *surface);

/* Another size; what was drawn is gone. */
void surface_resize(struct surface *surface, int cols, int rows);

/* All blanks in STYLE_TEXT, the cursor in the first cell. */
void surface_clear(struct surface *surface);

/* Make `to` an equal of `from`, its size included. */
void surface_copy(struct surface *to, const struct surface *from);

/*
 * Write UTF-8 text of `len` bytes (SIZE_MAX: up to its NUL) at column `x` of row `y`, in at
 * most `max_cells` cells. A text that does not fit ends in the glyph MORE. Returns the cells
 * taken.
 */
int surface_text(struct surface *surface, int x, int y, int max_cells, enum style style,
		 const char *text, size_t len);

/* The same, pushed to the right end of its `max_cells`; cut at its right. */
int surface_text_right(struct surface *surface, int x, int y, int max_cells, enum style style,
		       const char *text, size_t len);

/* The same, but what does not fit loses of its middle: its first `head` cells stay (0: none), then
 * comes MORE, then as much of its end as there is room for. */
int surface_text_ends(struct surface *surface, int x, int y, int max_cells, enum style style,
		      const char *text, size_t len, int head);

/* The same with a format. Returns the cells taken. */
int surface_printf(struct surface *surface, int x, int y, int max_cells, enum style style,
		   const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* How many cells the text takes when nothing clips it. */
int surface_text_cells(const char *text, size_t len, bool ascii);

/* One glyph; `nr` of them in a row. */
void surface_glyph(struct surface *surface, int x, int y, enum style style, enum glyph glyph);
void surface_glyphs(struct surface *surface, int x, int y, int nr, enum style style,
		    enum glyph glyph);

/*
 * A horizontal bar of `eighths` eighths of a cell from `x` on, at most `max_cells`. Something
 * that is more than nothing should be asked for with at least 1.
 */
void surface_bar(struct surface *surface, int x, int y, int max_cells, enum style style,
		 int64_t eighths);

/*
 * A sparkline: one cell a value, scaled so that the largest value fills the cell; 0 stays
 * blank, everything else shows at least the lowest step.
 */
void surface_spark(struct surface *surface, int x, int y, enum style style, const uint64_t *values,
		   int nr_values);

/* The terminal's cursor stands here; who says so last has it. Outside: in the cell nearest to it. */
void surface_put_cursor(struct surface *surface, int x, int y);

/* What stands in an area is in this style now. */
void surface_restyle(struct surface *surface, struct rect area, enum style style);

/* Lay `over` over the cells of an area: a selected row, a hit of a search. */
void surface_overlay(struct surface *surface, struct rect area, enum style over);

/* Blank an area. */
void surface_blank(struct surface *surface, struct rect area);

/* A frame of lines around an area. */
void surface_frame(struct surface *surface, struct rect area, enum style style);

/* Append row `y` as UTF-8 without trailing blanks and without a newline. */
void surface_row_text(const struct surface *surface, int y, struct tr2_buf *out);

/* Append the whole as lines of text, each ending in LF. */
void surface_dump(const struct surface *surface, struct tr2_buf *out);

/*
 * Append the whole as text, followed by each row's styles in the form
 * `Y: X-X STYLE[+OVER] ...` (only what is not STYLE_TEXT): the semantic layer of golden screens.
 */
void surface_dump_styles(const struct surface *surface, struct tr2_buf *out);

/* How many cells differ; sizes that differ count every cell. */
int surface_diff(const struct surface *a, const struct surface *b);

#endif
