/* SPDX-License-Identifier: MIT */
/*
 * The parts of the wall time (analysis/parts.h) in the reports: per root process and summed. In a
 * report nothing is live: a process without an end event lasts until its last event. Loop thread.
 */
#ifndef MONITOR_REPORT_PARTS_H
#define MONITOR_REPORT_PARTS_H

#include "engine/base/jw.h"
#include "monitor/analysis/parts.h"
#include "monitor/analysis/waiting.h"
#include "monitor/report/report.h"

/* Parts of the report's roots. Initially all zeros. */
struct report_parts {
	struct parts one; /* parts of the last root */
	struct parts sum; /* sum of the parts of all roots so far */
	struct waits waits;
};

void report_parts_release(struct report_parts *parts);

/* Write the keys with the parts of the root in `slot` into the open object; append the table of
 * its parts. */
void report_parts_json(struct report_parts *parts, struct tr2_jw *jw,
		       const struct report_input *input, uint32_t slot);
void report_parts_text(struct report_parts *parts, struct tr2_buf *out,
		       const struct report_input *input, uint32_t slot);
/* Write the keys of a running process: why it waits, and medians of past durations for its open
 * regions and children. */
void report_waits_json(struct report_parts *parts, struct tr2_jw *jw,
		       const struct report_input *input, uint32_t slot);
/* Write the key with the sum of the parts of all roots, after all roots. */
void report_parts_json_sum(struct report_parts *parts, struct tr2_jw *jw,
			   const struct report_input *input);

#endif
