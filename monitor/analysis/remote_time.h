/* SPDX-License-Identifier: MIT */
/*
 * Compute how much of the wall time of a fetch, clone or push was spent on the other side of its
 * transport. Used by one thread.
 */
#ifndef MONITOR_REMOTE_TIME_H
#define MONITOR_REMOTE_TIME_H

#include "monitor/analysis/parts.h"

/* The wall time of a run, divided into three times in ns. */
struct remote_time {
	ns_t waiting;  /* time of waiting for the other side */
	ns_t transfer; /* time in which data was received or sent */
	ns_t local;    /* the rest */
	bool sends;    /* true for a push: data was sent in the time `transfer` */
	/* true if `transfer` is an upper bound: the trace does not show when the transport stopped
	 * sending, so `transfer` includes time of resolving deltas */
	bool bound;
};

/*
 * Compute the remote time of the run for which parts_make(parts, what, of) was called last.
 * Returns false if no process of the run has a transport as a child; the sums are
 * 0 then. Changes only private members of `parts`.
 */
bool remote_time_make(struct remote_time *remote, struct parts *parts, const struct analysis *what,
		      const struct parts_of *of);

/* Write a readable line into the empty `out`: "waiting 5.75s, receiving 4.20s, local 12.2s". Times
 * of 0 are omitted. */
void remote_time_format(const struct remote_time *remote, struct tr2_buf *out);

#endif
