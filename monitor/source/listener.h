/* SPDX-License-Identifier: MIT */
/*
 * A Unix socket that is read, for socket sources and for the command.
 *
 * A writer blocks after about 170 unread events on a stream, after 11 on a datagram socket
 * (net.unix.max_dgram_qlen), and in connect() if the backlog is full. So the listener accepts all
 * pending connections at once, reads them in turns, and reads until nothing is left.
 *
 * For the intake thread, except listener_open(), which is called before that thread starts.
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
 * the listener. Returns NULL with an error in `why` (of `why_bytes`).
 */
struct listener *listener_open(struct source *source, const char *path, int type, unsigned mode,
			       char *why, size_t why_bytes);
void listener_start(struct listener *listener);
/*
 * Accept and read everything pending, close the listening socket and remove its path. Open
 * connections continue.
 */
void listener_stop(struct listener *listener);
/* Create the socket again after listener_stop(). Returns false with an error in `why`. */
bool listener_reopen(struct listener *listener, char *why, size_t why_bytes);
/* Read all data that open connections have sent, and close them. */
void listener_hang_up(struct listener *listener);
/* True if no connection and no datagram is readable. */
bool listener_is_empty(const struct listener *listener);
/* Stop listening and close all connections after reading them; deliver records that readers of
 * datagrams hold back. */
void listener_finish(struct listener *listener);
/* Call listener_finish(), then free the listener. */
void listener_close(struct listener *listener);

/*
 * Read waiting datagrams of all sockets, a limited number of each. Called while other sources are
 * read, because the kernel queues only 11 datagrams. Safe inside any callback; errors are handled
 * in the callback of the socket itself.
 */
void listeners_take_datagrams(struct source_context *context);

#endif
