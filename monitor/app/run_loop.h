/* SPDX-License-Identifier: MIT */
/*
 * The main loop of a mode of the program, such as the screen or --once. It owns libev's event loop
 * and the watchers that the modes share; a mode passes a table of callbacks. Used by the loop
 * thread, unless stated otherwise.
 */
#ifndef MONITOR_RUN_LOOP_H
#define MONITOR_RUN_LOOP_H

#include <stdbool.h>

#include <ev.h>

#include "monitor/app/parent_watch.h"
#include "monitor/app/session.h"

/* Callbacks of a mode. on_wake is required; so are those whose events the mode requests with the
 * functions below. */
struct run_hooks {
	/* Called after run_loop_woken(): there is work, such as new batches. */
	void (*on_wake)(void *data);
	/* Called when no other event is due, from run_loop_set_more(true) to
	 * run_loop_set_more(false). */
	void (*on_idle)(void *data);
	/* Called after SIGINT, SIGTERM or SIGHUP was received. NULL: these and SIGTSTP have their
	 * default action. */
	void (*on_signal)(void *data, int signo);
	/* Called after SIGTSTP (Ctrl-Z) was received. NULL: run_loop_stop() is called. */
	void (*on_stop)(void *data);
	/* Called every `check_s` seconds, after run_loop_start_checks(). */
	void (*on_check)(void *data);
	double check_s;
	/* Called when the time of run_loop_end_after() has passed. */
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
 * Create the event loop; signals call on_signal from now on. Only one main loop may be open at a
 * time. `session` need not be open yet.
 */
void run_loop_open(struct run_loop *run, const struct run_hooks *hooks, struct session *session,
		   void *data);
/* The argument `wake` of session_open(); `run` is its data. Any thread may call it. */
void run_loop_woken(void *run);
/* Run the main loop until run_loop_leave(). Unless `options` is NULL, the exit of the process that
 * started a relay ends the loop, too (parent_watch.h). */
void run_loop_run(struct run_loop *run, const struct options *options);
void run_loop_leave(struct run_loop *run);
void run_loop_set_more(struct run_loop *run, bool more);
void run_loop_start_checks(struct run_loop *run);
void run_loop_end_after(struct run_loop *run, double seconds);
/* Stop the program as Ctrl-Z does. Sockets, except the command's, are closed first, so that no
 * writer blocks on a socket that is not read. */
void run_loop_stop(struct run_loop *run);
/* True if the command of `-- COMMAND` is running on this host. */
bool run_loop_command_runs(const struct run_loop *run);
/* True if a signal was received for which on_signal was not called yet. Long work must then
 * return. */
bool run_loop_signal_waits(void);
/* Give SIGINT, SIGTERM, SIGHUP and SIGTSTP their default action. */
void run_loop_stop_signals(struct run_loop *run);
void run_loop_close(struct run_loop *run);

#endif
