/* SPDX-License-Identifier: MIT */
/*
 * An event as the subject of a filter: its own fields, and those of its process for filter fields
 * that events do not have (see filter.def).
 */
#ifndef MONITOR_FILTER_EVENT_H
#define MONITOR_FILTER_EVENT_H

#include "monitor/event/batch.h"
#include "monitor/filter/filter.h"
#include "monitor/model/model.h"

/*
 * Visit the values of one filter field; see filter_values (filter.h). FILTER_WORD has none, because
 * only the screen has the text of a row. `process` may be NULL.
 */
bool filter_event_value(const struct model *model, const struct process *process,
			const struct batch *batch, const struct event *ev, enum filter_field field,
			value_visit *visit, void *data);

#endif
