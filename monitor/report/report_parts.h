/* SPDX-License-Identifier: MIT */
/*
 * The parts of the wall time (analysis/parts.h) in the reports: per root and summed. Reports are
 * not live: a process without an end event lasts until its last event. Loop thread.
 */
#ifndef MONITOR_REPORT_PARTS_H
#define MONITOR_REPORT_PARTS_H

#include "engine/base/jw.h"
#include "monitor/analysis/parts.h"
#include "monitor/analysis/waiting.h"
#include "monitor/report/report.h"

/* All zeros at first. */
struct report_parts {
	struct parts one; /* of the last root */
	struct parts sum; /* of all roots so far */
	struct waits waits;
};

void report_parts_release(struct report_parts *parts);

/* Write the keys of the root in `slot` into the open object; append its table. */
void report_parts_json(struct report_parts *parts, struct tr2_jw *jw,
		       const struct report_input *input, uint32_t slot);
void report_parts_text(struct report_parts *parts, struct tr2_buf *out,
		       const struct report_input *input, uint32_t slot);
/* Write the keys of a running process: what it waits for, and medians of its open regions and
 * children. */
void report_waits_json(struct report_parts *parts, struct tr2_jw *jw,
		       const struct report_input *input, uint32_t slot);
/* Write the key of the whole report, after all roots. */
void report_parts_json_sum(struct report_parts *parts, struct tr2_jw *jw,
			   const struct report_input *input);

#endif
