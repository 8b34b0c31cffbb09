/* SPDX-License-Identifier: MIT */
/* Sources that read FIFOs, standard input and relays, each as one stream of bytes at a time. */
#include "config.h"
#include "monitor/source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "monitor/source/command_output.h"
#include "monitor/source/listener.h"
#include "monitor/source/relay.h"
#include "monitor/source/traced_command.h"
#include "monitor/stream/packed.h"

#define TURN_BYTES  (256u << 10)
#define PIECE_BYTES (64u << 10)

struct pipe {
	ev_io io;
	int fd;
	struct stream stream;
	/* bytes of the last read that the stream did not use yet; PIECE_BYTES + SPLITTER_PAD bytes,
	 * or NULL */
	char *rest;
	size_t rest_at, nr_rest;
	bool is_fifo, is_stdin, is_file;
	struct relay_end *relay; /* NULL: the source is not a relay */
	/* another source reads the same FIFO or file */
	bool is_elsewhere;
	dev_t dev;
	ino_t ino;
};

/* The program of a relay, which writes to the pipe. */
struct relay_end {
	struct source *source;
	struct relay of;
	ev_io errors;
	/* checks whether the program has exited; runs after EOF of its output */
	ev_timer look;
	int looks;
	/* the program's standard error: the current line, and the last complete non-empty one */
	char line[160], last[160];
	size_t nr_line, nr_last;
	/* output of the command on the other host */
	struct command_output output;
};

/* exit status of ssh if ssh itself failed */
#define SSH_FAILED   255
#define RELAY_LOOK_S 0.02
/* number of checks until a program that closed its output gets SIGTERM */
#define RELAY_LOOKS 100
/* when the source is closed: number of waits, and ms per wait, before the program gets SIGKILL */
#define RELAY_END_LOOKS   50
#define RELAY_END_LOOK_MS 10

static void pipe_inode_take(struct source *s, struct pipe *p)
{
	struct stat st;

	if (fstat(p->fd, &st) || !(S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode)))
		return;
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	p->is_elsewhere = !inodes_take(&s->context->inodes, &st, s, p);
	if (p->is_elsewhere)
		origin_error(&s->origin, "another source reads the same: it is counted there");
}

