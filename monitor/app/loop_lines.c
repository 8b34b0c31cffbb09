/* SPDX-License-Identifier: MIT */
/*
 * The loop of the line mode. Every LOOK_S seconds, and after input, it appends changes and answers
 * to commands to `out`, which is written as fast as the reader accepts it. While more than
 * BLOCKED_BYTES are not written yet, changes are only counted and no command is started, so that
 * the size of `out` is limited.
 */
#include "config.h"
#include "monitor/app/lines.h"

#include <ev.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monitor/app/rule_eval.h"
#include "monitor/app/run_loop.h"
#include "monitor/app/liveness.h"
#include "monitor/app/screen.h"
#include "monitor/base/print_error.h"
#include "monitor/base/humanize.h"
#include "views/line/line.h"
#include "views/terminal/terminal.h"
#include "views/ui/header.h"
#include "views/ui/rows.h"

#define LOOK_S     0.1
#define LIVENESS_S 1.0
#define ENDING_S   2.0
/* Time for applying events after which other work is done. */
#define APPLY_NS (50 * NS_PER_MS)
/* If more bytes of output than this are not written yet, the reader counts as blocked. */
#define BLOCKED_BYTES 4096u
#define OUT_BYTES     (8u << 20)
/* Bytes that a writable pipe accepts without blocking (PIPE_BUF). */
#define WRITE_BYTES 4096u
#define TYPED_BYTES 4096u
/* Time after the start for which commands, except quit, wait for sources that do not exist yet. */
#define BEGIN_NS (300 * NS_PER_MS)
/* Default of --depth: root commands and their children. */
#define DEFAULT_DEPTH 1

struct lines {
	struct session session;
	struct options options;
	struct screen screen;
	struct line *line;
	struct liveness liveness;
	struct run_loop run;
	ev_timer tick;
	ev_io in, to;

	struct tr2_buf out;
	size_t written;
	char typed[TYPED_BYTES];
	size_t nr_typed;
	bool too_long;
	bool no_input;
	bool no_output;
	bool signalled;
	ns_t begun;
	int error;
};

bool lines_are_meant(const struct options *o)
{
	return o->lines && !o->keys && !o->dump && (!o->once || option_given(o, &o->lines));
}

static const struct ui_input *loop_lines_check(struct lines *l)
{
	ns_t wall = l->options.clock_events ? model_last_time(l->session.model)
					    : session_now(&l->session);

	return screen_check(&l->screen, wall == NS_NONE ? 0 : wall, tr2_clock_monotonic());
}

static bool loop_lines_is_blocked(const struct lines *l)
{
	return l->out.len - l->written > BLOCKED_BYTES;
}

/* True while sources are still read up to their present end, or may appear within BEGIN_NS of the
 * start. */
static bool is_reading(struct lines *l, const struct ui_input *in)
{
	bool waits = false, begins = in->monotonic_ns - l->begun < BEGIN_NS;

	for (int i = 0; i < in->nr_sources; i++) {
		waits |= in->sources[i].waits != NULL;
		if (in->sources[i].state == SOURCE_READING ||
		    (begins && in->sources[i].state == SOURCE_WAITING))
			return true;
	}
	if (l->options.once && !l->options.command && !waits)
		return !intake_is_done(l->session.intake);
	return header_is_reading(in);
}

static void on_out(struct ev_loop *ev, ev_io *w, int revents)
{
	struct lines *l = w->data;
	size_t left = l->out.len - l->written;
	ssize_t n = write(STDOUT_FILENO, l->out.data + l->written,
			  left < WRITE_BYTES ? left : WRITE_BYTES);

	(void)revents;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		l->error = errno;
		l->no_output = true;
		ev_io_stop(ev, w);
		ev_break(ev, EVBREAK_ALL);
		return;
	}
	l->written += (size_t)n;
	if (l->written < l->out.len)
		return;
	tr2_buf_clear(&l->out);
	l->written = 0;
	ev_io_stop(ev, w);
	/* handle commands that waited for space in the output */
	ev_feed_event(ev, &l->tick, EV_TIMER);
}

