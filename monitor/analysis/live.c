/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/live.h"

ns_t process_now(const struct process *process, ns_t now)
{
	if (now == NS_NONE)
		return NS_NONE;
	return process->in_pieces && process->end != NS_NONE
		       ? process->end
		       : ns_sub(now, process->skew_ms * NS_PER_MS);
}

bool process_is_live(const struct process *process)
{
	return process->state == STATE_RUNNING && process->live;
}

ns_t thread_end(const struct process *process, const struct thread *thread, ns_t now)
{
	if (thread->exited)
		return thread->last_time;
	if (process_is_live(process))
		return process_now(process, now);
	return process->format == SYM_NONE ? thread->last_time : process->end;
}

bool child_is_live(const struct process *process, const struct child *child)
{
	return child->state != CHILD_EXITED && child->state != CHILD_READY &&
	       process_is_live(process);
}

static ns_t open_duration(const struct process *process, ns_t start, ns_t arrival, ns_t now)
{
	bool live = process_is_live(process);
	ns_t end = live ? process_now(process, now) : process->end;

	/* if the start event has no time, use its time of arrival, which is on the clock of
	 * `now` */
	if (live && start == NS_NONE) {
		start = arrival;
		end = now;
	}
	if (start == NS_NONE || end == NS_NONE)
		return NS_NONE;
	return end > start ? ns_sub(end, start) : 0;
}

ns_t process_time(const struct process *process, ns_t now)
{
	if (process->state == STATE_RUNNING)
		return open_duration(process, process->start, process->first_arrival, now);
	return process_elapsed(process);
}

ns_t region_time(const struct process *process, const struct open_region *region, ns_t now)
{
	return open_duration(process, region->time, region->arrival, now);
}

ns_t child_time(const struct process *process, const struct child *child, ns_t now)
{
	if (child->state == CHILD_EXITED)
		return child->elapsed;
	if (child->state == CHILD_READY)
		return child->ready_elapsed;
	return open_duration(process, child->start, child->start_arrival, now);
}

/* Children are in the order of their first events, so one pass merges those that overlap. */
ns_t process_waited(const struct model *m, const struct process *process, ns_t now)
{
	ns_t sum = 0, covered = INT64_MIN;

	for (uint32_t i = 0; i < process->children.nr; i++) {
		const struct child *child = process_child(m, process, i);
		ns_t time = child_time(process, child, now), start = child->start, end;

		if (start == NS_NONE)
			start = child->start_arrival;
		if (time == NS_NONE || time <= 0 || start == NS_NONE)
			continue;
		end = ns_add(start, time);
		if (end <= covered)
			continue;
		sum = ns_add(sum, start > covered ? time : end - covered);
		covered = end;
	}
	return sum;
}
