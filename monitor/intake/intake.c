/* SPDX-License-Identifier: MIT */
/* The intake thread: its loop, the batch being filled, and what it tells of its sources. */
#include "config.h"
#include "monitor/intake/intake.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "engine/trace2.h"
#include "monitor/intake/deputy.h"
#include "monitor/base/die.h"
#include "monitor/base/realtime.h"
#include "monitor/intake/source.h"

/* How much of what can wait is read between two looks at what cannot; where nobody watches and
 * all of it can wait, as much as there is room for. */
#define WORK_BUDGET_BYTES (64u << 10)
#define ONCE_BUDGET_BYTES INTAKE_BUF_BYTES

#define SOURCE(ID, ops) extern const struct source_ops ops;
#include "monitor/intake/sources.def"

const struct source_ops *const source_kinds[NR_SOURCES] = {
#define SOURCE(ID, ops) [SOURCE_##ID] = &ops,
#include "monitor/intake/sources.def"
};

const char *const source_state_names[NR_SOURCE_STATES] = {
	[SOURCE_WAITING] = "waiting for it", [SOURCE_READING] = "reading",
	[SOURCE_FOLLOWING] = "following",    [SOURCE_DONE] = "ended",
	[SOURCE_FAILED] = "failed",	     [SOURCE_SUSPENDED] = "suspended",
};

/* ---- statistics ---- */

static void stats_refresh(struct source *s)
{
	struct source_stats *st = &s->live;

	st->bytes = s->framed.nr_bytes;
	st->oversized = s->framed.nr_oversized;
	st->foreign = s->framed.nr_foreign;
	st->events = s->read.nr_events;
	st->unknown = s->read.nr_unknown;
	st->malformed = s->read.nr_malformed + s->framed.nr_torn;
	st->records = st->events + st->malformed + st->oversized;
}

static void stats_publish(struct intake *in)
{
	pthread_mutex_lock(&in->lock);
	for (int i = 0; i < in->nr_sources; i++) {
		stats_refresh(in->sources[i]);
		in->sources[i]->shown = in->sources[i]->live;
	}
	pthread_mutex_unlock(&in->lock);
}

void intake_stats(struct intake *in, int source, struct source_stats *out)
{
	pthread_mutex_lock(&in->lock);
	*out = in->sources[source]->shown;
	pthread_mutex_unlock(&in->lock);
}

int intake_nr_sources(const struct intake *in)
{
	return in->nr_sources;
}

void source_error(struct source *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->live.error, sizeof(s->live.error), fmt, ap);
	va_end(ap);
}

void source_loss(struct source *s, const char *fmt, ...)
{
	va_list ap;

	s->incomplete = true;
	va_start(ap, fmt);
	vsnprintf(s->live.error, sizeof(s->live.error), fmt, ap);
	va_end(ap);
}

/* ---- batches ---- */

static ns_t since_push(const struct intake *in)
{
	return tr2_clock_monotonic() - in->last_push_ns;
}

void intake_push(struct intake *in)
{
	stats_publish(in);
	if (batch_is_empty(in->batch))
		return;
	trace2_data_intmax("intake", NULL, "batch_events", in->batch->nr_events);
	journal_push(in->journal, in->batch);
	in->batch = journal_take(in->journal);
	in->batch_stream = UINT32_MAX;
	in->last_push_ns = tr2_clock_monotonic();
}

/* A round of reading is over: hand over, or wait a little for more to come. Where nobody watches
 * it is always waited, for what two threads exchange costs by the piece. */
static void round_end(struct intake *in)
{
	if (batch_is_empty(in->batch) || ev_is_active(&in->hold))
		return;
	if (in->config.once || since_push(in) < INTAKE_HOLD_MS * NS_PER_MS) {
		ev_timer_set(&in->hold, INTAKE_HOLD_MS / 1000.0, 0);
		ev_timer_start(in->loop, &in->hold);
		return;
	}
	intake_push(in);
}

static void hold_over(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop;
	(void)revents;
	intake_push(w->data);
}

/* ---- streams ---- */

