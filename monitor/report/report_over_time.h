/* SPDX-License-Identifier: MIT */
/* Counts over time in the reports. For the files of reports. */
#ifndef MONITOR_REPORT_OVER_TIME_H
#define MONITOR_REPORT_OVER_TIME_H

#include "engine/base/jw.h"
#include "monitor/model/model.h"

/* Write the keys "over_time" and "over_time_recent" into the open object. */
void over_time_json(struct tr2_jw *jw, const struct model *model);

#endif
