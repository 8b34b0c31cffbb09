/* SPDX-License-Identifier: MIT */
/*
 * The occurrences of one region, in one process or in all, from the journal's batches, and the data
 * logged inside them. The model does not keep them. Each call of occurrences_read() reads some
 * batches.
 *
 * All occurrences that ended are counted, in the histogram only those with a known duration. Only
 * the slowest OCCURRENCES_MAX are kept. Used by one thread.
 */
#ifndef MONITOR_OCCURRENCES_H
#define MONITOR_OCCURRENCES_H

#include "monitor/analysis/analysis.h"
#include "monitor/analysis/span_stream.h"

#define OCCURRENCES_MAX       100000u
#define OCCURRENCES_MAX_NOTES 500u

struct occurrence {
	ns_t start, duration; /* NS_NONE: unknown */
	struct handle process;
	sym_t thread;
	char *message; /* message of the region's event; NULL: none */
	uint32_t message_len;
	uint64_t nr; /* number of this occurrence among those that have ended, from 0 */
	/* number in the journal of the occurrence's region_enter event, or of its region_leave if
	 * the region_enter is missing */
	uint64_t event;
};

/* A kind of data (category and key) that was logged inside the region. */
struct note {
	sym_t category, key;
	/* number of such data events, and number in the journal of the last one */
	uint64_t count, event;
	struct handle process; /* process that logged the last of these data events */
	char *value;
	uint32_t value_len;
};

struct occurrences {
	struct occurrence *items; /* ro: slowest occurrences of the region, unsorted */
	uint32_t nr, cap;
	uint64_t nr_ended; /* ro: number of all occurrences of the region that ended */
	/* ro: histogram of all known durations, with HIST_BUCKETS buckets; NULL before the first
	 * read */
	uint64_t *sums;
	ns_t total, min, max; /* ro: sum, shortest and longest of all known durations, in ns */
	/* ro: the first OCCURRENCES_MAX_NOTES kinds of data that were logged inside the region */
	struct note *notes;
	uint32_t nr_notes, cap_notes;
	int percent;       /* ro: progress of reading the journal in percent */
	uint64_t nr_begun; /* ro: how many times reading was started from the beginning */
	/* private, as are all members after it: finds the occurrences of this region */
	struct span_stream stream;
	const struct occurrence_reading *reading;
	uint64_t next_seq, next_event, era;
	int64_t nesting, depth;
};

/*
 * Continue reading the occurrences of the region that `what` names, in one process or in all,
 * within the limits and up to the past time shown. `found` is for one region and process. Starts
 * from the beginning if the limits have changed, if the journal was reordered, or if events were
 * read that are after the past time shown.
 */
void occurrences_read(struct occurrences *found, const struct analysis *what);

void occurrences_release(struct occurrences *found);

#endif
