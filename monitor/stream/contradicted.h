/* SPDX-License-Identifier: MIT */
/* Contradicted events: those of a process that belongs to another agent (sid_owners.h). */
#ifndef MONITOR_CONTRADICTED_H
#define MONITOR_CONTRADICTED_H

struct batcher;

/*
 * Remove contradicted events from the batch that is being filled, and count each for its source.
 * batcher->owners must not be NULL. Intake thread. Costs a copy of the batch only if an event is
 * removed.
 */
void contradicted_remove(struct batcher *batcher);

#endif
