/* SPDX-License-Identifier: MIT */
/*
 * A link to NATS servers: one connection, which its own thread opens, and opens again if it is
 * lost.
 *
 *   nats_link_start() --> thread: connect to the next server --> run(), while connected
 *                                   ^---- (pause) <---- connection lost, or run() returned
 *
 * libnats' own reconnection would send published messages twice, and not report why a server is
 * unreachable. The link pauses for about one to eight seconds when all servers have failed in a
 * row, with a lost connection as the first failure; after an error that only the user can fix, for
 * about a minute.
 *
 * One thread at a time, unless stated otherwise.
 */
#ifndef MONITOR_NATS_LINK_H
#define MONITOR_NATS_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/nats/nats_url.h"

/* The type natsConnection of libnats. */
struct __natsConnection;

/* Return the library that the program was built without, such as "libnats (Debian: libnats-dev)".
 * NULL: none. */
const char *nats_link_missing(void);
/* Get the library's name and version, such as "libnats 3.4.1", or "libnats, which cannot be
 * loaded"; "": the program was built without libnats or libzstd. */
#define NATS_LIBRARY_BYTES 64
void nats_link_library(char out[NATS_LIBRARY_BYTES]);

/* Configuration of a link, borrowed during nats_link_new(). */
struct nats_link_config {
	const struct nats_url *url;
	const char *name; /* name of this client, for the server */
	/* file of credentials: a JWT with its seed; an nkey's seed and public key; or
	 * USER:PASSWORD. NULL: none */
	const char *creds;
	/* PEM files; NULL: not given. If any is given, TLS is used */
	const char *tls_ca, *tls_cert, *tls_key;
	bool insecure; /* allow connections to other machines without TLS */
	/* ns for which a server may be silent before the connection counts as lost; 0: a minute */
	ns_t silence_ns;
};

enum nats_link_state {
	NATS_LINK_AWAY,
	NATS_LINK_UP,
};

struct nats_link_status {
	enum nats_link_state state;
	ns_t since;       /* wall time since which the link is in this state */
	char server[300]; /* HOST:PORT of the current or last server */
	char error[300];  /* why there is no connection; "": unknown, or connected */
};

struct nats_link;

/* Create a link without connecting. Returns NULL and one line in `why` on error. Prints a warning
 * if other users can read the file of credentials. */
struct nats_link *nats_link_new(const struct nats_link_config *config, char *why, size_t why_bytes);
/*
 * Start the link's thread, which calls `run` for each connection. `run` must return after
 * nats_link_wait() returned false or after nats_link_give_up(), and destroy what it created on the
 * connection. `changed` (may be NULL) is called on the link's thread when the state or the error
 * changes; it must not block.
 */
void nats_link_start(struct nats_link *link,
		     void (*run)(void *data, struct nats_link *link,
				 struct __natsConnection *connection),
		     void (*changed)(void *data), void *data);
/*
 * Make run() return, and open no more connections. Waits until the thread has ended. If a
 * connection attempt takes more than 5.5 seconds, abandons the thread and its link.
 */
void nats_link_stop(struct nats_link *link);
/* Stop the link, and free it unless it is abandoned. NULL is allowed. */
void nats_link_free(struct nats_link *link);

/* ---- functions for run() ---- */

/*
 * Sleep until nats_link_wake() is called, the server rejects an operation, or the monotonic time
 * `until` (NS_NONE: no limit). Returns false if run() must return: the connection is lost, or the
 * link is stopping.
 */
bool nats_link_wait(struct nats_link *link, ns_t until);
/* Give up the current server with the message `error`; run() must then return. `refused`: only the
 * user can fix the cause, so the next attempt is after about a minute. */
void nats_link_give_up(struct nats_link *link, bool refused, const char *error);
/* True if the server has rejected an operation since the last call; writes its message to `out`,
 * such as `Permissions Violation for Publish to "SUBJECT"`. */
bool nats_link_refusal(struct nats_link *link, char *out, size_t bytes);

/* ---- functions for any thread ---- */

/* Make the current, or else the next, nats_link_wait() return. */
void nats_link_wake(struct nats_link *link);
void nats_link_status(struct nats_link *link, struct nats_link_status *out);

#endif
