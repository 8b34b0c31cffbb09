/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/app/file_watch.h"

#include <string.h>

/* Get the state of the file; all zeros on error. */
static void file_watch_check(const char *path, struct stat *st)
{
	if (stat(path, st) < 0)
		memset(st, 0, sizeof(*st));
}

static bool file_watch_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static void file_watch_on_timer(struct ev_loop *ev, ev_timer *w, int revents)
{
	struct file_watch *watch = w->data;
	struct stat now;
	bool moves;

	(void)revents;
	file_watch_check(watch->path, &now);
	moves = !file_watch_is_same(&now, &watch->seen);
	watch->seen = now;
	if (!moves && !file_watch_is_same(&now, &watch->was) &&
	    (!now.st_ino || watch->changed(watch->data)))
		watch->was = now;
	w->repeat = moves ? FILE_WATCH_STILL_S : FILE_WATCH_S;
	ev_timer_again(ev, w);
}

void file_watch_start(struct file_watch *watch, struct ev_loop *ev)
{
	file_watch_check(watch->path, &watch->was);
	watch->seen = watch->was;
	ev_timer_init(&watch->timer, file_watch_on_timer, FILE_WATCH_S, FILE_WATCH_S);
	watch->timer.data = watch;
	ev_timer_start(ev, &watch->timer);
}
