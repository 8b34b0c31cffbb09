/* SPDX-License-Identifier: MIT */
/*
 * Durations of regions, children and processes that may still be open, at wall time `now`. Ended:
 * the reported time. Live: up to `now`. Stale (no events of the process arrived since trace2top
 * started to follow): up to its last event. NS_NONE if unknown; never negative unless the trace
 * reports a negative time. Stateless; some nanoseconds.
 */
#ifndef MONITOR_LIVE_H
#define MONITOR_LIVE_H

#include "monitor/model/model.h"

/*
 * Return `now` on the clock of the process's host; NS_NONE stays. For a trace delivered in pieces
 * (a generation of a Go trace arrives a second late) it is the time of the last event, because
 * anything later is unknown. Use it when times of the trace are compared with now.
 */
ns_t process_now(const struct process *process, ns_t now);

/* True if the process runs, and an event of it arrived since trace2top started to follow. */
bool process_is_live(const struct process *process);

ns_t process_time(const struct process *process, ns_t now);

/*
 * Return the wall time up to which a thread lasts: `now` unless it has exited, else its last event.
 * In a stale trace of a format that reports thread exits, it is the end of the process.
 */
ns_t thread_end(const struct process *process, const struct thread *thread, ns_t now);

/* Return the duration of an open region of a process. */
ns_t region_time(const struct process *process, const struct open_region *region, ns_t now);

/* Return the duration of a child of a process. */
ns_t child_time(const struct process *process, const struct child *child, ns_t now);

/*
 * Return how long at least one child of a process ran, including background children; 0 if it has
 * none. Some nanoseconds per child.
 */
ns_t process_waited(const struct model *model, const struct process *process, ns_t now);

/* True if the child still runs, so that child_time() grows with `now`. */
bool child_is_live(const struct process *process, const struct child *child);

#endif
