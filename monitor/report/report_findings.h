/* SPDX-License-Identifier: MIT */
/* The findings (analysis/findings.h) of a report's roots, for both reports. Loop thread. */
#ifndef MONITOR_REPORT_FINDINGS_H
#define MONITOR_REPORT_FINDINGS_H

#include "engine/base/jw.h"
#include "monitor/analysis/findings.h"
#include "monitor/report/report.h"

/* Fill `findings`, which must be all zeros; release with findings_release(). `slots` are the
 * processes of the report. */
void report_findings_make(struct findings *findings, const struct report_input *input,
			  const uint32_t *slots, uint32_t nr);

/* Write the key of the whole report into the open object. */
void report_findings_json(const struct findings *findings, struct tr2_jw *jw,
			  const struct model *model);
/* Write a finding as text: its time and title, then evidence, then advice. */
void report_finding_text(const struct findings *findings, const struct finding *finding,
			 const struct model *model, struct tr2_buf *out);

#endif
