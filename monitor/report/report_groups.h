/* SPDX-License-Identifier: MIT */
/* Commands and regions per group of --group-by. Only for monitor/report. */
#ifndef MONITOR_REPORT_GROUPS_H
#define MONITOR_REPORT_GROUPS_H

#include "engine/base/jw.h"
#include "monitor/analysis/group_regions.h"
#include "monitor/report/report.h"

/* `commands` has one row per group, `regions` has the regions of all groups. */
struct report_groups {
	struct report_commands commands;
	struct group_regions regions;
};

void report_groups_make(struct report_groups *out, const struct report_input *input);
void report_groups_release(struct report_groups *groups);
/* Set `*first` to the regions of a row of `commands`; return their number. */
uint32_t report_groups_regions(const struct report_groups *groups, uint32_t row,
			       const struct group_region **first);

/* Write the key "groups" into the open JSON object; nothing without --group-by. */
void report_groups_json(struct tr2_jw *jw, const struct report_input *input);

#endif
