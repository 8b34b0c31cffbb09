/* SPDX-License-Identifier: MIT */
/*
 * What an analysis works on. Every analysis of this room is a function of it that fills plain
 * rows: it knows no surface and no key, reads no clock and asks for nothing. Reports, gates,
 * pages and tests call the same functions. The limits on size are in each header.
 */
#ifndef MONITOR_ANALYSIS_H
#define MONITOR_ANALYSIS_H

#include "monitor/filter/filter_process.h"
#include "monitor/history/journal.h"
#include "monitor/model/model.h"

/* Borrowed for the call, unless a function says otherwise; one thread. */
struct analysis {
	const struct model *model;
	struct journal *journal;     /* its history; NULL: none is kept */
	struct timing_limits limits; /* -1: none */
	ns_t now;                    /* wall: what is open counts up to here */
	struct filter *filter;       /* of processes; NULL: all */
	struct filter *events;       /* of events, for the event log; NULL: all */
	struct handle process;       /* HANDLE_NONE: of all processes */
	sym_t category, label;       /* the region; SYM_NONE */
	bool past;                   /* an earlier time is looked at: */
	uint64_t past_position;      /* number of the first event that has not happened yet */
};

#endif
