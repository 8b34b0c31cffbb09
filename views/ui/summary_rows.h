/* SPDX-License-Identifier: MIT */
/*
 * The text of the rows of the summary page. page_summary.c gathers and draws the rows. `ctx` is
 * that of the page. Loop thread.
 */
#ifndef VIEWS_SUMMARY_ROWS_H
#define VIEWS_SUMMARY_ROWS_H

#include "monitor/analysis/errors.h"
#include "monitor/analysis/path.h"
#include "monitor/analysis/remote_time.h"
#include "monitor/analysis/thread_totals.h"
#include "views/ui/view.h"

enum summary_kind {
	ROW_FACT,
	ROW_HEADING,
	ROW_PART,
	ROW_SUM,
	ROW_LIMIT,
	ROW_SMALL, /* the parts that are too small for a row each; `ref`: the first of them */
	ROW_LINE,
	ROW_LEFT_OUT,
	ROW_TOGETHER,
	ROW_PROCS,
	ROW_CHILD,
	ROW_THREAD,
	ROW_ERROR,
	ROW_MORE
};
enum summary_fact { FACT_COMMAND, FACT_STATE, FACT_WALL, FACT_REMOTE, FACT_BELOW, NR_FACTS };
enum summary_heading {
	HEADING_ERRORS,
	HEADING_WHERE,
	HEADING_PATH,
	HEADING_PIECES,
	HEADING_TOGETHER,
	HEADING_CHILDREN,
	HEADING_THREADS,
	NR_HEADINGS
};

/* What the list of the summary page shows: the parts, the critical path, or the pieces of one
 * part. */
enum summary_mode { MODE_PARTS, MODE_PATH, MODE_PIECES };

#define MAX_CHILDREN 50
#define MAX_ERRORS   5

struct summary {
	struct parts parts;
	struct summary_made { /* the input from which the parts were computed */
		const struct model *model;
		const struct filter *filter;
		uint64_t version;
		uint32_t slot;
		int64_t nesting;
		ns_t now, wall;
	} made;
	struct remote_time remote;
	bool has_remote; /* a process has a transport as a child */
	struct path path;
	struct thread_totals together; /* sums of all threads, if the format has them */
	bool begun, of_process;
	bool ticks;     /* a part is live, so that its time changes */
	uint8_t mode;   /* enum summary_mode */
	bool all_parts; /* small parts have a row each */
	uint64_t part;  /* for MODE_PIECES: id of the row of the part */
	struct summary_beside {
		uint32_t slot, index;
		ns_t time;
	} children[MAX_CHILDREN];             /* the longest children, or threads */
	struct path_child held[MAX_CHILDREN]; /* time of each child on the critical path */
	uint32_t nr_children;
	struct errors errors;
};

/* True if a column names the process of each part, so that the names of parts need not. */
bool summary_has_process_column(const struct view_ctx *ctx);

/* Return the duration of a thread, up to now if it runs. */
ns_t summary_thread_time(const struct view_ctx *ctx, const struct process *process,
			 const struct thread *thread);
/* Append the text of a fact without its figures. Returns the style of the text. */
enum style summary_format_fact(const struct view_ctx *ctx, enum summary_fact fact,
			       struct tr2_buf *out);
enum style summary_format_row(const struct view_ctx *ctx, const struct row *row,
			      struct tr2_buf *out);
void summary_format_heading(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);
/* Return the time of a row, and the total that it is a part of. */
ns_t summary_row_time(const struct view_ctx *ctx, const struct row *row);
ns_t summary_whole_of(const struct summary *page, const struct row *row);

#endif
