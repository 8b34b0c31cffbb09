/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/heat_draw.h"

#include <inttypes.h>

#include "monitor/analysis/format_text.h"
#include "monitor/base/humanize.h"
#include "views/ui/view_text.h"

#define MARK_CELLS 12 /* distance of the times on the axis */

static enum glyph heat_shade(uint32_t nr)
{
	return nr < 4    ? GLYPH_SHADE_1
	       : nr < 16 ? GLYPH_SHADE_2
	       : nr < 64 ? GLYPH_SHADE_3
			 : GLYPH_BAR_8;
}

void heat_draw_cells(struct surface *surface, int x, int y, int cols, const struct heat *heat,
		     uint32_t row)
{
	for (uint32_t i = 0; i < heat->nr_columns && (int)i < cols; i++) {
		const struct heat_cell *cell = heat_at(heat, row, i);

		if (cell->failed)
			surface_glyph(surface, x + (int)i, y, STYLE_FAILED, GLYPH_FAILED);
		else if (cell->nr)
			surface_glyph(surface, x + (int)i, y,
				      heat_median_row(heat, i) == row ? STYLE_FOCUS : STYLE_SPARK,
				      heat_shade(cell->nr));
	}
}

void heat_draw_axis(struct surface *surface, int x, int y, int cols, const struct heat *heat)
{
	for (int at = 0; at < (int)heat->nr_columns && at < cols; at += MARK_CELLS) {
		struct tr2_buf *line = format_line();
		int room = cols - at - 1;

		format_time(heat_column_begin(heat, (uint32_t)at), false, line);
		surface_glyph(surface, x + at, y, STYLE_DIM, GLYPH_VLINE);
		if ((int)line->len <= room)
			surface_text(surface, x + at + 1, y, room, STYLE_DIM, tr2_buf_cstr(line),
				     line->len);
	}
}

int heat_draw_rows(const struct heat *heat)
{
	return (int)heat->nr_rows + 1;
}

void heat_draw(struct surface *surface, struct rect area, const struct heat *heat)
{
	int x = area.x + HEAT_LABEL_CELLS, end = area.x + area.cols - HEAT_COUNT_CELLS;

	for (int i = 0; i < (int)heat->nr_rows && i < area.rows; i++) {
		uint32_t row = heat->nr_rows - 1 - (uint32_t)i;
		struct tr2_buf *line = format_line();
		int y = area.y + i;

		surface_text_right(surface, area.x, y, HEAT_LABEL_CELLS - 1, STYLE_DIM,
				   human_duration(heat_row_bound(heat, row)).text, SIZE_MAX);
		surface_glyph(surface, x - 1, y, STYLE_DIM, GLYPH_BAR_RIGHT);
		heat_draw_cells(surface, x, y, end - x, heat, row);
		tr2_buf_addf(line, "%" PRIu32, heat_row_sum(heat, row).nr);
		surface_text_right(surface, end, y, HEAT_COUNT_CELLS, STYLE_DIM, tr2_buf_cstr(line),
				   line->len);
	}
	if (area.rows > (int)heat->nr_rows)
		heat_draw_axis(surface, x, area.y + (int)heat->nr_rows, end - x, heat);
}

void heat_format_bounds(const struct heat_bounds *bounds, struct tr2_buf *out)
{
	if (bounds->least == INT64_MIN)
		tr2_buf_addstr(out, "under ");
	else
		tr2_buf_addf(out, "%s%s", bounds->most == INT64_MAX ? "from " : "",
			     human_duration(bounds->least).text);
	if (bounds->most != INT64_MAX)
		tr2_buf_addf(out, "%s%s", bounds->least == INT64_MIN ? "" : " to ",
			     human_duration(bounds->most).text);
	tr2_buf_addstr(out, ", ");
	format_time(bounds->begin, bounds->end - bounds->begin < NS_PER_SEC, out);
	tr2_buf_addstr(out, " to ");
	format_time(bounds->end, bounds->end - bounds->begin < NS_PER_SEC, out);
}

void heat_format_box(const struct heat *heat, const struct heat_box *box, struct tr2_buf *out)
{
	struct heat_bounds bounds = heat_box_bounds(heat, box);
	uint64_t nr = 0, failed = 0;

	for (uint32_t row = box->first_row; row <= box->last_row; row++)
		for (uint32_t column = box->first_column; column <= box->last_column; column++) {
			nr += heat_at(heat, row, column)->nr;
			failed += heat_at(heat, row, column)->failed;
		}
	heat_format_bounds(&bounds, out);
	tr2_buf_addf(out, ": %" PRIu64 " %s", nr, nr == 1 ? "run" : "runs");
	if (failed)
		tr2_buf_addf(out, ", %" PRIu64 " failed", failed);
}