static void out_want(struct lines *l)
{
	if (l->out.len > l->written && !l->no_output)
		ev_io_start(l->run.ev, &l->to);
}

/* Write the rest of the output; this may block. */
static void out_finish(struct lines *l)
{
	while (!l->no_output && l->written < l->out.len) {
		ssize_t n = write(STDOUT_FILENO, l->out.data + l->written, l->out.len - l->written);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			poll(&(struct pollfd){ .fd = STDOUT_FILENO, .events = POLLOUT }, 1, -1);
			continue;
		}
		if (n < 0) {
			l->error = errno;
			l->no_output = true;
			return;
		}
		l->written += (size_t)n;
	}
}

static void format_notice(struct lines *l)
{
	char text[300];

	if (ui_take_notice(l->screen.ui, text, sizeof(text)))
		line_format(l->line, text, &l->out);
}

static void loop_lines_on_ending(void *data)
{
	struct lines *l = data;

	run_loop_leave(&l->run);
}

/* The second signal ends the run, or the first if no command runs. The first is passed to a running
 * command; unless it is SIGINT, the run ends within ENDING_S seconds. */
static void loop_lines_on_signal(void *data, int signo)
{
	struct lines *l = data;

	if (l->signalled || !run_loop_command_runs(&l->run)) {
		run_loop_leave(&l->run);
		return;
	}
	l->signalled = true;
	intake_command_signal(l->session.intake, signo);
	if (signo == SIGINT)
		return; /* the command may handle SIGINT and continue, as on any terminal */
	run_loop_end_after(&l->run, ENDING_S);
}

static bool sources_are_over(const struct ui_input *in)
{
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i].state != SOURCE_DONE && in->sources[i].state != SOURCE_FAILED)
			return false;
	return true;
}

/* True if the traced command and its source have ended, or, without a command, if no events or
 * commands of the user can arrive any more. */
static bool loop_lines_is_over(struct lines *l, const struct ui_input *in)
{
	if (l->options.command)
		return intake_is_done(l->session.intake) && !run_loop_command_runs(&l->run);
	if (!l->no_input || l->nr_typed)
		return false;
	return l->options.once ? intake_is_done(l->session.intake) : sources_are_over(in);
}

static void command_take(struct lines *l, const char *text, size_t len)
{
	struct line_asked asked = line_command(l->line, loop_lines_check(l), text, len, &l->out);
	enum human_form form;

	if (asked.reaction & UI_QUIT) {
		loop_lines_on_signal(l, SIGHUP);
		return;
	}
	/* Files that the user's command writes have durations such as 82us, as with the screen. */
	form = human_set_form(HUMAN_ASCII);
	screen_react(&l->screen, asked.reaction);
	if (asked.live)
		screen_go_live(&l->screen);
	human_set_form(form);
	format_notice(l);
	if (asked.reaction & UI_QUERY)
		line_query(l->line, loop_lines_check(l), &l->out);
	if (asked.live || asked.reaction & UI_PAST)
		line_format_moment(l->line, loop_lines_check(l), &l->out);
	if (asked.live)
		run_loop_woken(&l->run);
}

/* Return the length of a complete input line, or at EOF of the rest; SIZE_MAX if there is none. */
static size_t typed_line(const struct lines *l)
{
	const char *end = memchr(l->typed, '\n', l->nr_typed);

	if (end)
		return (size_t)(end - l->typed);
	return l->no_input && l->nr_typed ? l->nr_typed : SIZE_MAX;
}

static void typed_drop(struct lines *l, size_t len)
{
	len += len < l->nr_typed; /* the LF, too */
	l->nr_typed -= len;
	memmove(l->typed, l->typed + len, l->nr_typed);
}

