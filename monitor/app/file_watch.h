/* SPDX-License-Identifier: MIT */
/*
 * Whether a small file that someone edits has become another: looked for each FILE_WATCH_S, and taken
 * once it has been still for FILE_WATCH_STILL_S, so that what an editor has half written is not. What
 * a path leads to counts, through symbolic links; a file that is gone is no news, one that is there
 * again is. Loop thread.
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
	/* False: not now, it is asked again. */
	bool (*changed)(void *data);
	void *data;
	ev_timer timer;        /* private */
	struct stat was, seen; /* private: what was taken, and what was seen last */
};

/* Begin; `path`, `changed` and `data` are set. What is there now is no news. */
void file_watch_start(struct file_watch *watch, struct ev_loop *ev);

#endif
