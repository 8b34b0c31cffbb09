/* SPDX-License-Identifier: MIT */
/*
 * Watch a small file that a user edits, by polling it every FILE_WATCH_S seconds. A change is
 * reported after FILE_WATCH_STILL_S seconds without another change, to avoid reading a half-written
 * file. Symbolic links are followed. Removing the file is not a change; creating it again is. Used
 * by the loop thread.
 */
#ifndef MONITOR_FILE_WATCH_H
#define MONITOR_FILE_WATCH_H

#include <stdbool.h>
#include <sys/stat.h>

#include <ev.h>

#define FILE_WATCH_S       2.
#define FILE_WATCH_STILL_S 0.2

struct file_watch {
	const char *path; /* borrowed */
	/* Called after a change of the file, but not after its removal. Returns false if it cannot
	 * handle the change now; it is then called again later. */
	bool (*changed)(void *data);
	void *data;
	ev_timer timer; /* private */
	/* private: `was`: state at the start or last handled; `seen`: at the last poll */
	struct stat was, seen;
};

/* Start watching. `path`, `changed` and `data` must be set. */
void file_watch_start(struct file_watch *watch, struct ev_loop *ev);

#endif
