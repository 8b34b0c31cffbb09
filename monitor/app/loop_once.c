/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/once.h"

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
#include "monitor/app/rule_eval.h"
#include "monitor/app/run_loop.h"
#include "monitor/app/session_report.h"
#include "monitor/base/whole_file.h"

struct once {
	struct session session;
	struct whole_file file;
	struct session_stream stream;
	bool streams;     /* the report is written while events are applied */
	int stream_error; /* errno of the first failure to write before the report's end; 0: none */
	struct run_loop run;
	int interrupts;
};

static void loop_once_on_wake(void *data)
{
	struct once *o = data;
	/* Check for the end first, so that batches handed over before the end are applied below. */
	bool done = intake_is_done(o->session.intake);

	trace2_region_enter("loop", "apply", NULL);
	session_apply(&o->session, 0);
	trace2_region_leave("loop", "apply", NULL);
	if (o->streams && fflush(o->file.to) && !o->stream_error)
		o->stream_error = errno;
	if (done || o->stream_error)
		run_loop_leave(&o->run);
}

/* The first signal is passed to a running command; if there is none, the sources are drained
 * (session_drain()). The second signal ends the loop. */
static void loop_once_on_signal(void *data, int signo)
{
	struct once *o = data;

	if (o->interrupts++)
		run_loop_leave(&o->run);
	intake_command_signal(o->session.intake, signo);
	if (!run_loop_command_runs(&o->run))
		session_drain(&o->session);
}

static const struct run_hooks once_hooks = {
	.on_wake = loop_once_on_wake,
	.on_signal = loop_once_on_signal,
};

static void limit_hits_report(const struct filter *filter)
{
	uint64_t hits = filter ? filter_limit_hits(filter) : 0;

	if (hits)
		complain_print_error("the filter's regular expression took too long %" PRIu64
				     " time%s; treated as no match",
				     hits, hits == 1 ? "" : "s");
}

/* Open the report's file. Others may read a JUnit file, because the build server may be another
 * user. Returns false with errno on error. */
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

/* True if the output file is in a directory that is a source: the run could read its output. */
static bool loop_once_is_read(const struct intake *intake, const char *output)
{
	char *path = xstrdup(output);
	bool is = intake_has_path(intake, dirname(path));

	free(path);
	return is;
}

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
	/* EPIPE: the reader of the report has exited, as in `| head`. */
	if (ok || (!options->output && errno == EPIPE))
		return STATUS_OK;
	if (*o->session.sql_why) {
		complain_print_error("--sql: %s", o->session.sql_why);
		return STATUS_SOURCE;
	}
	return report_report(options);
}

static void waits_report(struct session *session)
{
	for (int i = 0; i < intake_nr_sources(session->intake); i++) {
		struct source_stats st;

		intake_stats(session->intake, i, &st);
		if (st.waits && st.state != SOURCE_FAILED)
			complain_print_error("%s: %s", st.spec, st.waits);
	}
}

/*
 * SIGINT, SIGTERM and SIGHUP have their default action while the result of a query is written,
 * because some functions of SQLite cannot be cancelled and the main loop no longer runs.
 */
static int query_report(struct once *o)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction before[sizeof(signals) / sizeof(*signals)];
	struct sigaction end = { .sa_handler = SIG_DFL };
	int status;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &end, &before[i]);
	status = report(o);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &before[i], NULL);
	return status;
}

int once_run(const struct options *options)
{
	struct once o = { 0 };
	int status = STATUS_OK, opened;
	bool failed = false;

	/* If the reader of the report exits, writing must fail instead of killing trace2top. */
	signal(SIGPIPE, SIG_IGN);
	run_loop_open(&o.run, &once_hooks, &o.session, &o);
	if (!session_open(&o.session, options, run_loop_woken, &o.run)) {
		complain_print_error("%s", o.session.why);
		session_close(&o.session);
		run_loop_close(&o.run);
		return STATUS_USAGE;
	}
	opened = stream_open(&o);
	if (opened != STATUS_OK)
		status = opened;
	else if (session_start(&o.session, 80, 24, &status)) {
		if (options->command)
			status = 0;
		waits_report(&o.session);
		run_loop_woken(&o.run);
		run_loop_run(&o.run, options);
		session_apply(&o.session, 0);
		session_check_killed(&o.session, true);
		failed = session_report_failures(&o.session);
		status = session_command_status(&o.session, status);
	} else
		complain_print_error("%s", o.session.why);
	trace2_region_enter("loop", "report", NULL);
	session_evaluate(&o.session);
	if (opened == STATUS_OK &&
	    ((o.session.sql ? query_report(&o) : report(&o)) != STATUS_OK || failed) && !status)
		status = STATUS_SOURCE;
	trace2_region_leave("loop", "report", NULL);
	if (!session_end(&o.session) && !status)
		status = STATUS_SOURCE;
	if (rule_eval_report(&o.session.verdicts) && !status)
		status = STATUS_RULE;
	session_close(&o.session);
	run_loop_close(&o.run);
	return status;
}
