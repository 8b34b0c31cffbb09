/* SPDX-License-Identifier: MIT */
/*
 * Events as subjects of a filter. A filter field about processes, such as `argv`, has the value
 * of the event's process.
 */
#ifndef MONITOR_FILTER_EVENT_H
#define MONITOR_FILTER_EVENT_H

#include "monitor/event/batch.h"
#include "monitor/filter/filter.h"
#include "monitor/model/model.h"

/*
 * Visit the values of a filter field of an event, see filter_values (filter.h). FILTER_WORD has no
 * value. `process` may be NULL.
 */
bool filter_event_value(const struct model *model, const struct process *process,
			const struct batch *batch, const struct event *ev, enum filter_field field,
			value_visit *visit, void *data);

#endif
