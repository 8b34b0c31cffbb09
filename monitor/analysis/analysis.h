/* SPDX-License-Identifier: MIT */
/*
 * Input of all analyses. An analysis of this module is a function that takes a struct analysis and
 * fills plain rows. It knows no surface and no keys, and reads no clock. Reports, rules, pages and
 * tests call the same functions. Limits on size are in each header.
 */
#ifndef MONITOR_ANALYSIS_H
#define MONITOR_ANALYSIS_H

#include "monitor/filter/filter_process.h"
#include "monitor/history/journal.h"
#include "monitor/model/model.h"

/* Input of an analysis. Borrowed during the call, unless a function says otherwise; one thread. */
struct analysis {
	const struct model *model;
	struct journal *journal;     /* history; NULL: not kept */
	struct timing_limits limits; /* nesting and depth limits; -1: no limit */
	/* wall clock: open regions and running processes last until now */
	ns_t now;
	struct filter *filter;      /* selects processes; NULL: all */
	struct filter *events;      /* selects events in the event log; NULL: all */
	struct handle process;      /* only this process; HANDLE_NONE: all processes */
	sym_t category, label;      /* only this region; SYM_NONE: all */
	bool past;                  /* the user looks back: an earlier state is shown: */
	uint64_t lookback_position; /* number of the first event after the time that is shown */
};

#endif
