/* SPDX-License-Identifier: MIT */
/* Report the heat map of --heat. Only for monitor/report. */
#ifndef MONITOR_REPORT_HEAT_H
#define MONITOR_REPORT_HEAT_H

#include "engine/base/jw.h"
#include "monitor/report/report.h"

struct out;

/* Write the heat map as text, with at most 80 columns of time; nothing without --heat. */
void heat_text(struct out *out, const struct report_input *input);
/* Write the heat map as the key "heat" of the open JSON object, with at most 200 columns; nothing
 * without --heat. */
void heat_json(struct tr2_jw *jw, const struct report_input *input);

#endif
