/* SPDX-License-Identifier: MIT */
/* Check whether a process, known by host, pid and start time, still exists. Any thread. */
#ifndef MONITOR_PIDS_H
#define MONITOR_PIDS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

enum pid_is {
	/* not known, for example for a pid of another machine */
	PID_UNKNOWN,
	PID_ALIVE,
	/* the process has ended, even if its pid is in use */
	PID_OTHERS,
};

/* Check process `pid`. `host` is the name of its machine as in SIDs; `began` is its start in wall
 * time; NS_NONE: unknown. */
enum pid_is pid_check(const char *host, int64_t pid, ns_t began);

/* True if `inode` (of /proc/self/ns/pid) is that of this process's pid namespace, or if either is
 * unknown. */
bool pid_namespace_is_own(uint64_t inode);

/* Return this machine's name in SIDs, such as "H0123abcd". */
const char *pid_own_host(void);

#endif
