/* SPDX-License-Identifier: MIT */
/* Processes of the model as subjects of a filter. */
#ifndef MONITOR_FILTER_PROCESS_H
#define MONITOR_FILTER_PROCESS_H

#include "monitor/filter/filter.h"
#include "monitor/model/model.h"

/* True if the filter matches the process in `slot`, or is NULL. The model must be settled. */
bool filter_process(struct filter *filter, const struct model *model, uint32_t slot);

/* Visit the values of a filter field of a process, see filter_values (filter.h). */
bool filter_process_value(const struct model *model, const struct process *process,
			  enum filter_field field, value_visit *visit, void *data);

#endif
