/* SPDX-License-Identifier: MIT */
/*
 * The reports of a session: of all of it, of another time, of what a filter chose. Loop thread.
 */
#ifndef MONITOR_SESSION_REPORT_H
#define MONITOR_SESSION_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "monitor/app/session.h"

/* What a report is of. */
struct report_scope {
	struct model *model;   /* the session's, or one of another time; it is settled */
	uint64_t end;          /* the events that led to it; UINT64_MAX: all */
	struct filter *filter; /* NULL: every process */
	/* Only these with all below them; of 0: of all. */
	const struct handle *roots;
	int nr_roots;
	int64_t nesting, depth; /* limits; LIMIT_ALL: none */
};

/*
 * Write the report in the form of a row of exporters.def; false with errno. `work` may break it
 * off; NULL: not.
 */
bool session_report(struct session *session, int exporter, FILE *to,
		    const struct report_scope *scope, struct work *work);

/*
 * Of one that session_streams(): begin before the first event is applied, end after the last; false
 * with errno.
 */
struct session_stream {
	struct report_run run;
	struct report_input input;
};
void session_stream_begin(struct session *session, struct session_stream *stream, int exporter,
			  FILE *to);
bool session_stream_end(struct session *session, struct session_stream *stream);

#endif
