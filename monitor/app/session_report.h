/* SPDX-License-Identifier: MIT */
/*
 * The reports of a session: of everything, of an earlier time, or of filtered processes. Loop
 * thread.
 */
#ifndef MONITOR_SESSION_REPORT_H
#define MONITOR_SESSION_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "monitor/app/session.h"

/* The processes and events that a report includes. */
struct report_scope {
	struct model *model;   /* the session's model, or one of an earlier time; settled */
	uint64_t end;          /* number of events in the model; UINT64_MAX: all */
	struct filter *filter; /* NULL: every process is included */
	/* Include only these processes with their descendants; `nr_roots` 0: all. */
	const struct handle *roots;
	int nr_roots;
	int64_t nesting, depth; /* limits on nesting and depth; LIMIT_ALL: no limit */
};

/*
 * Write a report in the format of row `exporter` of exporters.def. Returns false with errno on
 * error. `work` may cancel it; NULL: never.
 */
bool session_report(struct session *session, int exporter, FILE *to,
		    const struct report_scope *scope, struct work *work);

/*
 * A report that is written while events arrive, if session_streams(): begin before the first event
 * is applied, end after the last. The functions return false with errno on error.
 */
struct session_stream {
	struct report_run run;
	struct report_input input;
};
void session_stream_begin(struct session *session, struct session_stream *stream, int exporter,
			  FILE *to);
bool session_stream_end(struct session *session, struct session_stream *stream);

#endif
