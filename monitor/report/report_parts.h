/* SPDX-License-Identifier: MIT */
/* Report the parts of the wall time (analysis/parts.h), per root process and summed over all. A
 * process without an end event lasts until its last event, or until the later end of a child that
 * it waited for. Used by the loop thread. */
#ifndef MONITOR_REPORT_PARTS_H
#define MONITOR_REPORT_PARTS_H

#include "engine/base/jw.h"
#include "monitor/analysis/parts.h"
#include "monitor/analysis/waiting.h"
#include "monitor/report/report.h"

/* Initially all zeros. */
struct report_parts {
	struct parts one; /* parts of the current root process */
	struct parts sum; /* sum of the parts of all root processes so far */
	struct waits waits;
};

void report_parts_release(struct report_parts *parts);

/* Write the keys with the parts of the root process in `slot` into the open JSON object.
 * report_parts_text() appends the parts as a table. */
void report_parts_json(struct report_parts *parts, struct tr2_jw *jw,
		       const struct report_input *input, uint32_t slot);
void report_parts_text(struct report_parts *parts, struct tr2_buf *out,
		       const struct report_input *input, uint32_t slot);
/* Write the key "waits" of a running process into the open JSON object: why it waits, with medians
 * of past durations. */
void report_waits_json(struct report_parts *parts, struct tr2_jw *jw,
		       const struct report_input *input, uint32_t slot);
/* Write the key with the summed parts of all root processes. Call it after the last root. */
void report_parts_json_sum(struct report_parts *parts, struct tr2_jw *jw,
			   const struct report_input *input);

#endif
