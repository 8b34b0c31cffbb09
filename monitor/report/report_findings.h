/* SPDX-License-Identifier: MIT */
/* Report the findings (analysis/findings.h), as text and JSON. Used by the loop thread. */
#ifndef MONITOR_REPORT_FINDINGS_H
#define MONITOR_REPORT_FINDINGS_H

#include "engine/base/jw.h"
#include "monitor/analysis/finding_kinds.h"
#include "monitor/report/report.h"

/* Get the findings of the report, whose processes are `slots`. `findings` must be all zeros;
 * release it with findings_release(). */
void report_findings_make(struct findings *findings, const struct report_input *input,
			  const uint32_t *slots, uint32_t nr);

/* Write the key "findings" into the open JSON object. */
void report_findings_json_of(struct tr2_jw *jw, const struct report_input *input);
/* Append a kind of finding as text, with the evidence of its most costly run. */
void report_finding_kind_text(const struct findings *findings, const struct finding_kinds *kinds,
			      const struct finding_kind *kind, const struct model *model,
			      struct tr2_buf *out);

#endif
