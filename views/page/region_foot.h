/* SPDX-License-Identifier: MIT */
/* The foot of the page of a region: totals and, if there is space and no group, the heat map or the
 * distribution of durations. */
#ifndef VIEWS_REGION_FOOT_H
#define VIEWS_REGION_FOOT_H

#include "monitor/analysis/callers_callees.h"
#include "monitor/analysis/heat.h"
#include "monitor/analysis/occurrences.h"
#include "views/ui/view.h"

/* The lists of the page, which shows them in the order of page_lists. The first four have the
 * numbers of the groups of callers_callees.h. */
enum list {
	LIST_PARENTS = CALLERS_PARENTS,
	LIST_CHILDREN = CALLERS_CHILDREN,
	LIST_PROCESSES = CALLERS_PROCESSES,
	LIST_THREADS = CALLERS_THREADS,
	LIST_DATA = NR_KIN_GROUPS,
	LIST_OCCURRENCES,
	NR_LISTS,
	ROW_HEADING,
	ROW_MORE
};

#define HIGH_ROWS 30 /* pages of at least this height have longer lists and a higher foot */

struct region_page {
	struct occurrences found;
	struct callers_callees kins[NR_KIN_GROUPS];
	uint64_t version; /* version of the model when callers and callees were found */
	struct timing_limits limits;
	uint32_t *sorted; /* indexes of occurrences in the order of the page */
	uint64_t sorted_ended, sorted_begun;
	uint32_t nr_sorted, cap_sorted;
	/* number of indexes in `sorted`: the occurrences in the page's box and group, if it has
	 * them */
	uint32_t nr_listed;
	/* if the page is of a group: version of the model when `sorted` was made */
	uint64_t sorted_version;
	bool *in_group; /* by slot: the process is in the group of the page */
	uint32_t nr_in_group, cap_in_group;
	struct heat heat;
	/* area of the heat map's cells and of the axis below, as last drawn; rows is 0 if it was
	 * not drawn */
	struct rect map;
	bool own_box;    /* the user dragged the box on this page, so Esc clears it */
	bool has_corner; /* the mouse button was pressed on the map, in the corner's cell */
	uint32_t corner_row, corner_column;
	bool whole[NR_LISTS]; /* by list: the user wants to see all its rows */
	bool newest_first, was_newest_first;
};

/* True if the page is about the region in the processes of a group. */
static inline bool region_is_of_group(const struct view_ctx *ctx)
{
	return ctx->view->subject.has_group && ctx->view->subject.process.slot == SLOT_NONE;
}

int region_foot_rows(const struct view_ctx *ctx, int rows);
void region_foot(struct view_ctx *ctx, struct surface *surface, struct rect area);

#endif
