/* SPDX-License-Identifier: MIT */
/* Counts of commands per interval of time, as text and JSON. Only for monitor/report. */
#ifndef MONITOR_REPORT_OVER_TIME_H
#define MONITOR_REPORT_OVER_TIME_H

#include "engine/base/jw.h"
#include "monitor/analysis/command_trends.h"

struct out;

/* Write the counts over time as text, in at most ten rows; nothing if no command has a time. */
void over_time_text(struct out *out);

/* Write the key "over_time" and, if its slots are longer than a second, "over_time_recent" into the
 * open JSON object. */
void over_time_json(struct tr2_jw *jw, const struct model *model);

/* Write the keys "p90_over_time" and "trend" of a command into the open JSON object. */
void command_trend_json(struct tr2_jw *jw, const struct command_trends *trends, uint32_t row);

#endif
