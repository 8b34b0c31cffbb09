/* SPDX-License-Identifier: MIT */
/*
 * Unix sockets. A writer blocks after some 170 unread events, on a datagram socket after 11
 * where dgram_queue.h cannot help, and in connect() where nobody accepts: so every connection
 * that waits is accepted at once, none is served to the exclusion of others, and everything is
 * read until nothing is left.
 */
#include "config.h"
#include "monitor/intake/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "monitor/intake/dgram_queue.h"
#include "monitor/base/die.h"

/* Bytes of one connection before the others have their turn. */
#define TURN_BYTES (256u << 10)
/* Datagrams are looked for after so many. */
#define PIECE_BYTES (64u << 10)
/* What a datagram counts for besides its bytes: empty ones must end a turn, too. */
#define DGRAM_COST_BYTES 64u
/* Datagrams a call: where the queue is the machine's own, it holds 11. */
#define DGRAM_VEC 16
/* A sender's largest datagram is bounded by its net.core.wmem_default, 208 KiB as a rule. */
#define DGRAM_BYTES (256u << 10)
/* Connections that a deputy looks at: who writes much was read lately. */
#define STAND_IN_CONNECTIONS 32
/* How long a socket rests when descriptors or memory have run out. */
#define REST_S 0.01

/* How long another monitor that is about to listen in the same directory is waited for. */
#define LOCK_TRIES 400
#define LOCK_TRY_MS 5

struct connection {
	ev_io io;
	struct stream stream;
	struct listener *listener;
	struct connection *prev, *next;
	bool hung_up; /* by us: its end says nothing of the writer */
	bool ended;   /* nothing more can be read: `error`, 0 where it came to its end */
	int error;
};

struct listener {
	struct source *source;
	char *path;
	unsigned mode;
	int fd; /* -1: closed */
	struct stat made; /* what we made at `path` */
	ev_io io;
	ev_timer rest;
	struct connection *connections;
	bool is_dgram, started;
	int error; /* of a datagram socket, not yet seen to */
	bool stopping; /* nobody can send any more: what waits is all there is */
	/* datagrams */
	struct stream stream;
	struct mmsghdr *messages;
	struct iovec *vecs;
	char *buf;
};

/* ---- the path ---- */

/* Is the socket at `path` one that nobody listens on? */
static bool is_stale(const struct sockaddr_un *addr)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM };

	for (int i = 0; i < 2; i++) {
		int fd = socket(AF_UNIX, types[i] | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		int failed = fd < 0 || connect(fd, (const struct sockaddr *)addr, sizeof(*addr));
		int err = errno;

		if (fd >= 0)
			close(fd);
		if (!failed || err == EAGAIN)
			return false; /* somebody answers, or is only busy */
		if (err == ECONNREFUSED)
			return true;
	}
	return false;
}

static bool path_clear(const struct sockaddr_un *addr, char *why, size_t why_bytes)
{
	const char *path = addr->sun_path;
	struct stat st;

	if (lstat(path, &st)) {
		if (errno == ENOENT)
			return true;
		snprintf(why, why_bytes, "%s: %s", path, strerror(errno));
		return false;
	}
	if (S_ISLNK(st.st_mode))
		snprintf(why, why_bytes, "%s is a symbolic link: name the socket itself", path);
	else if (!S_ISSOCK(st.st_mode))
		snprintf(why, why_bytes, "%s is there and no socket: give another path", path);
	else if (st.st_uid != geteuid())
		snprintf(why, why_bytes, "%s belongs to another user: give another path", path);
	else if (!is_stale(addr))
		snprintf(
			why, why_bytes,
			"%s: somebody listens on it already: end that program or give another path",
			path);
	else if (unlink(path))
		snprintf(why, why_bytes, "%s: cannot remove the stale socket: %s", path,
			 strerror(errno));
	else
		return true;
	return false;
}

/*
 * From the look at what is there to listen(), one monitor at a time: of two that start at once
 * on a stale socket both would find it so, and the second would remove what the first has made.
 * The lock is on the directory itself, so that nothing has to be made for it; where that cannot
 * be had there is none. close() gives it back.
 */
static int path_lock(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[sizeof(((struct sockaddr_un *)0)->sun_path) + 1];
	int fd;

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int tries = 0; fd >= 0 && tries < LOCK_TRIES && flock(fd, LOCK_EX | LOCK_NB); tries++)
		poll(NULL, 0, LOCK_TRY_MS);
	return fd;
}

