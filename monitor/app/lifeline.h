/* SPDX-License-Identifier: MIT */
/*
 * Who starts us as a relay (--record=-) holds the other end of our standard input: where that
 * ends, he is gone, and so do we. Where a command runs, that may be for others to read, and end:
 * then he is gone where nobody reads our standard output. Main thread.
 */
#ifndef MONITOR_LIFELINE_H
#define MONITOR_LIFELINE_H

#include <ev.h>

#include "monitor/settings/options.h"

struct lifeline {
	ev_io io;      /* private */
	ev_timer look; /* private */
	void (*ended)(void *data);
	void *data;
};

/* Call `ended` once, where that is so: not where standard input is no pipe or a source is read there,
 * nor of a command that is to be reported on. What comes through it is not looked at. */
void lifeline_watch(struct lifeline *lifeline, struct ev_loop *loop, const struct options *options,
		    void (*ended)(void *data), void *data);

#endif