/* Open the FIFO again for the next writer: the old descriptor would stay readable without one. */
static void fifo_reopen(struct ev_loop *loop, struct source *s, struct pipe *p)
{
	int fd = open(s->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	ev_io_stop(loop, &p->io);
	close(p->fd);
	p->fd = fd;
	if (fd < 0) {
		origin_error(&s->origin, "cannot open it again: %s", strerror(errno));
		source_set_state(s, SOURCE_FAILED);
		return;
	}
	stream_release(&p->stream);
	stream_init(&p->stream, &s->origin);
	stream_may_be_packed(&p->stream);
	inodes_drop(&s->context->inodes, p->dev, p->ino, p);
	pipe_inode_take(s, p);
	if (p->is_elsewhere) {
		source_set_state(s, SOURCE_DONE);
		return;
	}
	ev_io_set(&p->io, fd, EV_READ);
	ev_io_start(loop, &p->io);
}

static void pipe_ended(struct ev_loop *loop, struct source *s, struct pipe *p, bool failed)
{
	/* At EOF, processes that wrote to the pipe may still run. */
	stream_end(&p->stream, false);
	if (p->is_fifo && !s->context->config.once) {
		fifo_reopen(loop, s, p);
		return;
	}
	ev_io_stop(loop, &p->io);
	s->origin.stats.nr_open = 0;
	if (p->relay && !failed) {
		/* The exit status of the program decides the state of the source. */
		ev_timer_start(loop, &p->relay->look);
		return;
	}
	source_set_state(s, failed ? SOURCE_FAILED : SOURCE_DONE);
	source_wake(s->context);
}

static bool has_rest(const struct pipe *p)
{
	return p->nr_rest || stream_has_more(&p->stream);
}

static void rest_feed(struct pipe *p, size_t *budget)
{
	size_t used = stream_feed_some(&p->stream, p->rest + p->rest_at, p->nr_rest, budget);

	p->rest_at += used;
	p->nr_rest -= used;
}

static void feed(struct source *s, struct pipe *p, size_t len, size_t *budget)
{
	size_t used = stream_feed_some(&p->stream, s->context->buf, len, budget);

	/* Decompression that continues without new input needs this buffer even if no bytes are
	 * left. */
	if (used == len && !has_rest(p))
		return;
	if (!p->rest)
		p->rest = xmalloc(PIECE_BYTES + SPLITTER_PAD);
	p->rest_at = 0;
	p->nr_rest = len - used;
	memcpy(p->rest, s->context->buf + used, p->nr_rest);
}

/* Read the pipe into its stream. Returns true if there may be more data. */
static bool pipe_take(struct source *s, size_t budget)
{
	struct pipe *p = s->priv;
	struct source_context *context = s->context;

	while (budget && stream_catch_up(&p->stream)) {
		ssize_t n;

		if (has_rest(p)) {
			rest_feed(p, &budget);
			continue;
		}
		n = read(p->fd, context->buf, PIECE_BYTES);
		if (n > 0) {
			feed(s, p, (size_t)n, &budget);
			listeners_take_datagrams(context);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return false;
		if (n < 0)
			origin_error(&s->origin, "%s", strerror(errno));
		pipe_ended(context->loop, s, p, n < 0);
		return false;
	}
	return true;
}

/*
 * Standard input is read only once per callback: it cannot be made non-blocking, because other
 * processes may share it, so a second read could block.
 */
static void pipe_read(struct ev_loop *loop, ev_io *w, int revents)
{
	struct source *s = w->data;
	struct pipe *p = s->priv;

	(void)revents;
	if (s->origin.can_wait &&
	    (!stream_catch_up(&p->stream) || !streams_have_room(s->context->streams))) {
		ev_io_stop(loop, w);
		source_busy(s);
		return;
	}
	pipe_take(s, p->is_stdin ? 1 : TURN_BYTES);
	if (has_rest(p)) {
		ev_io_stop(loop, w);
		source_busy(s);
	}
}

static struct pipe *pipe_new(struct source *s, int fd, bool is_stdin, bool is_file)
{
	struct pipe *p = xcalloc(1, sizeof(*p));
	struct stat st;

	p->fd = fd;
	p->is_stdin = is_stdin;
	p->is_file = is_file;
	stream_init(&p->stream, &s->origin);
	stream_may_be_packed(&p->stream);
	p->stream.live = !is_file;
	if (is_stdin)
		p->stream.name = "stdin";
	if (is_file && !fstat(fd, &st))
		p->stream.about.reference_ns =
			(ns_t)st.st_mtim.tv_sec * NS_PER_SEC + st.st_mtim.tv_nsec;
	s->priv = p;
	/* Files can wait until the journal has space. With --once pipes can wait, too: the
	 * writer blocks, but no event is dropped. */
	s->origin.can_wait = is_file || s->context->config.once;
	s->origin.is_stored = is_file;
	pipe_inode_take(s, p);
	if (p->is_elsewhere) {
		source_set_state(s, SOURCE_DONE);
		return p;
	}
	source_set_state(s, is_file ? SOURCE_READING : SOURCE_FOLLOWING);
	s->origin.stats.nr_open = 1;
	return p;
}

static void pipe_start(struct source *s)
{
	struct pipe *p = s->priv;

	if (p->is_elsewhere)
		return;
	if (p->is_file) {
		/* Read the file in work(), because epoll does not accept regular files. */
		source_busy(s);
		return;
	}
	ev_io_init(&p->io, pipe_read, p->fd, EV_READ);
	ev_set_priority(&p->io, EV_MAXPRI);
	p->io.data = s;
	ev_io_start(s->context->loop, &p->io);
}

static bool pipe_work(struct source *s, size_t budget)
{
	struct pipe *p = s->priv;

	if (p->is_file)
		return pipe_take(s, budget);
	while (budget && stream_catch_up(&p->stream) && has_rest(p))
		rest_feed(p, &budget);
	if (has_rest(p))
		return true;
	ev_io_start(s->context->loop, &p->io);
	return false;
}

/* With this function --once ends the pipe even if a writer still has it open. */
static void pipe_drain(struct source *s)
{
	(void)s;
}

static bool pipe_is_empty(struct source *s)
{
	struct pipe *p = s->priv;
	struct pollfd fd = { .fd = p->fd, .events = POLLIN };

	return s->origin.stats.state == SOURCE_DONE ||
	       (!has_rest(p) && (poll(&fd, 1, 0) <= 0 || !(fd.revents & POLLIN)));
}

static void pipe_finish(struct source *s)
{
	struct pipe *p = s->priv;

	if (s->origin.stats.state != SOURCE_DONE)
		stream_end(&p->stream, false);
	ev_io_stop(s->context->loop, &p->io);
}

static void pipe_close(struct source *s)
{
	struct pipe *p = s->priv;

	if (!p)
		return;
	if (ev_is_active(&p->io))
		ev_io_stop(s->context->loop, &p->io);
	if (!p->is_stdin && p->fd >= 0)
		close(p->fd);
	inodes_drop(&s->context->inodes, p->dev, p->ino, p);
	stream_release(&p->stream);
	free(p->rest);
	free(p);
	s->priv = NULL;
}

static bool claims_fifo(const struct stat *st)
{
	return st && S_ISFIFO(st->st_mode);
}

static bool open_fifo(struct source *s, char *why, size_t why_bytes)
{
	int fd = open(s->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		snprintf(why, why_bytes, "cannot open %s: %s", s->path, strerror(errno));
		return false;
	}
	pipe_new(s, fd, false, false)->is_fifo = true;
	return true;
}

static bool open_stdin(struct source *s, char *why, size_t why_bytes)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st) || isatty(STDIN_FILENO)) {
		snprintf(why, why_bytes,
			 "standard input is %s: pipe a trace into it, or name a file",
			 isatty(STDIN_FILENO) ? "a terminal" : "closed");
		return false;
	}
	if (S_ISDIR(st.st_mode)) {
		snprintf(why, why_bytes, "standard input is a directory: name it instead");
		return false;
	}
	if ((fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE) == O_WRONLY) {
		snprintf(why, why_bytes,
			 "standard input is closed: pipe a trace into it, or name a file");
		return false;
	}
	pipe_new(s, STDIN_FILENO, true, S_ISREG(st.st_mode));
	return true;
}

