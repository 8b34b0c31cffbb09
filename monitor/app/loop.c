/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/last_line.h"
#include "monitor/app/loop.h"

#include <ev.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>

#include "engine/trace2.h"
#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/app/file_watch.h"
#include "monitor/app/job.h"
#include "monitor/app/handover.h"
#include "monitor/app/liveness.h"
#include "monitor/app/run_loop.h"
#include "monitor/app/screen.h"
#include "views/draw/styles.h"
#include "views/terminal/terminal.h"
#include "views/terminal/terminfo.h"
#include "views/terminal/title.h"

/* Minimum time between scheduled frames. */
#define FRAME_NS (33 * NS_PER_MS)
/* Time for applying events after which keys and frames are handled. */
#define APPLY_NS (12 * NS_PER_MS)
/* Time after which long work shows its progress on the screen. */
#define WORK_SHOWN_NS (100 * NS_PER_MS)
#define KEPT_KEYS     64
/* Maximum bytes of copied text that is printed after quitting. */
#define COPIED_BYTES (256u << 10)
/* Time in seconds that the command may take to end after a signal. */
#define ENDING_S   2.0
#define LIVENESS_S 1.0
/* Interval in seconds of checks whether the shell moved trace2top to the foreground, which no
 * signal reports. */
#define FRONT_S 0.2

struct loop {
	struct loop_start *start;
	struct session session;
	const struct options *options;
	struct run_loop run;
	struct screen screen;
	struct terminal *terminal;
	struct liveness liveness;
	struct handover handover;
	/* text that the user copied, one line per copy; printed after quitting */
	struct tr2_buf copied;

	ev_async keys;
	ev_timer frame, tick, front;
	struct file_watch config;
	ev_signal winch;

	ns_t last_frame_ns;
	time_t last_second;
	bool interrupted;
	int ended_by; /* signal passed to the command so that it ends; 0: none */

	/* long work, which runs in a handler of the loop, must be cancelled */
	bool work_left;
	bool over;
	/* monotonic time of the first progress report of long work; NS_NONE: none yet */
	ns_t work_begun_ns;
	struct key_event kept[KEPT_KEYS]; /* keys that were pressed during long work */
	int nr_kept;
};

static void frame_draw(struct loop *l)
{
	if (l->handover.to != LENT_NOBODY)
		return;
	l->last_frame_ns = tr2_clock_monotonic();
	screen_draw(&l->screen, session_now(&l->session), l->last_frame_ns);
	terminal_show(l->terminal, l->screen.surface);
}

static void frame_want(struct loop *l)
{
	ns_t wait = l->last_frame_ns + FRAME_NS - tr2_clock_monotonic();

	if (ev_is_active(&l->frame))
		return;
	ev_timer_set(&l->frame, wait > 0 ? (double)wait / NS_PER_SEC : 0., 0.);
	ev_timer_start(l->run.ev, &l->frame);
}

static void leave(struct loop *l)
{
	l->over = l->work_left = true;
	run_loop_leave(&l->run);
}

/* Quit. At the first call a running command gets the signal and ENDING_S to end. */
static void loop_end(struct loop *l, int signo)
{
	l->work_left = true;
	if (l->ended_by || !run_loop_command_runs(&l->run)) {
		leave(l);
		return;
	}
	l->ended_by = signo;
	intake_command_signal(l->session.intake, signo);
	run_loop_end_after(&l->run, ENDING_S);
}

static void keys_woken(void *data)
{
	struct loop *l = data;

	ev_async_send(l->run.ev, &l->keys);
}

static void loop_on_ending(void *data)
{
	leave(data);
}

static void loop_apply_some(void *data)
{
	struct loop *l = data;
	bool more;

	if (screen_is_paused(&l->screen)) {
		run_loop_set_more(&l->run, false);
		/* a frame shows how many events arrived since the pause */
		frame_want(l);
		return;
	}
	trace2_region_enter("loop", "apply", NULL);
	more = session_apply(&l->session, APPLY_NS);
	trace2_region_leave("loop", "apply", NULL);
	run_loop_set_more(&l->run, more);
	frame_want(l);
}

static void loop_on_wake(void *data)
{
	struct loop *l = data;

	loop_apply_some(l);
	if (l->handover.to == LENT_COMMAND) {
		terminal_foreground_wrote(l->terminal);
		if (!run_loop_command_runs(&l->run))
			handover_end(&l->handover);
	}
	if (l->ended_by && !run_loop_command_runs(&l->run))
		leave(l);
}

/* Redraw if a displayed duration, clock or progress may have changed. */
static void loop_on_tick(struct ev_loop *ev, ev_timer *w, int revents)
{
	struct loop *l = w->data;
	time_t second = (time_t)(session_now(&l->session) / NS_PER_SEC);

	(void)ev;
	(void)revents;
	if (ui_needs_ticks(l->screen.ui) || second != l->last_second)
		frame_want(l);
	l->last_second = second;
}

