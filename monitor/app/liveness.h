/* SPDX-License-Identifier: MIT */
/*
 * Check if running processes still exist. A killed process writes no event, and files and datagrams
 * have no end, so its pid is checked. Results go to the journal, like everything that changes the
 * model: PID_SEEN if the process certainly exists, PID_GONE if it existed before and is gone.
 *
 * pids.h has the rules for trusting a pid. Processes from agents are never checked: containers may
 * share a host name. Used by the loop thread.
 */
#ifndef MONITOR_LIVENESS_H
#define MONITOR_LIVENESS_H

#include <sys/types.h>

#include "monitor/history/journal.h"
#include "monitor/model/model.h"

/* Maximum number of processes that liveness_check() visits; the next call continues with the
 * others. */
#define LIVENESS_STEP 500

struct liveness {
	uint32_t next; /* private: slot of the process to check next */
};

/* Return the slot of a process with this pid that has not exited and was not killed, as far as the
 * model has recorded, and whose events no agent sent; SLOT_NONE if none exists. */
uint32_t liveness_process_of_pid(const struct model *model, pid_t pid);

/* Add a PID_GONE record to the batch: the signal `signo` killed the process at the wall clock time
 * `time`. */
void liveness_killed(struct batch *batch, const struct model *model, const struct process *process,
		     int signo, ns_t time);

/* Visit the next LIVENESS_STEP processes of the model at most, check if those that run still exist,
 * and append PID_SEEN and PID_GONE records to the journal. */
void liveness_check(struct liveness *liveness, const struct model *model, struct journal *journal);

#endif
