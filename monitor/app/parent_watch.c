/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/parent_watch.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_S 0.5

static void on_input(struct ev_loop *loop, ev_io *w, int revents)
{
	struct parent_watch *parent_watch = w->data;
	char ignored[256];
	ssize_t n = read(w->fd, ignored, sizeof(ignored));

	(void)revents;
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	ev_io_stop(loop, w);
	parent_watch->ended(parent_watch->data);
}

static void output_check(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct parent_watch *parent_watch = w->data;
	struct pollfd fd = { .fd = STDOUT_FILENO };

	(void)revents;
	if (poll(&fd, 1, 0) <= 0 || !(fd.revents & (POLLERR | POLLHUP)))
		return;
	ev_timer_stop(loop, w);
	parent_watch->ended(parent_watch->data);
}

void parent_watch_watch(struct parent_watch *parent_watch, struct ev_loop *loop,
			const struct options *o, void (*ended)(void *data), void *data)
{
	struct stat st;
	bool is_source = false;

	for (int i = 0; i < o->nr_sources; i++)
		is_source |= !strcmp(o->sources[i], "-");
	if (is_source || !o->record || strcmp(o->record, "-") || (o->command && o->once))
		return;
	parent_watch->ended = ended;
	parent_watch->data = data;
	if (o->command) {
		ev_timer_init(&parent_watch->look, output_check, LOOK_S, LOOK_S);
		parent_watch->look.data = parent_watch;
		ev_timer_start(loop, &parent_watch->look);
	} else if (!fstat(STDIN_FILENO, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) {
		ev_io_init(&parent_watch->io, on_input, STDIN_FILENO, EV_READ);
		parent_watch->io.data = parent_watch;
		ev_io_start(loop, &parent_watch->io);
	}
}
