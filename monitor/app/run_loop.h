/* SPDX-License-Identifier: MIT */
/*
 * The main loop of every mode: screen, --lines, --once, --dump, and without a terminal. It owns the
 * event loop (libev) and the watchers that all modes have; each mode passes a table of callbacks.
 * Loop thread, unless stated otherwise.
 */
#ifndef MONITOR_RUN_LOOP_H
#define MONITOR_RUN_LOOP_H

#include <stdbool.h>

#include <ev.h>

#include "monitor/app/parent_watch.h"
#include "monitor/app/session.h"

/* Callbacks of a mode. A callback may be NULL: then its event is not watched. */
struct run_hooks {
	/* The intake thread has new batches or a changed state. */
	void (*on_wake)(void *data);
	/* No other event is due; called while run_loop_set_more() is true. */
	void (*on_idle)(void *data);
	/* A signal SIGINT, SIGTERM or SIGHUP was received. NULL: signals, including SIGTSTP,
	 * have their default action. */
	void (*on_signal)(void *data, int signo);
	/* SIGTSTP (Ctrl-Z) was received. NULL: run_loop_stop() is called. */
	void (*on_stop)(void *data);
	/* Called every `check_s` seconds, after run_loop_start_checks(). */
	void (*on_check)(void *data);
	double check_s;
	/* The time set by run_loop_end_after() has passed. */
	void (*on_ending)(void *data);
};

/* The main loop. Members are private, except `ev`, to which a mode may add watchers. */
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
 * Start the watchers of a main loop. From here on signals call on_signal, so that a run ends in
 * order and its files are removed. One main loop at a time. `session` is used only by the functions
 * below, so it need not be open yet.
 */
void run_loop_open(struct run_loop *run, const struct run_hooks *hooks, struct session *session,
		   void *data);
/* Callback `wake` for session_open(); `run` is its data. Any thread. */
void run_loop_woken(void *run);
/* Run the main loop until run_loop_leave(). With `options`, the exit of the parent process ends
 * it, too. */
void run_loop_run(struct run_loop *run, const struct options *options);
/* Make run_loop_run() return. */
void run_loop_leave(struct run_loop *run);
/* Set whether on_idle is called: with true until this is called with false. */
void run_loop_set_more(struct run_loop *run, bool more);
void run_loop_start_checks(struct run_loop *run);
/* Call on_ending once, after `seconds`. */
void run_loop_end_after(struct run_loop *run, double seconds);
/* Stop the program as Ctrl-Z does. Sockets are closed first, so that no writer blocks on a
 * socket that is not read. */
void run_loop_stop(struct run_loop *run);
/* True if `-- COMMAND` runs here. */
bool run_loop_command_runs(const struct run_loop *run);
/* True if a signal was received for which on_signal is not called yet: long work in a callback
 * must return. */
bool run_loop_signal_waits(void);
/* Give signals their default action again. */
void run_loop_stop_signals(struct run_loop *run);
void run_loop_close(struct run_loop *run);

#endif