static void bad_note(struct source *s, const char *record, size_t len, const struct diag *why)
{
	struct source_stats *st = &s->live;
	struct bad_sample *bad;

	if (st->nr_bad == BAD_SAMPLES)
		return;
	bad = &st->bad[st->nr_bad++];
	*bad = (struct bad_sample){
		.len = (uint32_t)(len < BAD_SAMPLE_BYTES ? len : BAD_SAMPLE_BYTES),
		.record_len = (uint32_t)(len < UINT32_MAX ? len : UINT32_MAX),
		.number = s->read.nr_malformed + s->framed.nr_torn,
		.why = why->message,
		.offset = why->offset,
	};
	memcpy(bad->bytes, record, bad->len);
}

static void bad_record(void *data, const char *record, size_t len, const struct diag *why)
{
	bad_note(data, record, len, why);
}

static void bad_torn(void *data, const char *line, size_t len)
{
	static const struct diag torn = { DIAG_TORN, "the last line has no end", 0 };

	bad_note(data, line, len, &torn);
}

/* Say in the batch whose events follow. */
static void stream_announce(struct stream *stream)
{
	struct intake *in = stream->source->intake;
	struct event ev = { .kind = REC_STREAM };

	if (in->batch_stream == stream->number && in->batch_live == stream->live)
		return;
	/* The journal drops whole batches. */
	if (in->batch->is_safe != stream->source->can_wait)
		intake_push(in);
	in->batch->is_safe = stream->source->can_wait;
	in->batch_stream = stream->number;
	in->batch_live = stream->live;
	event_set(&ev, FLD_STREAM, stream->number);
	event_set(&ev, FLD_SOURCE, stream->source->number);
	event_set(&ev, FLD_ARRIVAL, tr2_clock_wall());
	event_set(&ev, FLD_LIVE, stream->live);
	if (stream->peer_pid)
		event_set(&ev, TR2_F_PID, stream->peer_pid);
	batch_add(in->batch, &ev);
}

static void stream_lines(void *data, const char *lines, size_t len)
{
	struct stream *stream = data;
	struct source *s = stream->source;
	struct intake *in = s->intake;

	while (len) {
		size_t used;

		stream_announce(stream);
		used = reader_lines(in->reader, lines, len, in->batch, &s->read, bad_record, s);
		lines += used;
		len -= used;
		if (batch_is_full(in->batch))
			intake_push(in);
	}
}

void stream_init(struct stream *stream, struct source *source)
{
	*stream = (struct stream){ .source = source, .number = source->intake->nr_streams++ };
	stream->live = source->intake->running;
	framer_init(&stream->framer, &source->intake->pool, &source->framed);
	source->live.nr_streams++;
}

void stream_feed(struct stream *stream, const char *bytes, size_t len)
{
	struct framer_sink sink = { stream_lines, stream };

	framer_feed(&stream->framer, bytes, len, &sink);
}

void stream_datagram(struct stream *stream, char *bytes, size_t len, bool cut)
{
	struct framer_sink sink = { stream_lines, stream };

	framer_datagram(&stream->source->framed, bytes, len, cut, &sink);
}

void stream_end(struct stream *stream, bool connection)
{
	struct intake *in = stream->source->intake;
	struct event ev = { .kind = REC_STREAM_END };

	framer_end(&stream->framer, bad_torn, stream->source);
	if (!connection)
		return;
	event_set(&ev, FLD_STREAM, stream->number);
	event_set(&ev, FLD_ARRIVAL, tr2_clock_wall());
	batch_add(in->batch, &ev);
	in->batch_stream = UINT32_MAX;
}

void stream_release(struct stream *stream)
{
	framer_release(&stream->framer);
}

/* ---- inodes ---- */

/* A sorted array would be slow to fill with 100,000 files: open addressing by inode. */
static size_t inode_at(const struct intake *in, dev_t dev, ino_t ino)
{
	size_t mask = in->cap_inodes - 1;
	size_t at = (size_t)((uint64_t)ino * 0x9e3779b97f4a7c15ull >> 20) & mask;

	while (in->inodes[at].owner && (in->inodes[at].dev != dev || in->inodes[at].ino != ino))
		at = (at + 1) & mask;
	return at;
}

