/* SPDX-License-Identifier: MIT */
/*
 * Durations, at wall time `now`, of regions, children and processes that may still be open. In a
 * live process, an open item lasts until process_now(); otherwise until the last event of the
 * process. NS_NONE: unknown.
 */
#ifndef MONITOR_LIVE_H
#define MONITOR_LIVE_H

#include "monitor/model/model.h"

/*
 * Convert `now` to the clock of the process's host; NS_NONE for NS_NONE. For a trace that arrives
 * in pieces, such as a Go trace, return the time of the last event.
 */
ns_t process_now(const struct process *process, ns_t now);

/* True if the process is running and `live` of struct process is set. */
bool process_is_live(const struct process *process);

ns_t process_time(const struct process *process, ns_t now);

/*
 * Return the wall time up to which a thread lasts: its last event if it has exited; process_now()
 * if its process is live; otherwise its own last event in the format EVENT, and the last event of
 * the process in other formats.
 */
ns_t thread_end(const struct process *process, const struct thread *thread, ns_t now);

ns_t region_time(const struct process *process, const struct open_region *region, ns_t now);

ns_t child_time(const struct process *process, const struct child *child, ns_t now);

/* Return the time in ns in which at least one child, maybe in the background, ran. */
ns_t process_waited(const struct model *model, const struct process *process, ns_t now);

/* True if the process is live and the child has neither child_exit nor child_ready. */
bool child_is_live(const struct process *process, const struct child *child);

#endif
