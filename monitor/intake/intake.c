/* SPDX-License-Identifier: MIT */
/* The intake thread: its loop, the current batch, and statistics of its sources. */
#include "config.h"
#include "monitor/intake/intake.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/base/thread_signals.h"
#include "monitor/intake/command_output.h"
#include "monitor/intake/event_loop.h"
#include "monitor/intake/intake_priv.h"
#include "monitor/intake/listener.h"
#include "monitor/intake/ring_dir.h"
#include "monitor/intake/source.h"

/*
 * Bytes that are read from files before sockets are checked again. With --once and no socket: a
 * full buffer.
 */
#define WORK_BUDGET_BYTES (64u << 10)
#define ONCE_BUDGET_BYTES INTAKE_BUF_BYTES
/* Interval in seconds of checks of silent streams. */
#define SILENCE_LOOK_S 0.05
/* Longer delays of a replay are split into steps of this length. */
#define DUE_MAX_NS (60 * NS_PER_SEC)

/* ---- statistics of sources ---- */

/* Add the counters of a hidden source to those of the source that owns it. */
static void shown_add(struct source_stats *to, const struct source_stats *st)
{
#define COUNTED(member, ...)         to->member += st->member;
#define COUNTED_SOME(member, ...)    to->member += st->member;
#define NOTED(member, ...)           to->member += st->member;
#define NOTED_OF(member, bytes, ...) to->member += st->member, to->bytes += st->bytes;
#include "monitor/event/source_counters.def"
	to->nr_streams += st->nr_streams;
	to->nr_open += st->nr_open;
	if (!*to->error)
		memcpy(to->error, st->error, sizeof(to->error));
}

/* Publish the counters of the sources. Also called before each hand-over. */
static void intake_stats_publish(void *data)
{
	struct intake *in = data;

	pthread_mutex_lock(&in->lock);
	for (int i = 0; i < in->nr_sources; i++) {
		origin_refresh(&in->sources[i]->origin);
		in->sources[i]->shown = in->sources[i]->origin.stats;
	}
	for (int i = in->nr_sources - in->nr_inner; i < in->nr_sources; i++)
		shown_add(&in->sources[i]->owner->shown, &in->sources[i]->origin.stats);
	pthread_mutex_unlock(&in->lock);
}

void intake_stats(struct intake *in, int source, struct source_stats *out)
{
	pthread_mutex_lock(&in->lock);
	*out = in->sources[source]->shown;
	pthread_mutex_unlock(&in->lock);
}

struct source_stats *intake_all_stats(struct intake *in, int *nr)
{
	struct source_stats *all = xcalloc((size_t)in->nr_sources + 1, sizeof(*all));

	*nr = intake_nr_sources(in);
	pthread_mutex_lock(&in->lock);
	for (int i = 0; i < *nr; i++)
		all[i] = in->sources[i]->shown;
	pthread_mutex_unlock(&in->lock);
	return all;
}

int intake_nr_sources(const struct intake *in)
{
	return in->nr_sources - in->nr_inner;
}

/* ---- handing over batches ---- */

static ns_t since_push(const struct intake *in)
{
	return tr2_clock_monotonic() - in->streams.out.pushed_ns;
}

/*
 * Called after reading: hand the batch over, or wait a little for more data. With --once always
 * wait, because each hand-over has a fixed cost.
 */
static void round_end(struct intake *in)
{
	if (in->streams.waiting && !ev_is_active(&in->silence))
		ev_timer_again(in->loop, &in->silence);
	if (batch_is_empty(in->streams.out.batch) || ev_is_active(&in->hold))
		return;
	if (in->config.once || since_push(in) < INTAKE_HOLD_MS * NS_PER_MS) {
		ev_timer_set(&in->hold, INTAKE_HOLD_MS / 1000.0, 0);
		ev_timer_start(in->loop, &in->hold);
		return;
	}
	batcher_push(&in->streams.out);
}

static void on_silence_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct intake *in = w->data;

	(void)revents;
	if (!streams_check(&in->streams))
		ev_timer_stop(loop, w);
}

static void on_hold_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct intake *in = w->data;

	(void)loop;
	(void)revents;
	batcher_push(&in->streams.out);
}

/* ---- reading files, which can wait ---- */

