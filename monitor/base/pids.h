/* SPDX-License-Identifier: MIT */
/*
 * Check whether a process, known by host, pid and start time, still exists. A pid is trusted only
 * if it belongs to this machine and the process that now has it started no later than the known
 * start time, with a small tolerance. Any thread.
 */
#ifndef MONITOR_PIDS_H
#define MONITOR_PIDS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

enum pid_is {
	/* not known, for example because the pid belongs to another machine or a start time is
	 * unknown */
	PID_UNKNOWN,
	PID_ALIVE,
	/* the process has ended: its pid is unused, or belongs to a zombie or to a process that
	 * started later */
	PID_OTHERS,
};

/* `host` is the name of the process's machine as in SIDs; `began` is its start in wall time,
 * NS_NONE if unknown. */
enum pid_is pid_check(const char *host, int64_t pid, ns_t began);

/*
 * True if pids of the namespace with this inode (/proc/self/ns/pid) are also pids of this process's
 * namespace. True, too, if either is unknown (inode 0).
 */
bool pid_namespace_is_own(uint64_t inode);

/* Return this machine's name in SIDs, such as "H0123abcd". */
const char *pid_own_host(void);

#endif
