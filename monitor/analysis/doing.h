/* SPDX-License-Identifier: MIT */
/*
 * The current activity of a running process: its innermost open region, or the child that it waits
 * for; and for a process that died, the region in which it died. A process is assumed to wait for
 * its newest running child that is not in the background (child_is_beside()), unless the innermost
 * region of the first thread began later.
 */
#ifndef MONITOR_DOING_H
#define MONITOR_DOING_H

#include "monitor/model/model.h"

/* Activity of a process, borrowed from the model: a region or a child; both NULL if the process is
 * not running or its activity is unknown. */
struct doing {
	const struct open_region *region;
	const struct child *child; /* child that the process waits for */
};

struct doing process_doing(const struct model *model, const struct process *process);

/*
 * Return the region in which a process or thread was when the process was lost or killed by a
 * signal; NULL: none.
 */
const struct open_region *process_died_in(const struct model *model, const struct process *process);
const struct open_region *thread_died_in(const struct model *model, const struct process *process,
					 const struct thread *thread);

#endif
