/* SPDX-License-Identifier: MIT */
/*
 * Detect that the process which started a relay (--record=-) has exited: by EOF on standard input,
 * or, if the relay runs a command, when standard output has no reader any more. Used by the main
 * thread.
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

/*
 * Start to watch: `ended` is called once when the parent has exited. No effect without --record=-,
 * if standard input is a source, if the report of a command is requested, or if there is no command
 * and standard input is neither a pipe nor a socket. Without a command, data on standard input is
 * ignored.
 */
void parent_watch_watch(struct parent_watch *parent_watch, struct ev_loop *loop,
			const struct options *options, void (*ended)(void *data), void *data);

#endif
