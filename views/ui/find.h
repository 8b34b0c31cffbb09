/* SPDX-License-Identifier: MIT */
/*
 * Search: one mechanism for every pane and page. What is searched is a view's items, one after
 * the other: the rows of its table, or whatever its `struct item_ops` says (nodes of a flame,
 * events of the log). An item is a number and a line of text; views know nothing of patterns.
 *
 *   key -> find_pattern(), find_next()    notes what is wanted
 *   frame, after gathering: find_run()    reads items on, chooses the one that is wanted
 *   frame, after drawing:   find_mark()   marks every hit in sight
 *
 * Plain text; a pattern without an upper-case letter ignores case. A frame reads a bounded
 * number of items, from where the view stands onwards and round; while there are more,
 * find_is_working() asks for frames. One owner, one thread.
 */
#ifndef VIEWS_FIND_H
#define VIEWS_FIND_H

#include "views/widget/prompt.h"
#include "views/ui/view.h"

/* Hits in ascending order; beyond a million they are not kept. */
struct find_hits {
	uint64_t *items;
	uint32_t nr, cap;
};

struct find {
	char text[PROMPT_MAX_BYTES]; /* ro: the pattern, folded where `fold`; "" none */
	size_t len;
	bool fold;
	/* private: */
	const struct view *view; /* whose items were read; NULL: none yet */
	uint64_t version;        /* of the items read */
	uint64_t origin, next;   /* items [origin, next) were read ... */
	uint64_t next_low;       /* ... and [first, next_low), first < origin */
	bool complete;
	struct find_hits up, low; /* from the origin on; before it */
	int wanted;               /* hits to go on, or back */
	bool inclusive;           /* where one stands counts as the next */
	bool wrapped, fresh, put_back;
	uint32_t nr_said, at_said; /* as last known; at_said 0: not on a hit */
	unsigned percent;
	bool saved; /* where the view stood when the prompt opened: */
	uint64_t saved_item;
	struct table saved_table;
};

void find_release(struct find *find);

/* A prompt opens over the view: remember where it stands. */
void find_begin(struct find *find, const struct view_ctx *ctx);

/* The pattern is `text` now: go to its first hit from where the view stood. */
void find_pattern(struct find *find, const char *text);

/* Forget the pattern; `put_back` takes the view back to where it stood. */
void find_leave(struct find *find, bool put_back);

/* To the next hit (1) or the one before (-1). */
void find_next(struct find *find, int step);

/* The view in front is another one: what was read of the last is worth nothing. */
void find_forget(struct find *find);

/* Read on; `ctx` is that of the view in front, just gathered. */
void find_run(struct find *find, struct view_ctx *ctx);

/* Lay STYLE_FOUND over every hit in `area`, where the view has just been drawn. */
void find_mark(const struct find *find, struct view_ctx *ctx, struct surface *surface,
	       struct rect area);

static inline bool find_is_on(const struct find *find)
{
	return find->len > 0;
}

/* As far as they were read, of the view in front. */
static inline uint32_t find_nr_hits(const struct find *find)
{
	return find->up.nr + find->low.nr;
}

static inline bool find_is_working(const struct find *find)
{
	return find_is_on(find) && !find->complete;
}

/* "hit 3 of 17", "no hit", "searching 40%", and where it went round. */
void find_say(const struct find *find, struct tr2_buf *out);

#endif
