/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_EVENT_LOOP_H
#define MONITOR_EVENT_LOOP_H

#include <ev.h>

/*
 * Create a libev loop with EVFLAG_* flags; the caller destroys it. If a system call of libev fails,
 * now or later, the program exits. The loop is not the default one, whose SIGCHLD handler would
 * reap the traced command.
 */
struct ev_loop *event_loop_new(unsigned flags);

#endif
