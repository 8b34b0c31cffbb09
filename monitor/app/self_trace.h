/* SPDX-License-Identifier: MIT */
/*
 * trace2top's own trace, by libtrace2, under the variables TRACE2TOP_TRACE2*: one trace2top can
 * watch another. Regions: intake reading, applying, frames, reports; counters: events applied
 * and events dropped. Costs a load and a branch a call while it is off.
 */
#ifndef MONITOR_SELF_TRACE_H
#define MONITOR_SELF_TRACE_H

#include <stdint.h>

#include "monitor/intake/intake.h"
#include "monitor/settings/options.h"

/* Refuse targets that are sources of ours: watching oneself write what one watches would never
 * end. One line on stderr for each. Before self_trace_start(). */
void self_trace_refuse(const struct intake *intake);

/* Begin: version, start, name. One thread only may run. */
void self_trace_start(const struct options *options);

/* Events were applied; events were dropped unread. Any thread. */
void self_trace_count(uint64_t nr_events);
void self_trace_count_dropped(uint64_t nr_events);

#endif
