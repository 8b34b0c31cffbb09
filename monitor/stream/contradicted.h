/* SPDX-License-Identifier: MIT */
/*
 * Contradicted events: events of a process that belongs to another agent than the one that sent
 * them (sid_owners.h). Sources without agents count as one agent, SYM_NONE.
 */
#ifndef MONITOR_CONTRADICTED_H
#define MONITOR_CONTRADICTED_H

struct batcher;

/*
 * Remove contradicted events from the batch that is being filled, and count them per source.
 * batcher->owners must not be NULL.
 */
void contradicted_remove(struct batcher *batcher);

#endif
