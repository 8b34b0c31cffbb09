/* SPDX-License-Identifier: MIT */
/*
 * Write the reports of a session: of everything, of an earlier time, or of filtered processes. Used
 * by the loop thread.
 */
#ifndef MONITOR_SESSION_REPORT_H
#define MONITOR_SESSION_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "monitor/app/session.h"

struct report_scope {
	/* model of the session, or of an earlier time */
	struct model *model;
	uint64_t end;          /* number of events that the model has applied; UINT64_MAX: all */
	struct filter *filter; /* NULL: all processes */
	/* Root processes, included with their descendants; `nr_roots` 0: all. */
	const struct handle *roots;
	int nr_roots;
	/* maximum nesting of regions and depth of processes; LIMIT_ALL: no limit */
	int64_t nesting, depth;
};

/*
 * Write a report in the format of row `exporter` of exporters.def, or the result of --sql. Returns
 * false with errno on error. `work` may cancel the report; NULL: never.
 */
bool session_report(struct session *session, int exporter, FILE *to,
		    const struct report_scope *scope, struct work *work);

/*
 * A report that is written while events arrive, if session_streams() is true. Begin it before the
 * first event is applied, and end it after the last. session_stream_end() returns false with errno
 * on error.
 */
struct session_stream {
	struct report_run run;
	struct report_input input;
};
void session_stream_begin(struct session *session, struct session_stream *stream, int exporter,
			  FILE *to);
bool session_stream_end(struct session *session, struct session_stream *stream);

#endif
