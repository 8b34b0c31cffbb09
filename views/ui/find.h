/* SPDX-License-Identifier: MIT */
/*
 * Search in the items of a view, which are the rows of its table or those of its `struct item_ops`.
 * An item is a number and a line of text.
 *
 *   key                      -> find_pattern(), find_next()  store the request
 *   frame, after gathering:  find_run()   reads items, selects the requested hit
 *   frame, after drawing:    find_mark()  highlights visible hits
 *
 * Plain text; a pattern without an upper-case letter ignores the case of ASCII letters. A frame
 * reads a limited number of items; while there are more, find_is_working() is true. One thread.
 */
#ifndef VIEWS_FIND_H
#define VIEWS_FIND_H

#include "views/widget/prompt.h"
#include "views/ui/view.h"

/* Numbers of items that contain the pattern, in ascending order, at most 2^20. */
struct find_hits {
	uint64_t *items;
	uint32_t nr, cap;
};

struct find {
	/* ro: the pattern, without upper-case letters if `fold`; `len` 0: none */
	char text[PROMPT_MAX_BYTES];
	size_t len;
	bool fold;
	/* The following members are private. */
	const struct view *view; /* view whose items the search has read; NULL: none */
	/* version of the items that the search has read: see item_ops.version */
	uint64_t version;
	/* the items [origin, next) were read; `origin`: the view's position when reading began */
	uint64_t origin, next;
	/* the items from the view's first one up to next_low - 1 were read */
	uint64_t next_low;
	bool complete;
	struct find_hits up, low; /* hits from the item `origin` on; hits before `origin` */
	int wanted;               /* number of hits by which to move forward; negative: backward */
	bool inclusive;           /* the view's current item may be the next hit */
	bool wrapped, fresh, put_back;
	/* number of hits, and number of the current hit (0: the current item is not a hit), as of
	 * the last frame in which the search was complete */
	uint32_t nr_said, at_said;
	unsigned percent;
	struct find_buffers *buffers; /* buffers for texts; NULL until a pattern is set */
	/* the view's position was stored when the search prompt opened */
	bool saved;
	uint64_t saved_item;
	struct table saved_table;
};

void find_release(struct find *find);

/* Call when the search prompt opens: store the view's position. */
void find_begin(struct find *find, const struct view_ctx *ctx);

/* Set the pattern, and request its first hit from the position stored by find_begin(). No effect if
 * this pattern is set already. */
void find_pattern(struct find *find, const char *text);

/* Clear the pattern. If `put_back`, the next find_run() moves the view back to the position that
 * find_begin() stored. */
void find_leave(struct find *find, bool put_back);

/* Request the next hit (`step` 1) or the previous one (-1). */
void find_next(struct find *find, int step);

/* Discard the hits, the requests and the stored position, for example when a page is opened or
 * closed. */
void find_forget(struct find *find);

/* Continue to read items of the view in front, which was just gathered, and go to the requested hit
 * if it was found. */
void find_run(struct find *find, struct view_ctx *ctx);

/* Apply STYLE_FOUND to the hits in `area`, after the view was drawn there, and to the first cell of
 * a line whose item has hits only in text that is cut off. */
void find_mark(const struct find *find, struct view_ctx *ctx, struct surface *surface,
	       struct rect area);

static inline bool find_is_on(const struct find *find)
{
	return find->len > 0;
}

/* Return the number of hits that were found so far in the view in front. */
static inline uint32_t find_nr_hits(const struct find *find)
{
	return find->up.nr + find->low.nr;
}

static inline bool find_is_working(const struct find *find)
{
	return find_is_on(find) && !find->complete;
}

/* Append the state of the search, such as "hit 3 of 17", "no hit" or "searching 40%, Esc
 * cancels". */
void find_format(const struct find *find, struct tr2_buf *out);

#endif
