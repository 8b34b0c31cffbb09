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

#define OCCURRENCES_MAX       100000u
#define OCCURRENCES_MAX_NOTES 500u

struct occurrence {
	ns_t start, duration; /* NS_NONE if unknown */
	struct handle process;
	sym_t thread;
	char *message; /* NULL: none */
	uint32_t message_len;
	uint64_t nr; /* index among those that have ended, from 0 */
	/* Number of the enter event in the journal; of the leave event if the enter is missing. */
	uint64_t event;
};

/* A kind of data logged inside the region. */
struct note {
	sym_t category, key;
	uint64_t count, event; /* number of the last event */
	struct handle process; /* of the last event */
	char *value;
	uint32_t value_len;
};

struct occurrences {
	struct occurrence *items; /* ro: unsorted */
	uint32_t nr, cap;
	uint64_t nr_ended;    /* ro: total */
	uint64_t *sums;       /* ro: histogram of all, HIST_BUCKETS; NULL before the first read */
	ns_t total, min, max; /* ro: of all with a known duration */
	struct note *notes;   /* ro */
	uint32_t nr_notes, cap_notes;
	int percent;             /* ro: progress of reading */
	uint64_t nr_begun;       /* ro: number of restarts */
	struct pending *pending; /* private, as all below */
	uint64_t next_seq, next_event, era;
	int64_t nesting, depth;
};

/*
 * Continue reading occurrences of the region of `what`, in its process or in all, within the limits
 * and up to the past time shown. Restarts if one of these has changed.
 */
void occurrences_read(struct occurrences *found, const struct analysis *what);

void occurrences_release(struct occurrences *found);

#endif
