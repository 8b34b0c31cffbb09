/* SPDX-License-Identifier: MIT */
/* The heat map of commands or of a region (--heat) in the reports. For the files of reports. */
#ifndef MONITOR_REPORT_HEAT_H
#define MONITOR_REPORT_HEAT_H

#include "engine/base/jw.h"
#include "monitor/report/report.h"

struct out;

/* Write the map as text, at most 80 columns; nothing if it was not requested. */
void heat_text(struct out *out, const struct report_input *input);
/* Write the key "heat" into the open object, likewise; at most 200 columns. */
void heat_json(struct tr2_jw *jw, const struct report_input *input);

#endif
