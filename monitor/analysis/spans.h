/* SPDX-License-Identifier: MIT */
/*
 * Completed regions of a tree of processes, or of all processes, from the journal, per thread.
 *
 *   spans_read()   read some batches per frame -> tracks, one per thread
 *   spans_track()  the regions of a thread, in order of their ends (inner ones first)
 *
 * Above SPANS_MAX regions the older half of each thread is dropped, above SPANS_MAX_TRACKS threads
 * new threads are ignored. If the journal was sorted, it is read again. One thread.
 */
#ifndef MONITOR_SPANS_H
#define MONITOR_SPANS_H

#include "engine/base/hash.h"
#include "engine/base/hash_index.h"
#include "monitor/analysis/span_stream.h"
#include "monitor/history/journal.h"

#define SPANS_MAX        200000u
#define SPANS_MAX_TRACKS 100000u
#define SPANS_MAX_OPEN   64u

struct span {
	ns_t start, end; /* wall time */
	sym_t category, label;
	int32_t nesting;
};

struct track {
	uint64_t key;
	struct span *items;
	uint32_t nr, cap;
};

struct spans {
	struct track **tracks; /* ro: tracks, one per thread */
	uint32_t nr_tracks, cap_tracks;
	struct tr2_hash_index by_key;
	char *root; /* private: SID of the selected tree; NULL: all trees */
	/* rw, after spans_reset(): read only the root process */
	bool alone;
	size_t root_len;
	struct span_stream stream; /* private */
	uint64_t next_seq, era;    /* private: position of reading in the journal */
	bool begun;
	uint32_t nr; /* ro: number of regions that are kept */
	/* ro: number of regions dropped because of SPANS_MAX or SPANS_MAX_TRACKS */
	uint64_t nr_old;
	uint64_t nr_passed;   /* private */
	uint64_t nr_timeless; /* ro: number of regions without a position in time */
};

/* Drop all regions, and select the tree of the process with this SID, which is copied; NULL: all
 * processes. */
void spans_reset(struct spans *spans, const char *root, size_t len);

bool spans_is_of(const struct spans *spans, const char *root, size_t len);

/* Continue reading the journal. Returns the percentage that was read. */
int spans_read(struct spans *spans, struct journal *journal);

/* Return the track of a thread; NULL: none of its regions was stored. */
const struct track *spans_track(const struct spans *spans, uint64_t key);

static inline uint64_t spans_key(uint64_t sid_hash, sym_t thread)
{
	return tr2_hash_pair(sid_hash, thread);
}

void spans_release(struct spans *spans);

#endif
