/* SPDX-License-Identifier: MIT */
/*
 * Durations of regions, children and processes that may still be open, at wall time `now`.
 * Something that has ended has the duration that the trace reports. If the process is live, an open
 * item lasts until `now`; otherwise until the last event of the process. Durations are NS_NONE if
 * unknown, and never negative unless the trace reports a negative time. Stateless; some
 * nanoseconds.
 */
#ifndef MONITOR_LIVE_H
#define MONITOR_LIVE_H

#include "monitor/model/model.h"

/*
 * Convert `now` to the clock of the process's host; returns NS_NONE for NS_NONE. For a trace that
 * is delivered in pieces (a generation of a Go trace arrives a second late) it returns the time of
 * the last event, because anything later is unknown. Use it to compare times of the trace with now.
 */
ns_t process_now(const struct process *process, ns_t now);

/* True if the process is running, and one of its events arrived since trace2top started to follow
 * the trace. */
bool process_is_live(const struct process *process);

ns_t process_time(const struct process *process, ns_t now);

/*
 * Return the wall clock time up to which a thread lasts: its last event if it has exited; `now` if
 * its process is live; otherwise its own last event in the format EVENT, and the last event of the
 * process in other formats.
 */
ns_t thread_end(const struct process *process, const struct thread *thread, ns_t now);

/* Return the duration of an open region of a process, in ns; NS_NONE: unknown. */
ns_t region_time(const struct process *process, const struct open_region *region, ns_t now);

/* Return the duration of a child of a process, in ns; NS_NONE: unknown. */
ns_t child_time(const struct process *process, const struct child *child, ns_t now);

/*
 * Return the time in ns during which at least one child of the process was running, background
 * children included; 0 if it has no child. Takes some nanoseconds per child.
 */
ns_t process_waited(const struct model *model, const struct process *process, ns_t now);

/* True if the process is live and the child has neither child_exit nor child_ready, so that
 * child_time() grows with `now`. */
bool child_is_live(const struct process *process, const struct child *child);

#endif
