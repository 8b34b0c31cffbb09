/* SPDX-License-Identifier: MIT */
/*
 * The batch that is being filled: streams append events to it, and it is handed over to the
 * journal. For the intake thread, or others while it does not run.
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
	/* rw: number of the stream of the last events; UINT32_MAX: announce the stream of the next
	 * event */
	uint32_t stream;
	bool live;      /* rw */
	ns_t pushed_ns; /* ro: monotonic */
	/* rw, owned: the agents to which processes belong; NULL: none */
	struct sid_owners *owners;
	struct origin **origins; /* ro: sources by number */
	int nr_origins;
	void (*on_push)(void *data); /* rw; NULL: none */
	void *data;
};

/* `journal` must outlive the batcher. */
void batcher_init(struct batcher *batcher, struct journal *journal);
/* Hand over the last batch and free the batcher's memory. */
void batcher_release(struct batcher *batcher);
/* Add a source. `origin->number` must be the number of sources added before. `origin` must outlive
 * the batcher. */
void batcher_add_origin(struct batcher *batcher, struct origin *origin);

/* Hand the batch over to the journal, unless it is empty. Calls `on_push` in either case. */
void batcher_push(struct batcher *batcher);
/*
 * Call before appending events. `is_safe`: their source can wait, so the journal must not drop
 * them. If the batch has events of the other kind, it is handed over first.
 */
void batcher_set_safe(struct batcher *batcher, bool is_safe);

#endif
