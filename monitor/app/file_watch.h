/* SPDX-License-Identifier: MIT */
/*
 * Watch a small file that a user edits. The file is polled every FILE_WATCH_S seconds. A change is
 * reported after FILE_WATCH_STILL_S seconds without another one, so that a half-written file is not
 * read. Symbolic links are followed. Removing the file is not a change; creating it again is. Used
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
	const char *path; /* path of the file that is watched; borrowed */
	/* Callback for a change of the file. It returns false if it cannot handle the change now;
	 * it is called again later. */
	bool (*changed)(void *data);
	void *data;
	ev_timer timer; /* private */
	/* private: state of the file that was last reported, and that was last seen */
	struct stat was, seen;
};

/* Start watching the file. `path`, `changed` and `data` must be set. The state of the file at this
 * time is not reported. */
void file_watch_start(struct file_watch *watch, struct ev_loop *ev);

#endif
