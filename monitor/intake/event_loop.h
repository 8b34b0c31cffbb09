/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_EVENT_LOOP_H
#define MONITOR_EVENT_LOOP_H

#include <ev.h>

/*
 * A loop of libev's with its EVFLAG_*; the caller destroys it. Never NULL: where one cannot be
 * had, or has no descriptor for its watchers later, the program dies with a line that says why.
 * Not libev's default loop: that one's SIGCHLD handler would reap the command before its source.
 */
struct ev_loop *event_loop_new(unsigned flags);

#endif
