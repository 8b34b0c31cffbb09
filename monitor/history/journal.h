/* SPDX-License-Identifier: MIT */
/*
 * The journal: batches in the order in which intake handed them over, until looking back
 * asks for the order of time (chronicle.h). The one place where the intake thread and the loop
 * thread meet.
 *
 *   oldest                    apply cursor                newest
 *     [b][b][b][b][b][b][b][b][b]| [b][b][b][b]
 *      \_ applied: history, for    \_ waiting to be applied
 *         looking back
 *
 * Bounded: when more than `max_bytes` are held, the oldest applied batches leave; where all
 * waiting batches alone are more (the loop is paused or slow), the oldest of those leave
 * unapplied, and a DROPPED record at their place counts their events. Only those leave that came
 * from a writer who cannot wait (a socket). The reader of something that can (a file, a
 * directory) asks journal_has_room() first, and marks the batch as safe: however the sockets are
 * flooded, it is applied.
 *
 * journal_push() never waits but for a short mutex. The loop's calls are for one thread only.
 * Batches given out stay valid until the loop's next journal_trim(), or until the history is
 * put in order.
 */
#ifndef MONITOR_JOURNAL_H
#define MONITOR_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/event/batch.h"

struct journal;

struct journal_stats {
	size_t bytes;            /* held now, history included */
	uint64_t waiting_events; /* handed over, not yet applied */
	uint64_t pushed_events;  /* ever handed over */
	uint64_t evicted_events; /* left the history after they were applied */
	uint64_t dropped_events; /* left before they could be applied */
};

/*
 * `history_bytes` bound what is kept for looking back, 0: nothing (each batch is recycled once
 * it was applied). `wake` is called after a hand-over, from the intake thread, and must not
 * block; NULL where the loop never sleeps.
 */
struct journal *journal_new(size_t history_bytes, void (*wake)(void *data), void *wake_data);
void journal_free(struct journal *journal);
/* `history_bytes` as given to journal_new(). */
size_t journal_history_bytes(const struct journal *journal);

/* ---- intake thread ---- */

/* An empty batch to fill; recycled where there is one. */
struct batch *journal_take(struct journal *journal);

/* Hand `batch` over; it is the journal's from now on. An empty one is recycled. */
void journal_push(struct journal *journal, struct batch *batch);

/* May a reader of something that can wait go on? Only what is safe counts. */
bool journal_has_room(struct journal *journal);

/* `room` is called from the loop thread when room came back after journal_has_room() said no. */
void journal_on_room(struct journal *journal, void (*room)(void *data), void *data);

/* ---- loop thread ---- */

/*
 * The next batch to apply, moving the cursor over it; NULL where there is none. It stays valid
 * until journal_trim(); where no history is kept, until the next journal_next().
 */
const struct batch *journal_next(struct journal *journal);

/* `evicted` is called with each batch that journal_trim() is about to free. */
void journal_on_evict(struct journal *journal,
		      void (*evicted)(void *data, const struct batch *batch), void *data);

/* Evict what is over the bound. No batch that was given out may be in use any longer. */
void journal_trim(struct journal *journal);

/* The history, oldest first: batch by `seq`; NULL past the apply cursor. */
uint64_t journal_first_seq(const struct journal *journal);
uint64_t journal_end_seq(const struct journal *journal);
const struct batch *journal_at(const struct journal *journal, uint64_t seq);

/* ---- the order of time; loop thread ---- */

/*
 * Counts up when the history was put in another order: no batch, seq or number of an event from
 * before means anything any more. To remember one, remember the era, too.
 */
uint64_t journal_era(const struct journal *journal);

/*
 * May something in the history have happened before what stands before it: is there content that
 * was there before we came, read after that of another stream? Told by what each batch says of
 * its streams: costs nothing an event, and one file alone never is.
 */
bool journal_is_disordered(const struct journal *journal);

/* Behind the last batch with such content: from there on the order is that of arrival. */
uint64_t journal_old_end(const struct journal *journal);

/* For chronicle.c: it was found to be in order. */
void journal_set_ordered(struct journal *journal);

/*
 * For chronicle.c: take the oldest `nr` batches out into `to`, the caller's from now on; nothing
 * else may be asked of the history until batches with just their events are put back instead,
 * which become the journal's. `ordered`: they are in the order of time.
 */
void journal_take_out(struct journal *journal, struct batch **to, uint64_t nr);
void journal_put_back(struct journal *journal, struct batch *const *batches, uint64_t nr,
		      bool ordered);

void journal_stats(struct journal *journal, struct journal_stats *out);

#endif
