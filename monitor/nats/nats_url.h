/* SPDX-License-Identifier: MIT */
/*
 * The URL of a NATS server, or of alternative ones:
 *
 *   nats://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...][/SITE.HOST]
 *   tls://...    the same, with TLS
 *
 * Any thread.
 */
#ifndef MONITOR_NATS_URL_H
#define MONITOR_NATS_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NATS_MAX_SERVERS 16
#define NATS_HOST_BYTES  256u

struct nats_server {
	char host[NATS_HOST_BYTES]; /* host name; IPv6 addresses without brackets */
	uint16_t port;
};

struct nats_url {
	bool tls;
	unsigned nr; /* at least 1 */
	struct nats_server servers[NATS_MAX_SERVERS];
	/* user and password, percent-decoded; "": not given */
	char user[256], password[256];
	const char *path; /* text after the '/' of the URL, borrowed; "": none */
};

/* True if the text starts like a NATS URL. */
bool nats_url_is(const char *text);
/* Parse a URL; `text` must outlive `out`. On error, returns false with one line, without passwords,
 * in `why`. */
bool nats_url_parse(const char *text, struct nats_url *out, char *why, size_t why_bytes);
/* Format the URL without user and password. */
void nats_url_show(const struct nats_url *url, char *out, size_t bytes);
/* Return a malloc()ed copy of a URL, perhaps malformed, that hides text that may be a user or
 * password. */
char *nats_url_hidden(const char *text);
/* True if all servers of the URL have loopback addresses or are "localhost". */
bool nats_url_is_loopback(const struct nats_url *url);

#endif
