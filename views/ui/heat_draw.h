/* SPDX-License-Identifier: MIT */
/*
 * Draws a heat map (analysis/heat.h): one line per row of durations, one cell per column of time.
 * The shade is the number of points, in steps of 4; a cell with a failure has the sign of failures;
 * else the cell with the median of a column has a line. Evicted commands are dimmed.
 */
#ifndef VIEWS_HEAT_DRAW_H
#define VIEWS_HEAT_DRAW_H

#include "monitor/analysis/heat.h"
#include "views/ui/view.h"

#define HEAT_LABEL_CELLS 9 /* width of the durations on the left, with the line after them */
#define HEAT_COUNT_CELLS 8 /* width of the counts on the right */

/*
 * Return a key for the points of a map of processes: it changes if the model, the filter, the depth
 * limit or `of` changes. `of` identifies the caller's own choice of processes.
 */
uint64_t heat_key(const struct view_ctx *ctx, uint64_t of);

/* Draw the cells of a row from column `x` on, at most `cols`. */
void heat_draw_cells(struct surface *surface, int x, int y, int cols, const struct heat *heat,
		     uint32_t row);

/* Draw the axis of times of day below the cells. */
void heat_draw_axis(struct surface *surface, int x, int y, int cols, const struct heat *heat);

/* Draw the meaning of the shades and signs on one line. */
void heat_draw_legend(struct surface *surface, struct rect line, const struct heat *heat);

/* Number of lines that heat_draw() needs. */
int heat_draw_rows(const struct heat *heat);
/* Draw all rows, the longest durations first, with durations, counts and axis. */
void heat_draw(struct surface *surface, struct rect area, const struct heat *heat);

/* Append "4.10s to 8.19s, 09:59:28 to 10:00:00". Open bounds are "under 8.19s", "from 4.10s". */
void heat_format_bounds(const struct heat_bounds *bounds, struct tr2_buf *out);

/* Append the bounds of a box and ": 12 runs, 1 failed, 3 evicted". */
void heat_format_box(const struct heat *heat, const struct heat_box *box, struct tr2_buf *out);

#endif
