/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/source_watch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_SYS_INOTIFY_H
#include <sys/inotify.h>

#define NAMES (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
#define GONE  (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)

static void watch_notify(struct watch *w, const struct inotify_event *ev)
{
	const char *name = ev->len ? ev->name : "";

	if (ev->mask & IN_Q_OVERFLOW)
		w->told(w->data, WATCH_OVERFLOW, "");
	else if (ev->mask & GONE)
		w->told(w->data, WATCH_GONE, "");
	else if (*name)
		w->told(w->data, ev->mask & NAMES ? WATCH_NAMES : WATCH_CHANGED, name);
}

static void watch_read(struct ev_loop *loop, ev_io *io, int revents)
{
	struct watch *w = io->data;
	_Alignas(struct inotify_event) char buf[64 << 10];

	ssize_t n;

	(void)revents;
	/*
	 * Read only one buffer of events per call, because datagram sockets are read between calls.
	 */
	do
		n = read(w->fd, buf, sizeof(buf));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno != EAGAIN) {
		/* inotify failed: stop the watch, because its descriptor would stay readable
		 * forever. The next check of the directory creates another watch. */
		watch_stop(w, loop);
		w->told(w->data, WATCH_OVERFLOW, "");
		return;
	}
	for (char *p = buf; n > 0 && p < buf + n && w->fd >= 0;) {
		const struct inotify_event *ev = (const struct inotify_event *)(void *)p;

		p += sizeof(*ev) + ev->len;
		watch_notify(w, ev);
	}
}

bool watch_start(struct watch *w, struct ev_loop *loop, const char *path,
		 void (*told)(void *data, enum watch_what what, const char *name), void *data)
{
	*w = (struct watch){ .fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC),
			     .told = told,
			     .data = data };
	if (w->fd < 0)
		return false;
	w->wd = inotify_add_watch(w->fd, path,
				  IN_MODIFY | IN_CLOSE_WRITE | NAMES | IN_DELETE_SELF |
					  IN_MOVE_SELF | IN_ONLYDIR);
	if (w->wd < 0) {
		close(w->fd);
		w->fd = -1;
		return false;
	}
	ev_io_init(&w->io, watch_read, w->fd, EV_READ);
	w->io.data = w;
	ev_io_start(loop, &w->io);
	return true;
}

#else

bool watch_start(struct watch *w, struct ev_loop *loop, const char *path,
		 void (*told)(void *data, enum watch_what what, const char *name), void *data)
{
	(void)loop;
	(void)path;
	*w = (struct watch){ .fd = -1, .told = told, .data = data };
	return false;
}

#endif

void watch_stop(struct watch *w, struct ev_loop *loop)
{
	if (!watch_is_on(w))
		return;
	ev_io_stop(loop, &w->io);
	close(w->fd);
	w->fd = -1;
}
