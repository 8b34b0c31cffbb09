/* SPDX-License-Identifier: MIT */
/*
 * Interface between page_summary.c and the files of views/ui that format and draw parts of the
 * summary page. `ctx` is that of the page. Loop thread.
 */
#ifndef VIEWS_SUMMARY_ROWS_H
#define VIEWS_SUMMARY_ROWS_H

#include "monitor/analysis/blocks.h"
#include "monitor/analysis/errors.h"
#include "monitor/analysis/path.h"
#include "monitor/analysis/remote_time.h"
#include "monitor/analysis/thread_totals.h"
#include "views/ui/view.h"

enum summary_kind {
	ROW_FACT,
	ROW_BAR,
	ROW_AXIS,
	ROW_BLANK,
	ROW_HEADING,
	ROW_PART,
	ROW_SUM,
	ROW_LIMIT,
	ROW_GUESSED,
	/* all parts that are too small for rows of their own; `ref`: the first of these parts */
	ROW_SMALL,
	ROW_LINE,
	ROW_LEFT_OUT,
	ROW_TOGETHER,
	ROW_PROCS,
	ROW_CHILD,
	ROW_THREAD,
	ROW_FINDING, /* `ref`: index of the finding */
	ROW_ERROR,   /* `ref`: index of the error, `ref2`: line of its message */
	ROW_NOTE,    /* text of a note; `ref`: enum summary_note */
	/* stands for the rows of a note that are not shown; `ref`: the note, `ref2`: their number,
	 * or the number of all messages if the note is about errors */
	ROW_MORE
};
enum summary_fact { FACT_COMMAND, FACT_STATE, FACT_WALL, FACT_REMOTE, FACT_BELOW, NR_FACTS };
/* Notes below the parts, each with its name in its first row. A note has at most NOTE_ROWS rows;
 * the errors have more if the page has free rows, and NOTE_PARALLEL if `all_parallel` is set. */
enum summary_note { NOTE_REMOTE, NOTE_FINDINGS, NOTE_ERRORS, NOTE_MEDIAN, NOTE_PARALLEL, NR_NOTES };
enum summary_heading { HEADING_WHERE, HEADING_PATH, HEADING_PIECES, HEADING_TOGETHER, NR_HEADINGS };

/* Contents of the page's list: the parts, the critical path, or the pieces of one part. */
enum summary_mode { MODE_PARTS, MODE_PATH, MODE_PIECES };

#define MAX_CHILDREN 50
#define NOTE_ROWS    3
#define LOW_ROWS     8 /* pages with fewer rows show nothing above the list of parts */

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
	struct blocks blocks;
	struct remote_time remote;
	bool has_remote; /* `remote` has values to show */
	struct path path;
	/* times of all lanes (thread_totals.h), if the format of the trace has them */
	struct thread_totals together;
	bool begun, of_process;
	char name[80];     /* name of the page; valid for one frame */
	bool ticks;        /* a shown time grows without new events */
	uint8_t mode;      /* enum summary_mode */
	bool all_parts;    /* small parts have a row each, instead of one row together */
	bool all_parallel; /* NOTE_PARALLEL may have more than NOTE_ROWS rows */
	uint64_t part;     /* for MODE_PIECES: id of the row of the part whose pieces are listed */
	struct summary_beside {
		uint32_t slot, index;
		ns_t time;
		bool is_thread;
		/* a part of the child's time is on the critical path; true for threads */
		bool is_held;
		/* of the MAX_CHILDREN longest children those that ran in parallel, then the longest
		 * threads */
	} children[2 * MAX_CHILDREN];
	uint32_t nr_children;
	struct errors errors;
};

/* Return the process that the page is about, or NULL if the model has none; on a page about all
 * processes, the only root process, or NULL if there is not exactly one. */
const struct process *summary_process(const struct view_ctx *ctx);

struct row *summary_add(struct table *table, enum summary_kind kind, uint32_t ref, uint32_t ref2,
			bool fixed);

/* Get the parts of the frame's title: the name of the page, the text after it, the right end. */
const char *summary_name(const struct view_ctx *ctx);
void summary_title(const struct view_ctx *ctx, struct tr2_buf *out);
void summary_title_right(const struct view_ctx *ctx, struct tr2_buf *out);
/* True if the page has a known width that is too small for the title with its whole command. */
bool summary_title_is_cut(const struct view_ctx *ctx);

void summary_draw_blocks(const struct view_ctx *ctx, const struct slot *slot);
void summary_draw_axis(const struct view_ctx *ctx, const struct slot *slot);

void summary_add_notes(struct view_ctx *ctx, struct table *table);
void summary_draw_note(const struct view_ctx *ctx, const struct row *row, const struct slot *slot);

/* True if the table has a column with the process of each part. */
bool summary_has_process_column(const struct view_ctx *ctx);

/* Append the process of a part, without the page's process at the beginning of its hierarchy. */
void summary_format_in(const struct view_ctx *ctx, const struct part *part, struct tr2_buf *out);

/* Return the duration of a thread, until now if it is live; 0: unknown. */
ns_t summary_thread_time(const struct view_ctx *ctx, const struct process *process,
			 const struct thread *thread);
enum style summary_format_fact(const struct view_ctx *ctx, enum summary_fact fact,
			       struct tr2_buf *out);
enum style summary_format_row(const struct view_ctx *ctx, const struct row *row,
			      struct tr2_buf *out);
void summary_format_heading(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);
/* Get the time of a row, and the total of which it is a part. */
ns_t summary_row_time(const struct view_ctx *ctx, const struct row *row);
ns_t summary_whole_of(const struct summary *page, const struct row *row);

#endif
