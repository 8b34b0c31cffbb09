/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/heat_draw.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/analysis/format_text.h"
#include "monitor/base/humanize.h"
#include "views/ui/time_axis.h"
#include "views/ui/view_text.h"

uint64_t heat_key(const struct view_ctx *ctx, uint64_t of)
{
	const char *filter = ctx->what.filter ? filter_text(ctx->what.filter) : "";

	of = tr2_hash_pair(of, model_version(ctx->model));
	of = tr2_hash_pair(of, (uint64_t)ctx->what.limits.depth);
	return tr2_hash_pair(of, ctx->what.filter ? tr2_hash(filter, strlen(filter)) : 0);
}

static enum glyph heat_shade(uint32_t nr)
{
	return nr < 4    ? GLYPH_SHADE_1
	       : nr < 16 ? GLYPH_SHADE_2
	       : nr < 64 ? GLYPH_SHADE_3
			 : GLYPH_BAR_8;
}

/* Evicted commands have glyphs of their own, so that they differ on terminals without colours. */
static enum glyph evicted_glyph(uint32_t nr)
{
	return nr < 4 ? GLYPH_EVICTED_1 : nr < 64 ? GLYPH_EVICTED_2 : GLYPH_EVICTED_3;
}

void heat_draw_cells(struct surface *surface, int x, int y, int cols, const struct heat *heat,
		     uint32_t row)
{
	for (uint32_t i = 0; i < heat->nr_columns && (int)i < cols; i++) {
		const struct heat_cell *cell = heat_at(heat, row, i);

		if (cell->failed)
			surface_glyph(surface, x + (int)i, y, STYLE_FAILED, GLYPH_FAILED);
		else if (heat_median_row(heat, i) == row)
			surface_glyph(surface, x + (int)i, y, STYLE_FOCUS, GLYPH_HLINE);
		else if (cell->nr)
			surface_glyph(surface, x + (int)i, y, STYLE_SPARK, heat_shade(cell->nr));
		else if (heat_evicted(heat, row, i))
			surface_glyph(surface, x + (int)i, y, STYLE_DIM,
				      evicted_glyph(heat_evicted(heat, row, i)));
	}
}

void heat_draw_axis(struct surface *surface, int x, int y, int cols, const struct heat *heat)
{
	int nr = (int)heat->nr_columns < cols ? (int)heat->nr_columns : cols;

	time_axis_draw(surface, x, y, nr, cols, heat_column_begin(heat, 0),
		       heat_column_begin(heat, (uint32_t)nr));
}

void heat_draw_legend(struct surface *surface, struct rect line, const struct heat *heat)
{
	static const struct {
		enum glyph glyph;
		enum style style;
		const char *text;
	} signs[] = {
		{ GLYPH_SHADE_1, STYLE_SPARK, "1 run" },
		{ GLYPH_SHADE_2, STYLE_SPARK, "4" },
		{ GLYPH_SHADE_3, STYLE_SPARK, "16" },
		{ GLYPH_BAR_8, STYLE_SPARK, "64 or more" },
		{ GLYPH_HLINE, STYLE_FOCUS, "median" },
		{ GLYPH_FAILED, STYLE_FAILED, "failed" },
		{ GLYPH_EVICTED_1, STYLE_DIM, "evicted commands" },
	};
	size_t nr = sizeof(signs) / sizeof(*signs) - !heat->evicted;
	int x = line.x, end = line.x + line.cols;

	for (size_t i = 0; i < nr; i++) {
		if (x + 2 + (int)strlen(signs[i].text) > end)
			return;
		surface_glyph(surface, x, line.y, signs[i].style, signs[i].glyph);
		x += 2 + surface_text(surface, x + 2, line.y, end - x - 2, STYLE_DIM, signs[i].text,
				      SIZE_MAX);
		x += 2;
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
	uint64_t nr = 0, failed = 0, evicted = 0;

	for (uint32_t row = box->first_row; row <= box->last_row; row++)
		for (uint32_t column = box->first_column; column <= box->last_column; column++) {
			nr += heat_at(heat, row, column)->nr;
			failed += heat_at(heat, row, column)->failed;
			evicted += heat_evicted(heat, row, column);
		}
	heat_format_bounds(&bounds, out);
	tr2_buf_addstr(out, ": ");
	format_runs(nr, out);
	if (failed)
		tr2_buf_addf(out, ", %" PRIu64 " failed", failed);
	if (evicted)
		tr2_buf_addf(out, ", %" PRIu64 " evicted", evicted);
}
