/* SPDX-License-Identifier: MIT */
/*
 * A Unix socket that is read, for the sources of sockets and for the command. A writer blocks
 * after some 170 unread events, on a datagram socket after 11 where dgram_queue.h cannot help,
 * and in connect() where nobody accepts: so every connection that waits is accepted at once,
 * none is served to the exclusion of others, and everything is read until nothing is left.
 *
 * All of it is for the intake thread, but listener_open(), which comes before that thread, and
 * what says that a deputy may call it.
 */
#ifndef MONITOR_LISTENER_H
#define MONITOR_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

struct listener;
struct source;

/* A socket of `type` (SOCK_STREAM or SOCK_DGRAM) at `path` for `source`, which must outlive it;
 * NULL and `why` (of `why_bytes`) where it cannot be. */
struct listener *listener_open(struct source *source, const char *path, int type, unsigned mode,
			       char *why, size_t why_bytes);
void listener_start(struct listener *listener);
/* Take who and what waits, close the listening socket and remove its path; connections go on. */
void listener_stop(struct listener *listener);
/* Make the socket anew after listener_stop(); false and `why` where that cannot be. */
bool listener_reopen(struct listener *listener, char *why, size_t why_bytes);
/* Take what its connections have sent, and close them. */
void listener_hang_up(struct listener *listener);
/* Has it no connection with anything to read, and no datagram? */
bool listener_is_empty(const struct listener *listener);
/* No more will come: stop and hang up; what was held back of datagrams is delivered. */
void listener_finish(struct listener *listener);
/* The same, and free it. */
void listener_close(struct listener *listener);

/*
 * Read a turn of its datagrams; of its connections that were read last. The thread does that
 * between pieces of other work, its deputy in its place: ends and errors that this finds are
 * kept for the thread's own turn.
 */
void listener_take_datagrams(struct listener *listener);
void listener_take_connections(struct listener *listener);

#endif
