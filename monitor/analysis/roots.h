/* SPDX-License-Identifier: MIT */
/*
 * The root process (topmost ancestor) of each process. Takes linear time for all processes, however
 * deep a hostile tree is.
 */
#ifndef MONITOR_ROOTS_H
#define MONITOR_ROOTS_H

#include "monitor/model/model.h"

/* Valid until the model changes. One thread. */
struct roots {
	const struct model *model; /* borrowed */
	uint32_t *of_slot;         /* private */
	/* ro: number of slots; those passed to root_of() must be lower */
	uint32_t nr;
};

void roots_make(struct roots *roots, const struct model *model);
void roots_release(struct roots *roots);

/* Return the root process of the process in a used slot; the slot itself if it is a root. */
uint32_t root_of(struct roots *roots, uint32_t slot);

#endif
