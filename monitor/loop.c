/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/loop.h"

#include <ev.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/buf.h"
#include "engine/trace2.h"
#include "monitor/die.h"
#include "monitor/humanize.h"
#include "monitor/liveness.h"
#include "monitor/past.h"
#include "monitor/session.h"
#include "views/styles.h"
#include "views/terminal.h"
#include "views/ui.h"

/* At most 30 frames a second, however much happens. */
#define FRAME_NS (33 * NS_PER_MS)
/* How long events are applied before keys and frames have their turn. */
#define APPLY_NS (12 * NS_PER_MS)
/* How often processes that seem to run are looked for. */
#define LIVENESS_S 1.0

struct loop {
	struct session session;
	const struct options *options;
	struct ev_loop *ev;
	struct ui *ui;
	struct terminal *terminal;
	struct surface *surface;
	struct liveness liveness;
	struct past *past;		  /* NULL where no history is kept */
	const struct model *past_model; /* while looking back */

	ev_async wake, keys;
	ev_timer frame, tick, look;
	ev_idle more;
	ev_signal winch, stop, ends[3];

	ns_t begun_ns, last_frame_ns;
	ns_t paused_ns; /* monotonic; NS_NONE while not paused */
	uint64_t paused_at_events;
	time_t last_second;
	uint64_t last_version;
	char *output;
	size_t output_len;
	uint64_t output_version;
	char command_text[80];
};

/* ---- frames ---- */

static size_t memory_max(const struct loop *l)
{
	const struct options *o = l->options;

	return o->history_bytes >= 0 ? (size_t)o->history_bytes : DEFAULT_HISTORY_BYTES;
}

static const char *command_text(struct loop *l)
{
	int wait_status;
	ns_t ran;

	switch (intake_command(l->session.intake, &wait_status, &ran)) {
	case COMMAND_RUNNING:
		snprintf(l->command_text, sizeof(l->command_text), "running for %s",
			 human_duration(ran / NS_PER_SEC * NS_PER_SEC).text);
		return l->command_text;
	case COMMAND_ENDED:
		snprintf(l->command_text, sizeof(l->command_text), "exit %d after %s",
			 session_command_status(wait_status), human_duration(ran).text);
		return l->command_text;
	default:
		return NULL;
	}
}

static void output_refresh(struct loop *l)
{
	size_t len;

	if (!l->options->command)
		return;
	if (!l->output)
		l->output = xmalloc(COMMAND_OUTPUT_BYTES);
	len = intake_command_output(l->session.intake, l->output, &l->output_version);
	if (len != SIZE_MAX)
		l->output_len = len;
}

/* The sources as the ui wants them; texts live as long as `stats`. */
static void sources_fill(struct loop *l, struct source_stats *stats, struct ui_source *out, int nr)
{
	for (int i = 0; i < nr; i++) {
		struct source_stats *st = &stats[i];

		intake_stats(l->session.intake, i, st);
		out[i] = (struct ui_source){
			.spec = st->spec,
			.kind = st->kind,
			.format = st->format,
			.state = *st->error ? st->error : source_state_names[st->state],
			.failed = st->state == SOURCE_FAILED || *st->error,
			.streams = st->nr_streams,
			.open_streams = st->nr_open,
			.bytes = st->bytes,
			.records = st->records,
			.events = st->events,
			.malformed = st->malformed,
			.unknown = st->unknown,
			.oversized = st->oversized,
			.foreign = st->foreign,
		};
	}
}

static void frame_draw(struct loop *l)
{
	int nr = intake_nr_sources(l->session.intake);
	struct source_stats *stats = xcalloc((size_t)nr + 1, sizeof(*stats));
	struct ui_source *sources = xcalloc((size_t)nr + 1, sizeof(*sources));
	struct ui_input in = { .model = l->past_model ? l->past_model : l->session.model,
			       .journal = l->session.journal,
			       .intern = &l->session.syms,
			       .wall_ns = tr2_clock_wall(),
			       .monotonic_ns = tr2_clock_monotonic(),
			       .begun_ns = l->begun_ns,
			       .sources = sources,
			       .nr_sources = nr,
			       .paused = l->paused_ns != NS_NONE };

	model_settle(l->session.model);
	sources_fill(l, stats, sources, nr);
	journal_stats(l->session.journal, &in.journal_stats);
	in.memory_bytes = in.journal_stats.bytes + model_bytes(l->session.model);
	in.memory_max_bytes = memory_max(l);
	if (in.paused) {
		in.paused_events = in.journal_stats.pushed_events - l->paused_at_events;
		in.paused_ns = in.monotonic_ns - l->paused_ns;
	}
	if (l->past_model) {
		in.past = true;
		in.past_position = past_position(l->past);
		in.past_first = past_first(l->past);
		in.past_end = past_end(l->past);
		in.past_ns = past_time(l->past);
	}
	if (l->past)
		in.memory_bytes += past_bytes(l->past);
	output_refresh(l);
	in.output = l->output;
	in.output_len = l->output_len;
	in.command_state = command_text(l);
	trace2_region_enter("loop", "frame", NULL);
	ui_frame(l->ui, &in, l->surface);
	trace2_region_leave("loop", "frame", NULL);
	terminal_show(l->terminal, l->surface);
	l->last_frame_ns = in.monotonic_ns;
	free(stats);
	free(sources);
}

