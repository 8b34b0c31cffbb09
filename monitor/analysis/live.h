/* SPDX-License-Identifier: MIT */
/*
 * Times of what may still be open, at the wall time `now`: what has ended has the time that was
 * reported; what is live counts up to `now`; what is stale (nothing of its process arrived since
 * we began to follow) counts up to the last that was heard of it. NS_NONE where nothing tells,
 * never negative where the trace reported none that is. No state; some nanoseconds.
 */
#ifndef MONITOR_LIVE_H
#define MONITOR_LIVE_H

#include "monitor/model/model.h"

/* `now` by the clock of the host of `process`; NS_NONE stays. Of one that is told in pieces (a
 * generation of a Go trace comes a second after it began) the time of the last event: what was open
 * then is not known to be so any more. Wherever what the trace says is compared with now. */
ns_t process_now(const struct process *process, ns_t now);

/* Is it live: running, and something of it arrived since we began to follow? */
bool process_is_live(const struct process *process);

ns_t process_time(const struct process *process, ns_t now);

/* Wall time up to which a thread lasts: its last event's, where it has not exited `now`; of a trace
 * that stands still, and whose format tells when threads exit, the process's end. */
ns_t thread_end(const struct process *process, const struct thread *thread, ns_t now);

/* Of an open region of `process`. */
ns_t region_time(const struct process *process, const struct open_region *region, ns_t now);

/* Of a child of `process`. */
ns_t child_time(const struct process *process, const struct child *child, ns_t now);

/*
 * How long at least one of its children ran, those that were started to run beside it included;
 * 0 without any. Some nanoseconds a child.
 */
ns_t process_waited(const struct model *model, const struct process *process, ns_t now);

/* Does child_time() grow with `now`? */
bool child_is_live(const struct process *process, const struct child *child);

#endif
