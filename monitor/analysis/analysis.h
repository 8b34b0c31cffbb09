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

/* Borrowed during the call, unless a function says otherwise; one thread. */
struct analysis {
	const struct model *model;
	struct journal *journal;     /* history; NULL: not kept */
	struct timing_limits limits; /* -1: no limit */
	ns_t now;                    /* wall clock: open regions and processes last until now */
	struct filter *filter;       /* for processes; NULL: all */
	struct filter *events;       /* for events, in the event log; NULL: all */
	struct handle process;       /* HANDLE_NONE: all processes */
	sym_t category, label;       /* the region; SYM_NONE */
	bool past;                   /* an earlier time is shown: */
	uint64_t lookback_position;  /* number of the first event after that time */
};

#endif
