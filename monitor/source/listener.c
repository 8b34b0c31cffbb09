/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/listener.h"

#include <errno.h>
#include <ev.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "monitor/base/platform.h"
#include "monitor/base/shortage.h"
#include "monitor/source/socket_path.h"
#include "monitor/source/source.h"

/* A turn of reading one connection or datagram socket ends after this many bytes. */
#define TURN_BYTES (256u << 10)
/* A connection is read in pieces of at most this size; datagram sockets are read after each
 * piece. */
#define PIECE_BYTES (64u << 10)
/* Each datagram counts as this many bytes more than it has, so that a turn of empty datagrams
 * ends. */
#define DGRAM_COST_BYTES 64u
/* Maximum number of datagrams per platform_receive(). Linux queues 11 by default
 * (net.unix.max_dgram_qlen). */
#define DGRAM_VEC 16
/* Longer datagrams are truncated. Linux limits their length to about 208 KiB by default
 * (net.core.wmem_default). */
#define DGRAM_BYTES (256u << 10)
/* After an unexpected error of accept() or platform_receive(), the socket is not watched for REST_S
 * seconds. One more error after MAX_RESTS in a row, about a second, closes the socket. */
#define REST_S    0.01
#define MAX_RESTS 100

/*
 * States of a listening socket:
 *
 *   open --start--> listens -- stop, or more than MAX_RESTS failures --> closed --reopen--> listens
 *                   |     ^            in a row (given_up)
 *    cannot be read |     | REST_S later
 *                   +-> rests ------------------ stop -----------------> closed
 *
 * - From start to stop the listener is in context->listeners, and either `io` (listens) or `rest`
 *   (rests) is active, never both.
 * - `stopping` is true only within listener_stop(): no process can send or connect any more, and
 *   pending data is read without rests, until none is left or reading fails.
 * - Connections outlive the socket.
 * - listeners_take_datagrams() runs inside other callbacks, so it changes no list of listeners
 *   and no watcher. It keeps its error in `error` for the next dgram_take().
 */
struct connection {
	ev_io io;
	struct stream stream;
	struct listener *listener;
	struct connection *prev, *next;
	/* trace2top shut the connection down, so EOF does not show that the writer closed it */
	bool hung_up;
	bool ended; /* EOF or an error was read; `error`: the errno, or 0 at EOF */
	int error;
};

struct listener {
	struct source *source;
	char *path;
	unsigned mode;
	int fd;           /* the socket; -1: closed */
	struct stat made; /* stat of the socket file that this listener created */
	ev_io io;
	ev_timer rest;
	struct connection *connections;
	bool is_dgram, started;
	int error;     /* errno of a failed receive that dgram_take() must handle; 0: none */
	int nr_rests;  /* number of errors of accept or receive in a row */
	bool given_up; /* the socket was closed after too many errors in a row */
	bool stopping; /* the socket was shut down: only pending data or connections are left */
	/* Members from here on: only for datagram sockets. */
	struct stream stream;
	struct platform_datagram *messages;
	struct iovec *vecs;
	char *buf;
};

/* Set the source to failed if its socket was given up and no connection is open. The source of a
 * command ends with the command instead. */
static void given_up_end(struct listener *l)
{
	if (l->given_up && !l->connections && l->source->priv == l)
		source_set_state(l->source, SOURCE_FAILED);
}

static void connection_close(struct ev_loop *loop, struct connection *c, bool by_peer)
{
	struct listener *l = c->listener;

	ev_io_stop(loop, &c->io);
	close(c->io.fd);
	stream_end(&c->stream, by_peer);
	stream_release(&c->stream);
	if (c->prev)
		c->prev->next = c->next;
	else
		l->connections = c->next;
	if (c->next)
		c->next->prev = c->prev;
	l->source->origin.stats.nr_open--;
	free(c);
	given_up_end(l);
}

static bool peer_is_gone(int fd)
{
	struct pollfd it = { .fd = fd };

	return poll(&it, 1, 0) > 0 && it.revents & POLLHUP;
}

static void connection_take(struct connection *c)
{
	struct source_context *context = c->listener->source->context;
	char *buf = context->buf;
	size_t taken = 0;

	while (taken < TURN_BYTES && !c->ended) {
		ssize_t n = read(c->io.fd, buf, PIECE_BYTES);

		if (n > 0) {
			taken += (size_t)n;
			stream_feed(&c->stream, buf, (size_t)n);
			listeners_take_datagrams(context);
			/* A short read: no more data was pending. Another read() would only take
			 * the lock of the writer's socket. */
			if (n < (ssize_t)PIECE_BYTES)
				return;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && !c->hung_up)
			return;
		c->ended = true;
		c->error = n < 0 ? errno : 0;
	}
}