static bool bind_and_listen(struct listener *l, const struct sockaddr_un *addr, char *why,
			    size_t why_bytes)
{
	mode_t mask;
	bool failed;

	if (!path_clear(addr, why, why_bytes))
		return false;
	l->fd = l->is_dgram ? dgram_queue_socket()
			    : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The mode of the descriptor, less the umask, becomes that of the path: no moment in
	 * which a socket of another mode is there. Whoever else makes files is waiting for us. */
	mask = umask(0);
	failed = l->fd < 0 || fchmod(l->fd, l->mode) ||
		 bind(l->fd, (const struct sockaddr *)addr, sizeof(*addr));
	umask(mask);
	if (failed ||
	    (!l->is_dgram && listen(l->fd, SOMAXCONN))) {
		snprintf(why, why_bytes, "cannot listen on %s: %s", l->path, strerror(errno));
		if (l->fd >= 0)
			close(l->fd);
		l->fd = -1;
		return false;
	}
	if (lstat(l->path, &l->made))
		memset(&l->made, 0, sizeof(l->made));
	return true;
}

static bool listener_bind(struct listener *l, char *why, size_t why_bytes)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int lock;
	bool ok;

	if (strlen(l->path) >= sizeof(addr.sun_path)) {
		snprintf(why, why_bytes,
			 "the socket's path is longer than %zu bytes: give a shorter one",
			 sizeof(addr.sun_path) - 1);
		return false;
	}
	memcpy(addr.sun_path, l->path, strlen(l->path) + 1);
	lock = path_lock(l->path);
	ok = bind_and_listen(l, &addr, why, why_bytes);
	if (lock >= 0)
		close(lock);
	return ok;
}

/* Remove the path, where it is still the socket that we made. */
static void path_remove(struct listener *l)
{
	struct stat st;

	if (!lstat(l->path, &st) && st.st_dev == l->made.st_dev && st.st_ino == l->made.st_ino)
		unlink(l->path);
}

/* ---- streams ---- */

/* `by_peer`: it was not us who ended it, so that whoever wrote is gone. */
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
	l->source->live.nr_open--;
	free(c);
}

static bool peer_is_gone(int fd)
{
	struct pollfd it = { .fd = fd };

	return poll(&it, 1, 0) > 0 && it.revents & POLLHUP;
}

/* The deputy looks at those first that were read last. */
static void connection_to_front(struct connection *c)
{
	struct listener *l = c->listener;

	if (!c->prev)
		return;
	c->prev->next = c->next;
	if (c->next)
		c->next->prev = c->prev;
	c->prev = NULL;
	c->next = l->connections;
	c->next->prev = c;
	l->connections = c;
}

