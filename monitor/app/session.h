/* SPDX-License-Identifier: MIT */
/*
 * A session is the data path of one run, built from the command line.
 *
 * options --> [ intake thread --> journal ] --> model --> report or screen
 *
 * Used by the loop thread, except the wake function that is passed to it.
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
	struct model_config model_config;
	struct filter *filter;       /* NULL: all processes */
	struct commands_by group_by; /* parsed --group-by; `nr` 0: none */
	struct filter *difference;   /* --difference; NULL: none */
	struct attach *attach;       /* private: state of --attach; NULL: none */
	/* private: tee to the target that Git had before --attach; may be NULL */
	struct tee *before;
	struct redacted *redacted; /* private: redaction of the recording; may be NULL */
	/* private: input of the exporter for `redacted` */
	struct report_input recorded;
	struct forwarding *forwarding; /* ro: forwarder; NULL: this is not an agent */
	struct exporting *exporting;   /* ro: exporter of spans (--otlp); may be NULL */
	/* ro: redactor of written events and spans, except forwarded ones; NULL: none */
	struct redactor *redactor;
	/* ro: displayed names of the sources, without passwords; also of those that the user did
	 * not name, such as the default socket, but not of the command */
	char **specs;
	int nr_specs;
	bool *told; /* private: for each source, whether its failure was reported */
	/* ro: no source is given and Git has no target, so the source is the default socket, if it
	 * can be created */
	bool is_default;
	/* ro: how to make events arrive, such as a command that makes Git write to the source, or
	 * why there is no source; may be NULL */
	char *hint;
	char *sql;          /* ro: SQL of --sql; NULL: none */
	char sql_why[300];  /* ro: why the query of --sql failed; "": no failure */
	bool keeps_history; /* ro: the journal keeps batches after they were applied */
	/* private: durations of the base runs, for model_config.past */
	struct past_durations *past;
	/* results of the comparison and the rules; all zeros if there are none */
	struct rule_results verdicts;
	/* private: traces of the base, whose models `verdicts` uses */
	struct base_trace *base_traces;
	/* rw: report that is written while events are applied; may be NULL */
	struct report_run *streams;
	bool saved; /* private: saving the runs was tried */
	/* private: session_check_killed() has nothing more to do */
	bool killed;
	bool failed;   /* ro: a source could not be opened or read */
	char why[400]; /* ro: last error of the session */
};

/* Exit statuses of trace2top itself, not of a traced command. */
enum { STATUS_OK = 0, STATUS_SOURCE = 1, STATUS_USAGE = 2, STATUS_RULE = 3 };

/*
 * Build the data path; no source is read yet. Any thread may call `wake` when there is work; it
 * must not block. Returns false with `why` if the options cannot be followed. If a source cannot be
 * opened, `failed` is set and a line is printed on stderr.
 */
bool session_open(struct session *session, const struct options *options, void (*wake)(void *),
		  void *wake_data);
/* Start the command (a fork), then the threads of the outputs and of intake, then --attach. Returns
 * false with `why` and an exit status if the command could not be run or attaching failed. */
bool session_start(struct session *session, int cols, int rows, int *status);
/*
 * Stop reading: close the sources, finish the outputs and save the runs if requested. Returns
 * false, after printing why, if an output failed or the runs were not saved. The model stays valid.
 */
bool session_end(struct session *session);
/* Start reading the sources, without command, outputs and own trace. */
void session_read(struct session *session);
/* End a session and free journal and intake. Model and symbols live until session_close(). */
void session_end_reading(struct session *session);
/* End the session and free everything. A session that is all zeros is allowed. */
void session_close(struct session *session);

/* For --once: stop tracing Git commands, and drain the sources (intake_drain()). */
void session_drain(struct session *session);

/* Call session_suspend() before the program stops (Ctrl-Z), so that no traced program waits for
 * trace2top's sockets, and session_resume() after it continues. */
void session_suspend(struct session *session);
void session_resume(struct session *session);

/*
 * Apply pending batches for about `budget_ns` (0: no limit). Returns true if more batches may be
 * pending.
 */
bool session_apply(struct session *session, ns_t budget_ns);
/*
 * If a signal killed the command and its trace has no end event, add a record of the signal to the
 * journal: a second after the end, so that the last events are applied first, or at once if
 * `all_applied`. Call it about once per second, and with `all_applied` before reports.
 */
void session_check_killed(struct session *session, bool all_applied);
/* True if the events are those of commands that trace2top ran (`-- COMMAND`), now or when they were
 * recorded. */
bool session_is_own_command(const struct session *session);
/* True if a source is or contains a recording, or if the session is a replay. */
bool session_plays(struct session *session);
/* Return the wall clock time, by the clock of the relay's host if there is a relay; during a replay
 * the current time of the recording. */
ns_t session_now(const struct session *session);
bool session_needs_model(const struct session *session);
/*
 * Pass pending batches to the redacted recording, the forwarder and the exporter of spans. Batches
 * are applied to the model only if session_needs_model().
 */
void session_pass_on(struct session *session);

/* Compare runs and evaluate the rules over everything that was applied. */
void session_evaluate(struct session *session);
/* Save the runs to the baseline file, if requested and not done before. Returns false, after
 * printing why, on error. */
bool session_save_runs(struct session *session);

/* True if the report of --once is written while events arrive: its format needs events, and there
 * is neither a filter nor a depth limit. */
bool session_streams(const struct session *session);

/* Return the exit status of the command, on this host or on the relay's; `otherwise` if no command
 * has ended. */
int session_command_status(struct session *session, int otherwise);

/* Return true if a source has failed, or had data of which nothing could be read. Prints on stderr
 * each failure that session_open() did not report, and hints about sources. */
bool session_report_failures(struct session *session);

#endif
