/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/page/region_foot.h"

#include "monitor/base/humanize.h"
#include "views/ui/heat_draw.h"
#include "views/ui/view_text.h"

#define BAR_ROWS     6
#define FEW_BAR_ROWS 3 /* height of the distribution on low screens, in rows */
#define MAP_LEAST    8 /* with fewer occurrences or columns of time, no heat map is drawn */

/* Compute the heat map for the width of the page, with rows of half octaves if they fit into
 * `rows`. Returns its height; 0: no map is drawn. */
static int make_region_heat(const struct view_ctx *ctx, int rows)
{
	struct region_page *page = ctx->view->private;
	int cols = ctx->width - HEAT_LABEL_CELLS - HEAT_COUNT_CELLS - 2;
	struct heat *heat = &page->heat;

	heat_clear(heat);
	heat_add_occurrences(heat, ctx->model, &page->found);
	if (cols < MAP_LEAST || heat->nr < MAP_LEAST)
		return 0;
	heat_fit(heat, (uint32_t)cols, HEAT_HALF_OCTAVES);
	if (heat_draw_rows(heat) > rows)
		heat_fit(heat, (uint32_t)cols, HEAT_OCTAVES);
	return heat->nr_columns < MAP_LEAST || heat_draw_rows(heat) > rows ? 0
									   : heat_draw_rows(heat);
}

int region_foot_rows(const struct view_ctx *ctx, int rows)
{
	struct region_page *page = ctx->view->private;
	int map;

	page->map.rows = 0;
	if (!page->found.nr || rows < 5)
		return 0;
	/* The distribution and the map would be of all processes, not of the group, so show only
	 * totals. */
	if (region_is_of_group(ctx))
		return 1;
	/* Totals, heat map and legend together take at most half of the page. */
	map = make_region_heat(ctx, rows / 2 - 2);
	if (map) {
		page->map.rows = map;
		return map + 2;
	}
	return rows >= HIGH_ROWS ? BAR_ROWS + 2 : rows >= 16 ? FEW_BAR_ROWS + 2 : 1;
}

static void draw_totals(const struct occurrences *found, bool has_box, struct surface *surface,
			int x, int y, int cols)
{
	struct tr2_buf *line = format_line();
	static const struct {
		const char *name;
		double q;
	} points[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 } };
	bool any = found->max >= found->min;

	tr2_buf_addstr(line, has_box ? "all: " : "");
	format_times(found->nr_ended, line);
	tr2_buf_addstr(line, " · total ");
	format_duration(found->total, line);
	if (any) {
		tr2_buf_addstr(line, " · min ");
		format_duration(found->min, line);
		tr2_buf_addstr(line, " · mean ");
		format_duration(found->total / (ns_t)found->nr_ended, line);
	}
	for (int i = 0; any && i < 3; i++) {
		tr2_buf_addf(line, " · %s ", points[i].name);
		format_duration(hist_quantile(found->sums, points[i].q, found->min, found->max),
				line);
	}
	if (any) {
		tr2_buf_addstr(line, " · max ");
		format_duration(found->max, line);
	}
	surface_text(surface, x, y, cols, STYLE_TITLE, tr2_buf_cstr(line), line->len);
}

static void draw_group_totals(const struct callers_callees *from, struct surface *surface,
			      struct rect area)
{
	struct tr2_buf *line = format_line();
	uint64_t nr = 0;
	ns_t total = 0, max = 0;

	for (uint32_t i = 0; i < from->nr; i++) {
		nr += from->items[i].count;
		total = ns_add(total, from->items[i].total);
		max = from->items[i].max > max ? from->items[i].max : max;
	}
	format_times(nr, line);
	tr2_buf_addstr(line, " · total ");
	format_duration(total, line);
	if (nr) {
		tr2_buf_addstr(line, " · mean ");
		format_duration(total / (ns_t)nr, line);
		tr2_buf_addstr(line, " · max ");
		format_duration(max, line);
	}
	surface_text(surface, area.x + 1, area.y, area.cols - 2, STYLE_TITLE, tr2_buf_cstr(line),
		     line->len);
}

/* Number of bounds of the ranges of durations: 1, 2, 5, 10, 20, 50 ns and so on. The last bound is
 * the largest that fits into ns_t. */
#define NR_RANGES   57
#define RANGE_CELLS 16 /* width in cells of a label such as "100us to 200us" */

