/* SPDX-License-Identifier: MIT */
/*
 * What a process that runs is doing now: the innermost region that is open, or the child that it
 * waits for; and where one was that died. Trace2 tells neither; taken to be waited for is the
 * newest child that runs, was not started to run beside (background, daemon), and began after the
 * innermost region of the first thread. Pure; some nanoseconds for each thread, and for each child
 * behind the one that runs.
 */
#ifndef MONITOR_DOING_H
#define MONITOR_DOING_H

#include "monitor/model/model.h"

/* Borrowed as what the model gives out; both NULL: it has ended, or nothing is known. */
struct doing {
	const struct open_region *region;
	const struct child *child; /* where there is one, `region` is NULL */
};

struct doing process_doing(const struct model *model, const struct process *process);

/* Where one that was lost, or ended by a signal, was: the region that process_doing() would have
 * told; NULL: it has ended otherwise, or was in none. The same of one of its threads. */
const struct open_region *process_died_in(const struct model *model, const struct process *process);
const struct open_region *thread_died_in(const struct model *model, const struct process *process,
					 const struct thread *thread);

#endif
