/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/ring_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "monitor/base/pids.h"
#include "monitor/event/event_json.h"
#include "monitor/event/sid.h"
#include "monitor/source/listener.h"
#include "monitor/source/source.h"
#include "monitor/stream/taps.h"

/* LOOK_COST_BYTES: budget that a check of one ring file uses. TURN_BYTES: budget of one check of
 * all ring files. */
#define LOOK_COST_BYTES 64u
#define TURN_BYTES      (64u << 10)
/* Lines for taps are collected up to about this size. */
#define LINES_BYTES (64u << 10)
/* Minimum interval of regular checks whether the writer of an unchanged file runs. */
#define PID_LOOK_NS NS_PER_SEC

/*
 * States of a ring file:
 *
 *   new --(closed or writer gone, and all data was read)--> over
 *     \---(invalid or unreadable)--> foreign
 *
 * - `has_more`: copied data was not delivered yet; until it is, no new data is copied.
 * - `ends`: the last copy was made after the file was closed or its writer had ended.
 * - If the source waits for new data, a file that is not over or foreign is in the context's list.
 */
struct ring_file {
	struct source *source;
	struct stream stream;
	struct ring_reader *reader;
	int fd;
	bool followed, has_more, ends, over, foreign, is_cut;
	/* the writer's pid is not that of the SID, so it is a fork */
	bool is_fork;
	ns_t began;        /* wall time; the writer started at this time or before */
	ns_t looked_at_ns; /* monotonic time of the last check of the writer */
	ns_t moved_ns;     /* monotonic time at which data was last copied; at first, of creation */
	uint64_t nr_told, nr_bytes;
	char host[SID_HOST_BYTES];
	struct tr2_buf lines; /* events as lines of JSON, for taps */
	struct ring_file *next, *prev;
};

bool ring_file_is(int fd)
{
	char magic[RING_MAGIC_BYTES];

	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       ring_is_magic(magic, sizeof(magic));
}

static void ring_file_list_remove(struct ring_file *f)
{
	struct ring_files *all = &f->source->context->rings;

	if (!f->followed)
		return;
	f->followed = false;
	if (f->prev)
		f->prev->next = f->next;
	else
		all->first = f->next;
	if (f->next)
		f->next->prev = f->prev;
	if (!all->first)
		ev_timer_stop(f->source->context->loop, &all->look);
}

static void ring_file_list_add(struct ring_file *f)
{
	struct source_context *context = f->source->context;
	struct ring_files *all = &context->rings;

	f->followed = true;
	f->next = all->first;
	if (f->next)
		f->next->prev = f;
	all->first = f;
	all->moved_ns = tr2_clock_monotonic();
	if (ev_is_active(&all->look))
		return;
	all->look.repeat = RING_FAST_S;
	ev_timer_again(context->loop, &all->look);
}

static enum tail_result turn(struct ring_file *f, size_t *budget)
{
	enum tail_result result = ring_file_read(f, NULL, budget);

	listeners_take_datagrams(f->source->context);
	return result;
}

static void check_at_all(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct source_context *context = w->data;
	struct ring_files *all = &context->rings;
	size_t budget = TURN_BYTES;
	bool more = false;

	(void)revents;
	for (struct ring_file *f = all->first, *next; f; f = next) {
		next = f->next;
		/* The journal or a tap is full: continue at the next check. */
		if (!streams_have_room(context->streams))
			break;
		if (budget)
			more |= turn(f, &budget) == TAIL_MORE;
		else
			more |= f->has_more;
	}
	if (more)
		context->on_busy(context->data);
	if (!all->first)
		return;
	w->repeat = tr2_clock_monotonic() - all->moved_ns < NS_PER_SEC ? RING_FAST_S : RING_SLOW_S;
	ev_timer_again(loop, w);
}

bool ring_files_work(struct source_context *context, size_t budget)
{
	bool more = false;

	for (struct ring_file *f = context->rings.first, *next; f; f = next) {
		next = f->next;
		if (!f->has_more)
			continue;
		if (!streams_have_room(context->streams))
			return false;
		if (!budget)
			return true;
		more |= turn(f, &budget) == TAIL_MORE;
	}
	return more;
}

void ring_files_init(struct source_context *context)
{
	ev_timer_init(&context->rings.look, check_at_all, 0, RING_FAST_S);
	context->rings.look.data = context;
}

void ring_files_release(struct source_context *context)
{
	free(context->rings.heads);
}

