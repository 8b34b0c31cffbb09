/* SPDX-License-Identifier: MIT */
/*
 * The occurrences of one region, in one process or in all, from the journal's batches, and the data
 * logged inside them. The model does not keep them. Batches are read some per frame; batches
 * without the region's symbols cost little.
 *
 * All occurrences are counted, also in the histogram. Only the slowest OCCURRENCES_MAX are kept.
 * One thread.
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
	char *message; /* message of the region; NULL: none */
	uint32_t message_len;
	uint64_t nr; /* number among the occurrences that have ended, from 0 */
	/* Number of its region_enter in the journal; of the region_leave if the former is
	 * missing. */
	uint64_t event;
};

/* A kind of data (category and key) that is logged inside the region. */
struct note {
	sym_t category, key;
	uint64_t count, event; /* event: number of the last one in the journal */
	struct handle process; /* process of the last one */
	char *value;
	uint32_t value_len;
};

struct occurrences {
	struct occurrence *items; /* ro: the slowest occurrences, unsorted */
	uint32_t nr, cap;
	uint64_t nr_ended; /* ro: number of all occurrences that ended */
	/* ro: histogram of all durations, HIST_BUCKETS; NULL before the first read */
	uint64_t *sums;
	ns_t total, min, max; /* ro: of all occurrences with a known duration */
	struct note *notes;   /* ro: kinds of data logged inside the region */
	uint32_t nr_notes, cap_notes;
	int percent;               /* ro: progress of reading the journal in percent */
	uint64_t nr_begun;         /* ro: number of times that reading was restarted */
	struct span_stream stream; /* private, as all members below: reads only this region */
	const struct occurrence_reading *reading;
	uint64_t next_seq, next_event, era;
	int64_t nesting, depth;
};

/*
 * Continue reading the occurrences of the region that `what` names, in one process or in all,
 * within the limits and up to the past time shown. Starts again if one of these has changed.
 */
void occurrences_read(struct occurrences *found, const struct analysis *what);

void occurrences_release(struct occurrences *found);

#endif
