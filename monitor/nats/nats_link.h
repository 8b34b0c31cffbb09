/* SPDX-License-Identifier: MIT */
/*
 * A link to NATS servers: one connection, which a thread of its own opens, and opens again if it is
 * lost.
 *
 *   nats_link_start() --> thread: connect to the next server --> run(), while connected
 *                                   ^---- pause <---- connection lost, or run() returned
 *
 * The reconnection function of libnats is not used, because it would buffer published messages and
 * send them twice, and would not report why a server is unreachable. After all servers were tried
 * in vain, they are tried again after about a second, later after up to eight; after a server
 * rejected the client (password, certificate, permissions), the pause is about a minute.
 *
 * Call these functions from the thread that created the link, unless stated otherwise.
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

/* Return the name of the library without which the program was built, for example "libnats (Debian:
 * libnats-dev)". NULL: the program was built with it, and the other functions may be called. */
const char *nats_link_missing(void);
/* Get the name and version of the library, such as "libnats 3.4.1", or a text that it cannot be
 * loaded; "" if the program was built without it. */
#define NATS_LIBRARY_BYTES 64
void nats_link_library(char out[NATS_LIBRARY_BYTES]);

/*
 * Configuration of a link. It is borrowed only during nats_link_new(). A member that is NULL was
 * not given.
 */
struct nats_link_config {
	const struct nats_url *url;
	const char *name; /* name of this client, which the NATS server shows */
	/* File of credentials: a JWT with its seed; an nkey's seed and public key, one per line;
	 * or USER:PASSWORD. */
	const char *creds;
	/* PEM files for TLS; if any of them is given, TLS is used */
	const char *tls_ca, *tls_cert, *tls_key;
	bool insecure; /* true: connections to other machines are allowed without TLS */
	/* time in ns for which a server may be silent before the connection counts as lost; 0: a
	 * minute */
	ns_t silence_ns;
};

enum nats_link_state {
	NATS_LINK_AWAY, /* there is no connection to a server */
	NATS_LINK_UP,
};

struct nats_link_status {
	enum nats_link_state state;
	ns_t since;       /* wall time since which the link has been in this state */
	char server[300]; /* HOST:PORT of the current server, or of the last one */
	char error[300];  /* reason why there is no connection; "": unknown, or connected */
};

struct nats_link;

/* Create a link: check the configuration and read its files, without connecting. On error, returns
 * NULL and one line of text in `why`. Prints a warning if other users can read the file of
 * credentials. */
struct nats_link *nats_link_new(const struct nats_link_config *config, char *why, size_t why_bytes);
/*
 * Start the link's thread. It calls `run` for each connection. `run` must return after
 * nats_link_wait() returned false or after nats_link_give_up(), and destroy everything that it
 * created on the connection (subscriptions). `changed` is called on the link's thread when the
 * state or the error changes, and must not block; may be NULL.
 */
void nats_link_start(struct nats_link *link,
		     void (*run)(void *data, struct nats_link *link,
				 struct __natsConnection *connection),
		     void (*changed)(void *data), void *data);
/*
 * Stop the link: make run() return, and open no more connections. Waits until the thread has ended,
 * or until a connection attempt has taken another 5.5 seconds, such as to a server that sent its
 * greeting and then nothing. Then the thread and its link are abandoned; run() is not called again.
 */
void nats_link_stop(struct nats_link *link);
/* Stop the link, and free it unless it was abandoned. NULL is allowed. */
void nats_link_free(struct nats_link *link);

/* ---- functions for run() ---- */

/* Sleep until nats_link_wake() is called, the server rejects an operation, or until `until`
 * (monotonic; NS_NONE: no limit). Returns false if run() must return: the connection is lost, or
 * the link is stopping. */
bool nats_link_wait(struct nats_link *link, ns_t until);
/*
 * Give up the current server with the message `error`; run() must then return, and the next server
 * is tried. If `refused`, that happens only after about a minute, because only the user can fix the
 * cause.
 */
void nats_link_give_up(struct nats_link *link, bool refused, const char *error);
/* Return true if the server has rejected an operation since the last call, and write its message to
 * `out`, for example `Permissions Violation for Publish to "SUBJECT"`. */
bool nats_link_refusal(struct nats_link *link, char *out, size_t bytes);

/* ---- functions for any thread ---- */

/*
 * Wake the thread that sleeps in nats_link_wait(); if none sleeps, make the next call return
 * immediately.
 */
void nats_link_wake(struct nats_link *link);
void nats_link_status(struct nats_link *link, struct nats_link_status *out);

#endif
