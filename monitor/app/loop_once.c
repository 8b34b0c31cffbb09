/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/once.h"

#include <ev.h>

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/trace2.h"
#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/app/job.h"
#include "monitor/app/rule_eval.h"
#include "monitor/app/parent_watch.h"
#include "monitor/app/session_report.h"
#include "monitor/intake/event_loop.h"
#include "monitor/base/whole_file.h"

struct once {
	struct session session;
	struct whole_file file; /* the report; may be standard output */
	struct session_stream stream;
	bool streams;     /* the report is written while events are applied */
	int stream_error; /* errno of a failed write */
	struct ev_loop *loop;
	ev_async wake;
	ev_signal ends[3], stop;
	int interrupts;
	struct parent_watch parent_watch;
};

static void loop_once_woken(void *data)
{
	struct once *o = data;

	ev_async_send(o->loop, &o->wake);
}

static void loop_once_on_wake(struct ev_loop *loop, ev_async *w, int revents)
{
	struct once *o = w->data;
	/* Check before applying: batches handed over before the end are applied below. */
	bool done = intake_is_done(o->session.intake);

	(void)revents;
	trace2_region_enter("loop", "apply", NULL);
	session_apply(&o->session, 0);
	trace2_region_leave("loop", "apply", NULL);
	/* Show the reader what has arrived; stop if it has exited. */
	if (o->streams && fflush(o->file.to) && !o->stream_error)
		o->stream_error = errno;
	if (done || o->stream_error)
		ev_break(loop, EVBREAK_ALL);
}

/* The first signal ends sockets, FIFOs and the command; the second does not wait. */
static void loop_once_on_end(struct ev_loop *loop, ev_signal *w, int revents)
{
	struct once *o = w->data;
	int status;
	ns_t ran;

	(void)revents;
	if (o->interrupts++)
		ev_break(loop, EVBREAK_ALL);
	/* Wait for a running command. */
	intake_command_signal(o->session.intake, w->signum);
	if (intake_command(o->session.intake, &status, &ran) != COMMAND_RUNNING)
		session_drain(&o->session);
}

static void loop_once_lifeline_ended(void *data)
{
	struct once *o = data;

	ev_break(o->loop, EVBREAK_ALL);
}

/* Ctrl-Z: no writer may stay blocked on an unread socket. */
static void loop_once_on_stop(struct ev_loop *loop, ev_signal *w, int revents)
{
	struct once *o = w->data;

	(void)loop;
	(void)revents;
	session_suspend(&o->session);
	intake_command_signal(o->session.intake, SIGTSTP);
	job_stop(false);
	intake_command_signal(o->session.intake, SIGCONT);
	session_resume(&o->session);
}

static void loop_once_watchers_start(struct once *o)
{
	static const int signals[3] = { SIGINT, SIGTERM, SIGHUP };

	ev_async_init(&o->wake, loop_once_on_wake);
	o->wake.data = o;
	ev_async_start(o->loop, &o->wake);
	ev_signal_init(&o->stop, loop_once_on_stop, SIGTSTP);
	o->stop.data = o;
	ev_signal_start(o->loop, &o->stop);
	for (int i = 0; i < 3; i++) {
		ev_signal_init(&o->ends[i], loop_once_on_end, signals[i]);
		o->ends[i].data = o;
		ev_signal_start(o->loop, &o->ends[i]);
	}
}

static void limit_hits_report(const struct filter *filter)
{
	uint64_t hits = filter ? filter_limit_hits(filter) : 0;

	if (hits)
		complain_print_error("the filter's regular expression took too long %" PRIu64
				     " time%s; treated as no match",
				     hits, hits == 1 ? "" : "s");
}

/* Open the report's file. A JUnit file is for the build server, which may be another user. False
 * with errno. */
static bool report_open(const struct options *options, struct whole_file *file)
{
	*file = (struct whole_file){ .to = stdout };
	return !options->output ||
	       whole_file_open(file, options->output,
			       exporters[options->format].ops->needs_rules ? 0666 : 0600);
}