static void frame_due(struct ev_loop *ev, ev_timer *w, int revents)
{
	(void)revents;
	ev_timer_stop(ev, w);
	frame_draw(w->data);
}

/* Something changed: a frame as soon as one may be drawn. */
static void frame_want(struct loop *l)
{
	ns_t wait = l->last_frame_ns + FRAME_NS - tr2_clock_monotonic();

	if (ev_is_active(&l->frame))
		return;
	ev_timer_set(&l->frame, wait > 0 ? (double)wait / NS_PER_SEC : 0., 0.);
	ev_timer_start(l->ev, &l->frame);
}

/* ---- events ---- */

static void woken(void *data)
{
	struct loop *l = data;

	ev_async_send(l->ev, &l->wake);
}

static void keys_woken(void *data)
{
	struct loop *l = data;

	ev_async_send(l->ev, &l->keys);
}

static void apply_some(struct loop *l)
{
	bool more;

	if (l->paused_ns != NS_NONE) {
		frame_want(l); /* how much has arrived since */
		return;
	}
	trace2_region_enter("loop", "apply", NULL);
	more = session_apply(&l->session, APPLY_NS);
	trace2_region_leave("loop", "apply", NULL);
	if (more)
		ev_idle_start(l->ev, &l->more);
	else
		ev_idle_stop(l->ev, &l->more);
	frame_want(l);
}

static void wake_came(struct ev_loop *ev, ev_async *w, int revents)
{
	(void)ev;
	(void)revents;
	apply_some(w->data);
}

static void more_waits(struct ev_loop *ev, ev_idle *w, int revents)
{
	(void)ev;
	(void)revents;
	apply_some(w->data);
}

/* Live durations tick, the clock of the header too; else nothing is drawn. */
static void tick_came(struct ev_loop *ev, ev_timer *w, int revents)
{
	struct loop *l = w->data;
	time_t second = (time_t)(tr2_clock_wall() / NS_PER_SEC);

	(void)ev;
	(void)revents;
	if (ui_needs_ticks(l->ui) || second != l->last_second)
		frame_want(l);
	l->last_second = second;
}

static void look_came(struct ev_loop *ev, ev_timer *w, int revents)
{
	struct loop *l = w->data;

	(void)ev;
	(void)revents;
	if (l->paused_ns == NS_NONE)
		liveness_look(&l->liveness, l->session.model, l->session.journal);
}

/* ---- what the user asks for ---- */

static void pause_toggle(struct loop *l)
{
	struct journal_stats stats;

	if (l->paused_ns != NS_NONE) {
		l->paused_ns = NS_NONE;
		l->past_model = NULL;
		if (l->past)
			past_leave(l->past);
		apply_some(l);
		return;
	}
	journal_stats(l->session.journal, &stats);
	l->paused_ns = tr2_clock_monotonic();
	l->paused_at_events = stats.pushed_events;
	ev_idle_stop(l->ev, &l->more);
}

static void look_back(struct loop *l, struct ui_past to)
{
	uint64_t at;
	ns_t time;

	if (!l->past) {
		ui_notice(l->ui, "no history is kept: start with --history=SIZE to look back");
		return;
	}
	if (to.kind == UI_PAST_LIVE) {
		if (l->paused_ns != NS_NONE)
			pause_toggle(l);
		return;
	}
	if (l->paused_ns == NS_NONE)
		pause_toggle(l);
	at = past_position(l->past);
	time = past_time(l->past);
	if (time == NS_NONE)
		time = model_last_time(l->session.model);
	switch (to.kind) {
	case UI_PAST_EVENTS:
		at = to.amount < 0 && at < (uint64_t)-to.amount ? 0 : at + (uint64_t)to.amount;
		break;
	case UI_PAST_SECONDS:
		at = past_position_of(l->past, time + to.amount * NS_PER_SEC);
		break;
	default:
		at = past_position_of(l->past, to.amount);
		break;
	}
	l->past_model = past_seek(l->past, at);
}