static void loop_on_check(void *data)
{
	struct loop *l = data;

	if (l->session.exporting)
		exporting_tick(l->session.exporting, false);
	/* The pids of a recording are of another time or host. */
	if (!screen_is_paused(&l->screen) && !session_plays(&l->session))
		liveness_check(&l->liveness, l->session.model, l->session.journal);
	session_check_killed(&l->session, false);
}

static void size_take(struct loop *l)
{
	int cols, rows;

	terminal_size(&cols, &rows);
	terminal_resize(l->terminal, cols, rows);
	screen_resize(&l->screen, cols, rows);
	handover_resized(&l->handover);
	frame_want(l);
}

/* Draw again, unless the shell continued trace2top in the background (`bg`), where it runs without
 * drawing. */
static void front_take(struct loop *l)
{
	if (job_is_behind()) {
		ev_timer_again(l->run.ev, &l->front);
		return;
	}
	ev_timer_stop(l->run.ev, &l->front);
	if (l->handover.to != LENT_EDITOR)
		terminal_resume(l->terminal);
	/* The kernel reports a change of size only to the foreground process group. */
	size_take(l);
}

static void on_front(struct ev_loop *ev, ev_timer *w, int revents)
{
	(void)ev;
	(void)revents;
	front_take(w->data);
}

/* Stop the program. Sockets, except the command's, are closed first, so that no writer blocks on a
 * socket that is not read. */
static void suspend(struct loop *l, bool by_key)
{
	/* While an editor has the terminal, stop only if a shell could continue the program. */
	if (l->handover.to == LENT_EDITOR && !job_has_shell())
		return;
	handover_end(&l->handover);
	session_suspend(&l->session);
	intake_command_signal(l->session.intake, SIGTSTP);
	if (l->handover.to != LENT_EDITOR)
		terminal_suspend(l->terminal);
	job_stop(by_key);
	intake_command_signal(l->session.intake, SIGCONT);
	session_resume(&l->session);
	front_take(l);
}

static bool quits(enum action action)
{
	return action == ACTION_QUIT || action == ACTION_LEAVE || action == ACTION_QUIT_NOW;
}

/* Store the first KEPT_KEYS keys, except Esc, that are pressed during long work. Esc, keys that
 * quit and the loss of the terminal cancel the work. */
static void keys_keep(struct loop *l)
{
	struct key_event key;

	while (terminal_next_key(l->terminal, &key)) {
		if (key.key == KEY_ESC) {
			l->work_left = true;
			continue;
		}
		l->work_left |= quits(key_action(key.key, KEY_SCOPE_PANES));
		if (l->nr_kept < KEPT_KEYS)
			l->kept[l->nr_kept++] = key;
	}
	l->work_left |= terminal_is_gone(l->terminal);
}

/* Callback of long work: show the progress and check if the work must be cancelled. */
static bool loop_work_asks(void *data, const char *what, uint64_t done, uint64_t total)
{
	struct loop *l = data;
	ns_t now = tr2_clock_monotonic();

	if (l->over || l->ended_by || run_loop_signal_waits())
		return false;
	if (l->work_begun_ns == NS_NONE)
		l->work_begun_ns = now;
	if (now - l->work_begun_ns < WORK_SHOWN_NS || now - l->last_frame_ns < FRAME_NS)
		return true;
	l->last_frame_ns = now;
	ui_draw_work(l->screen.ui, l->screen.surface, what, done, total);
	terminal_show(l->terminal, l->screen.surface);
	keys_keep(l);
	return !l->work_left;
}

/* New events may be older than those displayed: sort again if a page shows events by time. */
static void story_serve(struct loop *l)
{
	l->work_begun_ns = NS_NONE;
	l->work_left = false;
	screen_order(&l->screen);
	if (l->nr_kept)
		ev_async_send(l->run.ev, &l->keys);
}

static void frame_due(struct ev_loop *ev, ev_timer *w, int revents)
{
	struct loop *l = w->data;

	(void)revents;
	ev_timer_stop(ev, w);
	story_serve(l);
	frame_draw(l);
	/* Work that is done in parts continues in the next frame. */
	if (ui_is_working(l->screen.ui))
		frame_want(l);
}

static bool key_take(struct loop *l, struct key_event *key)
{
	if (!l->nr_kept)
		return terminal_next_key(l->terminal, key);
	*key = l->kept[0];
	memmove(l->kept, l->kept + 1, (size_t)--l->nr_kept * sizeof(*key));
	return true;
}

static void handover_back(void *data, const char *notice)
{
	struct loop *l = data;

	if (notice)
		ui_notice(l->screen.ui, notice);
	size_take(l);
	ev_async_send(l->run.ev, &l->keys);
}

