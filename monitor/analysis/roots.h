/* SPDX-License-Identifier: MIT */
/* The root that each process is below: one walk up a process, however deep a hostile tree is. */
#ifndef MONITOR_ROOTS_H
#define MONITOR_ROOTS_H

#include "monitor/model/model.h"

/* Valid as long as the model is not changed. One thread. */
struct roots {
	const struct model *model; /* borrowed */
	uint32_t *of_slot;         /* private */
	uint32_t nr;               /* ro: slots below it may be asked for */
};

void roots_make(struct roots *roots, const struct model *model);
void roots_release(struct roots *roots);

/* The root above the process in a slot that is in use; itself, where it is one. */
uint32_t root_of(struct roots *roots, uint32_t slot);

#endif
