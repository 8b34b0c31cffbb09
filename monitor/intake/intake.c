/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/intake/intake.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/base/thread_signals.h"
#include "monitor/intake/event_loop.h"
#include "monitor/intake/intake_priv.h"

/* Seconds between checks of streams that hold back data until they are silent. */
#define SILENCE_LOOK_S 0.05

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

/* Copy the statistics of sources to `shown`, for other threads. */
static void intake_stats_publish(void *data)
{
	struct intake *in = data;

	pthread_mutex_lock(&in->lock);
	for (int i = 0; i < in->sources.nr; i++) {
		origin_refresh(&in->sources.items[i]->origin);
		in->sources.items[i]->shown = in->sources.items[i]->origin.stats;
	}
	for (int i = sources_nr_shown(&in->sources); i < in->sources.nr; i++)
		shown_add(&in->sources.items[i]->owner->shown, &in->sources.items[i]->origin.stats);
	pthread_mutex_unlock(&in->lock);
}

void intake_stats(struct intake *in, int source, struct source_stats *out)
{
	pthread_mutex_lock(&in->lock);
	*out = in->sources.items[source]->shown;
	pthread_mutex_unlock(&in->lock);
}

struct source_stats *intake_all_stats(struct intake *in, int *nr)
{
	struct source_stats *all = xcalloc((size_t)in->sources.nr + 1, sizeof(*all));

	*nr = sources_nr_shown(&in->sources);
	pthread_mutex_lock(&in->lock);
	for (int i = 0; i < *nr; i++)
		all[i] = in->sources.items[i]->shown;
	pthread_mutex_unlock(&in->lock);
	return all;
}

int intake_nr_sources(const struct intake *in)
{
	return sources_nr_shown(&in->sources);
}

static ns_t since_push(const struct intake *in)
{
	return tr2_clock_monotonic() - in->streams.out.pushed_ns;
}

/* Hand the batch over, or start a timer that does: with --once, or if the last hand-over was less
 * than INTAKE_HOLD_MS ago. Each hand-over has a cost. */
static void round_end(struct intake *in)
{
	if (in->streams.waiting && !ev_is_active(&in->silence))
		ev_timer_again(in->loop, &in->silence);
	if (batch_is_empty(in->streams.out.batch) || ev_is_active(&in->hold))
		return;
	if (in->sources.context.config.once || since_push(in) < INTAKE_HOLD_MS * NS_PER_MS) {
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

static void order_send(struct intake *in)
{
	ev_async_send(in->loop, &in->order);
}

static void on_room(void *data)
{
	order_send(data);
}

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
	if (wanted > 0) {
		sources_suspend(&in->sources);
		in->suspended_at = tr2_clock_wall();
	} else {
		sources_resume(&in->sources);
		if (in->suspended_at != NS_NONE)
			intake_add_gap(in, in->suspended_at, "stopped by Ctrl-Z");
	}
	batcher_push(&in->streams.out);
	pthread_mutex_lock(&in->lock);
	in->suspend_wanted = 0;
	pthread_cond_broadcast(&in->served);
	pthread_mutex_unlock(&in->lock);
}

static void serve_leave_old(struct intake *in)
{
	sources_leave_old(&in->sources);
	batcher_push(&in->streams.out);
	source_wake(&in->sources.context);
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
		sources_drain(&in->sources);
	if (atomic_exchange(&in->leave_wanted, false))
		serve_leave_old(in);
	sources_continue(&in->sources);
}

static void done_check(struct intake *in)
{
	if (!in->sources.context.config.once || in->done || !sources_are_done(&in->sources))
		return;
	batcher_push(&in->streams.out);
	in->done = true;
	source_wake(&in->sources.context);
}

static void *intake_main(void *data)
{
	struct intake *in = data;

	trace2_thread_start("intake");
	sources_start(&in->sources);
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

static void on_command_ended(void *data)
{
	intake_drain(data);
}

static void timers_init(struct intake *in)
{
	ev_async_init(&in->order, on_order);
	ev_timer_init(&in->hold, on_hold_timer, 0, 0);
	ev_timer_init(&in->silence, on_silence_timer, 0, SILENCE_LOOK_S);
	in->order.data = in->hold.data = in->silence.data = in;
	ev_async_start(in->loop, &in->order);
}

struct intake *intake_new(struct journal *journal, struct tr2_intern *syms,
			  const struct source_config *config)
{
	struct intake *in = xcalloc(1, sizeof(*in));

	in->loop = event_loop_new(EVFLAG_AUTO | EVFLAG_NOSIGMASK);
	streams_init(&in->streams, journal, syms, config->replay);
	in->streams.out.on_push = intake_stats_publish;
	in->streams.out.data = in;
	sources_init(&in->sources, config, &in->streams, in->loop);
	in->sources.context.on_ended = on_command_ended;
	in->sources.context.ended_data = in;
	in->suspended_at = NS_NONE;
	pthread_mutex_init(&in->lock, NULL);
	pthread_cond_init(&in->served, NULL);
	timers_init(in);
	journal_on_room(journal, on_room, in);
	return in;
}

bool intake_add(struct intake *in, const char *spec, char *why, size_t why_bytes)
{
	return sources_add(&in->sources, spec, why, why_bytes);
}

bool intake_add_command(struct intake *in, char **argv, int cols, int rows, char *why,
			size_t why_bytes)
{
	return sources_add_command(&in->sources, argv, cols, rows, why, why_bytes);
}

void intake_add_relay(struct intake *in, const char *spec, const struct relay *relay)
{
	sources_add_relay(&in->sources, spec, relay);
}

void intake_add_tap(struct intake *in, struct tap *tap, bool stored)
{
	taps_add(&in->streams.taps, tap, stored);
	tap_on_room(tap, on_room, in);
}

void intake_replay_changed(struct intake *in)
{
	order_send(in);
}

void intake_start(struct intake *in)
{
	sigset_t before;
	int error;

	sources_add_hidden(&in->sources);
	in->streams.is_running = true;
	thread_signals_block(0, &before);
	error = pthread_create(&in->thread, NULL, intake_main, in);
	if (error)
		die("cannot start a thread: %s", strerror(error));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool intake_has_path(const struct intake *in, const char *path)
{
	return sources_have_path(&in->sources, path);
}

bool intake_reads_directory(const struct intake *in, const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode) && intake_has_path(in, path);
}

bool intake_is_done(const struct intake *in)
{
	return in->done;
}

void intake_drain(struct intake *in)
{
	in->drain_wanted = true;
	order_send(in);
}

void intake_leave_old(struct intake *in)
{
	in->leave_wanted = true;
	order_send(in);
}

static void suspend_order(struct intake *in, int wanted)
{
	if (!in->streams.is_running)
		return;
	pthread_mutex_lock(&in->lock);
	in->suspend_wanted = wanted;
	order_send(in);
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
		order_send(in);
		pthread_join(in->thread, NULL);
		in->streams.is_running = false;
	}
	/* sources_close() also reads data that arrived after the last read, such as at sockets. */
	sources_close(&in->sources);
	batcher_push(&in->streams.out);
	in->stopped = true;
}

void intake_free(struct intake *in)
{
	if (!in)
		return;
	intake_stop(in);
	journal_on_room(in->streams.out.journal, NULL, NULL);
	in->streams.out.on_push = NULL;
	streams_release(&in->streams);
	sources_release(&in->sources);
	ev_loop_destroy(in->loop);
	pthread_mutex_destroy(&in->lock);
	pthread_cond_destroy(&in->served);
	free(in);
}