/* Into the working directory, under a name that is not there yet. */
static void report_write_file(struct loop *l)
{
	char name[64], notice[300];
	time_t now = (time_t)(tr2_clock_wall() / NS_PER_SEC);
	struct tm tm;
	FILE *to;
	bool ok;

	localtime_r(&now, &tm);
	strftime(name, sizeof(name), "trace2top-%Y%m%d-%H%M%S.txt", &tm);
	to = fopen(name, "wxe");
	ok = to && session_report(&l->session, EXPORTER_TEXT, to, ui_nesting(l->ui),
				  ui_depth(l->ui));
	if (to)
		ok = !fclose(to) && ok;
	if (ok)
		snprintf(notice, sizeof(notice), "Report written to %s", name);
	else
		snprintf(notice, sizeof(notice), "Cannot write %s: %s", name, strerror(errno));
	ui_notice(l->ui, notice);
}

/* Ctrl-Z: nobody may be left blocked on a socket that is not read. */
static void suspend(struct loop *l)
{
	intake_suspend(l->session.intake);
	intake_command_signal(l->session.intake, SIGTSTP);
	terminal_suspend(l->terminal);
	raise(SIGSTOP);
	terminal_resume(l->terminal);
	intake_command_signal(l->session.intake, SIGCONT);
	intake_resume(l->session.intake);
	frame_want(l);
}

static void size_take(struct loop *l)
{
	int cols, rows;

	terminal_size(&cols, &rows);
	terminal_resize(l->terminal, cols, rows);
	ui_resize(l->ui, cols, rows);
	intake_command_resize(l->session.intake, cols, rows);
	frame_want(l);
}

static void keys_came(struct ev_loop *ev, ev_async *w, int revents)
{
	struct loop *l = w->data;
	struct key_event key;
	unsigned asked = UI_NOTHING;

	(void)revents;
	while (terminal_next_key(l->terminal, &key)) {
		unsigned reaction = ui_key(l->ui, &key);

		if (reaction & UI_PAUSE)
			pause_toggle(l);
		if (reaction & UI_PAST)
			look_back(l, ui_past_asked(l->ui));
		if (reaction & UI_WRITE_REPORT)
			report_write_file(l);
		if (reaction & UI_SUSPEND)
			suspend(l);
		asked |= reaction;
	}
	if (asked & UI_REPAINT)
		terminal_repaint(l->terminal);
	if (asked & UI_QUIT || terminal_is_gone(l->terminal)) {
		ev_break(ev, EVBREAK_ALL);
		return;
	}
	if (asked)
		frame_want(l);
}

static void winch_came(struct ev_loop *ev, ev_signal *w, int revents)
{
	(void)ev;
	(void)revents;
	size_take(w->data);
}

static void stop_came(struct ev_loop *ev, ev_signal *w, int revents)
{
	(void)ev;
	(void)revents;
	suspend(w->data);
}

static void end_came(struct ev_loop *ev, ev_signal *w, int revents)
{
	(void)w;
	(void)revents;
	ev_break(ev, EVBREAK_ALL);
}

/* ---- the run ---- */

static void signal_start(struct loop *l, ev_signal *w, int signo,
			 void (*came)(struct ev_loop *, ev_signal *, int))
{
	ev_signal_init(w, came, signo);
	w->data = l;
	ev_signal_start(l->ev, w);
}

static void watchers_start(struct loop *l)
{
	double interval = l->options->interval_ms / 1000.;

	ev_async_init(&l->wake, wake_came);
	ev_async_init(&l->keys, keys_came);
	ev_timer_init(&l->frame, frame_due, 0., 0.);
	ev_timer_init(&l->tick, tick_came, interval, interval);
	ev_timer_init(&l->look, look_came, LIVENESS_S, LIVENESS_S);
	ev_idle_init(&l->more, more_waits);
	ev_set_priority(&l->more, EV_MINPRI);
	/* Keys before events: a person is quicker than any backlog. */
	ev_set_priority(&l->keys, EV_MAXPRI);
	l->wake.data = l->keys.data = l->frame.data = l->tick.data = l->look.data =
		l->more.data = l;
	ev_async_start(l->ev, &l->wake);
	ev_async_start(l->ev, &l->keys);
	ev_timer_start(l->ev, &l->tick);
	ev_timer_start(l->ev, &l->look);
	signal_start(l, &l->winch, SIGWINCH, winch_came);
	signal_start(l, &l->stop, SIGTSTP, stop_came);
	signal_start(l, &l->ends[0], SIGINT, end_came);
	signal_start(l, &l->ends[1], SIGTERM, end_came);
	signal_start(l, &l->ends[2], SIGHUP, end_came);
}

