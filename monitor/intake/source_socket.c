/* SPDX-License-Identifier: MIT */
/* Unix sockets that we make: af_unix:stream:PATH, af_unix:dgram:PATH, af_unix:PATH. */
#include "config.h"
#include "monitor/intake/source.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "monitor/intake/intake_priv.h"
#include "monitor/intake/listener.h"

#define PREFIX "af_unix:"

static bool has_prefix(const char *spec, const char *prefix)
{
	return !strncmp(spec, prefix, strlen(prefix));
}

static bool claims_stream(const char *spec, const struct stat *st)
{
	(void)st;
	return has_prefix(spec, PREFIX "stream:");
}

static bool claims_dgram(const char *spec, const struct stat *st)
{
	(void)st;
	return has_prefix(spec, PREFIX "dgram:");
}

static bool claims_auto(const char *spec, const struct stat *st)
{
	(void)st;
	return has_prefix(spec, PREFIX);
}

static bool socket_open(struct source *s, const char *prefix, int type, char *why,
			size_t why_bytes)
{
	const char *path = s->spec + strlen(prefix);

	if (!*path) {
		snprintf(why, why_bytes, "a path is missing behind %s", prefix);
		return false;
	}
	s->priv = listener_open(s, path, type, s->intake->config.socket_mode, why, why_bytes);
	if (s->priv)
		source_set_state(s, SOURCE_FOLLOWING);
	return s->priv != NULL;
}

static bool open_stream(struct source *s, char *why, size_t why_bytes)
{
	return socket_open(s, PREFIX "stream:", SOCK_STREAM, why, why_bytes);
}

static bool open_dgram(struct source *s, char *why, size_t why_bytes)
{
	return socket_open(s, PREFIX "dgram:", SOCK_DGRAM, why, why_bytes);
}

static bool open_auto(struct source *s, char *why, size_t why_bytes)
{
	return socket_open(s, PREFIX, SOCK_STREAM, why, why_bytes);
}

static void socket_start(struct source *s)
{
	listener_start(s->priv);
}

static void socket_suspend(struct source *s)
{
	listener_stop(s->priv);
	/* Who is connected would block once the buffer is full. */
	listener_hang_up(s->priv);
	source_set_state(s, SOURCE_SUSPENDED);
}

static void socket_resume(struct source *s)
{
	char why[200];

	if (listener_reopen(s->priv, why, sizeof(why))) {
		source_set_state(s, SOURCE_FOLLOWING);
		return;
	}
	source_set_state(s, SOURCE_FAILED);
	source_error(s, "%s", why);
}

static void socket_finish(struct source *s)
{
	listener_stop(s->priv);
	listener_hang_up(s->priv);
}

/* Nobody may connect any more. */
static void stream_drain(struct source *s)
{
	listener_stop(s->priv);
}

/* Who has it open may send on, until the drain is over. */
static void dgram_drain(struct source *s)
{
	(void)s;
}

static bool socket_is_empty(struct source *s)
{
	return !s->priv || listener_is_empty(s->priv);
}

static void socket_close(struct source *s)
{
	if (s->priv)
		listener_close(s->priv);
	s->priv = NULL;
}

const struct source_ops source_stream = {
	.kind = "af_unix:stream",
	.help = "make a stream socket and listen on it",
	.claims = claims_stream,
	.open = open_stream,
	.start = socket_start,
	.suspend = socket_suspend,
	.resume = socket_resume,
	.drain = stream_drain,
	.is_empty = socket_is_empty,
	.finish = socket_finish,
	.close = socket_close,
};

const struct source_ops source_dgram = {
	.kind = "af_unix:dgram",
	.help = "make a datagram socket and receive on it",
	.claims = claims_dgram,
	.open = open_dgram,
	.start = socket_start,
	.suspend = socket_suspend,
	.resume = socket_resume,
	.drain = dgram_drain,
	.is_empty = socket_is_empty,
	.finish = socket_finish,
	.close = socket_close,
};

const struct source_ops source_auto = {
	.kind = "af_unix:stream",
	.help = "the same as af_unix:stream: without a type, Git tries that first",
	.claims = claims_auto,
	.open = open_auto,
	.start = socket_start,
	.suspend = socket_suspend,
	.resume = socket_resume,
	.drain = stream_drain,
	.is_empty = socket_is_empty,
	.finish = socket_finish,
	.close = socket_close,
};
