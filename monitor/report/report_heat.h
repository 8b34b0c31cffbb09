/* SPDX-License-Identifier: MIT */
/* The heat map of commands or of a region (--heat) in the reports. For the files of reports. */
#ifndef MONITOR_REPORT_HEAT_H
#define MONITOR_REPORT_HEAT_H

#include "engine/base/jw.h"
#include "monitor/report/report.h"

struct out;

/* Write the map as text, at most 80 characters wide; nothing if it was not requested. */
void heat_text(struct out *out, const struct report_input *input);
/* Write the map as the key "heat" of the open JSON object, with at most 200 columns; nothing if it
 * was not requested. */
void heat_json(struct tr2_jw *jw, const struct report_input *input);

#endif
