/* SPDX-License-Identifier: MIT */
/*
 * Whether processes that seem to run are still there. A killed process says nothing, and files
 * and datagrams have no end; so its pid is looked for. What is found enters the journal, as
 * everything does that changes the model: PID_SEEN where the process was surely seen, PID_GONE
 * where one that was seen is no more.
 *
 * A pid is believed by the rules of pids.h, and never where an agent sent its process: containers
 * may share a host's name. Loop thread; reads /proc.
 */
#ifndef MONITOR_LIVENESS_H
#define MONITOR_LIVENESS_H

#include "monitor/history/journal.h"
#include "monitor/model/model.h"

/* How many processes one call looks at; the next call goes on with the others. */
#define LIVENESS_STEP 500

struct liveness {
	uint32_t next; /* private: slot to go on with */
};

/* Look at running processes and hand what is found to the journal. */
void liveness_look(struct liveness *liveness, const struct model *model, struct journal *journal);

#endif
