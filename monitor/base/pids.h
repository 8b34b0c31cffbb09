/* SPDX-License-Identifier: MIT */
/*
 * Whether a process that told its host, its pid and when it began is still there. A pid is
 * believed only where it is of this machine, and where /proc says that whoever has it now started
 * no later than that. Any thread; reads /proc.
 */
#ifndef MONITOR_PIDS_H
#define MONITOR_PIDS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

enum pid_is {
	PID_UNKNOWN, /* it is of another machine, or no time is known */
	PID_ALIVE,
	PID_OTHERS, /* nobody has that pid now, or somebody who began later */
};

/* `host` as SIDs say it; `began`: wall time, NS_NONE where that is not known. */
enum pid_is pid_look(const char *host, int64_t pid, ns_t began);

/* Whether pids of the namespace whose inode is `inode` (/proc/self/ns/pid) are this process's own,
 * too; 0, not known, is taken for that. */
bool pid_namespace_is_own(uint64_t inode);

/* This machine as SIDs say it, "H0123abcd". */
const char *pid_own_host(void);

#endif
