/* SPDX-License-Identifier: MIT */
/*
 * The occurrences of one region, of a process or of all, that the journal's batches tell of,
 * and the data that was logged while one was open. The model does not keep them: they are read
 * from the batches, some of them a frame, and those without the region's symbols cost little.
 *
 * All are counted, in the histogram too; of more than OCCURRENCES_MAX the slowest are kept, for
 * it is those that are looked for. One thread.
 */
#ifndef MONITOR_OCCURRENCES_H
#define MONITOR_OCCURRENCES_H

#include "monitor/analysis/analysis.h"

#define OCCURRENCES_MAX       100000u
#define OCCURRENCES_MAX_NOTES 500u

struct occurrence {
	ns_t start, duration; /* NS_NONE where unknown */
	struct handle process;
	sym_t thread;
	char *message; /* NULL: none */
	uint32_t message_len;
	uint64_t nr;    /* of those that have ended, from 0 */
	uint64_t event; /* number of the enter in the journal; of the leave without one */
};

/* A kind of data that was logged inside. */
struct note {
	sym_t category, key;
	uint64_t count, event; /* number of the last one's event */
	struct handle process; /* of the last one */
	char *value;
	uint32_t value_len;
};

struct occurrences {
	struct occurrence *items; /* ro: in no order */
	uint32_t nr, cap;
	uint64_t nr_ended; /* ro: ever */
	uint64_t *sums;    /* ro: histogram of all, HIST_BUCKETS; NULL before the first reading */
	ns_t total, min, max; /* ro: of all with a duration */
	struct note *notes;   /* ro */
	uint32_t nr_notes, cap_notes;
	int percent;             /* ro: of what there is was read */
	uint64_t nr_begun;       /* ro: how often all was forgotten and read anew */
	struct pending *pending; /* private, as is what follows */
	uint64_t next_seq, next_event, era;
	int64_t nesting, depth;
};

/*
 * Read on, of the region of `what` in its process or in all, within the limits and up to the
 * time looked back to.
 * Begins anew where one of these is another one.
 */
void occurrences_read(struct occurrences *found, const struct analysis *what);

void occurrences_release(struct occurrences *found);

#endif
