/* SPDX-License-Identifier: MIT */
/*
 * Long work on the loop thread that the user can watch and cancel. The code that does the work
 * calls work_goes_on() regularly, which calls a callback. The callback shows the progress and
 * checks if the user pressed Esc. Only the loop thread does such work.
 */
#ifndef MONITOR_WORK_H
#define MONITOR_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct work {
	/*
	 * Callback that reports progress: `done` of `total` is finished. It returns false to cancel
	 * the work. The work should call it every few milliseconds.
	 */
	bool (*goes_on)(void *data, uint64_t done, uint64_t total);
	void *data;
	bool broken_off; /* ro: true after the user has cancelled the work; never reset */
};

/* Report progress; returns false if the user cancelled. `work` may be NULL. */
static inline bool work_goes_on(struct work *work, uint64_t done, uint64_t total)
{
	if (work && !work->broken_off)
		work->broken_off = !work->goes_on(work->data, done, total);
	return !work || !work->broken_off;
}

#endif
