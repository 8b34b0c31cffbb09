/* SPDX-License-Identifier: MIT */
/*
 * Checks if running processes still exist, by their pids (monitor/base/pids.h), because a killed
 * process writes no event. Results are records in the journal: PID_SEEN if the process exists,
 * PID_GONE if it existed before and is gone. Processes of agents are not checked: containers may
 * share a host name. Used by the loop thread.
 */
#ifndef MONITOR_LIVENESS_H
#define MONITOR_LIVENESS_H

#include <sys/types.h>

#include "monitor/history/journal.h"
#include "monitor/model/model.h"

/* Maximum number of processes that one liveness_check() visits; the next continues. */
#define LIVENESS_STEP 500

struct liveness {
	uint32_t next; /* private: slot to check next; 0: the first */
};

/* Return the slot of a process with this pid that, as far as the model knows, neither exited nor
 * was killed, and whose events no agent sent; SLOT_NONE: none. */
uint32_t liveness_process_of_pid(const struct model *model, pid_t pid);

/* Add a PID_GONE record to `batch`: `signo` killed the process at the wall clock time `time`. */
void liveness_killed(struct batch *batch, const struct model *model, const struct process *process,
		     int signo, ns_t time);

/* Check if the next processes of the model, at most LIVENESS_STEP, still exist, and append PID_SEEN
 * and PID_GONE records to the journal. */
void liveness_check(struct liveness *liveness, const struct model *model, struct journal *journal);

#endif
