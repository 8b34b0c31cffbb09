/* SPDX-License-Identifier: MIT */
/* Results of the comparison and of the rules, as text and JSON. Only for monitor/report. */
#ifndef MONITOR_REPORT_RULES_H
#define MONITOR_REPORT_RULES_H

#include "engine/base/jw.h"
#include "monitor/analysis/rule_results.h"
#include "monitor/report/report.h"

struct out;

/* Write the tables "Comparison" and "Rules" of the text report, each only if it was requested. */
void verdicts_text(struct out *out, const struct rule_results *verdicts);

/* Write the keys "compare" and "rules" into the open JSON object, each only if it was requested. */
void verdicts_json(struct tr2_jw *jw, const struct model *model,
		   const struct rule_results *verdicts);

#endif
