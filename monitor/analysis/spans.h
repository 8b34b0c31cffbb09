/* SPDX-License-Identifier: MIT */
/*
 * Regions over time: every completed region of a tree of processes, or of all, that the
 * journal's kept batches tell of, by thread. The model does not keep them; what is open now is
 * the model's.
 *
 *   spans_read()   some batches more, for each frame -> tracks, one a thread
 *   spans_track()  a thread's spans, in the order in which they ended (inner ones first)
 *
 * Bounded: beyond SPANS_MAX the older half is forgotten, beyond SPANS_MAX_TRACKS no thread is
 * taken in; both are counted. For other processes, spans_reset(). Where the journal was put in
 * another order, all is read anew.
 * One thread. Reading takes some 100 ns an event.
 */
#ifndef MONITOR_SPANS_H
#define MONITOR_SPANS_H

#include "engine/base/hash.h"
#include "engine/base/slots.h"
#include "monitor/analysis/span_stream.h"
#include "monitor/history/journal.h"

#define SPANS_MAX        200000u
#define SPANS_MAX_TRACKS 100000u
#define SPANS_MAX_OPEN   64u

struct span {
	ns_t start, end; /* wall */
	sym_t category, label;
	int32_t nesting;
};

struct track {
	uint64_t key;
	struct span *items;
	uint32_t nr, cap;
};

struct spans {
	struct track **tracks; /* ro */
	uint32_t nr_tracks, cap_tracks;
	struct tr2_slots by_key; /* private */
	char *root;              /* private: only SIDs of this tree; NULL: all */
	bool alone;              /* rw, after spans_reset(): the root without what is below it */
	size_t root_len;
	struct span_stream stream; /* private */
	uint64_t next_seq, era;    /* private */
	bool begun;
	uint32_t nr;          /* ro: spans kept */
	uint64_t nr_old;      /* ro: forgotten because of the bound */
	uint64_t nr_passed;   /* private */
	uint64_t nr_timeless; /* ro: regions without times, which cannot be placed */
};

/* Forget all, and read from now on the tree of this SID; NULL: of all. Copied. */
void spans_reset(struct spans *spans, const char *root, size_t len);

/* Is it that tree? */
bool spans_is_of(const struct spans *spans, const char *root, size_t len);

/* Read on. Returns the parts of a hundred that were read; 100: all that there is. */
int spans_read(struct spans *spans, struct journal *journal);

/* The track of a thread, NULL where it has completed nothing. */
const struct track *spans_track(const struct spans *spans, uint64_t key);

static inline uint64_t spans_key(uint64_t sid_hash, sym_t thread)
{
	return tr2_hash_pair(sid_hash, thread);
}

void spans_release(struct spans *spans);

#endif
