/* SPDX-License-Identifier: MIT */
/*
 * A session: the data path of one run, put together from the command line. Whatever shows the
 * model (the report, the screen, a dump) sits on top of one.
 *
 *   options --> [ intake thread --> journal ] --> model --> report or screen
 *
 * Loop thread, but for the two wake functions that it is given.
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
	struct replay *replay; /* ro: NULL: nothing is replayed */
	struct model *model;
	struct model_config model_config; /* ro: what the model was made with */
	struct filter *filter;            /* NULL: everything */
	struct attach *attach;            /* private; NULL: not attached */
	struct tee *before;               /* private: passes on to where Git wrote to; NULL */
	struct redacted *redacted;        /* private: makes a redacted recording; NULL */
	struct report_input recorded;     /* private: what that is of */
	struct forwarding *forwarding;    /* ro: what an agent passes on; NULL: none */
	struct exporting *exporting;      /* ro: sends spans; NULL */
	struct redactor *redactor;        /* ro: what events are written through; NULL: nothing */
	char **specs;                     /* ro: what is read, resolved where none was given */
	int nr_specs;
	bool *told; /* private: by spec, its failure was told of */
	char *hint; /* ro: what turns tracing on; NULL: Git cannot write to what was named */
	bool keeps_history;           /* ro: the journal can be looked back into */
	struct past_durations *past;  /* private: of the base, for the model */
	struct rule_results verdicts; /* what is compared and judged; nothing asked: all zeros */
	/* rw: a report that is written while events are applied; NULL */
	struct report_run *streams;
	bool saved;    /* private: the runs */
	bool failed;   /* ro: a source could not be opened */
	char why[400]; /* ro: the last reason */
};

/* Exit statuses beside those of a command. */
enum { STATUS_OK = 0, STATUS_SOURCE = 1, STATUS_USAGE = 2, STATUS_RULE = 3 };

/*
 * Put the data path together; nothing is read yet. `wake` is called from the intake thread when
 * there is something to do and must not block. Returns false with `why` on a usage error. Sources
 * that cannot be opened set `failed`, and are reported on stderr.
 */
bool session_open(struct session *session, const struct options *options, void (*wake)(void *),
		  void *wake_data);
/* Make and start what reads: a command first (it forks), then the thread. False, with `why` and
 * an exit status, where a command could not be run. */
bool session_start(struct session *session, int cols, int rows, int *status);
/*
 * Nothing is read any more: sources are closed, what is written beside is finished, the runs are
 * saved where that is asked for, and told of where something of it is missing (then false). What was
 * read stays.
 */
bool session_end(struct session *session);
/* Start what reads, of a session without a command that is read to its end: no trace of our own is
 * written of it. */
void session_read(struct session *session);
/* The end, and all is freed; nothing of one that is all zeros. */
void session_close(struct session *session);

/* With --once: what is traced from now on is not waited for (intake_drain()). */
void session_drain(struct session *session);

/* Before the program stops (Ctrl-Z), so that nobody waits for it; and once it goes on. */
void session_suspend(struct session *session);
void session_resume(struct session *session);

/*
 * Apply what waits, for about `budget_ns` (0: all of it); true while more waits.
 */
bool session_apply(struct session *session, ns_t budget_ns);
/* Is any of its sources a recording? */
bool session_plays(struct session *session);
/* What time it is (wall): of a recording that is replayed its own. */
ns_t session_now(const struct session *session);
/* Does what is passed on need the model? */
bool session_needs_model(const struct session *session);
/* What waits goes to whoever passes it on, and is forgotten: for runs that show nothing. */
void session_pass_on(struct session *session);

/* Compare and judge what was asked for, of all that was applied: reports say what came of it. */
void session_judge(struct session *session);
/* Save the runs where that is asked for, once; false, and a line on stderr, where that failed. */
bool session_save_runs(struct session *session);

/* Is the report of --once one that is written while the events come, since it goes by them and
 * needs nothing that is known only at the end? Of a session that may not be open yet. */
bool session_streams(const struct session *session);

/* The exit status of its command, run here or by a relay, once that has ended; else `otherwise`. */
int session_command_status(struct session *session, int otherwise);

/* Did any source fail by now? What is wrong with a source and was not told yet, is: a line each on
 * stderr. */
bool session_tell_failures(struct session *session);

#endif
