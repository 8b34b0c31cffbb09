/* SPDX-License-Identifier: MIT */
/*
 * A heat map (analysis/heat.h): one line per range of durations, one cell per column of time. The
 * shade of a cell stands for its number of points; some cells have signs, such as that of failures.
 */
#ifndef VIEWS_HEAT_DRAW_H
#define VIEWS_HEAT_DRAW_H

#include "monitor/analysis/heat.h"
#include "views/ui/view.h"

/* width in cells of the durations at the left, including the line after them */
#define HEAT_LABEL_CELLS 9
#define HEAT_COUNT_CELLS 8 /* width in cells of the counts at the right */

/*
 * Return a cache key for the points of a heat map of processes: it changes with the model, the
 * filter, the depth limit and `of`, the caller's own key.
 */
uint64_t heat_key(const struct view_ctx *ctx, uint64_t of);

/* Draw the cells of a row of the map, at most `cols`, from screen column `x` on. */
void heat_draw_cells(struct surface *surface, int x, int y, int cols, const struct heat *heat,
		     uint32_t row);

void heat_draw_axis(struct surface *surface, int x, int y, int cols, const struct heat *heat);

void heat_draw_legend(struct surface *surface, struct rect line, const struct heat *heat);

int heat_draw_rows(const struct heat *heat);
/* Draw the rows, the longest durations first, with durations and counts, then the axis of time, as
 * far as `area` has lines. */
void heat_draw(struct surface *surface, struct rect area, const struct heat *heat);

/* Append the bounds of a box, such as "4.10s to 8.19s, 09:59:28 to 10:00:00". Open bounds of
 * durations are "under 8.19s" and "from 4.10s". */
void heat_format_bounds(const struct heat_bounds *bounds, struct tr2_buf *out);

/* Append the bounds of a box, and counts such as ": 12 runs, 1 failed, 3 evicted". */
void heat_format_box(const struct heat *heat, const struct heat_box *box, struct tr2_buf *out);

#endif
