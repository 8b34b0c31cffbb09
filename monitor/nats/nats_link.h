/* SPDX-License-Identifier: MIT */
/*
 * A link to NATS servers: one connection, which its own thread opens, and opens again if it is
 * lost.
 *
 *   nats_link_start() --> thread: connect to the next server --> run(), while connected
 *                                   ^---- pause <---- connection lost, or run() returned
 *
 * libnats' own reconnection would buffer published messages and send them twice, and would not
 * report why a server is unreachable. After all servers were tried in vain, there is a pause of one
 * to eight seconds; after a server rejected the client, of about a minute.
 *
 * For the thread that created the link, unless stated otherwise.
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
 * NULL: none; only then may other functions be called. */
const char *nats_link_missing(void);
/* Get the library's name and version, such as "libnats 3.4.1", or a text that it cannot be loaded;
 * "" if the program was built without it. */
#define NATS_LIBRARY_BYTES 64
void nats_link_library(char out[NATS_LIBRARY_BYTES]);

/* Configuration of a link, borrowed during nats_link_new(). NULL: not given. */
struct nats_link_config {
	const struct nats_url *url;
	const char *name; /* name of this client, which the server shows */
	/* file of credentials: a JWT with its seed; an nkey's seed and public key, one per line; or
	 * USER:PASSWORD */
	const char *creds;
	/* PEM files; if any is given, TLS is used */
	const char *tls_ca, *tls_cert, *tls_key;
	bool insecure; /* connections to other machines are allowed without TLS */
	/* ns for which a server may be silent before the connection counts as lost; 0: a minute */
	ns_t silence_ns;
};

enum nats_link_state {
	NATS_LINK_AWAY, /* no connection to a server */
	NATS_LINK_UP,
};

struct nats_link_status {
	enum nats_link_state state;
	ns_t since;       /* wall time since which the link is in this state */
	char server[300]; /* HOST:PORT of the current server, or of the last one */
	char error[300];  /* why there is no connection; "": unknown, or connected */
};

struct nats_link;

/* Create a link without connecting. On error, returns NULL and one line in `why`. Prints a warning
 * if other users can read the file of credentials. */
struct nats_link *nats_link_new(const struct nats_link_config *config, char *why, size_t why_bytes);
/*
 * Start the link's thread, which calls `run` for each connection. `run` must return after
 * nats_link_wait() returned false or after nats_link_give_up(), and destroy what it created on the
 * connection (subscriptions). `changed` is called on the link's thread when the state or the error
 * changes; it must not block and may be NULL.
 */
void nats_link_start(struct nats_link *link,
		     void (*run)(void *data, struct nats_link *link,
				 struct __natsConnection *connection),
		     void (*changed)(void *data), void *data);
/*
 * Make run() return, and open no more connections. Waits until the thread has ended, or a
 * connection attempt has taken 5.5 seconds. In the latter case the thread and its link are
 * abandoned; run() is not called again.
 */
void nats_link_stop(struct nats_link *link);
/* Stop the link, and free it unless abandoned. NULL is allowed. */
void nats_link_free(struct nats_link *link);

/* ---- functions for run() ---- */

/* Sleep until nats_link_wake() is called, the server rejects an operation, or until `until`
 * (monotonic; NS_NONE: no limit). Returns false if run() must return: the connection is lost, or
 * the link is stopping. */
bool nats_link_wait(struct nats_link *link, ns_t until);
/*
 * Give up the current server with the message `error`; run() must then return, and the next server
 * is tried: if `refused`, because only the user can fix the cause, after about a minute.
 */
void nats_link_give_up(struct nats_link *link, bool refused, const char *error);
/* Return true if the server has rejected an operation since the last call, and write its message to
 * `out`, such as `Permissions Violation for Publish to "SUBJECT"`. */
bool nats_link_refusal(struct nats_link *link, char *out, size_t bytes);

/* ---- functions for any thread ---- */

/* Make the current, or else the next, nats_link_wait() return. */
void nats_link_wake(struct nats_link *link);
void nats_link_status(struct nats_link *link, struct nats_link_status *out);

#endif
