/* SPDX-License-Identifier: MIT */
/*
 * Detects that the process which started a relay (--record=-) has exited: EOF on standard input.
 * If a command runs, it may read standard input itself; then standard output without a reader is
 * the sign. Main thread.
 */
#ifndef MONITOR_PARENT_WATCH_H
#define MONITOR_PARENT_WATCH_H

#include <ev.h>

#include "monitor/settings/options.h"

struct parent_watch {
	ev_io io;      /* private */
	ev_timer look; /* private */
	void (*ended)(void *data);
	void *data;
};

/* Call `ended` once when the parent has exited. No effect if standard input is not a pipe or is
 * a source, or if the report of a command is wanted. Data on standard input are ignored. */
void parent_watch_watch(struct parent_watch *parent_watch, struct ev_loop *loop,
			const struct options *options, void (*ended)(void *data), void *data);

#endif