struct ring_file *ring_file_new(struct source *s, int fd, const struct stat *st, bool live)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct ring_file *f;

	if (own < 0)
		return NULL;
	f = xcalloc(1, sizeof(*f));
	f->source = s;
	f->fd = own;
	f->reader = ring_reader_new(s->context->streams->syms, &s->context->rings.memo);
	f->moved_ns = tr2_clock_monotonic();
	tr2_buf_init(&f->lines, SIZE_MAX / 2);
	stream_init(&f->stream, &s->origin);
	stream_force(&f->stream, READER_EVENT);
	f->stream.about.one_process = true;
	f->stream.has_uid = true;
	f->stream.uid = st->st_uid;
	f->stream.live = live;
	if (source_follows(s))
		ring_file_list_add(f);
	return f;
}

static void ring_file_stop(struct ring_file *f)
{
	ring_file_list_remove(f);
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	ring_reader_free(f->reader);
	f->reader = NULL;
	tr2_buf_release(&f->lines);
}

static void stream_over(struct ring_file *f, bool by_program)
{
	stream_end(&f->stream, by_program);
	stream_release(&f->stream);
	ring_file_stop(f);
}

static void foreign(struct ring_file *f, const char *why)
{
	const struct ring_about *about = ring_reader_about(f->reader);
	struct source *s = f->source;
	struct stat st;

	f->foreign = true;
	s->origin.framed.nr_foreign++;
	if (about->sid) {
		origin_loss(&s->origin, "%s: %.*s", why, (int)about->sid_len, about->sid);
	} else {
		/* The source is a directory: name the file. */
		if (f->stream.name != s->spec)
			origin_loss(&s->origin, "%s: %s", why, f->stream.name);
		else
			origin_loss(&s->origin, "%s", why);
		snprintf(s->origin.stats.seems, sizeof(s->origin.stats.seems), "%s", why);
		if (!fstat(f->fd, &st))
			s->origin.framed.nr_bytes += (uint64_t)st.st_size;
	}
	stream_over(f, false);
}

bool ring_file_is_over(const struct ring_file *f)
{
	return f->over || f->foreign;
}

bool ring_file_is_foreign(const struct ring_file *f)
{
	return f->foreign;
}

static void about_note(struct ring_file *f)
{
	const struct ring_about *about = ring_reader_about(f->reader);
	struct sid_parts parts;
	size_t len;
	const char *own;

	if (*f->host || f->began)
		return;
	sid_take_apart(about->sid, about->sid_len, &parts);
	own = sid_own(about->sid, about->sid_len, &len);
	memcpy(f->host, parts.host, sizeof(f->host));
	f->is_fork = parts.pid != about->pid;
	/* The start of a fork is unknown. Assume that the process with its pid is the writer. */
	f->began = f->is_fork ? tr2_clock_wall() : sid_time(own, len);
}

/* True if the writer is known to have ended, so that the file will not change. Unless `at_once`,
 * checks at most once per PID_LOOK_NS. */
static bool is_gone(struct ring_file *f, bool at_once)
{
	ns_t now = tr2_clock_monotonic();

	/* The end of a writer in another pid namespace, such as a container's, cannot be
	 * detected. */
	if (!ring_reader_about(f->reader)->sid ||
	    !pid_namespace_is_own(ring_reader_about(f->reader)->pid_namespace))
		return false;
	if (!at_once && (now - f->moved_ns < PID_LOOK_NS || now - f->looked_at_ns < PID_LOOK_NS))
		return false;
	f->looked_at_ns = now;
	about_note(f);
	return pid_check(f->host, ring_reader_about(f->reader)->pid, f->began) == PID_OTHERS;
}

static bool read_whole(const struct ring_file *f, char *to, size_t len, uint64_t at)
{
	ssize_t n;

	for (; len; to += n, at += (uint64_t)n, len -= (size_t)n) {
		n = pread(f->fd, to, len, (off_t)at);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return false;
	}
	return true;
}

/* Read the heads of the file and its rings; heads beyond the file's end become zeros. Returns
 * false if the file cannot be read or ends before the heads of the rings. */
static bool heads_read(struct ring_file *f)
{
	struct ring_files *all = &f->source->context->rings;
	ssize_t n;

	if (!all->heads)
		all->heads = xmalloc(TR2_RING_HEAD_BYTES);
	do
		n = pread(f->fd, all->heads, TR2_RING_HEAD_BYTES, 0);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		memset(all->heads + n, 0, TR2_RING_HEAD_BYTES - (size_t)n);
	return n >= (ssize_t)TR2_RING_HEADS_AT;
}