const struct source_ops source_fifo = {
	.kind = "fifo",
	.is_target = true,
	.claims = claims_fifo,
	.open = open_fifo,
	.start = pipe_start,
	.work = pipe_work,
	.drain = pipe_drain,
	.is_empty = pipe_is_empty,
	.finish = pipe_finish,
	.close = pipe_close,
};

const struct source_ops source_stdin = {
	.kind = "stdin",
	.open = open_stdin,
	.start = pipe_start,
	.work = pipe_work,
	.drain = pipe_drain,
	.is_empty = pipe_is_empty,
	.finish = pipe_finish,
	.close = pipe_close,
};

/* ---- relay ---- */

/* Keep at most 160 bytes of the last complete line of standard error that is not empty. */
static void source_pipe_line_take(struct relay_end *r, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] != '\n' && bytes[i] != '\r') {
			if (r->nr_line < sizeof(r->line))
				r->line[r->nr_line++] = bytes[i];
			continue;
		}
		if (r->nr_line) {
			memcpy(r->last, r->line, r->nr_line);
			r->nr_last = r->nr_line;
		}
		r->nr_line = 0;
	}
}

/* Store output of the command on the other host; with --once, which has no screen, print it. */
static void output_take(struct relay_end *r, const char *bytes, size_t len)
{
	struct source_context *context = r->source->context;

	if (!r->of.of_command)
		return;
	if (context->config.once) {
		fwrite(bytes, 1, len, stderr);
		return;
	}
	command_output_add(&r->output, bytes, len);
	source_wake(context);
}

static void on_errors(struct ev_loop *loop, ev_io *w, int revents)
{
	struct relay_end *r = w->data;
	char bytes[4096];
	ssize_t n = read(w->fd, bytes, sizeof(bytes));

	(void)revents;
	if (n > 0) {
		source_pipe_line_take(r, bytes, (size_t)n);
		output_take(r, bytes, (size_t)n);
	} else if (!n || (errno != EAGAIN && errno != EINTR)) {
		ev_io_stop(loop, w);
	}
}

static bool relay_is_over(struct relay_end *r, int *status)
{
	pid_t pid = waitpid(r->of.pid, status, WNOHANG);

	if (!pid || (pid < 0 && errno == EINTR))
		return false;
	if (pid < 0)
		*status = 0;
	r->of.pid = -1;
	return true;
}

