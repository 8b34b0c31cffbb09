/* SPDX-License-Identifier: MIT */
/*
 * The URL of a NATS server, or of several alternatives:
 *
 *   nats://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...][/SITE.HOST]
 *   tls://...    the same, with TLS
 *
 * Pure functions, any thread.
 */
#ifndef MONITOR_NATS_URL_H
#define MONITOR_NATS_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NATS_MAX_SERVERS 16
#define NATS_HOST_BYTES  256u

struct nats_server {
	char host[NATS_HOST_BYTES]; /* host name, without the brackets of an IPv6 address */
	uint16_t port;
};

struct nats_url {
	bool tls;
	unsigned nr; /* number of servers, at least 1 */
	struct nats_server servers[NATS_MAX_SERVERS];
	/* user and password, with percent-encoding decoded; "": not given */
	char user[256], password[256];
	const char *path; /* text after the '/' of the URL, borrowed; "": none */
};

/* True if the text starts like the URL of a NATS server. */
bool nats_url_is(const char *text);
/* Parse the URL of NATS servers; `text` must outlive `out`. Returns false with one line in
 * `why`, without passwords, on error. */
bool nats_url_parse(const char *text, struct nats_url *out, char *why, size_t why_bytes);
/* Format the URL without user and password into `out`, which is always NUL-terminated. */
void nats_url_show(const struct nats_url *url, char *out, size_t bytes);
/* Return a copy of a URL of NATS servers, which may be malformed, in which all text that may be a
 * user or password is hidden. The caller frees the copy. */
char *nats_url_hidden(const char *text);
/* True if all servers of the URL are on this machine. */
bool nats_url_is_loopback(const struct nats_url *url);

#endif
