/* SPDX-License-Identifier: MIT */
/*
 * Drawing of the timeline: the bars of a row, and the foot with the axis and the run or region at
 * the cursor. Loop thread.
 */
#ifndef VIEWS_TIMELINE_DRAW_H
#define VIEWS_TIMELINE_DRAW_H

#include "monitor/analysis/lane_groups.h"
#include "monitor/analysis/lanes.h"
#include "views/ui/density.h"
#include "views/ui/path_draw.h"
#include "views/ui/time_axis.h"
#include "views/ui/view.h"

#define FOOT_ROWS 3

/* The `ref` of a ROW_LANE row is the index of its lane; that of a ROW_GROUP row is the index of its
 * group. */
enum timeline_kind { ROW_LANE, ROW_GROUP, ROW_AT_ONCE, ROW_FAILED };

enum timeline_grouping { GROUPED_IF_MANY, GROUPED, NOT_GROUPED };

struct bar {
	ns_t start, end;
	sym_t category, label;
	int64_t nesting;
	enum style style;
};

struct timeline_page {
	struct lanes lanes;
	struct lane_groups groups;
	struct path_pieces held;
	struct time_window window;
	struct marks opened; /* ids of the groups whose lane is opened into runs */
	bool begun, all;
	uint8_t grouping; /* enum timeline_grouping */
	bool grouped;     /* true: one lane per command; false: one row per thread */
	uint32_t nr_processes;
	int x, cols; /* screen column and width of the bars, as last drawn */
	int drag_x;
};

void timeline_draw_bars(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
int timeline_foot_rows(const struct view_ctx *ctx, int rows);
/* Find the innermost region of a lane at the cursor's cell, within the limit on nesting; only
 * regions whose start is known. Returns false if there is none. */
bool timeline_region_at_cursor(const struct view_ctx *ctx, const struct lane *lane,
			       struct bar *best);
void timeline_foot(struct view_ctx *ctx, struct surface *surface, struct rect area);
const char *timeline_empty(const struct view_ctx *ctx);
/* Return the input for density.h: the lanes, groups and visible part of the page. */
struct density timeline_density_of(const struct view_ctx *ctx);
/* Return the lane or the group of a row, borrowed until the next frame; NULL if the row has
 * none. */
const struct lane *timeline_lane_of(const struct view_ctx *ctx, const struct row *row);
const struct lane_group *timeline_lane_group_of(const struct view_ctx *ctx, const struct row *row);
/* timeline_format_lane(): append the label of a lane, the process with its pid or a thread.
 * timeline_format_group(): append the name of a group's command. */
void timeline_format_lane(const struct view_ctx *ctx, const struct lane *lane, struct tr2_buf *out);
void timeline_format_group(const struct view_ctx *ctx, const struct lane_group *group,
			   struct tr2_buf *out);

#endif