static struct tr2_ring_head head_of(const struct ring_file *f, unsigned ring)
{
	struct tr2_ring_head head;

	memcpy(&head, f->source->context->rings.heads + TR2_RING_HEADS_AT + ring * sizeof(head),
	       sizeof(head));
	return head;
}

/* Copy new data of one ring into its reader, and set `*from` to the data's position. Returns the
 * number of bytes; 0 also if reading fails. */
static size_t ring_file_copy(struct ring_file *f, unsigned ring, uint64_t *from)
{
	struct tr2_ring_head head = head_of(f, ring);
	size_t len = ring_reader_wants(f->reader, ring, &head, from), left = len, piece;
	char *to = len ? ring_reader_room(f->reader, ring, len) : NULL;

	for (; left; left -= piece, to += piece) {
		uint64_t at;

		piece = left;
		at = ring_reader_place(f->reader, ring, *from + (len - left), &piece);
		if (!read_whole(f, to, piece, at)) {
			f->is_cut = true;
			return 0;
		}
	}
	return len;
}

static const char *head_check(struct ring_file *f)
{
	if (!heads_read(f))
		return "it is a ring file that was cut off";
	return ring_reader_head(f->reader, f->source->context->rings.heads, TR2_RING_HEADS_AT);
}

/* Copy new data of all rings. If there is any, read their heads again, because data may have been
 * overwritten meanwhile. Returns NULL, or the reason why the file is not valid any more. */
static const char *copy_all(struct ring_file *f)
{
	uint64_t from[TR2_RING_MAX_RINGS];
	size_t len[TR2_RING_MAX_RINGS];
	unsigned nr = ring_reader_about(f->reader)->rings;
	const char *why;
	bool any = false;

	f->is_cut = false;
	for (unsigned i = 0; i < nr; i++) {
		len[i] = ring_file_copy(f, i, &from[i]);
		any |= len[i] > 0;
	}
	if (!any)
		return NULL;
	why = head_check(f);
	if (why)
		return why;
	for (unsigned i = 0; i < nr; i++)
		if (len[i])
			ring_reader_copied(f->reader, i, from[i], len[i], head_of(f, i).reserved);
	f->has_more = true;
	f->moved_ns = f->source->context->rings.moved_ns = tr2_clock_monotonic();
	return NULL;
}

/* Copy new data. Returns NULL, or the reason why the file must be skipped. */
static const char *ring_file_poll(struct ring_file *f, bool at_once)
{
	const char *why = NULL;
	struct stat st;
	bool gone;

	if (fstat(f->fd, &st))
		return strerror(errno);
	if (st.st_size > TR2_RING_FILE_MAX)
		return "it is longer than any ring file is";
	/* Check whether the writer has ended before copying its data: if so, the copy is
	 * complete. */
	if (!ring_reader_about(f->reader)->sid)
		why = head_check(f);
	if (why)
		return why;
	gone = is_gone(f, at_once);
	why = head_check(f);
	if (why)
		return why;
	f->ends = gone || ring_reader_about(f->reader)->closed;
	return copy_all(f);
}

static void lines_give(struct ring_file *f)
{
	if (f->lines.len)
		taps_bytes(&f->stream, f->lines.data, f->lines.len);
	tr2_buf_clear(&f->lines);
}

static void lost_report(struct ring_file *f)
{
	struct source_context *context = f->source->context;
	uint64_t lost = ring_reader_lost(f->reader);
	uint64_t nr = lost - f->nr_told < INT64_MAX ? lost - f->nr_told : INT64_MAX;
	struct event ev = { .kind = REC_DROPPED };
	ns_t now = tr2_clock_wall();

	if (!nr)
		return;
	f->nr_told = lost;
	f->source->origin.stats.ring_lost += nr;
	stream_announce(&f->stream);
	event_set(&ev, FLD_ARRIVAL, now);
	event_set(&ev, FLD_STREAM, f->stream.number);
	event_set(&ev, FLD_DROPS, (int64_t)nr);
	batch_add(context->streams->out.batch, &ev);
	lines_give(f);
	taps_dropped(&context->streams->taps, now, nr, 0);
}