static void inodes_grow(struct intake *in)
{
	struct inode_slot *old = in->inodes;
	size_t old_cap = in->cap_inodes;

	in->cap_inodes = old_cap ? old_cap * 2 : 64;
	in->inodes = xcalloc(in->cap_inodes, sizeof(*in->inodes));
	for (size_t i = 0; i < old_cap; i++)
		if (old[i].owner)
			in->inodes[inode_at(in, old[i].dev, old[i].ino)] = old[i];
	free(old);
}

bool intake_inode_take(struct source *s, const struct stat *st, void *owner)
{
	struct intake *in = s->intake;
	struct inode_slot *slot;

	if ((in->nr_inodes + 1) * 2 > in->cap_inodes)
		inodes_grow(in);
	slot = &in->inodes[inode_at(in, st->st_dev, st->st_ino)];
	if (slot->owner)
		return slot->owner == owner;
	*slot = (struct inode_slot){ st->st_dev, st->st_ino, s, owner };
	in->nr_inodes++;
	return true;
}

void intake_inode_drop(struct source *s, dev_t dev, ino_t ino, void *owner)
{
	struct intake *in = s->intake;
	size_t mask = in->cap_inodes - 1, at;

	if (!in->cap_inodes)
		return;
	at = inode_at(in, dev, ino);
	if (in->inodes[at].owner != owner)
		return;
	in->inodes[at].owner = NULL;
	in->nr_inodes--;
	/* What was pushed behind it moves up. */
	for (at = (at + 1) & mask; in->inodes[at].owner; at = (at + 1) & mask) {
		struct inode_slot moved = in->inodes[at];

		in->inodes[at].owner = NULL;
		in->inodes[inode_at(in, moved.dev, moved.ino)] = moved;
	}
}

static const struct inode_slot *inode_find(const struct intake *in, const struct stat *st)
{
	const struct inode_slot *slot;

	if (!in->cap_inodes)
		return NULL;
	slot = &in->inodes[inode_at(in, st->st_dev, st->st_ino)];
	return slot->owner ? slot : NULL;
}

bool intake_inode_is_free(const struct source *s, const struct stat *st)
{
	return !inode_find(s->intake, st);
}

void *intake_inode_owner(const struct source *s, const struct stat *st)
{
	const struct inode_slot *slot = inode_find(s->intake, st);

	return slot && slot->source == s ? slot->owner : NULL;
}

bool intake_has_path(const struct intake *in, const char *path)
{
	struct stat st, own;

	if (stat(path, &st))
		return false;
	if (inode_find(in, &st))
		return true;
	for (int i = 0; i < in->nr_sources; i++) {
		const char *spec = in->sources[i]->spec;
		const char *colon = strncmp(spec, "af_unix:", 8) ? NULL : strrchr(spec, ':');

		if (!stat(colon ? colon + 1 : spec, &own) && own.st_dev == st.st_dev &&
		    own.st_ino == st.st_ino)
			return true;
	}
	return false;
}

/* ---- work that can wait ---- */

static void done_check(struct intake *in)
{
	if (!in->config.once || in->done)
		return;
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i]->live.state != SOURCE_DONE &&
		    in->sources[i]->live.state != SOURCE_FAILED)
			return;
	intake_push(in);
	in->done = true;
	if (in->config.wake)
		in->config.wake(in->config.wake_data);
}

void source_set_state(struct source *s, enum source_state state)
{
	s->live.state = state == SOURCE_DONE && s->incomplete ? SOURCE_FAILED : state;
}

void source_busy(struct source *s)
{
	s->busy = true;
	if (s->live.state == SOURCE_FOLLOWING)
		s->live.state = SOURCE_READING;
	if (s->intake->running)
		ev_idle_start(s->intake->loop, &s->intake->idle);
}

void source_become(struct source *s, enum source_kind kind)
{
	s->become = source_kinds[kind];
}