static void relay_ended(struct source *s, struct relay_end *r, int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	bool is_commands = r->of.of_command && code >= 0 && code != SSH_FAILED;

	s->context->relay.status = status;
	s->context->relay.ended_ns = tr2_clock_monotonic();
	atomic_store(&s->context->relay.state, is_commands ? COMMAND_ENDED : COMMAND_NONE);
	if (code < 0)
		origin_error(&s->origin, "ssh was killed by signal %d", WTERMSIG(status));
	else if (code && !is_commands && r->nr_last)
		origin_error(&s->origin, "%.*s", (int)r->nr_last, r->last);
	else if (code && !is_commands)
		origin_error(&s->origin, "it ended with status %d", code);
	source_set_state(s, is_commands || !code ? SOURCE_DONE : SOURCE_FAILED);
}

static void relay_check(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct relay_end *r = w->data;
	struct source *s = r->source;
	int status;

	(void)revents;
	if (!relay_is_over(r, &status)) {
		if (++r->looks == RELAY_LOOKS)
			kill(r->of.pid, SIGTERM);
		return;
	}
	ev_timer_stop(loop, w);
	on_errors(loop, &r->errors, 0);
	relay_ended(s, r, status);
	source_wake(s->context);
}

void source_relay_open(struct source *s, const struct relay *relay)
{
	struct relay_end *r = xcalloc(1, sizeof(*r));

	r->source = s;
	r->of = *relay;
	s->context->relay.begun_ns = tr2_clock_monotonic();
	if (relay->of_command) {
		s->context->relay.state = COMMAND_RUNNING;
		s->context->output = &r->output;
		command_output_init(&r->output);
		command_output_add(&r->output, relay->said, relay->nr_said);
	}
	s->origin.is_relay = true;
	fcntl(relay->data, F_SETFL, fcntl(relay->data, F_GETFL) | O_NONBLOCK);
	fcntl(relay->errors, F_SETFL, fcntl(relay->errors, F_GETFL) | O_NONBLOCK);
	pipe_new(s, relay->data, false, false)->relay = r;
}

static void relay_watch(struct source *s)
{
	struct relay_end *r = ((struct pipe *)s->priv)->relay;

	ev_timer_init(&r->look, relay_check, RELAY_LOOK_S, RELAY_LOOK_S);
	r->look.data = r;
	ev_io_init(&r->errors, on_errors, r->of.errors, EV_READ);
	r->errors.data = r;
	ev_io_start(s->context->loop, &r->errors);
	pipe_start(s);
}

/* Close the program's input, which ends the program. Send SIGKILL after RELAY_END_LOOKS waits. */
static void relay_end_wait(struct relay_end *r)
{
	int status;

	if (r->of.input >= 0)
		close(r->of.input);
	for (int i = 0; r->of.pid > 0 && !relay_is_over(r, &status); i++) {
		if (i == RELAY_END_LOOKS)
			kill(r->of.pid, SIGKILL);
		poll(NULL, 0, RELAY_END_LOOK_MS);
	}
}

static void relay_drain(struct source *s)
{
	struct relay_end *r = ((struct pipe *)s->priv)->relay;

	if (r->of.input >= 0)
		close(r->of.input);
	r->of.input = -1;
}

/* Until the relay has ended, its program may send data. */
static bool relay_is_empty(struct source *s)
{
	return s->origin.stats.state == SOURCE_DONE || s->origin.stats.state == SOURCE_FAILED;
}

static void relay_close(struct source *s)
{
	struct pipe *p = s->priv;
	struct relay_end *r = p ? p->relay : NULL;

	if (!r)
		return;
	ev_io_stop(s->context->loop, &r->errors);
	ev_timer_stop(s->context->loop, &r->look);
	pipe_close(s);
	relay_end_wait(r);
	close(r->of.errors);
	if (r->of.of_command) {
		s->context->output = NULL;
		command_output_release(&r->output);
	}
	free(r->of.said);
	free(r);
}

const struct source_ops source_relay = {
	.kind = "ssh",
	.waits = "reading from there; Ctrl-C ends that and gives the report",
	.start = relay_watch,
	.work = pipe_work,
	.drain = relay_drain,
	.is_empty = relay_is_empty,
	.finish = pipe_finish,
	.close = relay_close,
};
