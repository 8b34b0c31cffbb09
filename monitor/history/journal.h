/* SPDX-License-Identifier: MIT */
/*
 * The journal: a queue of batches for the loop thread, and the history of batches that were applied
 * to the model. Batches are in the order of arrival until journal_order.h sorts them by time.
 *
 *   oldest                    apply cursor                newest
 *     [b][b][b][b][b][b][b][b][b]| [b][b][b][b]
 *      \_ applied: history, for    \_ waiting to be applied
 *         looking back
 *
 * If applied and waiting batches together exceed the limit on the history, journal_trim() evicts
 * the oldest applied batches. If the waiting batches alone exceed their limit, the oldest ones from
 * sources that cannot wait, such as sockets, are dropped; a DROPPED record has the number of their
 * events. Batches of sources that can wait, such as files, are marked as safe and never dropped;
 * call journal_has_room() before reading more of these sources.
 *
 * journal_push() waits only for a mutex that is held for a short time. A returned batch stays valid
 * until the loop thread calls journal_trim() or sorts the history, or, if no history is kept, calls
 * journal_next().
 */
#ifndef MONITOR_JOURNAL_H
#define MONITOR_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/event/batch.h"

struct journal;

struct journal_stats {
	size_t bytes; /* bytes of the batches in the history and of the waiting ones */
	uint64_t waiting_events;
	uint64_t pushed_events;
	uint64_t evicted_events;
	uint64_t dropped_events;
};

/*
 * Create a journal. `history_bytes` limits the size of the history; with 0 no history is kept and
 * journal_next() recycles the previous batch. After each push of a batch that is not empty, the
 * pushing thread calls `wake`, which must not block; NULL: it calls nothing.
 */
struct journal *journal_new(size_t history_bytes, void (*wake)(void *data), void *wake_data);
void journal_free(struct journal *journal);
size_t journal_history_bytes(const struct journal *journal);

/* ---- any thread ---- */

/* Return an empty batch, which the caller owns. */
struct batch *journal_take(struct journal *journal);

/*
 * Append `batch` to the waiting batches and take ownership of it. An empty batch is only recycled.
 */
void journal_push(struct journal *journal, struct batch *batch);

/* True if a reader that can wait may read more, because waiting safe batches have few bytes. */
bool journal_has_room(struct journal *journal);

/* ---- loop thread ---- */

/*
 * Set the callback that journal_next() calls if there is space again after journal_has_room()
 * returned false.
 */
void journal_on_room(struct journal *journal, void (*room)(void *data), void *data);

/* Return the next batch to apply; NULL: none. */
const struct batch *journal_next(struct journal *journal);

/* Set the callback that journal_trim() calls with each batch before it frees the batch. */
void journal_on_evict(struct journal *journal,
		      void (*evicted)(void *data, const struct batch *batch), void *data);

/*
 * Reserve `bytes` of the `history_bytes` for other data, but at most seven eighths. The default is
 * 0.
 */
void journal_set_reserve(struct journal *journal, size_t bytes);

/* Evict the oldest applied batches while the history and the waiting batches exceed the limit; the
 * newest applied batch stays. No batch that the journal returned may be in use. */
void journal_trim(struct journal *journal);

/*
 * The history has the batches with sequence numbers from journal_first_seq() to journal_end_seq() -
 * 1, the oldest first. journal_at() returns the batch with number `seq`, or NULL if the history
 * does not contain it.
 */
uint64_t journal_first_seq(const struct journal *journal);
uint64_t journal_end_seq(const struct journal *journal);
const struct batch *journal_at(const struct journal *journal, uint64_t seq);

/*
 * Return the number of sorts that replaced batches. Such a sort makes pointers to batches, sequence
 * numbers and event numbers invalid: store the result with them, and compare it before use.
 */
uint64_t journal_era(const struct journal *journal);

/* True if the history may need sorting by time. */
bool journal_is_disordered(const struct journal *journal);

/*
 * Return the sequence number after the last batch that has content that is not live (FLD_LIVE).
 * Batches from there on stay in the order of arrival when the history is sorted.
 */
uint64_t journal_old_end(const struct journal *journal);

/* Mark the history as sorted. For journal_order.c only. */
void journal_set_ordered(struct journal *journal);

/*
 * For journal_order.c only. journal_take_out() moves the oldest `nr` batches to the array `to`; the
 * caller owns them. No other function on the history may be called until journal_put_back()
 * replaces them by batches with the same events, which the journal then owns. `ordered`: the new
 * batches are in time order.
 */
void journal_take_out(struct journal *journal, struct batch **to, uint64_t nr);
void journal_put_back(struct journal *journal, struct batch *const *batches, uint64_t nr,
		      bool ordered);

void journal_stats(struct journal *journal, struct journal_stats *out);

#endif