/* Where that fails, it is waited for as a file. */
static bool become(struct source *s)
{
	const struct source_ops *ops = s->become;
	char why[200];

	s->become = NULL;
	s->ops->close(s);
	s->ops = ops;
	s->live.kind = ops->kind;
	s->live.error[0] = '\0';
	s->can_wait = false;
	if (!ops->open(s, why, sizeof(why))) {
		source_error(s, "%s", why);
		ops->close(s);
		s->ops = ops = source_kinds[SOURCE_FILE];
		s->live.kind = ops->kind;
		ops->open(s, why, sizeof(why));
	}
	ops->start(s);
	return s->busy;
}

static void idle_work(struct ev_loop *loop, ev_idle *w, int revents)
{
	struct intake *in = w->data;
	size_t budget =
		in->config.once && !in->nr_urgent ? ONCE_BUDGET_BYTES : WORK_BUDGET_BYTES;
	bool more = false;

	(void)revents;
	if (!journal_has_room(in->journal)) {
		/* Whoever makes room sends an order. */
		ev_idle_stop(loop, w);
		return;
	}
	trace2_region_enter("intake", "files", NULL);
	for (int i = 0; i < in->nr_sources; i++) {
		struct source *s = in->sources[i];

		if (!s->busy)
			continue;
		s->busy = s->ops->work(s, budget);
		listeners_urgent(in);
		if (s->become)
			s->busy = become(s);
		more |= s->busy;
	}
	trace2_region_leave("intake", "files", NULL);
	if (!more)
		ev_idle_stop(loop, w);
}

static void room_again(void *data)
{
	struct intake *in = data;

	ev_async_send(in->loop, &in->order);
}

/* ---- orders from other threads ---- */

static void gap_note(struct intake *in, ns_t from, const char *why)
{
	struct event ev = { .kind = REC_GAP };
	ns_t now = tr2_clock_wall();

	event_set(&ev, FLD_ARRIVAL, now);
	event_set(&ev, FLD_T_GAP, now - from);
	event_set(&ev, TR2_F_MSG, batch_add_text(in->batch, why, strlen(why)));
	batch_add(in->batch, &ev);
}

static void serve_suspend(struct intake *in)
{
	int wanted;

	pthread_mutex_lock(&in->lock);
	wanted = in->suspend_wanted;
	pthread_mutex_unlock(&in->lock);
	if (!wanted)
		return;
	for (int i = 0; i < in->nr_sources; i++) {
		struct source *s = in->sources[i];

		if (s->live.state == SOURCE_FAILED || s->live.state == SOURCE_DONE)
			continue;
		if (wanted > 0 && s->ops->suspend)
			s->ops->suspend(s);
		if (wanted < 0 && s->ops->resume)
			s->ops->resume(s);
	}
	if (wanted > 0)
		in->suspended_at = tr2_clock_wall();
	else if (in->suspended_at != NS_NONE)
		gap_note(in, in->suspended_at, "stopped by Ctrl-Z");
	intake_push(in);
	pthread_mutex_lock(&in->lock);
	in->suspend_wanted = 0;
	pthread_cond_broadcast(&in->served);
	pthread_mutex_unlock(&in->lock);
}

static void drain_begin(struct intake *in)
{
	if (in->draining)
		return;
	in->draining = true;
	in->drain_until_ns = tr2_clock_monotonic() + INTAKE_DRAIN_MS * NS_PER_MS;
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i]->ops->drain && in->sources[i]->priv)
			in->sources[i]->ops->drain(in->sources[i]);
	ev_timer_start(in->loop, &in->drain_timer);
}

/* Nothing was ready in a whole turn of the loop, or time is over: then that was all. */
static void drain_look(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct intake *in = w->data;
	bool over = tr2_clock_monotonic() >= in->drain_until_ns;
	bool all_empty = true;

	(void)loop;
	(void)revents;
	for (int i = 0; i < in->nr_sources; i++) {
		struct source *s = in->sources[i];
		bool empty = over || !s->priv || !s->ops->is_empty || s->ops->is_empty(s);

		all_empty &= empty;
	}
	if (!all_empty)
		return;
	ev_timer_stop(in->loop, w);
	for (int i = 0; i < in->nr_sources; i++) {
		struct source *s = in->sources[i];

		if (!s->ops->drain || s->live.state == SOURCE_FAILED || !s->priv)
			continue;
		if (s->ops->finish)
			s->ops->finish(s);
		source_set_state(s, SOURCE_DONE);
	}
}

