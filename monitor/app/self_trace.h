/* SPDX-License-Identifier: MIT */
/*
 * trace2top writes a trace of itself with libtrace2 if variables such as TRACE2TOP_TRACE2_EVENT
 * request it. Its counters are applied and dropped events.
 */
#ifndef MONITOR_SELF_TRACE_H
#define MONITOR_SELF_TRACE_H

#include <stdint.h>

#include "monitor/intake/intake.h"
#include "monitor/settings/options.h"

/*
 * Disable each target of trace2top's own trace that is also a source, with one line on stderr: its
 * own events would cause further events without end. Call it before self_trace_start().
 */
void self_trace_refuse(const struct intake *intake);

/* Start the own trace with its first events, such as version, start and name. Only one thread may
 * exist. */
void self_trace_start(const struct options *options);

/* Count events that were applied, or dropped before they were applied, in the own trace. Any thread
 * may call it. */
void self_trace_count(uint64_t nr_events);
void self_trace_count_dropped(uint64_t nr_events);

#endif
