/* SPDX-License-Identifier: MIT */
/*
 * How fast changes are told: at most 10 lines in any second, which a voice can nearly keep up with.
 * What comes faster, or while nobody takes what was said, is counted, and told as one line.
 *
 *   change --> pace_has_room() --yes--> it is said, pace_said()
 *                              --no---> pace_count() ... pace_merged(): "12 more started, 12 done"
 *
 * While something is counted only what matters more is told by itself: a flood becomes one line a
 * second. Times are of a clock that does not go back. No other state.
 */
#ifndef VIEWS_LINE_PACE_H
#define VIEWS_LINE_PACE_H

#include <stdbool.h>

#include "engine/base/buf.h"
#include "engine/base/clock.h"

#define PACE_LINES 10 /* in a second; the last is for what was merged */

/* What matters more has more of them. */
enum pace_rank { PACE_BELOW, PACE_TOP, PACE_TROUBLE };

enum pace_kind { PACE_STARTED, PACE_DONE, PACE_FAILED, NR_PACE_KINDS };

struct pace {
	ns_t said[PACE_LINES]; /* private: when, a ring */
	unsigned at, nr;
	ns_t counting;                  /* private: since when; NS_NONE: nothing is counted */
	uint8_t counting_rank;          /* private: the highest that is */
	uint64_t counts[NR_PACE_KINDS]; /* ro: not told by themselves */
	bool blocked;                   /* rw: nobody takes what is said: nothing has room */
};

void pace_init(struct pace *pace);

/* May a line of that rank be said now? */
bool pace_has_room(const struct pace *pace, ns_t now, enum pace_rank rank);
/* One was. */
void pace_said(struct pace *pace, ns_t now);

void pace_count(struct pace *pace, ns_t now, enum pace_rank rank, enum pace_kind kind);
/* Append the line of what was counted, without its end, when its time has come, or at the `end`;
 * false: it has not. */
bool pace_merged(struct pace *pace, ns_t now, bool end, struct tr2_buf *out);

#endif