static void event_take(struct ring_file *f, const struct event *ev)
{
	struct source_context *context = f->source->context;

	lost_report(f);
	stream_announce(&f->stream);
	batch_add(context->streams->out.batch, ev);
	if (!TAPS_OF(&f->stream))
		return;
	event_json(context->streams->syms, context->streams->out.batch, ev, EVENT_JSON_TRACE,
		   &f->lines);
	tr2_buf_addch(&f->lines, '\n');
	if (f->lines.len >= LINES_BYTES)
		lines_give(f);
}

/* Deliver events from copied data. Returns false if events may be left. `all`: continue if the
 * journal is full. */
static bool ring_file_deliver(struct ring_file *f, size_t *budget, bool all)
{
	struct source *s = f->source;
	struct source_context *context = s->context;
	struct event ev;
	bool more = true;

	while (*budget) {
		uint64_t bytes = f->nr_bytes;

		if (batch_is_full(context->streams->out.batch)) {
			lines_give(f);
			batcher_push(&context->streams->out);
			if (!all && !streams_have_room(context->streams))
				break;
		}
		stream_announce(&f->stream);
		more = ring_reader_next(f->reader, context->streams->out.batch, &ev,
					&s->origin.read, stream_bad_record, &s->origin);
		if (more)
			event_take(f, &ev);
		f->nr_bytes = ring_reader_bytes(f->reader);
		s->origin.framed.nr_bytes += f->nr_bytes - bytes;
		*budget -= *budget < f->nr_bytes - bytes ? *budget : (size_t)(f->nr_bytes - bytes);
		if (!more)
			break;
	}
	if (!more)
		lost_report(f);
	lines_give(f);
	return !more;
}

static enum tail_result ring_file_read_more(struct ring_file *f, const char *name, size_t *budget,
					    bool all)
{
	if (ring_file_is_over(f))
		return TAIL_END;
	f->stream.name = name ? name : f->source->spec;
	if (!f->has_more) {
		const char *why = ring_file_poll(f, name || all);

		if (why) {
			foreign(f, why);
			return TAIL_END;
		}
		*budget -= *budget < LOOK_COST_BYTES ? *budget : LOOK_COST_BYTES;
		lost_report(f);
	}
	if (f->has_more)
		f->has_more = !ring_file_deliver(f, budget, all);
	if (f->has_more)
		return TAIL_MORE;
	f->stream.live = true;
	if (!f->ends)
		return TAIL_END;
	if (f->is_cut)
		origin_loss(&f->source->origin, "a ring file was cut off: %.*s",
			    (int)ring_reader_about(f->reader)->sid_len,
			    ring_reader_about(f->reader)->sid);
	f->over = true;
	stream_over(f, !f->is_fork);
	return TAIL_END;
}

enum tail_result ring_file_read(struct ring_file *f, const char *name, size_t *budget)
{
	return ring_file_read_more(f, name, budget, false);
}

/* Skip the existing data of one ring, but keep its last block, because later events refer to
 * data there. */
static void skip_ring(struct ring_file *f, unsigned ring)
{
	uint64_t to = head_of(f, ring).written, begin = to - to % TR2_RING_BLOCK_BYTES;
	size_t len = (size_t)(to - begin), piece = len;
	char block[TR2_RING_BLOCK_BYTES];
	uint64_t at = ring_reader_place(f->reader, ring, begin, &piece);

	ring_reader_skip(f->reader, ring, to, len && read_whole(f, block, len, at) ? block : NULL);
}

void ring_file_skip(struct ring_file *f)
{
	char *heads;

	if (ring_file_is_over(f) || !heads_read(f))
		return;
	heads = f->source->context->rings.heads;
	if (ring_reader_head(f->reader, heads, TR2_RING_HEADS_AT))
		return;
	f->has_more = false;
	for (unsigned i = 0; i < ring_reader_about(f->reader)->rings; i++)
		skip_ring(f, i);
	f->nr_told = ring_reader_lost(f->reader);
	f->nr_bytes = ring_reader_bytes(f->reader);
	f->stream.live = true;
}

void ring_file_end(struct ring_file *f)
{
	size_t budget = SIZE_MAX;

	if (!f)
		return;
	/* The first read only delivers data that was copied before. */
	if (f->has_more)
		ring_file_read_more(f, NULL, &budget, true);
	if (!ring_file_is_over(f))
		ring_file_read_more(f, NULL, &budget, true);
	if (!ring_file_is_over(f))
		stream_over(f, false);
	free(f);
}
