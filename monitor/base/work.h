/* SPDX-License-Identifier: MIT */
/* Long work that the user can watch and cancel. */
#ifndef MONITOR_WORK_H
#define MONITOR_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct work {
	/* Shows progress: `done` of `total` is finished. Returns false to cancel the work. */
	bool (*goes_on)(void *data, uint64_t done, uint64_t total);
	void *data;
	bool broken_off; /* ro: the work was cancelled; never reset */
};

/* Report progress. Returns false if the work was cancelled. `work` may be NULL. */
static inline bool work_goes_on(struct work *work, uint64_t done, uint64_t total)
{
	if (work && !work->broken_off)
		work->broken_off = !work->goes_on(work->data, done, total);
	return !work || !work->broken_off;
}

#endif
