/* SPDX-License-Identifier: MIT */
/*
 * A session is the data path of one run, built from the command line. Reports, the screen and dumps
 * use a session.
 *
 * options --> [ intake thread --> journal ] --> model --> report or screen
 *
 * Used by the loop thread, except for the wake function that is passed to it.
 */
#ifndef MONITOR_SESSION_H
#define MONITOR_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/intern.h"
#include "monitor/analysis/rule_results.h"
#include "monitor/filter/filter.h"
#include "monitor/app/exporting.h"
#include "monitor/app/forwarding.h"
#include "monitor/app/outputs.h"
#include "monitor/base/replay.h"
#include "monitor/intake/intake.h"
#include "monitor/history/journal.h"
#include "monitor/model/model.h"
#include "monitor/settings/options.h"
#include "monitor/report/report.h"

struct session {
	const struct options *options;
	struct tr2_intern syms;
	struct journal *journal;
	struct intake *intake;
	struct outputs outputs;
	struct replay *replay; /* ro: clock of the replay; NULL: nothing is replayed */
	struct model *model;
	struct model_config model_config; /* ro: configuration with which the model was created */
	struct filter *filter;            /* filter that the user gave; NULL: all processes */
	struct commands_by group_by;      /* attributes of --group-by; `nr` 0: none */
	struct filter *difference;        /* filter of --difference; NULL: none */
	struct attach *attach;            /* private: state of --attach; NULL: not attached */
	/* private: tee to the target that Git had before --attach; may be NULL */
	struct tee *before;
	struct redacted *redacted; /* private: redaction of the recording; may be NULL */
	/* private: input of the exporter that writes the redacted recording */
	struct report_input recorded;
	struct forwarding *forwarding; /* ro: forwarder of the agent; NULL: this is not an agent */
	struct exporting *exporting;   /* ro: exporter of spans (--otlp); may be NULL */
	/* ro: redactor of the events that are written; NULL: no redaction */
	struct redactor *redactor;
	/* ro: sources as they are shown, without passwords; also those that the user did not name,
	 * such as the default socket */
	char **specs;
	int nr_specs;
	bool *told; /* private: for each source: true if its failure was reported */
	/* ro: true if no source is given and Git has no target, so that the default socket is the
	 * source, if it can be created */
	bool is_default;
	/* ro: how to make events arrive, such as a command that makes Git write to the source, or
	 * why there is no source; NULL: no text */
	char *hint;
	char *sql;          /* ro: query of --sql; NULL: none */
	char sql_why[300];  /* ro: reason why the query of --sql failed; "": it did not fail */
	bool keeps_history; /* ro: true if the journal keeps batches after they were applied */
	/* private: durations of the base runs, for medians in the model */
	struct past_durations *past;
	/* results of the comparison and of the rules; all zeros if there are none */
	struct rule_results verdicts;
	/* private: traces of the base, whose models `verdicts` uses */
	struct base_trace *base_traces;
	/* rw: report that is written while events are applied; may be NULL */
	struct report_run *streams;
	bool saved; /* private: true if saving the runs was tried */
	/* private: true if session_check_killed() is done */
	bool killed;
	bool failed;   /* ro: true if a source could not be opened or read */
	char why[400]; /* ro: text of the last error of the session */
};

/* Exit statuses of trace2top itself, other than those of a traced command. */
enum { STATUS_OK = 0, STATUS_SOURCE = 1, STATUS_USAGE = 2, STATUS_RULE = 3 };

/*
 * Build the data path; no source is read yet. Any thread may call `wake` when there is work; it
 * must not block. Returns false with `why` if the options cannot be followed. If a source cannot be
 * opened, `failed` is set and a line is printed on stderr.
 */
bool session_open(struct session *session, const struct options *options, void (*wake)(void *),
		  void *wake_data);
/* Start the command, for which the process forks, then the threads of the outputs and of intake,
 * then --attach. Returns false with `why` and an exit status if the command could not be run or
 * attaching failed. */
bool session_start(struct session *session, int cols, int rows, int *status);
/*
 * Stop reading: close the sources, finish the outputs and save the runs if requested. Returns false
 * if an output failed or the runs were not saved; this was reported on stderr. The model stays
 * valid.
 */
bool session_end(struct session *session);
/* Start reading the sources, without a command, outputs or a trace of trace2top itself. */
void session_read(struct session *session);
/* End a session and free what is only needed for reading: journal and intake. Model and symbols
 * live until session_close(). */
void session_end_reading(struct session *session);
/* End the session and free everything. A session that is all zeros is allowed. */
void session_close(struct session *session);

/* With --once: end --attach, and read only what has been written to the sources so far
 * (intake_drain()). */
void session_drain(struct session *session);

/* session_suspend() is called before the program stops (Ctrl-Z), so that no traced program waits
 * for trace2top; session_resume() is called after it continues. */
void session_suspend(struct session *session);
void session_resume(struct session *session);

/*
 * Apply pending batches for about `budget_ns` (0: no limit). Returns true if more batches may be
 * pending.
 */
bool session_apply(struct session *session, ns_t budget_ns);
/*
 * If a signal killed the command, add a record of that to the journal, because the trace has no end
 * event. Do so a second after its end, or at once if `all_applied`, because its last events may not
 * have been applied before. Call it about once per second, and with `all_applied` before reports.
 */
void session_check_killed(struct session *session, bool all_applied);
/* True if the events are those of one command that trace2top ran (`-- COMMAND`), now or when they
 * were recorded. */
bool session_is_own_command(const struct session *session);
/* True if a source is a recording, or if the session is a replay. */
bool session_plays(struct session *session);
/* Return the wall clock time, by the clock of the relay's host if there is a relay; during a replay
 * the current time of the recording. */
ns_t session_now(const struct session *session);
/* True if an output of the session needs the model. */
bool session_needs_model(const struct session *session);
/* Pass pending batches to the outputs, in runs without a screen and a report, and at the end of a
 * run. They are applied to the model only if session_needs_model(). */
void session_pass_on(struct session *session);

/* Compare runs and evaluate the rules over everything that was applied; reports show the
 * results. */
void session_evaluate(struct session *session);
/* Save the runs to the baseline file, if this was requested and not done before. Prints a line on
 * stderr and returns false on error. */
bool session_save_runs(struct session *session);

/* True if the report of --once can be written while events arrive, because its format needs nothing
 * that is known only at the end, and there is neither a filter nor a depth limit. */
bool session_streams(const struct session *session);

/* Return the exit status of the command, which ran on this host or on the host of a relay;
 * `otherwise` if the command has not ended. */
int session_command_status(struct session *session, int otherwise);

/* Return true if a source has failed, or had data of which nothing could be read. Prints a line on
 * stderr for each failure that was not reported yet, and hints about sources. */
bool session_report_failures(struct session *session);

#endif
