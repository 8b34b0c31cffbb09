/* SPDX-License-Identifier: MIT */
/*
 * Draws the lanes of commands on the timeline: a column has a sign if a run failed in it, else a
 * shade for the longest run in it. Rows above the lanes show how many processes ran at the same
 * time, and where runs failed; with `has_evicted` they include evicted commands.
 */
#ifndef VIEWS_DENSITY_H
#define VIEWS_DENSITY_H

#include "monitor/analysis/lane_groups.h"
#include "views/widget/table.h"
#include "views/widget/time_window.h"

struct density {
	const struct model *model;
	const struct lanes *lanes;
	const struct lane_groups *groups;
	const struct time_window *window;
	/* evicted commands are included: all processes are shown, without a filter or a limit on
	 * depth */
	bool has_evicted;
};

void density_draw_group(const struct density *density, const struct lane_group *group,
			const struct slot *slot);

void density_draw_at_once(const struct density *density, const struct slot *slot);

/* Draw a sign into each column in which failed runs with a known start ended; for evicted runs,
 * into the first visible column of their time slot. */
void density_draw_failed(const struct density *density, const struct slot *slot);

/* Return the largest number that density_draw_at_once() shows in `cols` columns. */
uint32_t density_at_once(const struct density *density, int cols);

/* Return the number of runs of all groups that failed, also outside the visible part; evicted runs
 * are not included. */
uint32_t density_failed(const struct density *density);

/* True if the start of the run is known and a part of it is in the visible part of the timeline. */
bool density_in_sight(const struct density *density, const struct lane *lane);

/* Return the number of the lane of the longest run of a group that is drawn into cell `cell` of
 * `cols`; LANE_NONE if the cell has no run. */
uint32_t density_run_at(const struct density *density, const struct lane_group *group, int cell,
			int cols);

void density_draw_legend(struct surface *surface, struct rect line);

#endif
