/* SPDX-License-Identifier: MIT */
/*
 * The batch that is being filled. Streams append events; the batch is handed over to the journal
 * when a round of reading ends, or when it is full. Intake thread.
 */
#ifndef MONITOR_BATCHER_H
#define MONITOR_BATCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/history/journal.h"

struct origin;
struct sid_owners;

struct batcher {
	struct journal *journal; /* ro */
	struct batch *batch;     /* rw: append events */
	uint32_t stream;         /* rw: stream of the last events; UINT32_MAX: announce the next */
	bool live;               /* rw: the last events are live */
	ns_t pushed_ns;          /* ro: monotonic time of the last hand-over */
	/* rw: the agent that sent each process; NULL if no agent sent events yet. Owned */
	struct sid_owners *owners;
	struct origin **origins; /* private: by number, to count contradicted events */
	int nr_origins;
	void (*on_push)(void *data); /* rw: called before each hand-over; NULL: none */
	void *data;
};

/* Begin. `journal` must outlive the batcher. */
void batcher_init(struct batcher *batcher, struct journal *journal);
/* Hand over the last batch and free the batcher. */
void batcher_release(struct batcher *batcher);
/* Add the source whose number is the count of sources so far. It must outlive the batcher. */
void batcher_add_origin(struct batcher *batcher, struct origin *origin);

/* Hand the batch over to the journal, unless it is empty. Calls `on_push` in either case. */
void batcher_push(struct batcher *batcher);
/*
 * Call before appending events. The journal drops whole batches, so a batch has only data that can
 * wait (`is_safe`), or only other data: the batch is handed over if it has the other kind.
 */
void batcher_set_safe(struct batcher *batcher, bool is_safe);

#endif
