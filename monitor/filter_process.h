/* SPDX-License-Identifier: MIT */
/* A process of the model as the subject of a filter. */
#ifndef MONITOR_FILTER_PROCESS_H
#define MONITOR_FILTER_PROCESS_H

#include "monitor/filter.h"
#include "monitor/model.h"

/* Does the process in `slot` match? NULL matches all. The model must be settled. */
bool filter_process(struct filter *filter, const struct model *model, uint32_t slot);

#endif
