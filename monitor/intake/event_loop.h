/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_EVENT_LOOP_H
#define MONITOR_EVENT_LOOP_H

#include <ev.h>

/*
 * Create a libev loop with EVFLAG_* flags; the caller destroys it. Never returns NULL: if the loop
 * cannot be created, or if libev later reports that a system call failed, the program exits with an
 * error. It is not libev's default loop, because that has a SIGCHLD handler that would reap the
 * traced command before trace2top does.
 */
struct ev_loop *event_loop_new(unsigned flags);

#endif
