/* SPDX-License-Identifier: MIT */
/*
 * A link to NATS servers: one connection that is made, and made again if it is lost, in a thread of
 * its own.
 *
 *   nats_link_start() --> thread: connect to the next server --> run(), while connected
 *                                   ^---- pause <---- connection lost, or run() returned
 *
 * The reconnecting of libnats is not used: it would buffer published messages and send them twice,
 * and would not report why a server is unreachable. An unreachable server is tried again after a
 * second, later after eight; one that rejects us (password, certificate, permissions) after a
 * minute.
 *
 * Call from the thread that created the link, unless stated otherwise.
 */
#ifndef MONITOR_NATS_LINK_H
#define MONITOR_NATS_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/nats/nats_url.h"

/* The natsConnection of libnats. */
struct __natsConnection;

/* Return the library that the program was built without, for example "libnats (Debian:
 * libnats-dev)". NULL: nothing is missing, and the other functions may be called. */
const char *nats_link_missing(void);
/* Get the name and version of the library, "libnats 3.4.1"; "" if built without it. */
#define NATS_LIBRARY_BYTES 64
void nats_link_library(char out[NATS_LIBRARY_BYTES]);

/* Configuration of a link; borrowed for the call; NULL members: not given. */
struct nats_link_config {
	const struct nats_url *url;
	const char *name; /* client name that the NATS server shows */
	/* File of credentials: a JWT with its seed; an nkey's seed and public key, one per line;
	 * or USER:PASSWORD. */
	const char *creds;
	const char *tls_ca, *tls_cert, *tls_key; /* PEM files; any of them enables TLS */
	bool insecure;   /* allow connections to other machines without TLS */
	ns_t silence_ns; /* how long a server may be silent; 0: a minute */
};

enum nats_link_state {
	NATS_LINK_AWAY, /* there is no connection */
	NATS_LINK_UP,
};

struct nats_link_status {
	enum nats_link_state state;
	ns_t since;       /* wall time at which the state began */
	char server[300]; /* HOST:PORT of the current or last server */
	char error[300];  /* reason why the server is unreachable; "": unknown, or connected */
};

struct nats_link;

/* Check the configuration and read the files, without connecting. Returns NULL with one line in
 * `why` on error. Prints a warning if other users can read the file of credentials. */
struct nats_link *nats_link_new(const struct nats_link_config *config, char *why, size_t why_bytes);
/*
 * Start the link's thread. It calls `run` for each connection. `run` must return after
 * nats_link_wait() returned false or after nats_link_give_up(), and destroy everything that it
 * created on the connection (subscriptions). `changed` is called from any thread when the status
 * changes, and must not block; may be NULL.
 */
void nats_link_start(struct nats_link *link,
		     void (*run)(void *data, struct nats_link *link,
				 struct __natsConnection *connection),
		     void (*changed)(void *data), void *data);
/* Stop the link: run() returns, no more connections are made. Waits for the thread, at most the
 * five seconds of a connection attempt. If libnats waits for a server that greeted and then sent
 * nothing, the thread and its link are abandoned after ten seconds; run() is not called again. */
void nats_link_stop(struct nats_link *link);
/* Stop and free the link. */
void nats_link_free(struct nats_link *link);

/* ---- functions for run() ---- */

/* Sleep until nats_link_wake() is called or until `until` (monotonic; NS_NONE: no limit).
 * Returns false if run() must return: the connection is lost, or the link is stopping. */
bool nats_link_wait(struct nats_link *link, ns_t until);
/* Give up this server with the message `error` and try the next one; if `refused`, only after a
 * minute, because only the user can fix it. run() must then return. */
void nats_link_give_up(struct nats_link *link, bool refused, const char *error);
/* Return true if the server rejected something since the last call, with its message in `out`,
 * for example `Permissions Violation for Publish to "SUBJECT"`. */
bool nats_link_refusal(struct nats_link *link, char *out, size_t bytes);

/* ---- functions for any thread ---- */

/* Wake nats_link_wait(), or make the next call return at once. */
void nats_link_wake(struct nats_link *link);
void nats_link_status(struct nats_link *link, struct nats_link_status *out);

#endif
