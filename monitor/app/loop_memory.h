/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_LOOP_MEMORY_H
#define MONITOR_LOOP_MEMORY_H

/* Make libev exit like the rest of the program if memory is exhausted (die.h), instead of aborting.
 * Call it before the first event loop is created. */
void loop_memory_init(void);

#endif
