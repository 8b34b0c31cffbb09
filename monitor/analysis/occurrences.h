/* SPDX-License-Identifier: MIT */
/*
 * The occurrences of one region, and the data logged inside them, from the journal.
 *
 * All occurrences that ended are counted, in the histogram only those with a known duration. The
 * slowest OCCURRENCES_MAX are kept. One thread.
 */
#ifndef MONITOR_OCCURRENCES_H
#define MONITOR_OCCURRENCES_H

#include "monitor/analysis/analysis.h"
#include "monitor/analysis/span_stream.h"

#define OCCURRENCES_MAX       100000u
#define OCCURRENCES_MAX_NOTES 500u

struct occurrence {
	ns_t start, duration; /* NS_NONE: unknown; without a duration, `start` is the end */
	struct handle process;
	sym_t thread;
	/* at most 200 bytes of the message of the region_leave event, or else of region_enter;
	 * NULL: none */
	char *message;
	uint32_t message_len;
	uint64_t nr; /* number of the occurrence among those that have ended, from 0 */
	/* number in the journal of the region_enter event, or of the region_leave if that is
	 * missing */
	uint64_t event;
};

/* data of one category and key, logged inside the region */
struct note {
	sym_t category, key;
	/* number of data events of the category and key; number in the journal of the last of
	 * them */
	uint64_t count, event;
	struct handle process; /* process that logged the last of these data events */
	char *value;
	uint32_t value_len;
};

struct occurrences {
	struct occurrence *items; /* ro: the slowest occurrences, unsorted */
	uint32_t nr, cap;
	uint64_t nr_ended; /* ro: number of all occurrences that ended */
	/* ro: histogram of known durations, with HIST_BUCKETS buckets; NULL before the first
	 * read */
	uint64_t *sums;
	ns_t total, min, max; /* ro: of all known durations, in ns: sum, shortest, longest */
	/* ro: the first OCCURRENCES_MAX_NOTES kinds of data inside the region */
	struct note *notes;
	uint32_t nr_notes, cap_notes;
	int percent;
	uint64_t nr_begun; /* ro: number of times that reading started from the beginning */
	/* private, as are all members after it */
	struct span_stream stream;
	const struct occurrence_reading *reading;
	uint64_t next_seq, next_event, era;
	int64_t nesting, depth;
};

/*
 * Continue reading the occurrences of the region that `what` names, in one process or in all,
 * within the limits and up to the past time shown. `found` is for one region and process. May start
 * again from the beginning.
 */
void occurrences_read(struct occurrences *found, const struct analysis *what);

void occurrences_release(struct occurrences *found);

#endif
