/* SPDX-License-Identifier: MIT */
/*
 * Check whether a process, known by host, pid and start time, still exists. A pid is trusted only
 * if it belongs to this machine and /proc shows that its current process started no later than
 * that time. Reads /proc. Any thread.
 */
#ifndef MONITOR_PIDS_H
#define MONITOR_PIDS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

enum pid_is {
	PID_UNKNOWN, /* unknown: the pid is of another machine, or without a start time */
	PID_ALIVE,
	PID_OTHERS, /* the process is gone: the pid is unused, or its process started later */
};

/* Check if a process exists. `host` is its host as in SIDs; `began` is its start in wall time,
 * NS_NONE if unknown. */
enum pid_is pid_check(const char *host, int64_t pid, ns_t began);

/*
 * True if pids of the namespace with this inode (/proc/self/ns/pid) are also pids of this
 * process's namespace. An unknown inode (0) counts as own.
 */
bool pid_namespace_is_own(uint64_t inode);

/* Return this machine's name in SIDs, such as "H0123abcd". */
const char *pid_own_host(void);

#endif
