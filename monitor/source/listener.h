/* SPDX-License-Identifier: MIT */
/*
 * A Unix socket that trace2top creates and reads.
 *
 * A writer may block while the kernel's queue of its socket is full. So the intake accepts all
 * pending connections at once and reads them in turns.
 *
 * Intake thread, except listener_open(), before it starts, and listener_close(), after it has
 * ended.
 */
#ifndef MONITOR_LISTENER_H
#define MONITOR_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

struct source_context;
struct listener;
struct source;

/* Create a socket of `type` (SOCK_STREAM or SOCK_DGRAM) at `path` for `source`, which must
 * outlive the listener. Returns NULL with an error in `why`. */
struct listener *listener_open(struct source *source, const char *path, int type, unsigned mode,
			       char *why, size_t why_bytes);
void listener_start(struct listener *listener);
/*
 * Remove the socket's file. If the listener was started, accept its pending connections or read its
 * pending datagrams. Then close the socket, but not the connections. No effect if the socket is
 * closed.
 */
void listener_stop(struct listener *listener);
/* Create and start the socket again after listener_stop(). Returns false with an error in `why`. */
bool listener_reopen(struct listener *listener, char *why, size_t why_bytes);
/* Read the data that writers have sent on open connections, then close these connections. */
void listener_hang_up(struct listener *listener);
/* False if a datagram is pending, or data, the end or an error of an accepted connection. */
bool listener_is_empty(const struct listener *listener);
/* Call listener_stop() and listener_hang_up(); end the stream of a datagram socket. */
void listener_finish(struct listener *listener);
/* Call listener_finish(), then free the listener. */
void listener_close(struct listener *listener);

/*
 * Read pending datagrams of all started datagram sockets, about 256 KiB at most of each. Call it
 * while other sources are read, because the kernel queues few datagrams. Safe inside any callback.
 */
void listeners_take_datagrams(struct source_context *context);

#endif
