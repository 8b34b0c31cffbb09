/* SPDX-License-Identifier: MIT */
/*
 * A link to NATS: one connection, which is made, lost and made again, in a thread of its own.
 *
 *   nats_link_start() --> thread: connect to the next server --> run(), while it is connected
 *                                        ^---- a pause <---- it is lost, or run() returned
 *
 * The library's own ways to reconnect are not used: it would keep what was published and send it
 * twice, and would not say why a server cannot be had. A server that cannot be reached is tried
 * again after a second, later after eight; one that refuses us (password, certificate, rights)
 * after a minute.
 *
 * Calls are for the thread that made it, unless they say otherwise.
 */
#ifndef MONITOR_NATS_LINK_H
#define MONITOR_NATS_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/nats/nats_url.h"

/* The library's natsConnection. */
struct __natsConnection;

/* What was left out of this program at configure, such as "libnats (Debian: libnats-dev)"; NULL:
 * nothing, and the rest may be called. */
const char *nats_link_missing(void);
/* The library and its version, "libnats 3.4.1"; NULL: it was left out. */
const char *nats_link_library(void);

/* All borrowed for the call; what is NULL is not given. */
struct nats_link_config {
	const struct nats_url *url;
	const char *name; /* what the server's operator sees us called */
	/* A file of credentials: a JWT with its seed; an nkey's seed and public key, a line each; or
	 * USER:PASSWORD. */
	const char *creds;
	const char *tls_ca, *tls_cert, *tls_key; /* PEM files; any of them asks for TLS */
	bool insecure;                           /* without TLS to another machine, too */
	ns_t silence_ns; /* a server that does not answer for so long is given up; 0: a minute */
};

enum nats_link_state {
	NATS_LINK_AWAY, /* no connection */
	NATS_LINK_UP,
};

struct nats_link_status {
	enum nats_link_state state;
	ns_t since;       /* wall: when it came to be in that state */
	char server[300]; /* HOST:PORT that it is connected to, or was tried last */
	char error[300];  /* why it is away, in words; "": not known yet, or it is up */
};

struct nats_link;

/* Check what is given and read the files; connects to nothing yet. NULL, with a line of `why`. A
 * file of credentials that others may read is told of, a line on stderr. */
struct nats_link *nats_link_new(const struct nats_link_config *config, char *why, size_t why_bytes);
/*
 * Start the thread. `run` is called in it each time a connection was made, uses it, and returns
 * once nats_link_wait() says so, or after nats_link_give_up(); what it made of it (subscriptions)
 * is gone by then. `changed` is called from any thread when the status changed, and must not block;
 * NULL: nobody asks.
 */
void nats_link_start(struct nats_link *link,
		     void (*run)(void *data, struct nats_link *link,
				 struct __natsConnection *connection),
		     void (*changed)(void *data), void *data);
/* Ask run() to return and no more connections to be made, and wait for the thread: at most the five
 * seconds that a connection may take. Where the library waits for a server that greeted and says
 * nothing more, the thread is left behind after ten, with its link; run() is not called any more. */
void nats_link_stop(struct nats_link *link);
/* Stops it, too. */
void nats_link_free(struct nats_link *link);

/* ---- in run() ---- */

/* Sleep until nats_link_wake(), or until `until` (monotonic; NS_NONE: for ever). False where run()
 * is to return: the connection is lost, or the link is to stop. */
bool nats_link_wait(struct nats_link *link, ns_t until);
/* This server is of no use: the status says `error`, and the next one is tried. `refused`: after a
 * minute, as nobody but a person can mend it. run() returns then. */
void nats_link_give_up(struct nats_link *link, bool refused, const char *error);
/* Has the server refused something since this was asked last? Its own words of it, such as
 * `Permissions Violation for Publish to "SUBJECT"`, into `out`. */
bool nats_link_refusal(struct nats_link *link, char *out, size_t bytes);

/* ---- any thread ---- */

/* Wake nats_link_wait(); a wake is kept for the next wait. */
void nats_link_wake(struct nats_link *link);
void nats_link_status(struct nats_link *link, struct nats_link_status *out);

#endif
