/* SPDX-License-Identifier: MIT */
/*
 * Long work on the loop thread that the user can watch and cancel. The code that works calls
 * work_goes_on() regularly; the callback shows the progress and checks if the user pressed Esc.
 * Loop thread.
 */
#ifndef MONITOR_WORK_H
#define MONITOR_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct work {
	/*
	 * Callback: `done` of `total` is finished. Returns false to cancel the work. Called at
	 * least every few milliseconds.
	 */
	bool (*goes_on)(void *data, uint64_t done, uint64_t total);
	void *data;
	bool broken_off; /* ro: the user cancelled the work; stays set */
};

/* Report progress; returns false if the user cancelled. `work` may be NULL. */
static inline bool work_goes_on(struct work *work, uint64_t done, uint64_t total)
{
	if (work && !work->broken_off)
		work->broken_off = !work->goes_on(work->data, done, total);
	return !work || !work->broken_off;
}

#endif
