/* SPDX-License-Identifier: MIT */
/* Contradicted events: those of a process that belongs to another agent (sid_owners.h). */
#ifndef MONITOR_INTAKE_CONTRADICTED_H
#define MONITOR_INTAKE_CONTRADICTED_H

struct intake;

/*
 * Remove contradicted events from the batch that is being filled, and count each for its source.
 * in->owners must not be NULL. Intake thread. Costs a copy of the batch only if an event is
 * removed.
 */
void contradicted_remove(struct intake *in);

#endif
