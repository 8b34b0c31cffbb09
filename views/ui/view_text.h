/* SPDX-License-Identifier: MIT */
/* Texts, durations and row ids that several views share. */
#ifndef VIEWS_VIEW_TEXT_H
#define VIEWS_VIEW_TEXT_H

#include "engine/base/hash.h"
#include "monitor/analysis/live.h"
#include "monitor/analysis/format_text.h"
#include "monitor/analysis/past_median.h"
#include "views/ui/view.h"

/* Durations as of now (live.h). If one is live, mark the view as ticking. */
ns_t view_process_time(const struct view_ctx *ctx, const struct process *process);
ns_t view_region_time(const struct view_ctx *ctx, const struct process *process,
		      const struct open_region *region);
ns_t view_child_time(const struct view_ctx *ctx, const struct process *process,
		     const struct child *child);

/* Id of a region's row that is the same in every model: made from the enclosing region's id and
 * the names. */
static inline uint64_t region_id(uint64_t around, sym_t category, sym_t label, int64_t nesting)
{
	return tr2_hash_pair(tr2_hash_pair(around, (uint64_t)category << 32 | label),
			     (uint64_t)nesting + 1);
}

/* Id of a node of a thread's tree. `around` is the id of the enclosing node, or the thread's
 * number for outermost nodes. */
static inline uint64_t node_id(const struct model *model, uint64_t around,
			       const struct region_node *node)
{
	const struct timing_cell *cell = model_cell(model, node->cell);

	return region_id(around, cell->category, cell->label, cell->nesting);
}

/* Sort key for a time: longest first, unknown last. */
static inline int64_t longest_first(ns_t ns)
{
	return ns == NS_NONE ? INT64_MAX : -ns;
}

/* Write the state into `buf`: "run", "exit 0", "FAIL 128", "SIG 9", "exec'd" or "lost". Returns
 * its style. */
enum style process_state_text(const struct process *process, char *buf, size_t bytes);
/* Append ", died in category/label" for the context's process if it died in a region. */
void format_death(const struct view_ctx *ctx, struct tr2_buf *out);

/* Style of a finished duration: slow ones are highlighted. */
enum style duration_style(ns_t ns);

/* Draw a cell of the column USUAL: the median of past durations, with a mark if this one exceeds
 * it. */
#define PAST_MEDIAN_FROM_COLS 120
void slot_usual(const struct slot *slot, const struct past_median *usual);

/* Append the subject's command and pid, for a title. */
void format_subject(const struct view_ctx *ctx, struct tr2_buf *out);

/* Append " · 2026-01-02" if that is not today, because rows show only the time of day. */
void format_title_date(ns_t wall, const struct view_ctx *ctx, struct tr2_buf *out);
/* The same for a list: both dates if they differ. */
void format_title_dates(ns_t first, ns_t last, const struct view_ctx *ctx, struct tr2_buf *out);

/* Pass a symbol's text to a filter, if there is one. */
bool give_sym(const struct model *model, sym_t sym, value_visit *visit, void *data);

/*
 * Draw a command: `name_len` bytes of name in `style`, then its arguments. If there is no room,
 * the middle of the arguments is cut, because their end is as important as their begin.
 */
void slot_command(const struct slot *slot, enum style style, const char *text, size_t len,
		  size_t name_len);

/* A scratch buffer for one line, cleared by each call. Not for two lines at once. */
struct tr2_buf *format_line(void);

#endif
