/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/headless.h"

#include <ev.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/app/run_loop.h"
#include "monitor/app/liveness.h"
#include "monitor/app/session.h"
#include "monitor/base/print_error.h"
#include "monitor/base/notify.h"
#include "views/terminal/terminal.h"

/* Interval in seconds of checks of forwarding, exporting and killed processes. */
#define LOOK_SECONDS 1.0
#define REST_SECONDS 0.05
/* Maximum time in ms of each wait for a full stderr at the end of the run. */
#define OUTPUT_WAIT_MS 1000
/* Without a screen: default of `history_bytes` with --forward or --otlp. Small, because there is no
 * looking back. */
#define AGENT_HISTORY_BYTES (16u << 20)

struct headless {
	struct session session;
	struct run_loop run;
	ev_timer watchdog, rest;
	/* After waking, the loop thread rests for REST_SECONDS, unless a command is run, because a
	 * wakeup costs more than an event. While `rests` is set, headless_woken() only sets
	 * `wanted`, which is checked after the rest. */
	_Atomic bool rests, wanted;
	struct liveness liveness;
	char status[500];
	bool signalled;
	uint64_t output_at;
};

bool headless_is_meant(const struct options *o)
{
	bool writes = o->record || o->tees.nr || o->forward || o->otlp;

	return writes && !o->once && !o->keys && !o->dump &&
	       ((o->record && !strcmp(o->record, "-")) || !terminal_is_there());
}

static void headless_woken(void *data)
{
	struct headless *h = data;

	atomic_store(&h->wanted, true);
	if (!atomic_load(&h->rests))
		run_loop_woken(&h->run);
}

static bool headless_is_over(struct headless *h)
{
	struct intake *intake = h->session.intake;
	enum command_state command;
	int status;
	ns_t ran;

	command = intake_command(intake, &status, &ran);
	if (command != COMMAND_NONE)
		return command == COMMAND_ENDED;
	for (int i = 0; i < intake_nr_sources(intake); i++) {
		struct source_stats st;

		intake_stats(intake, i, &st);
		if (st.state != SOURCE_DONE && st.state != SOURCE_FAILED)
			return false;
	}
	return true;
}

static bool has_output(const struct options *o)
{
	return o->command || o->remote_command;
}

/* Copy the command's output to stderr. Waits up to `wait_ms` each time stderr is full, then leaves
 * the rest for the next call. */
static void output_pass(struct headless *h, int wait_ms)
{
	struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };
	char bytes[PIPE_BUF];

	while (poll(&fd, 1, wait_ms) > 0 && !(fd.revents & POLLERR)) {
		uint64_t at = h->output_at;
		size_t nr = intake_command_read(h->session.intake, &at, bytes, sizeof(bytes));
		ssize_t written = nr ? write(STDERR_FILENO, bytes, nr) : 0;

		if (!nr || (written < 0 && errno != EINTR))
			return;
		if (written > 0)
			h->output_at = at - nr + (size_t)written;
	}
}

static void headless_on_wake(void *data)
{
	struct headless *h = data;

	atomic_store(&h->wanted, false);
	if (has_output(h->session.options))
		output_pass(h, 0);
	session_pass_on(&h->session);
	outputs_report(&h->session.outputs, h->session.options);
	if (headless_is_over(h) || (!h->session.forwarding && !h->session.exporting &&
				    !outputs_go_on(&h->session.outputs)))
		run_loop_leave(&h->run);
	if (!h->session.options->command && !ev_is_active(&h->rest)) {
		atomic_store(&h->rests, true);
		ev_timer_set(&h->rest, REST_SECONDS, 0);
		ev_timer_start(h->run.ev, &h->rest);
	}
}

static void rest_ended(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct headless *h = w->data;

	(void)loop;
	(void)revents;
	atomic_store(&h->rests, false);
	if (atomic_load(&h->wanted))
		headless_on_wake(h);
}

/* The second signal ends the run, or the first if no command runs. */
static void headless_on_signal(void *data, int signo)
{
	struct headless *h = data;

	intake_command_signal(h->session.intake, signo);
	if (h->signalled || !run_loop_command_runs(&h->run))
		run_loop_leave(&h->run);
	h->signalled = true;
}

static void on_watchdog(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop;
	(void)w;
	(void)revents;
	notify_send("WATCHDOG=1", NULL);
}

