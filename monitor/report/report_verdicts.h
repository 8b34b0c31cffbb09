/* SPDX-License-Identifier: MIT */
/* What was compared and judged, as the reports say it. For the files of reports. */
#ifndef MONITOR_REPORT_VERDICTS_H
#define MONITOR_REPORT_VERDICTS_H

#include "engine/base/jw.h"
#include "monitor/analysis/rule_results.h"
#include "monitor/report/report.h"

struct out;

/* The tables "Compared" and "Rules" of the text report; nothing where neither was asked for. */
void verdicts_text(struct out *out, const struct rule_results *verdicts);

/* The keys "compare" and "rules" of the object that is open, the same. */
void verdicts_json(struct tr2_jw *jw, const struct model *model,
		   const struct rule_results *verdicts);

#endif