static void connection_read(struct ev_loop *loop, ev_io *w, int revents)
{
	struct connection *c = w->data;

	(void)revents;
	connection_take(c);
	if (!c->ended)
		return;
	if (c->error)
		origin_loss(&c->listener->source->origin, "a connection: %s", strerror(c->error));
	connection_close(loop, c, !c->hung_up || peer_is_gone(w->fd));
}

static void connection_new(struct listener *l, int fd)
{
	struct connection *c = xcalloc(1, sizeof(*c));
	int64_t uid;

	c->listener = l;
	stream_init(&c->stream, &l->source->origin);
	c->stream.name = l->path;
	c->stream.about.one_process = true;
	if (platform_peer(fd, &c->stream.about.peer_pid, &uid)) {
		c->stream.has_uid = true;
		c->stream.uid = (uid_t)uid;
	}
	c->next = l->connections;
	if (c->next)
		c->next->prev = c;
	l->connections = c;
	l->source->origin.stats.nr_open++;
	ev_io_init(&c->io, connection_read, fd, EV_READ);
	c->io.data = c;
	ev_io_start(l->source->context->loop, &c->io);
}

/* Stop watching the socket for REST_S seconds: the next attempt would probably fail, too. */
static void listener_rest(struct listener *l)
{
	struct ev_loop *loop = l->source->context->loop;

	ev_io_stop(loop, &l->io);
	ev_timer_set(&l->rest, REST_S, 0);
	ev_timer_start(loop, &l->rest);
}

static void on_rest_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct listener *l = w->data;

	(void)revents;
	if (l->fd >= 0)
		ev_io_start(loop, &l->io);
}

/* Handle an error of accept or receive. Unless the listener is stopping, the socket is read again
 * later, or closed after too many errors in a row, so that no writer blocks forever. */
static void listener_failed(struct listener *l, const char *call, int error)
{
	const char *mend = shortage_recover(error);

	origin_error(&l->source->origin, "%s: %s%s", call, strerror(error), mend);
	if (l->stopping) {
		l->source->origin.is_incomplete = true;
		return;
	}
	if (++l->nr_rests <= MAX_RESTS) {
		listener_rest(l);
		return;
	}
	listener_stop(l);
	origin_loss(&l->source->origin, "%s: %s: its socket was closed, so that writers go on%s",
		    call, strerror(error), mend);
	l->given_up = true;
	given_up_end(l);
}

static void accept_all(struct ev_loop *loop, ev_io *w, int revents)
{
	struct listener *l = w->data;

	(void)loop;
	(void)revents;
	for (;;) {
		int fd = platform_accept(w->fd);

		if (fd >= 0) {
			l->nr_rests = 0;
			connection_new(l, fd);
			continue;
		}
		if (errno == EINTR || errno == ECONNABORTED)
			continue;
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			return;
		/* listener_stop() has shut the socket down, and no pending connection is left. */
		if (errno == EINVAL && l->stopping)
			return;
		l->source->origin.stats.nr_accept_waits++;
		listener_failed(l, "accept", errno);
		return;
	}
}

static void dgram_buffers(struct listener *l)
{
	size_t each = DGRAM_BYTES + SPLITTER_PAD + 1;

	l->messages = xcalloc(DGRAM_VEC, sizeof(*l->messages));
	l->vecs = xcalloc(DGRAM_VEC, sizeof(*l->vecs));
	/* With calloc(), the kernel allocates a page only when it is first written to. */
	l->buf = xcalloc(DGRAM_VEC, each);
	for (int i = 0; i < DGRAM_VEC; i++) {
		l->vecs[i] = (struct iovec){ l->buf + (size_t)i * each, DGRAM_BYTES };
		l->messages[i].header.msg_iov = &l->vecs[i];
		l->messages[i].header.msg_iovlen = 1;
	}
}

/* Returns true if more datagrams may be pending. Sets `error` if receiving fails. */
static bool dgram_take_turn(struct listener *l)
{
	size_t taken = 0;

	while (taken < TURN_BYTES) {
		int n = platform_receive(l->fd, l->messages, DGRAM_VEC);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
			l->error = errno;
		if (n <= 0)
			return false;
		for (int i = 0; i < n; i++) {
			taken += l->messages[i].len + DGRAM_COST_BYTES;
			stream_datagram(&l->stream, l->vecs[i].iov_base, l->messages[i].len,
					l->messages[i].header.msg_flags & MSG_TRUNC);
		}
		if (n < DGRAM_VEC && !l->stopping)
			return false;
	}
	return true;
}

