/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_EVENT_LOOP_H
#define MONITOR_EVENT_LOOP_H

#include <ev.h>

/*
 * Create a libev loop with EVFLAG_* flags; the caller destroys it. Never NULL: if it cannot be
 * created, or later lacks descriptors for its watchers, the program exits with an error. Not
 * libev's default loop, whose SIGCHLD handler would reap the command before its source does.
 */
struct ev_loop *event_loop_new(unsigned flags);

#endif
