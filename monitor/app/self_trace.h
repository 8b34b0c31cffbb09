/* SPDX-License-Identifier: MIT */
/*
 * trace2top's own trace, by libtrace2, enabled by the variables TRACE2TOP_TRACE2*: one trace2top
 * can watch another. Regions: intake reading, applying, frames, reports; counters: events applied
 * and events dropped. A disabled call costs a load and a branch.
 */
#ifndef MONITOR_SELF_TRACE_H
#define MONITOR_SELF_TRACE_H

#include <stdint.h>

#include "monitor/intake/intake.h"
#include "monitor/settings/options.h"

/* Check that no target of trace2top's own trace is also a source: tracing itself would never
 * end. Prints one line on stderr for each and disables it. Call before self_trace_start(). */
void self_trace_refuse(const struct intake *intake);

/* Start trace2top's own trace: version, start, name. Only one thread may exist. */
void self_trace_start(const struct options *options);

/* Count events that were applied, or dropped before that, in trace2top's own trace. Any thread. */
void self_trace_count(uint64_t nr_events);
void self_trace_count_dropped(uint64_t nr_events);

#endif
