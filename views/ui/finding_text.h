/* SPDX-License-Identifier: MIT */
/*
 * Cells and details of findings, for the page of all kinds of findings and the page of one kind.
 * The findings are those of `ctx` in the current frame.
 */
#ifndef VIEWS_FINDING_TEXT_H
#define VIEWS_FINDING_TEXT_H

#include "views/ui/view.h"

/* Draw the share of the time `cost` in the wall time `wall`; nothing if either is 0. */
void finding_draw_share(const struct slot *slot, ns_t cost, ns_t wall);
/* Draw the command of a run; nothing if the model lacks its root process. */
void finding_draw_command(const struct view_ctx *ctx, const struct finding_run *run,
			  const struct slot *slot);
/* Draw the time of day at which a run started, if it is known. */
void finding_draw_start(const struct finding_run *run, const struct slot *slot);

/* Append the process, unless the model lacks it, and the evidence of the largest finding of a
 * run. */
void finding_format_evidence(const struct view_ctx *ctx, const struct finding_run *run,
			     struct tr2_buf *out);

/* Return the process of the largest finding of a run, or the run's root if the model lacks that
 * process. */
struct handle finding_run_process(const struct view_ctx *ctx, const struct finding_run *run);

/* Details of a kind of finding that a page keeps between frames, because computing them visits all
 * its runs. All zeros: none. */
struct finding_detail {
	uint8_t id;           /* enum finding_id */
	uint64_t round;       /* number of rounds (findings_watch.h) when `where` was made */
	struct tr2_buf where; /* text of finding_kind_format_where() */
};

void finding_detail_release(void *detail);

/* Return the number of lines that finding_draw_detail() needs in `cols` columns. The private memory
 * of the view is a struct finding_detail. */
int finding_detail_rows(const struct view_ctx *ctx, const struct finding_kind *kind, int cols);
/* Draw the details of a kind of finding, such as evidence and advice. Returns the number of lines
 * needed, also if `area` has fewer. */
int finding_draw_detail(const struct view_ctx *ctx, const struct finding_kind *kind,
			struct surface *surface, struct rect area);

#endif
