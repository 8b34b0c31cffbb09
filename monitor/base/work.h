/* SPDX-License-Identifier: MIT */
/*
 * Long work on the loop thread, which a person may watch and break off: whoever does it asks
 * now and then whether to go on. What that shows, and where it looks for Esc, is the asked
 * one's. Loop thread.
 */
#ifndef MONITOR_WORK_H
#define MONITOR_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct work {
	/* `done` of `total` is done; false breaks it off. Called every few milliseconds or more
	 * often. */
	bool (*goes_on)(void *data, uint64_t done, uint64_t total);
	void *data;
	bool broken_off; /* ro: it was, and stays so */
};

/* Ask; NULL: nobody minds. */
static inline bool work_goes_on(struct work *work, uint64_t done, uint64_t total)
{
	if (work && !work->broken_off)
		work->broken_off = !work->goes_on(work->data, done, total);
	return !work || !work->broken_off;
}

#endif