static bool terminal_open(struct loop *l, int *cols, int *rows)
{
	const struct options *o = l->options;
	struct terminal_config config = { .colour = o->color,
					  .theme = o->theme ? theme_by_name(o->theme) : 0,
					  .mouse = o->mouse,
					  .title = "trace2top",
					  .wake = keys_woken,
					  .wake_data = l };
	char why[200];

	if (config.theme < 0) {
		fprintf(stderr, "trace2top: --theme: no theme '%s'; see man trace2top\n", o->theme);
		return false;
	}
	terminal_size(cols, rows);
	l->terminal = terminal_start(&config, why, sizeof(why));
	if (!l->terminal)
		fprintf(stderr, "trace2top: %s\n", why);
	return l->terminal != NULL;
}

static struct ui *ui_open(struct loop *l, bool ascii)
{
	struct ui_config config = { .ascii = ascii,
				    .nesting = l->options->nesting,
				    .depth = l->options->depth,
				    .specs = (const char *const *)l->session.specs,
				    .nr_specs = l->session.nr_specs,
				    .has_command = l->options->command != NULL,
				    .wait_hint = l->session.hint };
	struct tr2_buf line;
	const char *command;
	struct ui *ui;

	tr2_buf_init(&line, 512);
	if (l->options->command) {
		tr2_buf_addstr(&line, "--");
		for (char **word = l->options->command; *word; word++)
			if (!tr2_buf_addch(&line, ' ') || !tr2_buf_addstr(&line, *word))
				break;
		command = tr2_buf_cstr(&line);
		config.specs = &command;
		config.nr_specs = 1;
	}
	ui = ui_new(&config);
	tr2_buf_release(&line);
	return ui;
}

static int loop_status(struct loop *l)
{
	int wait_status;
	ns_t ran;

	if (intake_command(l->session.intake, &wait_status, &ran) == COMMAND_ENDED)
		return session_command_status(wait_status);
	return STATUS_OK;
}

int loop_run(const struct options *options)
{
	struct loop l = { .options = options, .paused_ns = NS_NONE };
	bool ascii = options->ascii || !terminal_has_utf8();
	int cols = 80, rows = 24, status = STATUS_USAGE;

	if (!terminal_is_there()) {
		fputs("trace2top: there is no terminal to draw on: add --once for a report\n", stderr);
		return STATUS_USAGE;
	}
	signal(SIGPIPE, SIG_IGN);
	/* Not the default loop: its SIGCHLD handler would reap the command before us. */
	l.ev = ev_loop_new(EVFLAG_AUTO);
	if (!session_open(&l.session, options, woken, &l)) {
		fprintf(stderr, "trace2top: %s\n", l.session.why);
		goto close;
	}
	/* Something that cannot be read is a mistake to mend before a screen hides it. */
	status = STATUS_SOURCE;
	if (l.session.failed)
		goto close;
	if (options->history_bytes)
		l.past = past_new(l.session.journal, &l.session.syms, &l.session.model_config);
	terminal_size(&cols, &rows);
	watchers_start(&l);
	if (!session_start(&l.session, cols, rows, &status)) {
		fprintf(stderr, "trace2top: %s\n", l.session.why);
		goto close;
	}
	status = STATUS_USAGE;
	if (!terminal_open(&l, &cols, &rows))
		goto close;
	l.ui = ui_open(&l, ascii);
	l.surface = surface_new(cols, rows, ascii);
	ui_resize(l.ui, cols, rows);
	l.begun_ns = tr2_clock_monotonic();
	frame_draw(&l);
	ev_run(l.ev, 0);
	terminal_stop(l.terminal);
	status = loop_status(&l);
	surface_free(l.surface);
	ui_free(l.ui);
close:
	past_free(l.past);
	free(l.output);
	session_close(&l.session);
	return status;
}
