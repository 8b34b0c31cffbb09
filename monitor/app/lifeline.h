/* SPDX-License-Identifier: MIT */
/*
 * Who starts us as a relay (--record=-) holds the other end of our standard input: where that
 * ends, he is gone, and so do we. Main thread.
 */
#ifndef MONITOR_LIFELINE_H
#define MONITOR_LIFELINE_H

#include <ev.h>

#include "monitor/settings/options.h"

struct lifeline {
	ev_io io; /* private */
	void (*ended)(void *data);
	void *data;
};

/* Call `ended` once, where that is so: not where standard input is no pipe or is read itself. What
 * comes through it is not looked at. */
void lifeline_watch(struct lifeline *lifeline, struct ev_loop *loop, const struct options *options,
		    void (*ended)(void *data), void *data);

#endif
