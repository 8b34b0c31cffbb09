/* SPDX-License-Identifier: MIT */
/*
 * Names for threads, regions and children of a process, by its input format: rows of formats.def.
 */
#ifndef MONITOR_FORMATS_H
#define MONITOR_FORMATS_H

#include "monitor/model/model.h"

struct format {
	const char *word, *threads, *lane, *regionless, *children, *childless, *a_child,
		*nr_children, *together, *lanes, *life;
	bool has_tasks;
};

/* Return the row of formats.def for a process; for NULL (no process) the row of EVENT. Never
 * NULL. Some nanoseconds. */
const struct format *format_of(const struct model *model, const struct process *process);

/*
 * Return the index of the main thread: the one reported as such, or else the first. UINT32_MAX: it
 * was evicted from the list, or does not exist. At most some 10 microseconds.
 */
uint32_t process_main_thread(const struct model *model, const struct process *process);

#endif
