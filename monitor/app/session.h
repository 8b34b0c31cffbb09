/* SPDX-License-Identifier: MIT */
/*
 * A session: the data path of one run, built from the command line. Reports, the screen and dumps
 * use it.
 *
 * options --> [ intake thread --> journal ] --> model --> report or screen
 *
 * Loop thread, except the two wake functions passed to it.
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
	struct replay *replay; /* ro: clock of the replay; NULL: no replay */
	struct model *model;
	struct model_config model_config; /* ro: configuration with which the model was created */
	struct filter *filter;            /* the user's filter; NULL: all processes */
	struct commands_by group_by;      /* of --group-by; nr 0: none */
	struct filter *difference;        /* of --difference; NULL: none */
	struct attach *attach;            /* private; NULL: not attached */
	/* private: the tee to the target that Git had before --attach; may be NULL */
	struct tee *before;
	struct redacted *redacted;     /* private: redacts the recording; may be NULL */
	struct report_input recorded;  /* private: input of the redacted recording */
	struct forwarding *forwarding; /* ro: the agent's forwarder; NULL: not an agent */
	struct exporting *exporting;   /* ro: the exporter of spans; may be NULL */
	struct redactor *redactor;     /* ro: redacts written events; NULL: no redaction */
	char **specs;                  /* ro: the sources as given, or the default source */
	int nr_specs;
	bool *told;         /* private: per source: its failure was reported */
	bool is_default;    /* ro: neither a source nor a target of Git is given */
	char *hint;         /* ro: commands that make Git write to the source; NULL: Git cannot */
	char *sql;          /* ro: the query of --sql; NULL: none */
	char sql_why[300];  /* ro: why it failed; "": it did not */
	bool keeps_history; /* ro: the journal keeps applied batches */
	struct past_durations *past; /* private: durations of the base runs, for the model */
	/* results of comparison and rules; all zeros if there are none */
	struct rule_results verdicts;
	struct base_trace *base_traces; /* private: traces of the base, for `verdicts` */
	/* rw: a report that is written while events are applied; may be NULL */
	struct report_run *streams;
	bool saved;    /* private: the runs were saved to the baseline file */
	bool killed;   /* private: PID_GONE was recorded for a command that a signal killed */
	bool failed;   /* ro: a source could not be opened */
	char why[400]; /* ro: text of the last error */
};

/* Exit statuses other than those of a traced command. */
enum { STATUS_OK = 0, STATUS_SOURCE = 1, STATUS_USAGE = 2, STATUS_RULE = 3 };

/*
 * Build the data path; nothing is read yet. `wake` is called from the intake thread when there is
 * work, and must not block. Returns false with `why` on a usage error. Sources that cannot be
 * opened set `failed` and are reported on stderr.
 */
bool session_open(struct session *session, const struct options *options, void (*wake)(void *),
		  void *wake_data);
/* Start the command (which forks), then the intake thread. Returns false with `why` and an exit
 * status if the command could not be run. */
bool session_start(struct session *session, int cols, int rows, int *status);
/*
 * Stop reading: close the sources, finish the outputs and save the runs if requested. Returns false
 * if the outputs are incomplete, after reporting it. The model stays valid.
 */
bool session_end(struct session *session);
/* Start reading the sources of a session without a command and without trace2top's own trace. */
void session_read(struct session *session);
/* End a session and free what only reading needs: journal and intake. Model and symbols live until
 * session_close(). */
void session_end_reading(struct session *session);
/* End the session and free everything. A session that is all zeros is allowed. */
void session_close(struct session *session);

/* With --once: read only what has been written so far (intake_drain()). */
void session_drain(struct session *session);

/* Call before the program stops (Ctrl-Z), so that no traced program waits for it, and after it
 * continues. */
void session_suspend(struct session *session);
void session_resume(struct session *session);

/*
 * Apply pending batches for about `budget_ns` (0: no limit). Returns true if more are pending.
 */
bool session_apply(struct session *session, ns_t budget_ns);
/*
 * If a signal killed the command and its stream has ended, add a record of that to the journal,
 * because the trace has no end. Call about once per second, and with `all_applied` before reports.
 */
void session_check_killed(struct session *session, bool all_applied);
/* True if the events are of one command that trace2top ran (`-- COMMAND`), now or when they were
 * recorded. */
bool session_is_own_command(const struct session *session);
/* True if a source is a recording. */
bool session_plays(struct session *session);
/* Return the wall time; during a replay the current time of the recording. */
ns_t session_now(const struct session *session);
/* True if an output needs the model. */
bool session_needs_model(const struct session *session);
/* Pass pending batches to the outputs without applying them to the model: for runs without a
 * screen and report. */
void session_pass_on(struct session *session);

/* Compare runs and evaluate the rules over everything that was applied; reports show the
 * results. */
void session_evaluate(struct session *session);
/* Save the runs to the baseline file if requested, once. Prints a line on stderr and returns
 * false on error. */
bool session_save_runs(struct session *session);

/* Return the exporter of the report of --once. */
const struct exporter_ops *session_exporter(const struct options *options);

/* True if the report of --once can be written while events arrive, because its format needs
 * nothing that is known only at the end. The session need not be open. */
bool session_streams(const struct session *session);

/* Return the exit status of the command, which ran here or on the host of a relay; `otherwise`
 * if it has not ended. */
int session_command_status(struct session *session, int otherwise);

/* Return true if a source has failed. Prints a line on stderr for each failure that was not
 * reported yet. */
bool session_report_failures(struct session *session);

#endif