static int report_report(const struct options *options)
{
	complain_print_error("cannot write the report%s%s: %s", options->output ? " to " : "",
			     options->output ? options->output : "", strerror(errno));
	return STATUS_SOURCE;
}

/* True if the output is also a source: it would never end. */
static bool loop_once_is_read(const struct intake *intake, const char *output)
{
	char *path = xstrdup(output);
	bool is = intake_has_path(intake, dirname(path));

	free(path);
	return is;
}

/* A streamed report is started before the events; other reports replace an existing file only at
 * the end. */
static int stream_open(struct once *o)
{
	const struct options *options = o->session.options;

	if (!session_streams(&o->session))
		return STATUS_OK;
	if (options->output && loop_once_is_read(o->session.intake, options->output)) {
		complain_print_error("-o %s is in a source directory; use a FILE outside it",
				     options->output);
		return STATUS_USAGE;
	}
	if (!report_open(options, &o->file))
		return report_report(options);
	o->streams = true;
	session_stream_begin(&o->session, &o->stream, options->format, o->file.to);
	return STATUS_OK;
}

static bool report_write_all(struct once *o)
{
	const struct options *options = o->session.options;
	const struct report_scope scope = { .model = o->session.model,
					    .end = UINT64_MAX,
					    .filter = o->session.filter,
					    .nesting = options->nesting,
					    .depth = options->depth };
	bool ok;

	if (!o->streams)
		return report_open(options, &o->file) &&
		       session_report(&o->session, options->format, o->file.to, &scope, NULL);
	ok = session_stream_end(&o->session, &o->stream) && !o->stream_error;
	if (o->stream_error)
		errno = o->stream_error;
	return ok;
}

static int report(struct once *o)
{
	const struct options *options = o->session.options;
	bool ok = report_write_all(o);

	if (options->output)
		ok = whole_file_close(&o->file, ok);
	limit_hits_report(o->session.filter);
	/* The reader has exited: `| head`. */
	if (ok || (!options->output && errno == EPIPE))
		return STATUS_OK;
	return report_report(options);
}

/* Report sources that may never end, and how to end them. */
static void waits_report(struct session *session)
{
	for (int i = 0; i < intake_nr_sources(session->intake); i++) {
		struct source_stats st;

		intake_stats(session->intake, i, &st);
		if (st.waits && st.state != SOURCE_FAILED)
			complain_print_error("%s: %s", st.spec, st.waits);
	}
}

int once_run(const struct options *options)
{
	struct once o = { .loop = event_loop_new(EVFLAG_AUTO) };
	int status = STATUS_OK, opened;
	bool failed = false;

	/* If the reader of our output exits, writing must fail instead of killing us. */
	signal(SIGPIPE, SIG_IGN);
	/* From here on signals end the run in order, and files are removed. */
	loop_once_watchers_start(&o);
	if (!session_open(&o.session, options, loop_once_woken, &o)) {
		complain_print_error("%s", o.session.why);
		session_close(&o.session);
		ev_loop_destroy(o.loop);
		return STATUS_USAGE;
	}
	opened = stream_open(&o);
	if (opened != STATUS_OK)
		status = opened;
	else if (session_start(&o.session, 80, 24, &status)) {
		if (options->command)
			status = 0;
		waits_report(&o.session);
		parent_watch_watch(&o.parent_watch, o.loop, options, loop_once_lifeline_ended, &o);
		loop_once_woken(&o);
		ev_run(o.loop, 0);
		session_apply(&o.session, 0);
		session_check_killed(&o.session, true);
		failed = session_report_failures(&o.session);
		status = session_command_status(&o.session, status);
	} else
		complain_print_error("%s", o.session.why);
	trace2_region_enter("loop", "report", NULL);
	session_evaluate(&o.session);
	if (opened == STATUS_OK && (report(&o) != STATUS_OK || (failed && !status)))
		status = STATUS_SOURCE;
	trace2_region_leave("loop", "report", NULL);
	if (!session_end(&o.session) && !status)
		status = STATUS_SOURCE;
	if (rule_eval_report(&o.session.verdicts) && !status)
		status = STATUS_RULE;
	session_close(&o.session);
	ev_loop_destroy(o.loop);
	return status;
}
