/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/terminal/paint.h"

#include <stdlib.h>
#include <string.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

static bool environment_allows_colour(void)
{
	const char *no = getenv("NO_COLOR");
	const char *force = getenv("CLICOLOR_FORCE"), *use = getenv("CLICOLOR");

	if (no && *no)
		return false;
	return (force && *force && strcmp(force, "0")) || !use || strcmp(use, "0");
}

static bool wants_colour(int theme, int colour)
{
	if (colour == COLOUR_NEVER || !theme_colours[theme] || !has_colors())
		return false;
	return colour == COLOUR_ALWAYS || environment_allows_colour();
}

/* Return the number that curses uses for a colour: on terminals with direct colours the red, green
 * and blue parts, except for LOOK_DEFAULT and the colours 0..7. */
static int paint_number_of(int colour)
{
	return colour == LOOK_DEFAULT || COLORS <= 256 || colour < 8 ? colour
								     : (int)palette_rgb(colour);
}

static short pair_for(struct paint *paint, int style, int over)
{
	const struct look *look = style_look(paint->theme, style);
	const struct look *top = style_look(paint->theme, over);
	short *pair = &paint->pair_of[style][over];
	bool many = COLORS >= 256 && theme_colours[paint->theme] >= 256;
	int fg = many ? look->fg : look->fg16, bg = many ? look->bg : look->bg16;

	if (*pair)
		return *pair;
	if (over != STYLE_TEXT) {
		int top_fg = many ? top->fg : top->fg16, top_bg = many ? top->bg : top->bg16;

		bg = top_bg != LOOK_DEFAULT ? top_bg : bg;
		fg = top_fg != LOOK_DEFAULT ? top_fg : fg;
	}
	if (paint->pairs + 1 >= COLOR_PAIRS || paint->pairs + 1 >= 32767)
		return 0;
	*pair = (short)++paint->pairs;
	init_extended_pair(*pair, paint_number_of(fg), paint_number_of(bg));
	return *pair;
}

static attr_t attributes_of(unsigned look)
{
	attr_t attributes = A_NORMAL;

	if (look & LOOK_BOLD)
		attributes |= A_BOLD;
	if (look & LOOK_DIM)
		attributes |= A_DIM;
	if (look & LOOK_UNDERLINE)
		attributes |= A_UNDERLINE;
	if (look & LOOK_REVERSE)
		attributes |= A_REVERSE;
	return attributes;
}

void paint_start(struct paint *paint, int theme, int colour)
{
	*paint = (struct paint){ .theme = theme, .colour = wants_colour(theme, colour) };
	if (!paint->colour)
		return;
	start_color();
	use_default_colors();
}

static void paint_draw_cell(struct paint *paint, int x, int y, const struct cell *cell)
{
	const struct look *look = style_look(paint->theme, cell->style);
	const struct look *over = style_look(paint->theme, cell->over);
	unsigned attributes =
		paint->colour ? look->attributes | over->attributes : look->mono | over->mono;
	wchar_t text[CELL_MAX_CHARS + 1] = { 0 };
	cchar_t out;

	for (int i = 0; i < CELL_MAX_CHARS; i++)
		text[i] = (wchar_t)cell->ch[i];
	setcchar(&out, text, attributes_of(attributes),
		 paint->colour ? pair_for(paint, cell->style, cell->over) : 0, NULL);
	mvadd_wch(y, x, &out);
}

void paint_surface(struct paint *paint, const struct surface *surface, const struct surface *old)
{
	bool all = !old || old->cols != surface->cols || old->rows != surface->rows;

	if (all)
		erase();
	for (int y = 0; y < surface->rows && y < LINES; y++)
		for (int x = 0; x < surface->cols && x < COLS; x++) {
			size_t at = (size_t)y * (size_t)surface->cols + (size_t)x;
			const struct cell *cell = &surface->cells[at];

			if (!cell->width || (!all && !memcmp(cell, &old->cells[at], sizeof(*cell))))
				continue;
			paint_draw_cell(paint, x, y, cell);
		}
	move(surface->cursor_y < LINES ? surface->cursor_y : LINES - 1,
	     surface->cursor_x < COLS ? surface->cursor_x : COLS - 1);
	refresh();
}
