/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/source_watch.h"

#include <unistd.h>

#include "monitor/base/platform.h"

static bool watch_report(void *data, enum platform_change change, const char *name)
{
	static const enum watch_what what[] = { [PLATFORM_CHANGED] = WATCH_CHANGED,
						[PLATFORM_NAMES] = WATCH_NAMES,
						[PLATFORM_OVERFLOW] = WATCH_OVERFLOW,
						[PLATFORM_GONE] = WATCH_GONE };
	struct watch *w = data;

	w->told(w->data, what[change], name);
	return w->fd >= 0;
}

/* Read only one buffer of events per call, because datagram sockets are read between calls. */
static void watch_read(struct ev_loop *loop, ev_io *io, int revents)
{
	struct watch *w = io->data;

	(void)revents;
	if (platform_watch_read(w->fd, watch_report, w))
		return;
	/* Reading failed: the descriptor would stay readable. The source's next regular check
	 * creates another watch. */
	watch_stop(w, loop);
	w->told(w->data, WATCH_OVERFLOW, "");
}

bool watch_start(struct watch *w, struct ev_loop *loop, const char *path,
		 void (*told)(void *data, enum watch_what what, const char *name), void *data)
{
	*w = (struct watch){ .fd = platform_watch_open(path), .told = told, .data = data };
	if (w->fd < 0)
		return false;
	ev_io_init(&w->io, watch_read, w->fd, EV_READ);
	w->io.data = w;
	ev_io_start(loop, &w->io);
	return true;
}

void watch_stop(struct watch *w, struct ev_loop *loop)
{
	if (!watch_is_on(w))
		return;
	ev_io_stop(loop, &w->io);
	close(w->fd);
	w->fd = -1;
}
