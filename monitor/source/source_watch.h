/* SPDX-License-Identifier: MIT */
/* One watch on a directory, which reports changes of its files by name. If watch_is_on() is
 * false, for instance because inotify is missing, the caller must check for changes regularly. */
#ifndef MONITOR_SOURCE_WATCH_H
#define MONITOR_SOURCE_WATCH_H

#include <ev.h>
#include <stdbool.h>

enum watch_what {
	WATCH_CHANGED,  /* `name` was written to, or closed after writing */
	WATCH_NAMES,    /* `name` was created, removed or renamed */
	WATCH_OVERFLOW, /* events were lost: scan the directory */
	WATCH_GONE,     /* the directory was removed, renamed or unmounted: call watch_stop() */
};

struct watch {
	ev_io io;
	int fd;
	void (*told)(void *data, enum watch_what what, const char *name);
	void *data;
};

bool watch_start(struct watch *watch, struct ev_loop *loop, const char *path,
		 void (*told)(void *data, enum watch_what what, const char *name), void *data);
void watch_stop(struct watch *watch, struct ev_loop *loop);

static inline bool watch_is_on(const struct watch *watch)
{
	return watch->told && watch->fd >= 0;
}

#endif
