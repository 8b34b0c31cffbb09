/* SPDX-License-Identifier: MIT */
/*
 * One inotify watch on a directory, told by name. Where inotify is missing or its limits are
 * reached, nothing is told, and whoever uses it polls: it says so by watch_is_on().
 */
#ifndef MONITOR_SOURCE_WATCH_H
#define MONITOR_SOURCE_WATCH_H

#include <ev.h>
#include <stdbool.h>

enum watch_what {
	WATCH_CHANGED,  /* the file `name` has other contents */
	WATCH_NAMES,    /* `name` came, went, or means another file now */
	WATCH_OVERFLOW, /* events were lost: look at everything */
	WATCH_GONE,     /* the directory itself went away; the watch is off */
};

struct watch {
	ev_io io;
	int fd, wd;
	void (*told)(void *data, enum watch_what what, const char *name);
	void *data;
};

/* Watch the directory at `path`; false where that cannot be. */
bool watch_start(struct watch *watch, struct ev_loop *loop, const char *path,
		 void (*told)(void *data, enum watch_what what, const char *name), void *data);
void watch_stop(struct watch *watch, struct ev_loop *loop);

static inline bool watch_is_on(const struct watch *watch)
{
	return watch->told && watch->fd >= 0;
}

#endif
