/* SPDX-License-Identifier: MIT */
/*
 * A surface: the content of a screen as a grid of cells, independent of any terminal.
 *
 *   cell = up to 3 code points (a base and combining marks), a style, an overlay, a width
 *   width 2 also takes the next cell, which has width 0 and is not drawn
 *
 * Styles are meanings (styles.def); themes define their looks. Cells contain printable text only:
 * the functions that draw text hide passwords (secrets.h) and make control characters, ill-formed
 * bytes and invisible characters visible.
 *
 * Drawing outside the grid is allowed and changes no cell. One thread at a time.
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
	/* ch[0]: a base character; the others combine with it; unused ones are 0 */
	uint32_t ch[CELL_MAX_CHARS];
	uint8_t style; /* enum style */
	/* STYLE_TEXT, or a style drawn over `style`, such as that of a selected row */
	uint8_t over;
	uint8_t width; /* 1 or 2; 0: the right half of a wide character */
};

struct surface {
	int cols, rows;         /* ro: size of the grid in cells */
	int cursor_x, cursor_y; /* ro: position of the terminal's cursor, inside the grid */
	struct cell *cells;     /* ro: the cells, row by row */
	bool ascii;             /* rw: draw only ASCII characters */
	bool said;              /* rw: for speech output: draw no glyphs except MORE */
	/* rw: store no cells, only measure text in `reach` */
	bool is_ruler;
	/* rw: column after the rightmost character that was drawn while `is_ruler` is set; blanks
	 * and bars do not count */
	int reach;
};

/* Graphical glyphs (glyphs.def). */
enum glyph {
#define GLYPH(ID, utf8, ascii) GLYPH_##ID,
#include "views/draw/glyphs.def"
	NR_GLYPHS
};

/* An area in cells, which may be partly outside the surface. */
struct rect {
	int x, y, cols, rows;
};

/* Create a blank surface. Sizes are clamped to 1..SURFACE_MAX_COLS and 1..SURFACE_MAX_ROWS. */
struct surface *surface_new(int cols, int rows, bool ascii);
void surface_free(struct surface *surface);

/* Change the size, clamped as by surface_new(), and clear the surface. */
void surface_resize(struct surface *surface, int cols, int rows);

/* Fill the surface with blanks in STYLE_TEXT, and put the cursor into the first cell. */
void surface_clear(struct surface *surface);

/* Copy the cells, the size, the cursor and `ascii`. */
void surface_copy(struct surface *to, const struct surface *from);

/*
 * Write UTF-8 text of `len` bytes (SIZE_MAX: up to its NUL) at column `x` of row `y`, in at
 * most `max_cells` cells. A text that does not fit ends in the glyph MORE. Returns the cells
 * taken.
 */
int surface_text(struct surface *surface, int x, int y, int max_cells, enum style style,
		 const char *text, size_t len);

/* Write a text, right-aligned in `max_cells`; if it does not fit, it is cut at its right. */
int surface_text_right(struct surface *surface, int x, int y, int max_cells, enum style style,
		       const char *text, size_t len);

/* Write a text; if it does not fit, it is cut in the middle: at most `head` cells of its beginning,
 * then MORE, then as much of its end as fits. */
int surface_text_ends(struct surface *surface, int x, int y, int max_cells, enum style style,
		      const char *text, size_t len, int head);

/* Write a text formatted as by printf(), cut to 1,023 bytes. Returns the cells taken. */
int surface_printf(struct surface *surface, int x, int y, int max_cells, enum style style,
		   const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Return the number of cells that a text takes if it is not cut; stops counting at 2^20. */
int surface_text_cells(const char *text, size_t len, bool ascii);

/* Draw a glyph; surface_glyphs() draws it in `nr` cells from `x` on. */
void surface_glyph(struct surface *surface, int x, int y, enum style style, enum glyph glyph);
void surface_glyphs(struct surface *surface, int x, int y, int nr, enum style style,
		    enum glyph glyph);

/* Draw a horizontal bar of `eighths` eighths of a cell from `x` on, at most `max_cells`. */
void surface_bar(struct surface *surface, int x, int y, int max_cells, enum style style,
		 int64_t eighths);

/*
 * Draw a sparkline: one cell per value, scaled so that the largest value fills its cell; 0 leaves
 * its cell unchanged, other values show at least the lowest level.
 */
void surface_spark(struct surface *surface, int x, int y, enum style style, const uint64_t *values,
		   int nr_values);

/* Set the terminal's cursor; positions outside the surface are clamped. */
void surface_put_cursor(struct surface *surface, int x, int y);

void surface_restyle(struct surface *surface, struct rect area, enum style style);

/* Set the overlay style of an area; STYLE_TEXT removes it. */
void surface_overlay(struct surface *surface, struct rect area, enum style over);

void surface_blank(struct surface *surface, struct rect area);

void surface_frame(struct surface *surface, struct rect area, enum style style);

/* Append row `y` as UTF-8 without trailing blanks or newline. */
void surface_row_text(const struct surface *surface, int y, struct tr2_buf *out);

/* Append the rows as text, each ending with LF. */
void surface_dump(const struct surface *surface, struct tr2_buf *out);

/*
 * Append the rows as text, then their styles in the form `Y: X-X STYLE[+OVER] ...`. Cells in
 * STYLE_TEXT without overlay are omitted.
 */
void surface_dump_styles(const struct surface *surface, struct tr2_buf *out);

/* Return the number of cells in which two surfaces differ; all cells of `a` if the sizes differ. */
int surface_diff(const struct surface *a, const struct surface *b);

#endif