static void done_check(struct intake *in)
{
	int nr = intake_nr_sources(in);

	if (!in->config.once || in->done)
		return;
	for (int i = 0; i < nr; i++)
		if (in->sources[i]->origin.stats.state != SOURCE_DONE &&
		    in->sources[i]->origin.stats.state != SOURCE_FAILED)
			return;
	/* Hidden sources end when their owners have ended, because no more data will come. */
	for (int i = nr; i < in->nr_sources; i++)
		if (in->sources[i]->origin.stats.state != SOURCE_FAILED)
			in->sources[i]->ops->finish(in->sources[i]);
	batcher_push(&in->streams.out);
	in->done = true;
	if (in->config.wake)
		in->config.wake(in->config.wake_data);
}

/* Schedule reading of a replayed source for when its next entry is due or the speed changes. */
static void due_wait(struct intake *in, struct source *s)
{
	ns_t left = s->origin.due_ns == INT64_MAX ? INT64_MAX
						  : s->origin.due_ns - tr2_clock_monotonic();
	double seconds = left > 0 ? (double)left / NS_PER_SEC : 0;

	s->origin.is_busy = false;
	if (left > DUE_MAX_NS)
		seconds = (double)DUE_MAX_NS / NS_PER_SEC;
	if (ev_is_active(&in->due) && ev_timer_remaining(in->loop, &in->due) <= seconds)
		return;
	ev_timer_stop(in->loop, &in->due);
	ev_timer_set(&in->due, seconds, 0);
	ev_timer_start(in->loop, &in->due);
}

static void due_again(struct intake *in)
{
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i]->origin.is_not_due) {
			in->sources[i]->origin.is_not_due = false;
			source_busy(in->sources[i]);
		}
}

static void on_due_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop;
	(void)revents;
	due_again(w->data);
}

static void idle_work(struct ev_loop *loop, ev_idle *w, int revents)
{
	struct intake *in = w->data;
	size_t budget =
		in->config.once && !in->nr_listeners ? ONCE_BUDGET_BYTES : WORK_BUDGET_BYTES;
	bool more = false;

	(void)revents;
	trace2_region_enter("intake", "files", NULL);
	for (int i = 0; i < in->nr_sources; i++) {
		struct source *s = in->sources[i];

		if (!s->origin.is_busy)
			continue;
		/* When there is space again, the thread receives an order. */
		if (!streams_have_room(&in->streams)) {
			more = false;
			break;
		}
		s->origin.is_not_due = false;
		s->origin.is_busy = s->ops->work(s, budget);
		listeners_take_datagrams(in);
		if (s->become)
			s->origin.is_busy = source_convert(s);
		if (s->origin.is_not_due)
			due_wait(in, s);
		more |= s->origin.is_busy;
	}
	more |= ring_files_work(in, budget);
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

static void intake_add_gap(struct intake *in, ns_t from, const char *why)
{
	struct event ev = { .kind = REC_GAP };
	ns_t now = tr2_clock_wall();

	event_set(&ev, FLD_ARRIVAL, now);
	event_set(&ev, FLD_T_GAP, now - from);
	event_set(&ev, TR2_F_MSG, batch_add_text(in->streams.out.batch, why, strlen(why)));
	batch_add(in->streams.out.batch, &ev);
	taps_gap(&in->streams.taps, now, now - from, why, strlen(why));
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

		if (s->origin.stats.state == SOURCE_FAILED || s->origin.stats.state == SOURCE_DONE)
			continue;
		if (wanted > 0 && s->ops->suspend)
			s->ops->suspend(s);
		if (wanted < 0 && s->ops->resume)
			s->ops->resume(s);
	}
	if (wanted > 0)
		in->suspended_at = tr2_clock_wall();
	else if (in->suspended_at != NS_NONE)
		intake_add_gap(in, in->suspended_at, "stopped by Ctrl-Z");
	batcher_push(&in->streams.out);
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

/* Finish draining if no source was ready in a whole turn of the loop, or if time is up. */
static void on_drain_timer(struct ev_loop *loop, ev_timer *w, int revents)
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

		if (!s->ops->drain || s->origin.stats.state == SOURCE_FAILED || !s->priv)
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
	batcher_push(&in->streams.out);
	if (in->config.wake)
		in->config.wake(in->config.wake_data);
}

static void on_order(struct ev_loop *loop, ev_async *w, int revents)
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
	if (in->config.replay)
		due_again(in);
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i]->origin.is_busy)
			ev_idle_start(loop, &in->idle);
}

/* ---- the intake thread ---- */

static void *intake_main(void *data)
{
	struct intake *in = data;

	trace2_thread_start("intake");
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i]->ops->start &&
		    in->sources[i]->origin.stats.state != SOURCE_FAILED)
			in->sources[i]->ops->start(in->sources[i]);
	while (!in->stop) {
		done_check(in);
		ev_run(in->loop, EVRUN_ONCE);
		round_end(in);
		if (!ev_is_active(&in->hold))
			intake_stats_publish(in);
	}
	batcher_push(&in->streams.out);
	trace2_thread_exit();
	return NULL;
}

