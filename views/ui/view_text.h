/* SPDX-License-Identifier: MIT */
/* Texts, durations and row ids that several views use. */
#ifndef VIEWS_VIEW_TEXT_H
#define VIEWS_VIEW_TEXT_H

#include "engine/base/hash.h"
#include "monitor/analysis/live.h"
#include "monitor/analysis/format_text.h"
#include "monitor/analysis/past_median.h"
#include "views/ui/view.h"

/* Return a hash of the filter, the limits of nesting and depth and the identity (not the state) of
 * the model. */
uint64_t view_choice_key(const struct view_ctx *ctx);

/* Return the background style of a category of regions, the same on every page. Several categories
 * may share one. */
enum style category_style(const struct model *model, sym_t category);

/* Return a duration (live.h). If it is live, it lasts up to now: mark the view as ticking, so that
 * it is drawn again without events. */
ns_t view_process_time(const struct view_ctx *ctx, const struct process *process);
ns_t view_region_time(const struct view_ctx *ctx, const struct process *process,
		      const struct open_region *region);
ns_t view_child_time(const struct view_ctx *ctx, const struct process *process,
		     const struct child *child);

/* Return the id of a region's row, which is the same in every model of this run. */
static inline uint64_t region_id(uint64_t around, sym_t category, sym_t label, int64_t nesting)
{
	return tr2_hash_pair(tr2_hash_pair(around, (uint64_t)category << 32 | label),
			     (uint64_t)nesting + 1);
}

/* Return the id of a node of a thread's region tree. `around` is the id of the node that contains
 * it, or the thread's number for outermost nodes. */
static inline uint64_t node_id(const struct model *model, uint64_t around,
			       const struct region_node *node)
{
	const struct timing_cell *cell = model_cell(model, node->cell);

	return region_id(around, cell->category, cell->label, cell->nesting);
}

/* Return a sort key that puts the longest duration first and unknown ones last. */
static inline int64_t longest_first(ns_t ns)
{
	return ns == NS_NONE ? INT64_MAX : -ns;
}

/* Write the state of a process into `buf`, such as "● run", "stale", "exit 0", "SIGKILL" or "lost".
 * Returns its style. */
enum style process_state_text(const struct process *process, char *buf, size_t bytes);
/* Write the state of a child of `parent` into `buf`, such as "● run", "ready", "exit ?" or "lost".
 * Returns its style. */
enum style child_state_text(const struct process *parent, const struct child *child, char *buf,
			    size_t bytes);
/* Draw a state; for speech output (--lines) without the sign of a running process. */
void slot_state(const struct slot *slot, enum style style, const char *text);

/* Append ", died in category/label" for the context's process if it died in a region. */
void format_death(const struct view_ctx *ctx, struct tr2_buf *out);

/* Return the slot of a child's process, or of one of several; SLOT_NONE: the child is not
 * traced. */
static inline uint32_t child_process(const struct child *child)
{
	return child->process != SLOT_NONE ? child->process : child->any_process;
}

/* Return the style of a duration: highlighted from 1 s on. */
enum style duration_style(ns_t ns);

/* Draw a cell with the median of past durations, with "!" if `usual->late` is set. */
#define PAST_MEDIAN_FROM_COLS 120
void slot_usual(const struct slot *slot, const struct past_median *usual);

/* Append " · " and the command and pid of the subject's process, if any, to a title. */
void format_subject(const struct view_ctx *ctx, struct tr2_buf *out);

/* Append the date " · 2026-01-02" to a title if `wall` is not today, because rows show only the
 * time of day. */
void format_title_date(ns_t wall, const struct view_ctx *ctx, struct tr2_buf *out);
/* Append to a title the dates of a list: both if the first and the last differ, else as
 * format_title_date() does. */
void format_title_dates(ns_t first, ns_t last, const struct view_ctx *ctx, struct tr2_buf *out);

bool is_beyond_nesting(const struct view_ctx *ctx, int64_t nesting);

/* Return the text of a symbol; NULL if it is absent (SYM_NONE). */
const char *known_sym(const struct model *model, sym_t sym, size_t *len);

/*
 * Draw a command: `name_len` bytes of name in `style`, then its arguments; if they do not fit and
 * are not scrolled, their middle is cut, because their end is as important as their beginning.
 */
void slot_command(const struct slot *slot, enum style style, const char *text, size_t len,
		  size_t name_len);

/* Return a buffer for one line of text, the same in each call, which clears it. */
struct tr2_buf *format_line(void);

#endif
