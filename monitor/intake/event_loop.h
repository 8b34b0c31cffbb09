/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_EVENT_LOOP_H
#define MONITOR_EVENT_LOOP_H

#include <ev.h>

/*
 * Create a libev loop with EVFLAG_* flags; the caller destroys it. Never NULL: if it cannot be
 * created, or later lacks descriptors for its watchers, the program exits with an error. This is
 * not libev's default loop, whose SIGCHLD handler would reap the command before trace2top does.
 */
struct ev_loop *event_loop_new(unsigned flags);

#endif
