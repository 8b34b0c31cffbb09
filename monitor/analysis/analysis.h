/* SPDX-License-Identifier: MIT */
/*
 * Input of most analyses. The analyses of this module compute data for views and reports; they draw
 * nothing and handle no keys.
 */
#ifndef MONITOR_ANALYSIS_H
#define MONITOR_ANALYSIS_H

#include "monitor/filter/filter_process.h"
#include "monitor/history/journal.h"
#include "monitor/model/model.h"

/* Input of an analysis; borrowed during the call unless the analysis documents otherwise. */
struct analysis {
	const struct model *model;
	struct journal *journal; /* NULL: not kept */
	/* maximum nesting of regions and maximum depth of processes; -1: no limit */
	struct timing_limits limits;
	/* wall time up to which live processes and their open regions are measured (live.h) */
	ns_t now;
	struct filter *filter; /* filter that selects processes; NULL: all */
	struct filter *events; /* selects events in the event log; NULL: all */
	struct handle process; /* process to analyse; HANDLE_NONE: no particular one */
	/* for analyses of one region: its category and label; SYM_NONE: absent */
	sym_t category, label;
	/* the user looks back: an earlier state is shown */
	bool past;
	/* if `past`: number of the first event after the time that is shown */
	uint64_t lookback_position;
};

#endif
