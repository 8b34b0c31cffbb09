/* SPDX-License-Identifier: MIT */
/*
 * A Unix socket that trace2top creates and reads, for socket sources and for the traced command.
 *
 * By default, a writer blocks after about 170 unread events on a stream socket, after 11 on a
 * datagram socket (net.unix.max_dgram_qlen), and in connect() if the backlog is full. So all
 * pending connections are accepted at once and read in turns.
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

/*
 * Create a socket of `type` (SOCK_STREAM or SOCK_DGRAM) at `path` for `source`, which must outlive
 * the listener. Returns NULL with an error in `why`, a buffer of `why_bytes` bytes.
 */
struct listener *listener_open(struct source *source, const char *path, int type, unsigned mode,
			       char *why, size_t why_bytes);
void listener_start(struct listener *listener);
/*
 * Remove the socket's file, accept the pending connections or read the pending datagrams, and close
 * the socket. Connections stay open. No effect if the socket is closed.
 */
void listener_stop(struct listener *listener);
/* Create and start the socket again after listener_stop(). Returns false with an error in `why`. */
bool listener_reopen(struct listener *listener, char *why, size_t why_bytes);
/* Read all data that open connections have sent, then close them. */
void listener_hang_up(struct listener *listener);
/* False if a datagram, or data or the end of an accepted connection, is waiting. */
bool listener_is_empty(const struct listener *listener);
/* Call listener_stop() and listener_hang_up(); end the stream of a datagram socket. */
void listener_finish(struct listener *listener);
/* Call listener_finish(), then free the listener. */
void listener_close(struct listener *listener);

/*
 * Read waiting datagrams of all started datagram sockets, at most about TURN_BYTES of each. Call it
 * while other sources are read: the kernel queues only 11 datagrams by default. Safe inside any
 * callback: errors are handled when the socket itself is read or stopped.
 */
void listeners_take_datagrams(struct source_context *context);

#endif
