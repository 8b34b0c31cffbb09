/* SPDX-License-Identifier: MIT */
/* Report the differences between the runs that match a filter and the other runs (--difference) or
 * the runs of the base (--difference-base). Only for monitor/report. */
#ifndef MONITOR_REPORT_DIFFERENCE_H
#define MONITOR_REPORT_DIFFERENCE_H

#include "engine/base/jw.h"
#include "monitor/report/report.h"

struct out;

/* Write the differences as text; nothing without --difference. */
void report_difference_text(struct out *out, const struct report_input *input);
/* Write the differences as the key "difference" of the open JSON object; nothing without
 * --difference. */
void report_difference_json(struct tr2_jw *jw, const struct report_input *input);
/* Write the differences as CSV with a heading. `add_text` appends a text as a cell. */
void report_difference_csv(struct tr2_buf *out, const struct report_input *input,
			   void (*add_text)(struct tr2_buf *out, const char *text, size_t len));

#endif