static void leave_old(struct intake *in)
{
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i]->ops->leave_old && in->sources[i]->priv)
			in->sources[i]->ops->leave_old(in->sources[i]);
	intake_push(in);
	if (in->config.wake)
		in->config.wake(in->config.wake_data);
}

static void order_came(struct ev_loop *loop, ev_async *w, int revents)
{
	struct intake *in = w->data;

	(void)revents;
	if (in->stop) {
		ev_break(loop, EVBREAK_ALL);
		return;
	}
	serve_suspend(in);
	if (in->drain_wanted)
		drain_begin(in);
	if (atomic_exchange(&in->leave_wanted, false))
		leave_old(in);
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i]->busy)
			ev_idle_start(loop, &in->idle);
}

/* ---- the thread ---- */

void intake_hurry(struct intake *in)
{
	in->hurried = true;
}

/* What was read is handed over by the thread itself, once it is there. */
static uint64_t stand_in(void *data)
{
	struct intake *in = data;
	uint64_t before = in->socket_bytes;

	listeners_stand_in(in);
	if (in->socket_bytes != before)
		ev_async_send(in->loop, &in->order);
	return in->socket_bytes - before;
}

static void waiting_begins(struct ev_loop *loop)
{
	deputy_release(((struct intake *)ev_userdata(loop))->deputy);
}

static void waiting_ends(struct ev_loop *loop)
{
	deputy_acquire(((struct intake *)ev_userdata(loop))->deputy);
}

static void hurry(struct intake *in)
{
	bool granted = realtime_begin();

	trace2_data_intmax("intake", NULL, "realtime", granted);
	if (!granted)
		return;
	in->deputy = deputy_new(stand_in, in);
	if (!in->deputy)
		return;
	ev_set_userdata(in->loop, in);
	ev_set_loop_release_cb(in->loop, waiting_begins, waiting_ends);
}

static void *intake_main(void *data)
{
	struct intake *in = data;

	trace2_thread_start("intake");
	if (in->hurried)
		hurry(in);
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i]->ops->start && in->sources[i]->live.state != SOURCE_FAILED)
			in->sources[i]->ops->start(in->sources[i]);
	while (!in->stop) {
		done_check(in);
		ev_run(in->loop, EVRUN_ONCE);
		round_end(in);
		if (in->deputy)
			deputy_watch(in->deputy, in->socket_bytes,
				     (ns_t)(ev_now(in->loop) * NS_PER_SEC));
		if (!ev_is_active(&in->hold))
			stats_publish(in);
	}
	deputy_free(in->deputy);
	intake_push(in);
	trace2_thread_exit();
	return NULL;
}

/* Each connection takes a descriptor: take as many as may be had. */
static void descriptors_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

struct intake *intake_new(struct journal *journal, struct tr2_intern *syms,
			  const struct intake_config *config)
{
	struct intake *in = xcalloc(1, sizeof(*in));

	in->config = *config;
	in->journal = journal;
	in->syms = syms;
	in->reader = reader_new(READER_EVENT, syms);
	framer_pool_init(&in->pool, FRAMER_MAX_PARTIAL_BYTES);
	in->loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOSIGMASK);
	if (!in->loop)
		die("cannot make an event loop: %s", strerror(errno));
	in->buf = xmalloc(INTAKE_BUF_BYTES + FRAMER_PAD);
	in->batch = journal_take(journal);
	in->batch_stream = UINT32_MAX;
	in->suspended_at = NS_NONE;
	realtime_mutex_init(&in->lock);
	pthread_cond_init(&in->served, NULL);
	ev_async_init(&in->order, order_came);
	ev_idle_init(&in->idle, idle_work);
	ev_set_priority(&in->idle, EV_MINPRI);
	ev_timer_init(&in->hold, hold_over, 0, 0);
	ev_timer_init(&in->drain_timer, drain_look, 0.02, 0.02);
	ev_set_priority(&in->drain_timer, EV_MINPRI);
	in->order.data = in->idle.data = in->hold.data = in->drain_timer.data = in;
	ev_async_start(in->loop, &in->order);
	journal_on_room(journal, room_again, in);
	descriptors_raise();
	return in;
}

