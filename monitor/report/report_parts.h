/* SPDX-License-Identifier: MIT */
/*
 * Where the wall time went (analysis/parts.h), in the reports: of each root, and summed over them.
 * Nothing in a report is live: a process that never said its end lasts until what it said last.
 * Loop thread.
 */
#ifndef MONITOR_REPORT_PARTS_H
#define MONITOR_REPORT_PARTS_H

#include "engine/base/jw.h"
#include "monitor/analysis/parts.h"
#include "monitor/analysis/waiting.h"
#include "monitor/report/report.h"

/* All zeros at first. */
struct report_parts {
	struct parts one; /* of the root asked for last */
	struct parts sum; /* of all that were asked for */
	struct waits waits;
};

void report_parts_release(struct report_parts *parts);

/* Of the root in `slot`: its keys, into the object that is open; its table, appended. */
void report_parts_json(struct report_parts *parts, struct tr2_jw *jw,
		       const struct report_input *input, uint32_t slot);
void report_parts_text(struct report_parts *parts, struct tr2_buf *out,
		       const struct report_input *input, uint32_t slot);
/* What a process that runs waits for, and how long its open things usually take: keys. */
void report_waits_json(struct report_parts *parts, struct tr2_jw *jw,
		       const struct report_input *input, uint32_t slot);
/* The key of the whole report, after all roots. */
void report_parts_json_sum(struct report_parts *parts, struct tr2_jw *jw,
			   const struct report_input *input);

#endif
