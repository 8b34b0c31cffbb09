/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/run_loop.h"

#include <signal.h>

#include "monitor/app/job.h"
#include "monitor/intake/event_loop.h"

static const int end_signals[] = { SIGINT, SIGTERM, SIGHUP };

#define NR_END_SIGNALS (sizeof(end_signals) / sizeof(*end_signals))

/*
 * For each signal of end_signals: 1 if it was received and not handled yet. The handlers are set
 * with sigaction() instead of libev, because long work in a callback of the loop must notice a
 * signal before the callback returns.
 */
static volatile sig_atomic_t got[NR_END_SIGNALS];
static struct run_loop *volatile current;

/* ev_async_send() may be called in signal handlers. */
static void run_loop_take_signal(int signo)
{
	struct run_loop *run = current;

	for (size_t i = 0; i < NR_END_SIGNALS; i++)
		if (end_signals[i] == signo)
			got[i] = 1;
	if (run)
		ev_async_send(run->ev, &run->signals);
}

bool run_loop_signal_waits(void)
{
	for (size_t i = 0; i < NR_END_SIGNALS; i++)
		if (got[i])
			return true;
	return false;
}

static void run_loop_on_wake(struct ev_loop *ev, ev_async *w, int revents)
{
	struct run_loop *run = w->data;

	(void)ev;
	(void)revents;
	run->hooks->on_wake(run->data);
}

static void run_loop_on_idle(struct ev_loop *ev, ev_idle *w, int revents)
{
	struct run_loop *run = w->data;

	(void)ev;
	(void)revents;
	run->hooks->on_idle(run->data);
}

static void run_loop_on_check(struct ev_loop *ev, ev_timer *w, int revents)
{
	struct run_loop *run = w->data;

	(void)ev;
	(void)revents;
	run->hooks->on_check(run->data);
}

static void run_loop_on_ending(struct ev_loop *ev, ev_timer *w, int revents)
{
	struct run_loop *run = w->data;

	(void)ev;
	(void)revents;
	run->hooks->on_ending(run->data);
}

static void run_loop_on_signals(struct ev_loop *ev, ev_async *w, int revents)
{
	struct run_loop *run = w->data;

	(void)ev;
	(void)revents;
	for (size_t i = 0; i < NR_END_SIGNALS; i++) {
		if (!got[i])
			continue;
		got[i] = 0;
		run->hooks->on_signal(run->data, end_signals[i]);
	}
}

static void run_loop_on_stop(struct ev_loop *ev, ev_signal *w, int revents)
{
	struct run_loop *run = w->data;

	(void)ev;
	(void)revents;
	if (run->hooks->on_stop)
		run->hooks->on_stop(run->data);
	else
		run_loop_stop(run);
}

static void run_loop_start_signals(struct run_loop *run)
{
	struct sigaction action = { .sa_handler = run_loop_take_signal, .sa_flags = SA_RESTART };

	sigfillset(&action.sa_mask);
	ev_async_init(&run->signals, run_loop_on_signals);
	run->signals.data = run;
	ev_async_start(run->ev, &run->signals);
	ev_signal_init(&run->stop, run_loop_on_stop, SIGTSTP);
	run->stop.data = run;
	ev_signal_start(run->ev, &run->stop);
	current = run;
	for (size_t i = 0; i < NR_END_SIGNALS; i++)
		sigaction(end_signals[i], &action, NULL);
}

void run_loop_open(struct run_loop *run, const struct run_hooks *hooks, struct session *session,
		   void *data)
{
	*run = (struct run_loop){
		.ev = event_loop_new(EVFLAG_AUTO), .hooks = hooks, .session = session, .data = data
	};
	ev_async_init(&run->wake, run_loop_on_wake);
	ev_idle_init(&run->more, run_loop_on_idle);
	ev_set_priority(&run->more, EV_MINPRI);
	ev_timer_init(&run->check, run_loop_on_check, hooks->check_s, hooks->check_s);
	ev_timer_init(&run->ending, run_loop_on_ending, 0., 0.);
	run->wake.data = run->more.data = run->check.data = run->ending.data = run;
	ev_async_start(run->ev, &run->wake);
	if (hooks->on_signal)
		run_loop_start_signals(run);
}

void run_loop_woken(void *data)
{
	struct run_loop *run = data;

	ev_async_send(run->ev, &run->wake);
}

static void run_loop_parent_ended(void *data)
{
	run_loop_leave(data);
}

void run_loop_run(struct run_loop *run, const struct options *options)
{
	if (options)
		parent_watch_watch(&run->parent, run->ev, options, run_loop_parent_ended, run);
	ev_run(run->ev, 0);
}

void run_loop_leave(struct run_loop *run)
{
	ev_break(run->ev, EVBREAK_ALL);
}

void run_loop_set_more(struct run_loop *run, bool more)
{
	if (more)
		ev_idle_start(run->ev, &run->more);
	else
		ev_idle_stop(run->ev, &run->more);
}

void run_loop_start_checks(struct run_loop *run)
{
	ev_timer_start(run->ev, &run->check);
}

void run_loop_end_after(struct run_loop *run, double seconds)
{
	ev_timer_set(&run->ending, seconds, 0.);
	ev_timer_start(run->ev, &run->ending);
}

void run_loop_stop(struct run_loop *run)
{
	session_suspend(run->session);
	intake_command_signal(run->session->intake, SIGTSTP);
	job_stop(false);
	intake_command_signal(run->session->intake, SIGCONT);
	session_resume(run->session);
}

bool run_loop_command_runs(const struct run_loop *run)
{
	int status;
	ns_t ran;

	return intake_command(run->session->intake, &status, &ran) == COMMAND_RUNNING;
}

void run_loop_stop_signals(struct run_loop *run)
{
	ev_signal_stop(run->ev, &run->stop);
	for (size_t i = 0; i < NR_END_SIGNALS; i++)
		signal(end_signals[i], SIG_DFL);
}

void run_loop_close(struct run_loop *run)
{
	current = NULL;
	/* Another loop may follow, and libev does not allow two loops to watch one signal. */
	ev_signal_stop(run->ev, &run->stop);
	ev_loop_destroy(run->ev);
}
