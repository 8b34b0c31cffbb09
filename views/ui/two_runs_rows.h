/* SPDX-License-Identifier: MIT */
/*
 * Chooses two runs to compare, for the page of differences: two marked processes, or the page's or
 * selected process and the run before it. Loop thread.
 */
#ifndef VIEWS_TWO_RUNS_ROWS_H
#define VIEWS_TWO_RUNS_ROWS_H

#include "monitor/analysis/two_runs.h"
#include "views/ui/view.h"

/* A page that compares two runs. Initially all zeros. */
struct two_runs_page {
	bool chosen;                     /* the members `base_run` and `new_run` are set */
	struct handle base_run, new_run; /* HANDLE_NONE: no run */
	struct two_runs two;
	/* private: model and version from which `two` was computed, and the time of the
	 * computation */
	const struct model *model;
	uint64_t version;
	ns_t made_ns;
};

/*
 * Choose the two runs, unless this was done before, and compare them. `marks_only`: choose only
 * marked processes. Returns false if the model does not have both.
 */
bool two_runs_gather(struct view_ctx *ctx, struct two_runs_page *page, bool marks_only);

/* Append the two runs to a title, such as " · base status 4636 12:28:36, new status 4637
 * 12:28:42". */
void two_runs_title(const struct view_ctx *ctx, const struct two_runs_page *page,
		    struct tr2_buf *out);
/* Append why no runs are compared, and what the user can do. */
void two_runs_why(const struct view_ctx *ctx, const struct two_runs_page *page,
		  struct tr2_buf *out);

#endif
