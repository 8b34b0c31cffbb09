/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/doing.h"

#include "monitor/analysis/parts.h"

static const struct open_region *innermost_open_region(const struct model *m,
						       const struct thread *thread)
{
	return thread->open.nr ? thread_open(m, thread, thread->open.nr - 1) : NULL;
}

/*
 * Return the innermost open region of the process's first thread; if that thread has none, the
 * newest of the innermost open regions of the other threads. Sets `*first` to false if the region
 * is of another thread.
 */
static const struct open_region *doing_region(const struct model *m, const struct process *process,
					      bool *first)
{
	const struct open_region *found = NULL, *region;

	*first = true;
	for (uint32_t i = 0; i < process->threads.nr; i++) {
		region = innermost_open_region(m, process_thread(m, process, i));
		if (!region || (found && region->time <= found->time))
			continue;
		found = region;
		*first = !i && !process_first_thread_gone(m, process);
		if (*first)
			break;
	}
	return found;
}

static const struct child *doing_child(const struct model *m, const struct process *process,
				       const struct open_region *region)
{
	for (uint32_t i = process->children.nr; i-- > 0;) {
		const struct child *child = process_child(m, process, i);

		if (child->state != CHILD_RUNNING || child_is_beside(m, child))
			continue;
		return region && region->time != NS_NONE && child->start != NS_NONE &&
				       child->start < region->time
			       ? NULL
			       : child;
	}
	return NULL;
}

static bool has_died(const struct process *process)
{
	return process->state == STATE_LOST || process->state == STATE_SIGNALED;
}

const struct open_region *process_died_in(const struct model *m, const struct process *process)
{
	bool first;

	return has_died(process) ? doing_region(m, process, &first) : NULL;
}

const struct open_region *thread_died_in(const struct model *m, const struct process *process,
					 const struct thread *thread)
{
	return has_died(process) ? innermost_open_region(m, thread) : NULL;
}

struct doing process_doing(const struct model *m, const struct process *process)
{
	struct doing doing = { NULL, NULL };
	bool first;

	if (process->state != STATE_RUNNING)
		return doing;
	doing.region = doing_region(m, process, &first);
	doing.child = doing_child(m, process, first ? doing.region : NULL);
	if (doing.child)
		doing.region = NULL;
	return doing;
}