static void loop_copy(struct loop *l)
{
	const char *text = ui_copied(l->screen.ui);

	terminal_copy(l->terminal, text);
	tr2_buf_addf(&l->copied, "%s\n", text);
}

static void open_place(struct loop *l)
{
	char why[300];
	int64_t line;
	const char *file = ui_place(l->screen.ui, &line);

	if (!handover_editor(&l->handover, file, line, why, sizeof(why)))
		ui_notice(l->screen.ui, why);
}

static void loop_type(struct loop *l)
{
	if (run_loop_command_runs(&l->run))
		handover_command(&l->handover);
	else if (l->options->remote_command)
		ui_notice(l->screen.ui,
			  "The command runs on another host and reads no input from here");
	else
		ui_notice(l->screen.ui, "The command has ended");
}

static void lead_out(struct loop *l, unsigned reaction)
{
	if (reaction & UI_COPY)
		loop_copy(l);
	if (reaction & UI_OPEN)
		open_place(l);
	if (reaction & UI_TYPE)
		loop_type(l);
}

static unsigned key_serve(struct loop *l, const struct key_event *key)
{
	unsigned reaction;

	if (l->handover.to == LENT_COMMAND) {
		handover_key(&l->handover, key);
		return UI_NOTHING;
	}
	l->work_begun_ns = NS_NONE;
	l->work_left = false;
	/* The first Ctrl-C is for the command, as on any terminal; a second one quits trace2top. */
	if (key->key == KEY_CTRL('c') && !l->ended_by && !l->interrupted &&
	    run_loop_command_runs(&l->run)) {
		l->interrupted = true;
		intake_command_signal(l->session.intake, SIGINT);
		ui_notice(l->screen.ui, "Ctrl-C was sent to the command; press it again to quit");
		return UI_REDRAW;
	}
	/* Keys act on a frame, so draw a view that came to the front first. */
	if (ui_is_undrawn(l->screen.ui))
		frame_draw(l);
	reaction = screen_key(&l->screen, key);
	if (reaction & (UI_PAUSE | UI_PAST))
		loop_apply_some(l);
	if (reaction & UI_SUSPEND)
		suspend(l, true);
	lead_out(l, reaction);
	return reaction;
}

static struct terminal_look look_of(const struct options *o)
{
	return (struct terminal_look){
		.colour = o->color, .theme = o->theme, .mouse = o->mouse, .cursor = o->cursor
	};
}

static void settings_take(struct loop *l)
{
	const struct options *o = &l->screen.setup->options;
	double interval = o->interval_ms / 1000.;

	ev_timer_stop(l->run.ev, &l->tick);
	ev_timer_set(&l->tick, interval, interval);
	ev_timer_start(l->run.ev, &l->tick);
	terminal_set_look(l->terminal, look_of(o));
}

static bool on_config(void *data)
{
	struct loop *l = data;
	char told[300];

	if (setup_reread(l->screen.setup, told, sizeof(told))) {
		ui_settings_take(l->screen.ui);
		settings_take(l);
	}
	if (*told)
		ui_notice(l->screen.ui, told);
	frame_want(l);
	return true;
}

static void start_take(struct loop *l)
{
	struct ui_start start = ui_start(l->screen.ui);
	char notice[256];

	if (start.kind == UI_START_ATTACH && !l->session.nr_specs) {
		ui_notice(l->screen.ui, "Attaching needs the same directory: see the reason above");
		return;
	}
	if (start.kind == UI_START_FILE && access(start.text, R_OK)) {
		snprintf(notice, sizeof(notice), "Cannot open this file: %s", strerror(errno));
		ui_notice(l->screen.ui, notice);
		return;
	}
	l->start->asked = true;
	l->start->kind = start.kind;
	l->start->text = xstrdup(start.text);
	leave(l);
}

static void on_keys(struct ev_loop *ev, ev_async *w, int revents)
{
	struct loop *l = w->data;
	struct key_event key;
	unsigned asked = UI_NOTHING;

	(void)ev;
	(void)revents;
	while (!l->over && l->handover.to != LENT_EDITOR && key_take(l, &key))
		asked |= key_serve(l, &key);
	if (asked & UI_SETTINGS)
		settings_take(l);
	if (asked & UI_REPAINT)
		terminal_repaint(l->terminal);
	if (asked & UI_START)
		start_take(l);
	if (asked & UI_QUIT || terminal_is_gone(l->terminal)) {
		loop_end(l, SIGHUP);
		return;
	}
	if (asked)
		frame_want(l);
}

static void on_winch(struct ev_loop *ev, ev_signal *w, int revents)
{
	(void)ev;
	(void)revents;
	size_take(w->data);
}

static void loop_on_stop(void *data)
{
	suspend(data, false);
}