static void read_datagrams(void *data)
{
	listeners_take_datagrams(data);
}

/* Raise RLIMIT_NOFILE, because each connection needs a descriptor. */
static void descriptors_raise(struct intake *in)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &in->nr_files))
		return;
	limit = in->nr_files;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

struct intake *intake_new(struct journal *journal, struct tr2_intern *syms,
			  const struct intake_config *config)
{
	struct intake *in = xcalloc(1, sizeof(*in));

	in->config = *config;
	streams_init(&in->streams, journal, syms, config->replay);
	in->streams.out.on_push = intake_stats_publish;
	in->streams.read_datagrams = read_datagrams;
	in->streams.out.data = in->streams.data = in;
	in->loop = event_loop_new(EVFLAG_AUTO | EVFLAG_NOSIGMASK);
	in->buf = xmalloc(INTAKE_BUF_BYTES + SPLITTER_PAD);
	in->suspended_at = NS_NONE;
	pthread_mutex_init(&in->lock, NULL);
	pthread_cond_init(&in->served, NULL);
	ev_async_init(&in->order, on_order);
	ev_idle_init(&in->idle, idle_work);
	ev_set_priority(&in->idle, EV_MINPRI);
	ev_timer_init(&in->hold, on_hold_timer, 0, 0);
	ev_timer_init(&in->drain_timer, on_drain_timer, 0.02, 0.02);
	ev_set_priority(&in->drain_timer, EV_MINPRI);
	ev_timer_init(&in->silence, on_silence_timer, 0, SILENCE_LOOK_S);
	in->order.data = in->idle.data = in->hold.data = in->drain_timer.data = in;
	ev_timer_init(&in->due, on_due_timer, 0, 0);
	in->silence.data = in->due.data = in;
	ring_files_init(in);
	ev_async_start(in->loop, &in->order);
	journal_on_room(journal, room_again, in);
	descriptors_raise(in);
	return in;
}

static struct source *source_new(struct intake *in, const char *spec)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->intake = in;
	s->spec = xstrdup(spec);
	origin_init(&s->origin, &in->streams, s->spec, in->config.input_format - 1);
	in->sources = xreallocarray(in->sources, (size_t)in->nr_sources + 1, sizeof(*in->sources));
	in->sources[in->nr_sources++] = s;
	return s;
}

static bool source_open(struct source *s, char *why, size_t why_bytes)
{
	bool ok = false;

	if (s->path && !*s->path)
		snprintf(why, why_bytes, "a path is missing behind %s", s->spec);
	else
		ok = s->ops->open(s, why, why_bytes);
	if (!ok) {
		source_set_state(s, SOURCE_FAILED);
		origin_error(&s->origin, "%s", why);
	}
	s->shown = s->origin.stats;
	return ok;
}

bool intake_add(struct intake *in, const char *spec, char *why, size_t why_bytes)
{
	struct source *s = source_new(in, spec);

	s->ops = source_kinds[source_kind_of(s->spec, &s->path)];
	s->origin.stats.kind = s->ops->kind;
	s->origin.stats.waits = s->ops->waits;
	return source_open(s, why, why_bytes);
}

bool intake_add_command(struct intake *in, char **argv, int cols, int rows, char *why,
			size_t why_bytes)
{
	struct source *s = source_new(in, argv[0]);

	s->ops = source_kinds[SOURCE_COMMAND];
	s->origin.stats.kind = s->ops->kind;
	/* The command's environment sets its trace target and format. */
	s->origin.format = READER_EVENT;
	if (source_command_run(s, argv, cols, rows, why, why_bytes)) {
		s->shown = s->origin.stats;
		return true;
	}
	source_set_state(s, SOURCE_FAILED);
	origin_error(&s->origin, "%s", why);
	s->shown = s->origin.stats;
	return false;
}

ns_t intake_relay_skew(const struct intake *in)
{
	ns_t skew = in->streams.relay_skew_ns;

	return skew == NS_NONE ? 0 : skew;
}

enum command_state intake_relay_command(const struct intake *in, int *wait_status, ns_t *ran_ns)
{
	enum command_state state = (enum command_state)in->relay_command;
	bool has_ended = state == COMMAND_ENDED;

	*wait_status = has_ended ? in->relay_status : 0;
	*ran_ns = (has_ended ? in->relay_ended_ns : tr2_clock_monotonic()) - in->relay_begun_ns;
	return state;
}

