/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/path_draw.h"

const struct cell *held_cell(const struct slot *slot, int cell)
{
	const struct surface *surface = slot->surface;
	int x = slot->x + cell;

	if (x < 0 || x >= surface->cols || slot->y < 0 || slot->y >= surface->rows)
		return NULL;
	return &surface->cells[(size_t)slot->y * (size_t)surface->cols + (size_t)x];
}

void held_draw(const struct path_pieces *held, uint32_t process, const struct time_window *window,
	       const struct slot *slot, int from, int to)
{
	ns_t right = window->from + window->width;
	const struct path_piece *piece = path_pieces_from(held, process, window->from);

	for (; piece && piece->begin < right; piece = path_pieces_next(held, piece)) {
		int first = window_cell(window, piece->begin, slot->cols);
		int last = window_cell(window, piece->end, slot->cols);

		for (int x = first < from ? from : first; x <= last && x <= to; x++) {
			const struct cell *cell = held_cell(slot, x);
			struct rect area = { slot->x + x, slot->y, 1, 1 };

			if (cell && cell->style == STYLE_BAR)
				surface_restyle(slot->surface, area, STYLE_HELD);
			else if (cell && cell->style == STYLE_DIM)
				surface_glyph(slot->surface, area.x, area.y, STYLE_HELD,
					      GLYPH_HELD);
		}
		/* The cells before the piece's last one are not visited again. */
		from = last > from ? last : from;
	}
}
