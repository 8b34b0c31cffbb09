/* SPDX-License-Identifier: MIT */
/* Sources for the stream and datagram sockets that trace2top creates. */
#include "config.h"
#include "monitor/source/source.h"

#include <sys/socket.h>

#include "monitor/source/listener.h"

static bool socket_open(struct source *s, int type, char *why, size_t why_bytes)
{
	s->priv = listener_open(s, s->path, type, s->context->config.socket_mode, why, why_bytes);
	if (!s->priv)
		return false;
	source_set_state(s, SOURCE_FOLLOWING);
	source_make_rings(s, s->path);
	return true;
}

static bool open_stream(struct source *s, char *why, size_t why_bytes)
{
	return socket_open(s, SOCK_STREAM, why, why_bytes);
}

static bool open_dgram(struct source *s, char *why, size_t why_bytes)
{
	return socket_open(s, SOCK_DGRAM, why, why_bytes);
}

static void socket_start(struct source *s)
{
	listener_start(s->priv);
}

static void socket_suspend(struct source *s)
{
	listener_stop(s->priv);
	/* Close open connections, too: their writers would block when the buffers are full. */
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
	origin_error(&s->origin, "%s", why);
}

static void socket_finish(struct source *s)
{
	listener_finish(s->priv);
}

/* --once is ending: accept no new connections, but read open ones. */
static void stream_drain(struct source *s)
{
	listener_stop(s->priv);
}

/* A datagram socket is read until --once ends, but a source without `drain` would not end. */
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
	.waits = "listening; Ctrl-C ends that and gives the report",
	.is_target = true,
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
	.waits = "listening; Ctrl-C ends that and gives the report",
	.is_target = true,
	.open = open_dgram,
	.start = socket_start,
	.suspend = socket_suspend,
	.resume = socket_resume,
	.drain = dgram_drain,
	.is_empty = socket_is_empty,
	.finish = socket_finish,
	.close = socket_close,
};
