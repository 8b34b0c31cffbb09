/* SPDX-License-Identifier: MIT */
/* Texts, durations and row ids that several views use. */
#ifndef VIEWS_VIEW_TEXT_H
#define VIEWS_VIEW_TEXT_H

#include "engine/base/hash.h"
#include "monitor/analysis/live.h"
#include "monitor/analysis/format_text.h"
#include "monitor/analysis/past_median.h"
#include "views/ui/view.h"

/* Return the background style of a category of regions: the same on every page. A style may stand
 * for several categories. */
enum style category_style(const struct model *model, sym_t category);

/* Return a duration as of now (live.h). If it is live, mark the view as ticking. */
ns_t view_process_time(const struct view_ctx *ctx, const struct process *process);
ns_t view_region_time(const struct view_ctx *ctx, const struct process *process,
		      const struct open_region *region);
ns_t view_child_time(const struct view_ctx *ctx, const struct process *process,
		     const struct child *child);

/* Return the id of a region's row, which is the same in every model: computed from the id of the
 * region around it and the names. */
static inline uint64_t region_id(uint64_t around, sym_t category, sym_t label, int64_t nesting)
{
	return tr2_hash_pair(tr2_hash_pair(around, (uint64_t)category << 32 | label),
			     (uint64_t)nesting + 1);
}

/* Return the id of a node of a thread's region tree. `around` is the id of the node around it,
 * or the thread's number for outermost nodes. */
static inline uint64_t node_id(const struct model *model, uint64_t around,
			       const struct region_node *node)
{
	const struct timing_cell *cell = model_cell(model, node->cell);

	return region_id(around, cell->category, cell->label, cell->nesting);
}

/* Return a sort key for a duration: longest first, unknown last. */
static inline int64_t longest_first(ns_t ns)
{
	return ns == NS_NONE ? INT64_MAX : -ns;
}

/* Write the state into `buf`: "● run", "stale", "exit 0", "SIGKILL", "exec'd", "trace ended" or
 * "lost". Returns its style. */
enum style process_state_text(const struct process *process, char *buf, size_t bytes);
/* The same for a child of `parent`: "● run", "stale", "ready", "exit 0", "exit ?" or "lost". */
enum style child_state_text(const struct process *parent, const struct child *child, char *buf,
			    size_t bytes);
/* Draw a state; for speech output without the sign of a running one. */
void slot_state(const struct slot *slot, enum style style, const char *text);

/* Append ", died in category/label" for the context's process if it died in a region. */
void format_death(const struct view_ctx *ctx, struct tr2_buf *out);

/* The slot of a child's process, or of one of several; SLOT_NONE if it is not traced. */
static inline uint32_t child_process(const struct child *child)
{
	return child->process != SLOT_NONE ? child->process : child->any_process;
}

/* Style of a finished duration: slow ones are highlighted. */
enum style duration_style(ns_t ns);

/* Draw a cell with the median of past durations, with a mark if this duration exceeds it. */
#define PAST_MEDIAN_FROM_COLS 120
void slot_usual(const struct slot *slot, const struct past_median *usual);

/* Append the command and pid of the subject, for a title. */
void format_subject(const struct view_ctx *ctx, struct tr2_buf *out);

/* Append the date " · 2026-01-02" to a title if `wall` is not today, because rows show only the
 * time of day. */
void format_title_date(ns_t wall, const struct view_ctx *ctx, struct tr2_buf *out);
/* Append the dates of a list to its title: both if the first and last differ. */
void format_title_dates(ns_t first, ns_t last, const struct view_ctx *ctx, struct tr2_buf *out);

/* True if the user's nesting limit hides regions of this nesting. */
bool is_beyond_nesting(const struct view_ctx *ctx, int64_t nesting);

/* Return the text of a symbol; NULL if it is absent (SYM_NONE). */
const char *known_sym(const struct model *model, sym_t sym, size_t *len);

/*
 * Draw a command: `name_len` bytes of name in `style`, then its arguments. If there is not enough
 * space, the middle of the arguments is cut, because their end is as important as their beginning.
 */
void slot_command(const struct slot *slot, enum style style, const char *text, size_t len,
		  size_t name_len);

/* Return a buffer for one line, which each call clears. */
struct tr2_buf *format_line(void);

#endif