static void commands_take(struct lines *l)
{
	char text[TYPED_BYTES];
	size_t len;

	while ((len = typed_line(l)) != SIZE_MAX && !loop_lines_is_blocked(l)) {
		/* A command that begins with q (quit) does not wait for sources. */
		if (*l->typed != 'q' && is_reading(l, loop_lines_check(l)))
			return;
		if (!screen_is_paused(&l->screen))
			session_apply(&l->session, 0);
		/* Print the changes so far first, because the answer includes them. */
		line_check(l->line, loop_lines_check(l), false, &l->out);
		memcpy(text, l->typed, len);
		typed_drop(l, len);
		if (l->too_long)
			line_format(l->line, "command too long", &l->out);
		else
			command_take(l, text, len);
		l->too_long = false;
	}
	if (l->nr_typed == TYPED_BYTES && typed_line(l) == SIZE_MAX) {
		l->too_long = true;
		l->nr_typed = 0;
	}
}

/* True if another job has the terminal, so that reading from it would fail. */
static bool input_is_behind(void)
{
	pid_t front = tcgetpgrp(STDIN_FILENO);

	return front > 0 && front != getpgrp();
}

static void in_watch(struct lines *l)
{
	if (!l->no_input && l->nr_typed < TYPED_BYTES && !input_is_behind())
		ev_io_start(l->run.ev, &l->in);
	else
		ev_io_stop(l->run.ev, &l->in);
}

static void on_in(struct ev_loop *ev, ev_io *w, int revents)
{
	struct lines *l = w->data;
	ssize_t n;

	(void)ev;
	(void)revents;
	in_watch(l);
	if (!ev_is_active(w))
		return;
	n = read(STDIN_FILENO, l->typed + l->nr_typed, TYPED_BYTES - l->nr_typed);
	if (n > 0)
		l->nr_typed += (size_t)n;
	else if (!n || (errno != EAGAIN && errno != EINTR && errno != EIO))
		l->no_input = true;
	in_watch(l);
	ev_feed_event(l->run.ev, &l->tick, EV_TIMER);
}

static void loop_lines_apply_some(void *data)
{
	struct lines *l = data;

	run_loop_set_more(&l->run,
			  !screen_is_paused(&l->screen) && session_apply(&l->session, APPLY_NS));
}

static void loop_lines_on_tick(struct ev_loop *ev, ev_timer *w, int revents)
{
	struct lines *l = w->data;
	const struct ui_input *in;
	bool over;

	(void)ev;
	(void)revents;
	in = loop_lines_check(l);
	over = loop_lines_is_over(l, in);
	if (over && !screen_is_paused(&l->screen)) {
		session_apply(&l->session, 0);
		in = loop_lines_check(l);
	}
	line_check(l->line, in, loop_lines_is_blocked(l), &l->out);
	commands_take(l);
	in_watch(l);
	out_want(l);
	if (over && loop_lines_is_over(l, loop_lines_check(l)))
		run_loop_leave(&l->run);
}

static void loop_lines_on_check(void *data)
{
	struct lines *l = data;

	if (!screen_is_paused(&l->screen) && !session_plays(&l->session))
		liveness_check(&l->liveness, l->session.model, l->session.journal);
	session_check_killed(&l->session, false);
}

static void loop_lines_on_stop(void *data)
{
	struct lines *l = data;

	run_loop_stop(&l->run);
	in_watch(l);
}

static const struct run_hooks lines_hooks = {
	.on_wake = loop_lines_apply_some,
	.on_idle = loop_lines_apply_some,
	.on_signal = loop_lines_on_signal,
	.on_stop = loop_lines_on_stop,
	.on_check = loop_lines_on_check,
	.check_s = LIVENESS_S,
	.on_ending = loop_lines_on_ending,
};

static void loop_lines_watchers_init(struct lines *l)
{
	ev_timer_init(&l->tick, loop_lines_on_tick, 0., LOOK_S);
	ev_io_init(&l->in, on_in, STDIN_FILENO, EV_READ);
	ev_io_init(&l->to, on_out, STDOUT_FILENO, EV_WRITE);
	l->tick.data = l->in.data = l->to.data = l;
}