size_t intake_command_output(struct intake *in, char *out, uint64_t *version)
{
	return in->output ? command_output_copy(in->output, out, version) : SIZE_MAX;
}

size_t intake_command_read(struct intake *in, uint64_t *at, char *out, size_t bytes)
{
	return in->output ? command_output_read(in->output, at, out, bytes) : 0;
}

void intake_add_relay(struct intake *in, const char *spec, const struct relay *relay)
{
	struct source *s = source_new(in, spec);

	s->ops = &source_relay;
	s->origin.stats.kind = s->ops->kind;
	s->origin.stats.waits = relay->of_command ? NULL : s->ops->waits;
	source_relay_open(s, relay);
	s->shown = s->origin.stats;
}

void intake_add_tap(struct intake *in, struct tap *tap, bool stored)
{
	in->streams.taps.stored |= (uint8_t)(stored << in->streams.taps.nr);
	in->streams.taps.all[in->streams.taps.nr++] = tap;
	tap_on_room(tap, room_again, in);
}

void intake_replay_changed(struct intake *in)
{
	ev_async_send(in->loop, &in->order);
}

/* Add hidden sources: sources that listen also read the ring directory that belongs to their
 * socket. */
static void inner_add(struct intake *in)
{
	for (int i = 0, nr = in->nr_sources; i < nr; i++) {
		struct source *owner = in->sources[i], *s;
		char why[200];

		if (!owner->rings)
			continue;
		s = source_new(in, owner->rings->path);
		in->nr_inner++;
		s->owner = owner;
		s->origin.number = owner->origin.number;
		s->path = s->spec;
		s->ops = &source_rings;
		s->origin.stats.kind = s->ops->kind;
		if (!source_open(s, why, sizeof(why)))
			origin_error(&owner->origin, "%s", why);
	}
}

static void inner_close(struct intake *in)
{
	for (int i = intake_nr_sources(in); i < in->nr_sources; i++)
		in->sources[i]->ops->close(in->sources[i]);
	for (int i = 0; i < intake_nr_sources(in); i++) {
		ring_dir_leave(in->sources[i]->rings);
		in->sources[i]->rings = NULL;
	}
}

void intake_start(struct intake *in)
{
	sigset_t before;
	int error;

	inner_add(in);
	in->streams.is_running = true;
	thread_signals_block(0, &before);
	error = pthread_create(&in->thread, NULL, intake_main, in);
	if (error)
		die("cannot start a thread: %s", strerror(error));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool intake_has_path(const struct intake *in, const char *path)
{
	struct stat st, own;

	if (stat(path, &st))
		return false;
	if (!inodes_is_free(&in->inodes, &st))
		return true;
	for (int i = 0; i < in->nr_sources; i++) {
		const char *own_path = in->sources[i]->path;

		if (own_path && !stat(own_path, &own) && own.st_dev == st.st_dev &&
		    own.st_ino == st.st_ino)
			return true;
	}
	return false;
}

bool intake_reads_directory(const struct intake *in, const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode) && intake_has_path(in, path);
}

bool intake_is_recorded_command(const struct intake *in)
{
	return in->streams.recorded_commands && !in->streams.recorded_others;
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
	if (!in->streams.is_running)
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

void intake_stop(struct intake *in)
{
	if (in->stopped)
		return;
	if (in->streams.is_running) {
		in->stop = true;
		ev_async_send(in->loop, &in->order);
		pthread_join(in->thread, NULL);
		in->streams.is_running = false;
	}
	inner_close(in);
	for (int i = 0; i < intake_nr_sources(in); i++)
		if (in->sources[i]->ops->close)
			in->sources[i]->ops->close(in->sources[i]);
	/* Closing the sources has read data that arrived after the thread's last turn. */
	batcher_push(&in->streams.out);
	in->stopped = true;
}

void intake_free(struct intake *in)
{
	if (!in)
		return;
	intake_stop(in);
	for (int i = 0; i < in->nr_sources; i++) {
		free(in->sources[i]->spec);
		free(in->sources[i]);
	}
	free(in->sources);
	journal_on_room(in->streams.out.journal, NULL, NULL);
	in->streams.out.on_push = NULL;
	streams_release(&in->streams);
	ev_loop_destroy(in->loop);
	pthread_mutex_destroy(&in->lock);
	pthread_cond_destroy(&in->served);
	inodes_release(&in->inodes);
	free(in->listeners);
	ring_files_release(in);
	free(in->buf);
	free(in);
}
