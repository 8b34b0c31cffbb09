/* SPDX-License-Identifier: MIT */
/*
 * run_loop: the main loop of every mode (screen, --lines, --once, --dump, without a terminal). It
 * owns the event loop and the watchers that modes have in common; what they do is in a table of
 * hooks. Loop thread, unless stated otherwise.
 */
#ifndef MONITOR_RUN_LOOP_H
#define MONITOR_RUN_LOOP_H

#include <stdbool.h>

#include <ev.h>

#include "monitor/app/parent_watch.h"
#include "monitor/app/session.h"

/* Hooks may be NULL: then the event is not watched. */
struct run_hooks {
	/* The intake thread has work. */
	void (*on_wake)(void *data);
	/* There is nothing else to do; see run_loop_set_more(). */
	void (*on_idle)(void *data);
	/* SIGINT, SIGTERM or SIGHUP. NULL: signals, including SIGTSTP, have their default action. */
	void (*on_signal)(void *data, int signo);
	/* SIGTSTP. NULL: run_loop_stop(). */
	void (*on_stop)(void *data);
	/* Every `check_s` seconds, once run_loop_start_checks() was called. */
	void (*on_check)(void *data);
	double check_s;
	/* The time of run_loop_end_after() has passed. */
	void (*on_ending)(void *data);
};

/* Members are private, except `ev`, to which a mode may add watchers. */
struct run_loop {
	struct ev_loop *ev;
	const struct run_hooks *hooks;
	struct session *session;
	void *data;
	ev_async wake, signals;
	ev_idle more;
	ev_timer check, ending;
	ev_signal stop;
	struct parent_watch parent;
};

/*
 * Start the watchers. From here on signals are hooks, so that a run ends in order and its files
 * are removed. One loop at a time. `session` is used only by the functions below, so it need not
 * be open yet.
 */
void run_loop_open(struct run_loop *run, const struct run_hooks *hooks, struct session *session,
		   void *data);
/* The `wake` of session_open(); `run` is its data. Any thread. */
void run_loop_woken(void *run);
/* Run until run_loop_leave(). With `options`, the end of the parent ends the run, too. */
void run_loop_run(struct run_loop *run, const struct options *options);
/* End run_loop_run(). */
void run_loop_leave(struct run_loop *run);
/* True: call on_idle until false. */
void run_loop_set_more(struct run_loop *run, bool more);
void run_loop_start_checks(struct run_loop *run);
/* Call on_ending once, in `seconds`. */
void run_loop_end_after(struct run_loop *run, double seconds);
/* Stop as on Ctrl-Z: no writer may stay blocked on an unread socket. */
void run_loop_stop(struct run_loop *run);
/* True if `-- COMMAND` runs here. */
bool run_loop_command_runs(const struct run_loop *run);
/* True if on_signal will be called: long work in a hook must return. */
bool run_loop_signal_waits(void);
/* From here on signals have their default action. */
void run_loop_stop_signals(struct run_loop *run);
void run_loop_close(struct run_loop *run);

#endif