static struct source *source_new(struct intake *in, const char *spec,
				 const struct source_ops *ops)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->intake = in;
	s->ops = ops;
	s->spec = xstrdup(spec);
	s->number = in->nr_sources;
	s->live.spec = s->spec;
	s->live.kind = ops->kind;
	s->live.format = in->reader->ops->name;
	in->sources =
		xreallocarray(in->sources, (size_t)in->nr_sources + 1, sizeof(*in->sources));
	in->sources[in->nr_sources++] = s;
	return s;
}

static bool source_open(struct source *s, char *why, size_t why_bytes)
{
	bool ok = s->ops->open(s, why, why_bytes);

	if (!ok) {
		source_set_state(s, SOURCE_FAILED);
		source_error(s, "%s", why);
	}
	s->shown = s->live;
	return ok;
}

bool intake_add(struct intake *in, const char *spec, char *why, size_t why_bytes)
{
	const struct source_ops *ops = source_kinds[NR_SOURCES - 1];
	struct stat st;
	bool there = !stat(spec, &st);

	for (int i = 0; i < NR_SOURCES; i++)
		if (source_kinds[i]->claims(spec, there ? &st : NULL)) {
			ops = source_kinds[i];
			break;
		}
	return source_open(source_new(in, spec, ops), why, why_bytes);
}

bool intake_add_command(struct intake *in, char **argv, int cols, int rows, char *why,
			size_t why_bytes)
{
	struct source *s = source_new(in, argv[0], &source_command);

	if (source_command_run(s, argv, cols, rows, why, why_bytes)) {
		s->shown = s->live;
		return true;
	}
	source_set_state(s, SOURCE_FAILED);
	source_error(s, "%s", why);
	s->shown = s->live;
	return false;
}

void intake_start(struct intake *in)
{
	sigset_t all, before;
	int error = 0;

	in->running = true;
	sigfillset(&all);
	/* What a thread does wrong itself is never blocked: it would die without its handler. */
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!in->hurried || !realtime_thread(&in->thread, intake_main, in))
		error = pthread_create(&in->thread, NULL, intake_main, in);
	if (error)
		die("cannot start a thread: %s", strerror(error));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool intake_is_done(const struct intake *in)
{
	return in->done;
}

void intake_drain(struct intake *in)
{
	in->drain_wanted = true;
	ev_async_send(in->loop, &in->order);
}

void intake_leave_old(struct intake *in)
{
	in->leave_wanted = true;
	ev_async_send(in->loop, &in->order);
}

static void suspend_order(struct intake *in, int wanted)
{
	if (!in->running)
		return;
	pthread_mutex_lock(&in->lock);
	in->suspend_wanted = wanted;
	ev_async_send(in->loop, &in->order);
	while (in->suspend_wanted)
		pthread_cond_wait(&in->served, &in->lock);
	pthread_mutex_unlock(&in->lock);
}

void intake_suspend(struct intake *in)
{
	suspend_order(in, 1);
}

void intake_resume(struct intake *in)
{
	suspend_order(in, -1);
}

void intake_free(struct intake *in)
{
	if (!in)
		return;
	if (in->running) {
		in->stop = true;
		ev_async_send(in->loop, &in->order);
		pthread_join(in->thread, NULL);
		in->running = false;
	}
	for (int i = 0; i < in->nr_sources; i++) {
		if (in->sources[i]->ops->close)
			in->sources[i]->ops->close(in->sources[i]);
		free(in->sources[i]->spec);
		free(in->sources[i]);
	}
	free(in->sources);
	journal_on_room(in->journal, NULL, NULL);
	journal_push(in->journal, in->batch);
	ev_loop_destroy(in->loop);
	framer_pool_release(&in->pool);
	reader_free(in->reader);
	pthread_mutex_destroy(&in->lock);
	pthread_cond_destroy(&in->served);
	free(in->inodes);
	free(in->urgent);
	free(in->buf);
	free(in);
}
