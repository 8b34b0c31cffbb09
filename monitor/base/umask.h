/* SPDX-License-Identifier: MIT */
/* The umask of the process. */
#ifndef MONITOR_UMASK_H
#define MONITOR_UMASK_H

#include <sys/stat.h>

/* Return the umask. The first call sets it to 0 for a moment: make it before other threads create
 * files. Later calls return the same value. Any thread. */
mode_t umask_get(void);

#endif
