/* SPDX-License-Identifier: MIT */
/*
 * The URL of a NATS server, or of some of which one is enough:
 *
 *   nats://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...][/SITE.HOST]     tls://... encrypts
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
	char host[NATS_HOST_BYTES]; /* without the brackets of an IPv6 address */
	uint16_t port;
};

struct nats_url {
	bool tls;
	unsigned nr; /* at least 1 */
	struct nats_server servers[NATS_MAX_SERVERS];
	char user[256], password[256]; /* "": none; percent-decoded */
	const char *path; /* borrowed from the text: what stands behind the '/', "": nothing */
};

/* Does it begin as one? */
bool nats_url_is(const char *text);
/* Take one apart; `text` outlives `out`. False, with a line of `why`, in which no password is. */
bool nats_url_parse(const char *text, struct nats_url *out, char *why, size_t why_bytes);
/* It without user and password: for a screen, a report, a log. Always terminated. */
void nats_url_show(const struct nats_url *url, char *out, size_t bytes);
/* Of a text that may be none: all that may be a user or password in it is hidden. malloc()ed. */
char *nats_url_hidden(const char *text);
/* Are all its servers on this machine? */
bool nats_url_is_loopback(const struct nats_url *url);

#endif
