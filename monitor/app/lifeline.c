/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/lifeline.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_S 0.5

static void input_came(struct ev_loop *loop, ev_io *w, int revents)
{
	struct lifeline *lifeline = w->data;
	char ignored[256];
	ssize_t n = read(w->fd, ignored, sizeof(ignored));

	(void)revents;
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	ev_io_stop(loop, w);
	lifeline->ended(lifeline->data);
}

static void output_look(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct lifeline *lifeline = w->data;
	struct pollfd fd = { .fd = STDOUT_FILENO };

	(void)revents;
	if (poll(&fd, 1, 0) <= 0 || !(fd.revents & (POLLERR | POLLHUP)))
		return;
	ev_timer_stop(loop, w);
	lifeline->ended(lifeline->data);
}

void lifeline_watch(struct lifeline *lifeline, struct ev_loop *loop, const struct options *o,
		    void (*ended)(void *data), void *data)
{
	struct stat st;
	bool is_source = false;

	for (int i = 0; i < o->nr_sources; i++)
		is_source |= !strcmp(o->sources[i], "-");
	if (is_source || !o->record || strcmp(o->record, "-") || (o->command && o->once))
		return;
	lifeline->ended = ended;
	lifeline->data = data;
	if (o->command) {
		ev_timer_init(&lifeline->look, output_look, LOOK_S, LOOK_S);
		lifeline->look.data = lifeline;
		ev_timer_start(loop, &lifeline->look);
	} else if (!fstat(STDIN_FILENO, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) {
		ev_io_init(&lifeline->io, input_came, STDIN_FILENO, EV_READ);
		lifeline->io.data = lifeline;
		ev_io_start(loop, &lifeline->io);
	}
}