/* Read a turn of it; whoever comes next finds what was found out of its end. */
static void connection_take(struct connection *c)
{
	struct intake *in = c->listener->source->intake;
	char *buf = in->buf;
	size_t taken = 0;

	while (taken < TURN_BYTES && !c->ended) {
		ssize_t n = read(c->io.fd, buf, PIECE_BYTES);

		if (n > 0) {
			taken += (size_t)n;
			in->socket_bytes += (size_t)n;
			stream_feed(&c->stream, buf, (size_t)n);
			listeners_urgent(in);
			/* To be told EAGAIN would take the writer's lock once more. */
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
	connection_to_front(c);
	connection_take(c);
	if (!c->ended)
		return;
	if (c->error)
		source_loss(c->listener->source, "a connection: %s", strerror(c->error));
	connection_close(loop, c, !c->hung_up || peer_is_gone(w->fd));
}

static void connection_new(struct listener *l, int fd)
{
	struct connection *c = xcalloc(1, sizeof(*c));
	struct ucred cred;
	socklen_t len = sizeof(cred);

	c->listener = l;
	stream_init(&c->stream, l->source);
	if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		c->stream.peer_pid = cred.pid;
	c->next = l->connections;
	if (c->next)
		c->next->prev = c;
	l->connections = c;
	l->source->live.nr_open++;
	ev_io_init(&c->io, connection_read, fd, EV_READ);
	c->io.data = c;
	ev_io_start(l->source->intake->loop, &c->io);
}

/* What fails now would fail again at once, for as long as somebody waits. */
static void listener_rest(struct listener *l)
{
	struct ev_loop *loop = l->source->intake->loop;

	ev_io_stop(loop, &l->io);
	ev_timer_set(&l->rest, REST_S, 0);
	ev_timer_start(loop, &l->rest);
}

static void rest_over(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct listener *l = w->data;

	(void)revents;
	if (l->fd >= 0)
		ev_io_start(loop, &l->io);
}

static void accept_all(struct ev_loop *loop, ev_io *w, int revents)
{
	struct listener *l = w->data;

	(void)loop;
	(void)revents;
	for (;;) {
		int fd = accept4(w->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			connection_new(l, fd);
			continue;
		}
		if (errno == EINTR || errno == ECONNABORTED)
			continue;
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			return;
		/* Nobody can come any more, and all were accepted. */
		if (errno == EINVAL && l->stopping)
			return;
		/* Out of descriptors or memory: those that are open may end soon. */
		l->source->live.nr_accept_waits++;
		source_error(l->source, "accept: %s; raise the limit of open files (ulimit -n)",
			     strerror(errno));
		if (l->stopping)
			l->source->incomplete = true;
		else
			listener_rest(l);
		return;
	}
}

/* ---- datagrams ---- */

static void dgram_buffers(struct listener *l)
{
	size_t each = DGRAM_BYTES + FRAMER_PAD + 1;

	l->messages = xcalloc(DGRAM_VEC, sizeof(*l->messages));
	l->vecs = xcalloc(DGRAM_VEC, sizeof(*l->vecs));
	l->buf = xcalloc(DGRAM_VEC, each); /* pages come with the first byte written */
	for (int i = 0; i < DGRAM_VEC; i++) {
		l->vecs[i] = (struct iovec){ l->buf + (size_t)i * each, DGRAM_BYTES };
		l->messages[i].msg_hdr.msg_iov = &l->vecs[i];
		l->messages[i].msg_hdr.msg_iovlen = 1;
	}
}

/* Read a turn; false where nothing is left, or with an `error` where it cannot be read. */
static bool dgram_take_turn(struct listener *l)
{
	size_t taken = 0;

	while (taken < TURN_BYTES) {
		int n = recvmmsg(l->fd, l->messages, DGRAM_VEC, MSG_DONTWAIT, NULL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
			l->error = errno;
		if (n <= 0)
			return false;
		for (int i = 0; i < n; i++) {
			taken += l->messages[i].msg_len + DGRAM_COST_BYTES;
			l->source->intake->socket_bytes += l->messages[i].msg_len;
			stream_datagram(&l->stream, l->vecs[i].iov_base, l->messages[i].msg_len,
					l->messages[i].msg_hdr.msg_flags & MSG_TRUNC);
		}
		if (n < DGRAM_VEC && !l->stopping)
			return false;
	}
	return true;
}

static bool dgram_take(struct listener *l)
{
	bool more = dgram_take_turn(l);

	if (l->error) {
		source_error(l->source, "recvmmsg: %s", strerror(l->error));
		l->error = 0;
		if (l->stopping)
			l->source->incomplete = true;
		else
			listener_rest(l);
	}
	return more;
}

static void dgram_read(struct ev_loop *loop, ev_io *w, int revents)
{
	(void)loop;
	(void)revents;
	dgram_take(w->data);
}

/* Errors are seen to when it is its own turn: a deputy must leave the loop alone. */
void listeners_urgent(struct intake *in)
{
	for (int i = 0; i < in->nr_urgent; i++)
		if (in->urgent[i]->is_dgram)
			dgram_take_turn(in->urgent[i]);
}

void listeners_stand_in(struct intake *in)
{
	listeners_urgent(in);
	for (int i = 0; i < in->nr_urgent; i++) {
		struct connection *c = in->urgent[i]->connections;

		for (int k = 0; c && k < STAND_IN_CONNECTIONS; k++, c = c->next)
			connection_take(c);
	}
}

/* While it listens: its datagrams are read between pieces of other work, and a deputy may read
 * its connections. */
static void urgent_add(struct listener *l)
{
	struct intake *in = l->source->intake;

	in->urgent = xreallocarray(in->urgent, (size_t)in->nr_urgent + 1, sizeof(*in->urgent));
	in->urgent[in->nr_urgent++] = l;
}

static void urgent_remove(struct listener *l)
{
	struct intake *in = l->source->intake;

	for (int i = 0; i < in->nr_urgent; i++)
		if (in->urgent[i] == l)
			in->urgent[i--] = in->urgent[--in->nr_urgent];
}

/* ---- listeners ---- */

/* An error is something to read, too. */
static bool fd_is_readable(int fd)
{
	char byte;
	ssize_t n;

	do
		n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

static struct listener *listener_new(struct source *source, const char *path, unsigned mode,
				     bool is_dgram, char *why, size_t why_bytes)
{
	struct listener *l = xcalloc(1, sizeof(*l));

	l->source = source;
	l->path = xstrdup(path);
	l->mode = mode;
	l->is_dgram = is_dgram;
	l->fd = -1;
	ev_timer_init(&l->rest, rest_over, REST_S, 0);
	l->rest.data = l;
	if (!listener_bind(l, why, why_bytes)) {
		free(l->path);
		free(l);
		return NULL;
	}
	intake_hurry(source->intake);
	if (is_dgram) {
		dgram_buffers(l);
		stream_init(&l->stream, source);
		l->stream.live = true;
	}
	return l;
}

struct listener *listener_open(struct source *source, const char *path, unsigned mode, char *why,
			       size_t why_bytes)
{
	return listener_new(source, path, mode, false, why, why_bytes);
}

void listener_start(struct listener *l)
{
	ev_io_init(&l->io, l->is_dgram ? dgram_read : accept_all, l->fd, EV_READ);
	ev_set_priority(&l->io, EV_MAXPRI);
	l->io.data = l;
	ev_io_start(l->source->intake->loop, &l->io);
	l->started = true;
	urgent_add(l);
}

void listener_stop(struct listener *l)
{
	if (l->fd < 0)
		return;
	path_remove(l);
	if (l->started) {
		/* Whoever writes now gets an error; what came before is taken. */
		shutdown(l->fd, SHUT_RD);
		l->stopping = true;
		if (l->is_dgram)
			while (dgram_take(l))
				;
		else
			accept_all(l->source->intake->loop, &l->io, EV_READ);
		l->stopping = false;
		ev_timer_stop(l->source->intake->loop, &l->rest);
		ev_io_stop(l->source->intake->loop, &l->io);
		urgent_remove(l);
	}
	close(l->fd);
	l->fd = -1;
}

bool listener_reopen(struct listener *l, char *why, size_t why_bytes)
{
	if (!listener_bind(l, why, why_bytes))
		return false;
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
	struct ev_loop *loop = l->source->intake->loop;

	while (l->connections) {
		struct connection *c = l->connections;

		/* Else one who never stops would be read for ever. */
		shutdown(c->io.fd, SHUT_RD);
		c->hung_up = true;
		while (l->connections == c)
			connection_read(loop, &c->io, EV_READ);
	}
}

void listener_close(struct listener *l)
{
	listener_stop(l);
	listener_hang_up(l);
	if (l->is_dgram)
		stream_release(&l->stream);
	free(l->messages);
	free(l->vecs);
	free(l->buf);
	free(l->path);
	free(l);
}

/* ---- the sources ---- */

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

static bool socket_open(struct source *s, const char *prefix, bool is_dgram, char *why,
			size_t why_bytes)
{
	const char *path = s->spec + strlen(prefix);

	if (!*path) {
		snprintf(why, why_bytes, "a path is missing behind %s", prefix);
		return false;
	}
	s->priv = listener_new(s, path, s->intake->config.socket_mode, is_dgram, why, why_bytes);
	if (s->priv)
		source_set_state(s, SOURCE_FOLLOWING);
	return s->priv != NULL;
}

static bool open_stream(struct source *s, char *why, size_t why_bytes)
{
	return socket_open(s, PREFIX "stream:", false, why, why_bytes);
}

static bool open_dgram(struct source *s, char *why, size_t why_bytes)
{
	return socket_open(s, PREFIX "dgram:", true, why, why_bytes);
}

static bool open_auto(struct source *s, char *why, size_t why_bytes)
{
	return socket_open(s, PREFIX, false, why, why_bytes);
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

static void socket_drain(struct source *s)
{
	struct listener *l = s->priv;

	if (!l->is_dgram)
		listener_stop(l);
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
	.drain = socket_drain,
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
	.drain = socket_drain,
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
	.drain = socket_drain,
	.is_empty = socket_is_empty,
	.finish = socket_finish,
	.close = socket_close,
};
