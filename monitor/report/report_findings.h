/* SPDX-License-Identifier: MIT */
/* The findings (analysis/findings.h) of the roots in a report, for the text and JSON reports.
 * Loop thread. */
#ifndef MONITOR_REPORT_FINDINGS_H
#define MONITOR_REPORT_FINDINGS_H

#include "engine/base/jw.h"
#include "monitor/analysis/finding_kinds.h"
#include "monitor/report/report.h"

/* Find all findings. `findings` must be all zeros; release it with findings_release(). `slots`
 * are the processes of the report. */
void report_findings_make(struct findings *findings, const struct report_input *input,
			  const uint32_t *slots, uint32_t nr);

/* Write the key with all findings of the report into the open JSON object. */
void report_findings_json_of(struct tr2_jw *jw, const struct report_input *input);
/* Append a kind of finding as text: its time and title, where it was found, the evidence of its
 * most costly run, then the advice. */
void report_finding_kind_text(const struct findings *findings, const struct finding_kinds *kinds,
			      const struct finding_kind *kind, const struct model *model,
			      struct tr2_buf *out);

#endif