static void forwarding_check(struct headless *h)
{
	struct intake *intake = h->session.intake;
	char status[sizeof(h->status)];
	uint64_t unreadable = 0;
	size_t len;

	forwarding_report(h->session.forwarding);
	forwarding_format(h->session.forwarding, status, sizeof(status));
	for (int i = 0; i < intake_nr_sources(intake); i++) {
		struct source_stats st;

		intake_stats(intake, i, &st);
		unreadable += source_stats_unreadable(&st);
	}
	len = strlen(status);
	if (unreadable)
		snprintf(status + len, sizeof(status) - len, ", %" PRIu64 " unreadable",
			 unreadable);
	if (strcmp(status, h->status) != 0)
		notify_send(NULL, "%s", status);
	memcpy(h->status, status, sizeof(status));
}

/* A killed process writes no event, so check the pids of running processes. */
static void pids_check(struct headless *h)
{
	if (!session_plays(&h->session))
		liveness_check(&h->liveness, h->session.model, h->session.journal);
	session_check_killed(&h->session, false);
}

static void headless_on_check(void *data)
{
	struct headless *h = data;
	struct session *s = &h->session;

	if (s->forwarding)
		forwarding_check(h);
	if (s->exporting)
		exporting_tick(s->exporting, true);
	if (session_needs_model(s))
		pids_check(h);
}

/* The watchdog of the service manager is notified twice per period. */
static void timers_start(struct headless *h)
{
	const char *wanted = getenv("WATCHDOG_USEC");
	double seconds = wanted ? strtod(wanted, NULL) / 2e6 : 0;

	if (seconds > 0) {
		ev_timer_init(&h->watchdog, on_watchdog, 0, seconds);
		ev_timer_start(h->run.ev, &h->watchdog);
	}
	if (h->session.forwarding || h->session.exporting)
		run_loop_start_checks(&h->run);
}

static const struct run_hooks headless_hooks = {
	.on_wake = headless_on_wake,
	.on_signal = headless_on_signal,
	.on_check = headless_on_check,
	.check_s = LOOK_SECONDS,
};

static void report_ready(const struct headless *h, const struct options *o)
{
	const struct session *s = &h->session;

	if (!notify_send("READY=1", "Reading %s%s%s%s", s->nr_specs ? s->specs[0] : "a command",
			 s->nr_specs > 1 ? " and others" : "", o->record ? ", recording to " : "",
			 o->record ? o->record : ""))
		complain_print_error("cannot notify $NOTIFY_SOCKET: %s", strerror(errno));
}

/* Sources without any readable line were reported before. */
static void report_unreadable(const struct session *s)
{
	for (int i = 0; i < intake_nr_sources(s->intake); i++) {
		struct source_stats st;
		uint64_t nr;

		intake_stats(s->intake, i, &st);
		nr = source_stats_unreadable(&st);
		if (nr && !source_stats_is_unread(&st))
			complain_print_error(
				"%s: %" PRIu64 " line%s could not be read and were not sent%s%s",
				st.spec, nr, nr == 1 ? "" : "s", st.nr_bad ? "; the first: " : "",
				st.nr_bad ? st.bad[0].why : "");
	}
}

static int headless_run_here(struct headless *h, const struct options *o)
{
	int status = STATUS_OK;
	bool failed;

	if (!session_open(&h->session, o, headless_woken, h)) {
		complain_print_error("%s", h->session.why);
		return STATUS_USAGE;
	}
	if (h->session.failed)
		return STATUS_SOURCE;
	if (!session_start(&h->session, 80, 24, &status)) {
		complain_print_error("%s", h->session.why);
		return status;
	}
	status = STATUS_OK;
	headless_woken(h);
	report_ready(h, o);
	timers_start(h);
	run_loop_run(&h->run, o);
	notify_send("STOPPING=1", NULL);
	if (has_output(o))
		output_pass(h, OUTPUT_WAIT_MS);
	failed = session_report_failures(&h->session);
	status = session_command_status(&h->session, status);
	if ((!session_end(&h->session) || failed) && !status)
		status = STATUS_SOURCE;
	if (h->session.options->forward || h->session.options->otlp)
		report_unreadable(&h->session);
	return status;
}

int headless_run(const struct options *given)
{
	struct headless h = { 0 };
	struct options own = *given, *options = &own;
	int status;

	/* If the reader of a pipe exits, writing must fail instead of killing trace2top. */
	signal(SIGPIPE, SIG_IGN);
	own.is_headless = true;
	if ((own.forward || own.otlp) && own.history_bytes < 0)
		own.history_bytes = AGENT_HISTORY_BYTES;
	run_loop_open(&h.run, &headless_hooks, &h.session, &h);
	ev_timer_init(&h.rest, rest_ended, 0, 0);
	h.rest.data = &h;
	status = headless_run_here(&h, options);
	session_close(&h.session);
	run_loop_close(&h.run);
	return status;
}
