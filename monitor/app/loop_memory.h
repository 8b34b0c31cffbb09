/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_LOOP_MEMORY_H
#define MONITOR_LOOP_MEMORY_H

/* Let event loops die as the program does where memory is short (die.h): by itself libev aborts.
 * Before the first loop is made. */
void loop_memory_init(void);

#endif
