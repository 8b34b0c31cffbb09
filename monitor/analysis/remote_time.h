/* SPDX-License-Identifier: MIT */
/*
 * How much of the wall time of a fetch, clone or push is waiting for the other side, transfer or
 * local work. One thread.
 */
#ifndef MONITOR_REMOTE_TIME_H
#define MONITOR_REMOTE_TIME_H

#include "monitor/analysis/parts.h"

/* The wall time of a run with a transport is the sum of the three times below, in ns. */
struct remote_time {
	ns_t waiting;
	ns_t transfer; /* time in which data was received or sent */
	ns_t local;    /* the rest */
	bool sends;    /* a process of the run is `push`: `transfer` is the time of sending */
	/* `transfer` is an upper bound: the trace does not show when the transport stopped
	 * sending */
	bool bound;
};

/*
 * Compute the times of the run for which parts_make(parts, what, of) was called last. Returns
 * false, and times of 0, if no process of the run has a transport.
 */
bool remote_time_make(struct remote_time *remote, struct parts *parts, const struct analysis *what,
		      const struct parts_of *of);

/* Write a text such as "waiting 5.75s, receiving 4.20s, local 12.2s" into the empty `out`, without
 * times of 0. */
void remote_time_format(const struct remote_time *remote, struct tr2_buf *out);

#endif
