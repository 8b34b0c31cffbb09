/* SPDX-License-Identifier: MIT */
/* A process of the model as the subject of a filter. */
#ifndef MONITOR_FILTER_PROCESS_H
#define MONITOR_FILTER_PROCESS_H

#include "monitor/filter/filter.h"
#include "monitor/model/model.h"

/* Does the process in `slot` match? NULL matches all. The model must be settled. */
bool filter_process(struct filter *filter, const struct model *model, uint32_t slot);

/* The values of one field of a process, as filter_values (filter.h) gives them. */
bool filter_process_value(const struct model *model, const struct process *process,
			  enum filter_field field, filter_visit *visit, void *data);

#endif