static void loop_on_signal(void *data, int signo)
{
	struct loop *l = data;

	/* While an editor has the terminal, Ctrl-C sends SIGINT to trace2top, too. */
	if (signo == SIGINT && l->handover.to == LENT_EDITOR)
		return;
	loop_end(l, signo);
}

static const struct run_hooks screen_hooks = {
	.on_wake = loop_on_wake,
	.on_idle = loop_apply_some,
	.on_signal = loop_on_signal,
	.on_stop = loop_on_stop,
	.on_check = loop_on_check,
	.check_s = LIVENESS_S,
	.on_ending = loop_on_ending,
};

static void loop_watchers_start(struct loop *l)
{
	double interval = l->options->interval_ms / 1000.;

	ev_async_init(&l->keys, on_keys);
	ev_timer_init(&l->frame, frame_due, 0., 0.);
	ev_timer_init(&l->tick, loop_on_tick, interval, interval);
	ev_timer_init(&l->front, on_front, FRONT_S, FRONT_S);
	ev_signal_init(&l->winch, on_winch, SIGWINCH);
	ev_set_priority(&l->keys, EV_MAXPRI);
	l->keys.data = l->frame.data = l->tick.data = l->front.data = l->winch.data = l;
	ev_async_start(l->run.ev, &l->keys);
	ev_timer_start(l->run.ev, &l->tick);
	ev_signal_start(l->run.ev, &l->winch);
	run_loop_start_checks(&l->run);
}

static bool terminal_open(struct loop *l, int *cols, int *rows)
{
	char *title = title_new((const char *const *)l->session.specs, l->session.nr_specs,
				(const char *const *)l->options->command, terminal_has_utf8());
	const struct options *o = l->options;
	struct terminal_config config = {
		.look = look_of(o), .title = title, .wake = keys_woken, .wake_data = l
	};
	char why[200];

	terminal_size(cols, rows);
	l->terminal = terminal_start(&config, why, sizeof(why));
	free(title);
	if (!l->terminal)
		complain_print_error("%s", why);
	return l->terminal != NULL;
}

static int loop_status(struct loop *l)
{
	/* If the command did not end in time after the signal, return the status for this
	 * signal. */
	return session_command_status(&l->session, l->ended_by ? 128 + l->ended_by : STATUS_OK);
}

int loop_run(const struct options *options, struct setup *setup, struct loop_start *start)
{
	struct loop l = { .options = options, .start = start };
	int cols = 80, rows = 24, status = STATUS_USAGE;
	struct tr2_buf last;

	if (!terminal_is_there()) {
		fputs("trace2top: standard output is not a terminal; use --once for a report or "
		      "--lines for plain output\n",
		      stderr);
		return STATUS_USAGE;
	}
	terminfo_provide();
	signal(SIGPIPE, SIG_IGN);
	job_come_to_front();
	run_loop_open(&l.run, &screen_hooks, &l.session, &l);
	loop_watchers_start(&l);
	if (!session_open(&l.session, options, run_loop_woken, &l.run)) {
		complain_print_error("%s", l.session.why);
		goto close;
	}
	/* The screen would hide the message of session_open() that a source cannot be opened. */
	status = STATUS_SOURCE;
	if (l.session.failed)
		goto close;
	screen_init(&l.screen, &l.session);
	terminal_size(&cols, &rows);
	if (!session_start(&l.session, cols, rows, &status)) {
		complain_print_error("%s", l.session.why);
		goto close;
	}
	status = STATUS_USAGE;
	if (!terminal_open(&l, &cols, &rows))
		goto close;
	l.screen.setup = setup;
	screen_open(&l.screen, cols, rows, !terminal_has_utf8());
	l.screen.asked = loop_work_asks;
	l.screen.asked_data = &l;
	l.handover = (struct handover){ .ev = l.run.ev,
					.terminal = l.terminal,
					.intake = l.session.intake,
					.back = handover_back,
					.data = &l };
	l.config = (struct file_watch){ .path = setup->path, .changed = on_config, .data = &l };
	tr2_buf_init(&l.copied, COPIED_BYTES);
	if (setup->path)
		file_watch_start(&l.config, l.run.ev);
	frame_draw(&l);
	run_loop_run(&l.run, NULL);
	terminal_stop(l.terminal);
	fputs(tr2_buf_cstr(&l.copied), stdout);
	tr2_buf_release(&l.copied);
	tr2_buf_init(&last, COPIED_BYTES);
	last_line_format(&l.session, l.screen.command_line, &last);
	fputs(tr2_buf_cstr(&last), stdout);
	tr2_buf_release(&last);
	status = loop_status(&l);
	if (!session_end(&l.session) && !status)
		status = STATUS_SOURCE;
close:
	screen_close(&l.screen);
	session_close(&l.session);
	ev_signal_stop(l.run.ev, &l.winch);
	run_loop_close(&l.run);
	return status;
}
