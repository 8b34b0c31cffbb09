/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/nats/nats_url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/buf.h"
#include "monitor/base/die.h"
#include "monitor/base/host.h"
#include "monitor/base/platform.h"
#include "monitor/base/secrets.h"

#define NATS_PORT 4222

static const char *const schemes[2] = { "nats://", "tls://" };

/* Return the text after the scheme, and set `*tls` for tls://. NULL: no scheme of NATS. */
static const char *scheme_skip(const char *text, bool *tls)
{
	for (int i = 0; i < 2; i++) {
		size_t len = strlen(schemes[i]);

		if (strncmp(text, schemes[i], len))
			continue;
		*tls |= i == 1;
		return text + len;
	}
	return NULL;
}

bool nats_url_is(const char *text)
{
	bool tls = false;

	return scheme_skip(text, &tls) != NULL;
}

static int nats_url_digit_of(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : -1;
}

static bool unescape(const char *text, size_t len, char *out, size_t bytes)
{
	size_t nr = 0;

	for (size_t at = 0; at < len; at++) {
		char c = text[at];

		if (c == '%' && len - at > 2 && nats_url_digit_of(text[at + 1]) >= 0 &&
		    nats_url_digit_of(text[at + 2]) >= 0) {
			c = (char)(nats_url_digit_of(text[at + 1]) << 4 |
				   nats_url_digit_of(text[at + 2]));
			at += 2;
		}
		if (nr == bytes - 1 || !c)
			return false;
		out[nr++] = c;
	}
	out[nr] = '\0';
	return true;
}

static bool user_take(const char *text, size_t len, struct nats_url *out)
{
	const char *colon = memchr(text, ':', len);
	size_t user = colon ? (size_t)(colon - text) : len;

	return unescape(text, user, out->user, sizeof(out->user)) &&
	       unescape(text + user + !!colon, len - user - !!colon, out->password,
			sizeof(out->password));
}

static bool port_take(const char *text, size_t len, uint16_t *out)
{
	unsigned port = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9' || port > 65535)
			return false;
		port = port * 10 + (unsigned)(text[i] - '0');
	}
	*out = (uint16_t)port;
	return len && port && port <= 65535;
}

/* Parse HOST[:PORT]. */
static bool server_take(const char *text, size_t len, struct nats_server *out)
{
	bool is_v6 = len && *text == '[';
	const char *end = is_v6 ? memchr(text, ']', len) : memchr(text, ':', len);
	size_t host;

	if (is_v6 && !end)
		return false;
	text += is_v6;
	len -= is_v6;
	host = end ? (size_t)(end - text) : len;
	if (!host || host >= sizeof(out->host))
		return false;
	for (size_t i = 0; i < host; i++)
		if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f || strchr("[]@\"\\", text[i]))
			return false;
	memcpy(out->host, text, host);
	out->host[host] = '\0';
	host += is_v6;
	out->port = NATS_PORT;
	if (host == len)
		return true;
	return text[host] == ':' && port_take(text + host + 1, len - host - 1, &out->port);
}

static void format_escapes(char *why, size_t why_bytes)
{
	snprintf(why, why_bytes, "in a user or password, encode '/' as %%2F and ',' as %%2C");
}

/* Report that server `nr` of a URL is malformed, without its text, which may be a password:
 * "nats://USER:PASSWORD" looks like HOST:PORT. */
static void format_malformed(unsigned nr, const char *at, const char *end, char *why,
			     size_t why_bytes)
{
	if (memchr(at, ':', (size_t)(end - at)) && strchr(end, '@'))
		format_escapes(why, why_bytes);
	else
		snprintf(why, why_bytes, "server %u of the URL is not HOST or HOST:PORT", nr);
}

bool nats_url_parse(const char *text, struct nats_url *out, char *why, size_t why_bytes)
{
	const char *at, *end, *user_end, *begin;

	*out = (struct nats_url){ .path = "" };
	begin = at = scheme_skip(text, &out->tls);
	if (!at) {
		snprintf(why, why_bytes, "not a NATS URL; use nats://HOST or tls://HOST");
		return false;
	}
	while (at) {
		const char *inner = scheme_skip(at, &out->tls);
		size_t len;

		at = inner ? inner : at;
		len = strcspn(at, ",/");
		end = at + len;
		user_end = platform_find_last(at, '@', len);
		if (user_end && !user_take(at, (size_t)(user_end - at), out)) {
			snprintf(why, why_bytes, "user or password too long");
			return false;
		}
		at = user_end ? user_end + 1 : at;
		if (out->nr == NATS_MAX_SERVERS) {
			snprintf(why, why_bytes, "more than %d servers", NATS_MAX_SERVERS);
			return false;
		}
		if (!server_take(at, (size_t)(end - at), &out->servers[out->nr++])) {
			format_malformed(out->nr, at, end, why, why_bytes);
			return false;
		}
		at = *end == ',' ? end + 1 : NULL;
	}
	out->path = *end == '/' ? end + 1 : "";
	/* With an '@' in the URL's path, the text after ":" may be a password that contains a
	 * '/'. */
	if (strchr(out->path, '@') && memchr(begin, ':', (size_t)(end - begin))) {
		out->path = "";
		format_escapes(why, why_bytes);
		return false;
	}
	return true;
}

static bool has_numeric_ports(const char *servers)
{
	for (const char *at = servers;; at++) {
		at += *at == '[' ? strcspn(at, "]/") : 0;
		at += strcspn(at, ":,/");
		if (*at == ':' && !strspn(at + 1, "0123456789"))
			return false;
		at += *at == ':' ? 1 + strspn(at + 1, "0123456789") : 0;
		if (*at != ',')
			return !*at || *at == '/';
	}
}

char *nats_url_hidden(const char *text)
{
	const char *behind = strstr(text, "://"), *at = strrchr(text, '@');
	const char *from = behind ? behind + 3 : text;
	struct tr2_buf out;

	if (!at || at < from) {
		/* A port that is not a number may be a password. */
		if (has_numeric_ports(from))
			return xstrdup(text);
		at = "";
	}
	tr2_buf_init(&out, SIZE_MAX / 2);
	tr2_buf_add(&out, text, (size_t)(from - text));
	tr2_buf_addstr(&out, SECRETS_HIDDEN);
	tr2_buf_addstr(&out, at);
	tr2_buf_cstr(&out);
	if (out.failed)
		die_of_memory(strlen(text));
	return out.data;
}

void nats_url_show(const struct nats_url *url, char *out, size_t bytes)
{
	size_t nr = (size_t)snprintf(out, bytes, "%s", schemes[url->tls]);

	for (unsigned i = 0; i < url->nr && nr < bytes; i++) {
		const struct nats_server *s = &url->servers[i];
		const char *v6 = strchr(s->host, ':');

		nr += (size_t)snprintf(out + nr, bytes - nr, "%s%s%s%s", i ? "," : "",
				       v6 ? "[" : "", s->host, v6 ? "]" : "");
		if (s->port != NATS_PORT && nr < bytes)
			nr += (size_t)snprintf(out + nr, bytes - nr, ":%u", s->port);
	}
	if (*url->path && nr < bytes)
		snprintf(out + nr, bytes - nr, "/%s", url->path);
}

bool nats_url_is_loopback(const struct nats_url *url)
{
	for (unsigned i = 0; i < url->nr; i++)
		if (!host_is_loopback(url->servers[i].host))
			return false;
	return true;
}
