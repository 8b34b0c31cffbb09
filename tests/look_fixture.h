/* SPDX-License-Identifier: MIT */
/* Screens with the look of each cell in a theme, for golden files. */
#ifndef TESTS_LOOK_FIXTURE_H
#define TESTS_LOOK_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "engine/base/buf.h"
#include "views/draw/surface.h"

/* Describe the cell's look in a theme, as the terminal thread computes it. */
static inline void say_look(enum theme theme, const struct cell *cell, char *out, size_t bytes)
{
	const struct look *look = style_look(theme, cell->style),
			  *over = style_look(theme, cell->over);
	int colours = theme_colours[theme];
	int fg = colours >= 256 ? look->fg : look->fg16,
	    bg = colours >= 256 ? look->bg : look->bg16;
	int over_fg = colours >= 256 ? over->fg : over->fg16;
	int over_bg = colours >= 256 ? over->bg : over->bg16;
	unsigned looks = colours ? look->attributes | over->attributes : look->mono | over->mono;

	fg = cell->over && over_fg != LOOK_DEFAULT ? over_fg : fg;
	bg = cell->over && over_bg != LOOK_DEFAULT ? over_bg : bg;
	if (!colours)
		fg = bg = LOOK_DEFAULT;
	snprintf(out, bytes, "%d/%d%s%s%s%s", fg, bg, looks & LOOK_BOLD ? " bold" : "",
		 looks & LOOK_DIM ? " dim" : "", looks & LOOK_UNDERLINE ? " underline" : "",
		 looks & LOOK_REVERSE ? " reverse" : "");
}

/* Append the screen, and for each row its groups of cells with equal look, except the default
 * look. */
static inline void dump_looks(const struct surface *surface, enum theme theme, struct tr2_buf *out)
{
	surface_dump(surface, out);
	for (int y = 0; y < surface->rows; y++) {
		const struct cell *row = &surface->cells[y * surface->cols];

		tr2_buf_addf(out, "%d:", y);
		for (int x = 0, end; x < surface->cols; x = end) {
			char look[64], other[64];

			say_look(theme, &row[x], look, sizeof(look));
			for (end = x + 1; end < surface->cols; end++) {
				say_look(theme, &row[end], other, sizeof(other));
				if (strcmp(look, other))
					break;
			}
			if (strcmp(look, "-1/-1"))
				tr2_buf_addf(out, " %d-%d %s,", x, end - 1, look);
		}
		tr2_buf_addch(out, '\n');
	}
}

#endif
