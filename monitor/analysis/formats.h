/* SPDX-License-Identifier: MIT */
/* What threads, regions and children are called in a process, by the format that it was read
 * from: rows of formats.def. */
#ifndef MONITOR_FORMATS_H
#define MONITOR_FORMATS_H

#include "monitor/model/model.h"

struct format {
	const char *word, *threads, *lane, *regionless, *children, *childless, *a_child,
		*nr_children, *together, *lanes, *life;
	bool has_tasks;
};

/* Never NULL; of no process (NULL) EVENT's. Some nanoseconds. */
const struct format *format_of(const struct model *model, const struct process *process);

/* Index of the main thread: the one that was said to be it; where none was, the first one. UINT32_MAX:
 * it has left the list, or there is none. At most some 10 microseconds. */
uint32_t process_main_thread(const struct model *model, const struct process *process);

#endif