static ns_t range_begin(int range)
{
	static const int steps[] = { 1, 2, 5 };
	ns_t begin = steps[range % 3];

	for (int i = 0; i < range / 3; i++)
		begin *= 10;
	return begin;
}

static int range_of(ns_t ns)
{
	int range = 0;

	while (range + 1 < NR_RANGES - 1 && range_begin(range + 1) <= ns)
		range++;
	return range;
}

/* Draw a row of the distribution, which covers several ranges if there are more of them than
 * rows. */
static void draw_range(struct surface *surface, struct rect area, ns_t from, ns_t to, uint64_t nr,
		       uint64_t most)
{
	struct tr2_buf *line = format_line();

	tr2_buf_addf(line, "%s to %s", human_mark(from).text, human_mark(to).text);
	surface_text_right(surface, area.x, area.y, RANGE_CELLS, STYLE_DIM, tr2_buf_cstr(line),
			   line->len);
	slot_count(&(struct slot){ surface, area.x + RANGE_CELLS + 1, area.y, 6, true, 0, NULL },
		   STYLE_TEXT, nr);
	surface_bar(
		surface, area.x + RANGE_CELLS + 9, area.y, area.cols - RANGE_CELLS - 9, STYLE_BAR,
		nr ? 1 + (int64_t)((double)nr / (double)most * (area.cols - RANGE_CELLS - 9) * 8.0)
		   : 0);
}

static void region_draw_bars(const struct occurrences *found, struct surface *surface,
			     struct rect area)
{
	uint64_t ranges[NR_RANGES] = { 0 }, most = 1;
	int first = NR_RANGES, last = 0, step;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		int range = found->sums[i] ? range_of(hist_bucket_ns(i)) : 0;

		if (!found->sums[i])
			continue;
		ranges[range] += found->sums[i];
		first = range < first ? range : first;
		last = range > last ? range : last;
	}
	step = (last - first) / area.rows + 1;
	for (int at = first; at <= last; at++)
		if ((at - first) % step) {
			ranges[at - (at - first) % step] += ranges[at];
			ranges[at] = 0;
		}
	for (int at = first; at <= last; at++)
		most = ranges[at] > most ? ranges[at] : most;
	for (int y = 0, at = first; y < area.rows && at <= last; y++, at += step)
		draw_range(surface, (struct rect){ area.x, area.y + y, area.cols, 1 },
			   range_begin(at),
			   range_begin(at + step < NR_RANGES ? at + step : NR_RANGES - 1),
			   ranges[at], most);
}

static bool is_in_box(const struct view_ctx *ctx, const struct heat *heat, uint32_t row,
		      uint32_t column)
{
	const struct heat_bounds *box = &ctx->view->subject.box;
	struct heat_bounds cell =
		heat_box_bounds(heat, &(struct heat_box){ row, row, column, column });

	return cell.begin >= box->begin && cell.end <= box->end && cell.least >= box->least &&
	       cell.most <= box->most;
}

static void draw_region_map(const struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	struct region_page *page = ctx->view->private;
	int x = area.x + HEAT_LABEL_CELLS;

	page->map = (struct rect){ x, area.y, (int)page->heat.nr_columns, page->map.rows };
	heat_draw(surface, (struct rect){ area.x, area.y, area.cols - 1, page->map.rows },
		  &page->heat);
	heat_draw_legend(surface, (struct rect){ x, area.y + page->map.rows, area.cols - x, 1 },
			 &page->heat);
	for (uint32_t row = 0; ctx->view->subject.has_box && row < page->heat.nr_rows; row++)
		for (uint32_t column = 0; column < page->heat.nr_columns; column++)
			if (is_in_box(ctx, &page->heat, row, column))
				surface_overlay(
					surface,
					(struct rect){ x + (int)column,
						       area.y + (int)(page->heat.nr_rows - 1 - row),
						       1, 1 },
					STYLE_FOUND);
}

void region_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct region_page *page = ctx->view->private;
	const struct occurrences *found = &page->found;

	if (region_is_of_group(ctx)) {
		draw_group_totals(&page->kins[CALLERS_PARENTS], surface, area);
		return;
	}
	draw_totals(found, ctx->view->subject.has_box, surface, area.x + 1, area.y, area.cols - 2);
	if (page->map.rows)
		draw_region_map(ctx, surface,
				(struct rect){ area.x, area.y + 1, area.cols, area.rows - 1 });
	else if (area.rows > 2)
		region_draw_bars(
			found, surface,
			(struct rect){ area.x + 1, area.y + 1, area.cols - 2, area.rows - 2 });
}
