/* SPDX-License-Identifier: MIT */
/*
 * Records which agent may report events of a process: a SID belongs to the agent (SYM_NONE: no
 * agent) whose event added it to the table. So an agent cannot add events to a process that belongs
 * to another. The caller passes the SID of the root process.
 *
 * At most SID_OWNERS_MAX SIDs are stored. If the table is full, the older half of the SIDs of the
 * agent that has the most SIDs is removed. Only one thread at a time may use the table.
 */
#ifndef MONITOR_INTAKE_SID_OWNERS_H
#define MONITOR_INTAKE_SID_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/intern.h"

#define SID_OWNERS_MAX 262144u

struct sid_owners;

struct sid_owners *sid_owners_new(void);
void sid_owners_free(struct sid_owners *owners);

/*
 * True if the SID with this hash belongs to `agent` (SYM_NONE: no agent). A SID that is not in the
 * table is added for `agent`. If the result is false, the event is counted as contradicted for
 * `agent`.
 */
bool sid_owners_admit(struct sid_owners *owners, uint64_t sid_hash, sym_t agent);

/* Return how often sid_owners_admit() returned false for `agent`. */
uint64_t sid_owners_contradicted(const struct sid_owners *owners, sym_t agent);

#endif
