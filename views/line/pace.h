/* SPDX-License-Identifier: MIT */
/*
 * Limits news to about 10 lines per second, and news of lower priorities to fewer. Starts and ends
 * of processes beyond that, or while the output is blocked, are counted, and printed as one merged
 * line.
 *
 *   change --> pace_has_room() --yes--> it is printed, pace_said()
 *                              --no---> pace_count() ... pace_merged(): "12 more started, 12 done"
 *
 * While news is being counted, only PACE_TROUBLE and news of a priority above the counted ones are
 * printed by themselves. Times are of a monotonic clock.
 */
#ifndef VIEWS_LINE_PACE_H
#define VIEWS_LINE_PACE_H

#include <stdbool.h>

#include "engine/base/buf.h"
#include "engine/base/clock.h"

/* number of lines per second to which news is limited; the last is for the merged line */
#define PACE_LINES 10

/* Priority of news, from the lowest to the highest. */
enum pace_rank { PACE_BELOW, PACE_TOP, PACE_TROUBLE };

enum pace_kind { PACE_STARTED, PACE_DONE, PACE_FAILED, NR_PACE_KINDS };

struct pace {
	/* private: times of the last lines, news and merged, as a ring buffer */
	ns_t said[PACE_LINES];
	unsigned at, nr;
	/* private: time of the oldest counted news; NS_NONE: none is counted */
	ns_t counting;
	uint8_t counting_rank;          /* private: highest priority of the counted news */
	uint64_t counts[NR_PACE_KINDS]; /* ro: number of news in the merged line, by kind */
	bool blocked;                   /* rw: the output is blocked */
};

void pace_init(struct pace *pace);

/* True if a line of this priority may be printed now. */
bool pace_has_room(const struct pace *pace, ns_t now, enum pace_rank rank);
/* Call after a line of news was printed. */
void pace_said(struct pace *pace, ns_t now);

void pace_count(struct pace *pace, ns_t now, enum pace_rank rank, enum pace_kind kind);
/* Append the merged line, without LF, if news was counted and the line is due or this is the `end`.
 * Returns false if nothing was appended. */
bool pace_merged(struct pace *pace, ns_t now, bool end, struct tr2_buf *out);

#endif
