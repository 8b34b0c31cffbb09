/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/lifeline.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

void lifeline_watch(struct lifeline *lifeline, struct ev_loop *loop, const struct options *o,
		    void (*ended)(void *data), void *data)
{
	struct stat st;
	bool is_source = o->command != NULL;

	for (int i = 0; i < o->nr_sources; i++)
		is_source |= !strcmp(o->sources[i], "-");
	if (is_source || !o->record || strcmp(o->record, "-") || fstat(STDIN_FILENO, &st) ||
	    !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return;
	lifeline->ended = ended;
	lifeline->data = data;
	ev_io_init(&lifeline->io, input_came, STDIN_FILENO, EV_READ);
	lifeline->io.data = lifeline;
	ev_io_start(loop, &lifeline->io);
}