static bool dgram_take(struct listener *l)
{
	bool more = dgram_take_turn(l);
	int error = l->error;

	l->error = 0;
	if (error)
		listener_failed(l, "recvmmsg", error);
	else
		l->nr_rests = 0;
	return more;
}

static void dgram_read(struct ev_loop *loop, ev_io *w, int revents)
{
	(void)loop;
	(void)revents;
	dgram_take(w->data);
}

void listeners_take_datagrams(struct source_context *context)
{
	for (int i = 0; i < context->nr_listeners; i++)
		if (context->listeners[i]->is_dgram)
			dgram_take_turn(context->listeners[i]);
}

static void listener_register(struct listener *l)
{
	struct source_context *context = l->source->context;

	context->listeners = xreallocarray(context->listeners, (size_t)context->nr_listeners + 1,
					   sizeof(struct listener *));
	context->listeners[context->nr_listeners++] = l;
}

static void listener_unregister(struct listener *l)
{
	struct source_context *context = l->source->context;

	for (int i = 0; i < context->nr_listeners; i++)
		if (context->listeners[i] == l)
			context->listeners[i--] = context->listeners[--context->nr_listeners];
}

static bool fd_is_readable(int fd)
{
	char byte;
	ssize_t n;

	do
		n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

struct listener *listener_open(struct source *source, const char *path, int type, unsigned mode,
			       char *why, size_t why_bytes)
{
	struct listener *l = xcalloc(1, sizeof(*l));

	l->source = source;
	l->path = xstrdup(path);
	l->mode = mode;
	l->is_dgram = type == SOCK_DGRAM;
	ev_timer_init(&l->rest, on_rest_timer, REST_S, 0);
	l->rest.data = l;
	l->fd = socket_path_open(path, type, mode, &l->made, why, why_bytes);
	if (l->fd < 0) {
		free(l->path);
		free(l);
		return NULL;
	}
	if (l->is_dgram) {
		dgram_buffers(l);
		stream_init(&l->stream, &source->origin);
		l->stream.name = l->path;
		l->stream.live = true;
	}
	return l;
}

void listener_start(struct listener *l)
{
	ev_io_init(&l->io, l->is_dgram ? dgram_read : accept_all, l->fd, EV_READ);
	ev_set_priority(&l->io, EV_MAXPRI);
	l->io.data = l;
	ev_io_start(l->source->context->loop, &l->io);
	l->started = true;
	listener_register(l);
}

void listener_stop(struct listener *l)
{
	if (l->fd < 0)
		return;
	socket_path_remove(l->path, &l->made);
	if (l->started) {
		/* New connections and datagrams now fail; pending ones can still be read. */
		shutdown(l->fd, SHUT_RD);
		l->stopping = true;
		if (l->is_dgram)
			while (dgram_take(l))
				;
		else
			accept_all(l->source->context->loop, &l->io, EV_READ);
		l->stopping = false;
		ev_timer_stop(l->source->context->loop, &l->rest);
		ev_io_stop(l->source->context->loop, &l->io);
		listener_unregister(l);
	}
	close(l->fd);
	l->fd = -1;
}

bool listener_reopen(struct listener *l, char *why, size_t why_bytes)
{
	l->fd = socket_path_open(l->path, l->is_dgram ? SOCK_DGRAM : SOCK_STREAM, l->mode, &l->made,
				 why, why_bytes);
	if (l->fd < 0)
		return false;
	l->given_up = false;
	l->nr_rests = 0;
	listener_start(l);
	return true;
}

bool listener_is_empty(const struct listener *l)
{
	if (l->is_dgram)
		return l->fd < 0 || !fd_is_readable(l->fd);
	for (const struct connection *c = l->connections; c; c = c->next)
		if (fd_is_readable(c->io.fd))
			return false;
	return true;
}

void listener_hang_up(struct listener *l)
{
	struct ev_loop *loop = l->source->context->loop;

	while (l->connections) {
		struct connection *c = l->connections;

		/* Refuse new data, because a writer may never stop sending. */
		shutdown(c->io.fd, SHUT_RD);
		c->hung_up = true;
		while (l->connections == c)
			connection_read(loop, &c->io, EV_READ);
	}
}

void listener_finish(struct listener *l)
{
	listener_stop(l);
	listener_hang_up(l);
	if (l->is_dgram)
		stream_end(&l->stream, false);
}

void listener_close(struct listener *l)
{
	listener_finish(l);
	if (l->is_dgram)
		stream_release(&l->stream);
	free(l->messages);
	free(l->vecs);
	free(l->buf);
	free(l->path);
	free(l);
}
