/* SPDX-License-Identifier: MIT */
/* Find the root of each process, visiting each process once, however deep a hostile tree is. */
#ifndef MONITOR_ROOTS_H
#define MONITOR_ROOTS_H

#include "monitor/model/model.h"

/* Roots of processes. Valid until the model changes. One thread. */
struct roots {
	const struct model *model; /* the model; borrowed */
	uint32_t *of_slot;         /* private */
	uint32_t nr;               /* ro: arguments of root_of() must be below it */
};

void roots_make(struct roots *roots, const struct model *model);
void roots_release(struct roots *roots);

/* Return the root of the process in a used slot; the slot itself if it is a root. */
uint32_t root_of(struct roots *roots, uint32_t slot);

#endif
