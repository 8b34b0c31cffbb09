/* SPDX-License-Identifier: MIT */
/* What was found (analysis/findings.h) in a report's roots, for both reports. Loop thread. */
#ifndef MONITOR_REPORT_FINDINGS_H
#define MONITOR_REPORT_FINDINGS_H

#include "engine/base/jw.h"
#include "monitor/analysis/findings.h"
#include "monitor/report/report.h"

/* Into all zeros; findings_release() it. `slots` are the processes of the report. */
void report_findings_make(struct findings *findings, const struct report_input *input,
			  const uint32_t *slots, uint32_t nr);

/* The key of the whole report, into the object that is open. */
void report_findings_json(const struct findings *findings, struct tr2_jw *jw,
			  const struct model *model);
/* A finding as text: what it holds and its title, then evidence, then advice. */
void report_finding_text(const struct findings *findings, const struct finding *finding,
			 const struct model *model, struct tr2_buf *out);

#endif