static bool input_is_source(const struct options *o)
{
	for (int i = 0; i < o->nr_sources; i++)
		if (!strcmp(o->sources[i], "-"))
			return true;
	return false;
}

static void loop_lines_begin(struct lines *l)
{
	const struct options *o = &l->options;

	screen_open(&l->screen, 80, 24, o->ascii);
	l->line = line_new(&(struct line_config){
		.ui = l->screen.ui,
		.depth = o->depth >= 0 || option_given(o, &o->depth) ? o->depth : DEFAULT_DEPTH,
		.ascii = o->ascii });
	l->no_input = input_is_source(o);
	l->begun = tr2_clock_monotonic();
	if (!o->nr_sources && !o->command && l->session.hint)
		line_format(l->line, l->session.hint, &l->out);
	if (!l->no_input && isatty(STDIN_FILENO))
		line_format(l->line, "help lists the commands", &l->out);
	format_notice(l);
	ev_timer_start(l->run.ev, &l->tick);
	run_loop_start_checks(&l->run);
	in_watch(l);
	run_loop_woken(&l->run);
}

static void finish(struct lines *l)
{
	if (!screen_is_paused(&l->screen))
		session_apply(&l->session, 0);
	session_check_killed(&l->session, true);
	session_evaluate(&l->session);
	line_check(l->line, loop_lines_check(l), false, &l->out);
	line_end(l->line, loop_lines_check(l), &l->out);
}

static int status_of(struct lines *l, bool failed)
{
	return session_command_status(&l->session, failed ? STATUS_SOURCE : STATUS_OK);
}

static int loop_lines_run(struct lines *l, struct setup *setup)
{
	int status = STATUS_SOURCE;

	if (!session_open(&l->session, &l->options, run_loop_woken, &l->run)) {
		complain_print_error("%s", l->session.why);
		return STATUS_USAGE;
	}
	if (l->session.failed)
		return STATUS_SOURCE;
	screen_init(&l->screen, &l->session);
	if (!session_start(&l->session, 80, 24, &status)) {
		complain_print_error("%s", l->session.why);
		return status;
	}
	l->screen.setup = setup;
	loop_lines_begin(l);
	run_loop_run(&l->run, NULL);
	finish(l);
	status = status_of(l, session_report_failures(&l->session));
	if (!session_end(&l->session) && !status)
		status = STATUS_SOURCE;
	if (rule_eval_report(&l->session.verdicts) && !status)
		status = STATUS_RULE;
	run_loop_stop_signals(&l->run);
	out_finish(l);
	/* EPIPE: the reader of the output has exited, as in `| head`. */
	if (l->error && l->error != EPIPE) {
		complain_print_error("cannot write to standard output: %s", strerror(l->error));
		status = status ? status : STATUS_SOURCE;
	}
	return status;
}

int lines_run(const struct options *options, struct setup *setup)
{
	struct lines l = { .options = *options };
	int status;

	if (options->record && !strcmp(options->record, "-")) {
		complain_print_error("--record=- and --lines cannot both write to standard output; "
				     "use --record=FILE");
		return STATUS_USAGE;
	}
	/* As with --once, the end of the command ends the run. */
	l.options.once |= options->command != NULL;
	l.options.ascii |= !terminal_has_utf8();
	setup->options.ascii = l.options.ascii;
	if (l.options.history_bytes < 0)
		l.options.history_bytes = DEFAULT_HISTORY_BYTES;
	if (l.options.max_processes < 0)
		l.options.max_processes = DEFAULT_MAX_PROCESSES;
	/* Reading and writing must never kill or stop trace2top, even if another job has the
	 * terminal. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	human_set_form(HUMAN_WORDS);
	tr2_buf_init(&l.out, OUT_BYTES);
	run_loop_open(&l.run, &lines_hooks, &l.session, &l);
	loop_lines_watchers_init(&l);
	status = loop_lines_run(&l, setup);
	line_free(l.line);
	screen_close(&l.screen);
	session_close(&l.session);
	tr2_buf_release(&l.out);
	run_loop_close(&l.run);
	return status;
}
