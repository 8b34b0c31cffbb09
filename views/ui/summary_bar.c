/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/summary_rows.h"
#include "views/ui/view_text.h"

#include "monitor/base/humanize.h"

#define LEAST_LABEL 4  /* least width of a label that is cut, in cells */
#define MARK_CELLS  12 /* least distance of two marks of the axis, in cells */

static enum style block_style(uint8_t kind)
{
	return kind == BLOCK_OTHER ? STYLE_HUE_0 : (enum style)(STYLE_HUE_1 + kind);
}

static int run_of(const uint8_t *cells, int nr, int x)
{
	int end = x;

	while (end < nr && cells[end] == cells[x])
		end++;
	return end - x;
}

/* Draw the label in the middle of a block: name, time and share if they fit, else as much of the
 * name as fits, if that is at least LEAST_LABEL cells or the whole name. */
static void draw_label(const struct view_ctx *ctx, uint8_t kind, const struct slot *slot)
{
	const struct summary *page = ctx->view->private;
	struct tr2_buf line = { .max = 4096 };
	struct slot inner = *slot;
	size_t name;
	int cells;

	block_format(ctx->model, &page->parts, &page->blocks, kind, &line);
	name = line.len;
	tr2_buf_addf(&line, " %s %.0f %%", human_duration(page->blocks.kinds[kind].time).text,
		     (double)page->blocks.kinds[kind].time * 100 / (double)page->parts.wall);
	cells = surface_text_cells(tr2_buf_cstr(&line), line.len, slot->surface->ascii);
	if (cells + 2 > slot->cols) {
		line.len = name;
		cells = surface_text_cells(tr2_buf_cstr(&line), name, slot->surface->ascii);
	}
	if (cells > slot->cols - 2)
		cells = slot->cols - 2;
	inner.x += (slot->cols - cells) / 2;
	inner.cols = cells;
	if (cells >= LEAST_LABEL || (cells > 0 && (size_t)cells >= name))
		slot_text(&inner, block_style(kind), tr2_buf_cstr(&line), line.len);
	tr2_buf_release(&line);
}

static int longest_run(const uint8_t *cells, int nr, uint8_t kind)
{
	int best = -1, longest = 0;

	for (int x = 0, run; x < nr; x += run) {
		run = run_of(cells, nr, x);
		if (cells[x] != kind || run <= longest)
			continue;
		best = x;
		longest = run;
	}
	return best;
}

void summary_draw_blocks(const struct view_ctx *ctx, const struct slot *slot)
{
	const struct summary *page = ctx->view->private;
	uint8_t cells[SURFACE_MAX_COLS];
	int nr = slot->cols - 1;

	if (nr <= 0 || page->parts.wall <= 0 || slot->surface->is_ruler)
		return;
	nr = nr < SURFACE_MAX_COLS ? nr : SURFACE_MAX_COLS;
	blocks_cells(&page->blocks, page->parts.wall, cells, nr);
	for (int x = 0; x < nr; x++) {
		/* In ASCII, shades distinguish the blocks. */
		enum glyph glyph = (enum glyph)(GLYPH_SHADE_1 + cells[x] % 3);

		if (slot->surface->ascii)
			surface_glyph(slot->surface, slot->x + x, slot->y, block_style(cells[x]),
				      cells[x] ? glyph : GLYPH_BAR_8);
		else
			surface_text(slot->surface, slot->x + x, slot->y, 1, block_style(cells[x]),
				     " ", 1);
	}
	for (uint8_t kind = 0; kind <= BLOCK_OTHER; kind++) {
		int x = longest_run(cells, nr, kind);
		struct slot block = *slot;

		if (x < 0)
			continue;
		block.x += x;
		block.cols = run_of(cells, nr, x);
		draw_label(ctx, kind, &block);
	}
}

void summary_draw_axis(const struct view_ctx *ctx, const struct slot *slot)
{
	const struct summary *page = ctx->view->private;
	ns_t wall = page->parts.wall, step;
	int nr = slot->cols - 1;

	if (nr < MARK_CELLS || wall <= 0)
		return;
	step = human_step((ns_t)((double)wall / nr * MARK_CELLS));
	for (ns_t at = 0; at <= wall;) {
		struct human mark = human_mark(at);
		int x = (int)((double)at / (double)wall * nr);

		if (x + surface_text_cells(mark.text, SIZE_MAX, slot->surface->ascii) <= nr)
			surface_text(slot->surface, slot->x + x, slot->y, nr - x, STYLE_DIM,
				     at ? mark.text : "0s", SIZE_MAX);
		if (__builtin_add_overflow(at, step, &at))
			break;
	}
}
