/* SPDX-License-Identifier: MIT */
/*
 * The journal: a queue of batches from the intake thread to the loop thread, and the history of
 * applied batches. Batches are in the order of arrival until journal_order.h sorts them by time.
 *
 *   oldest                    apply cursor                newest
 *     [b][b][b][b][b][b][b][b][b]| [b][b][b][b]
 *      \_ applied: history, for    \_ waiting to be applied
 *         looking back
 *
 * Bounded: if more than `history_bytes` are held, the oldest applied batches are evicted. Copies of
 * the model for looking back are a part of the history (journal_set_reserve()). If the
 * waiting batches alone exceed the bound (the loop is paused or slow), the oldest of them are
 * dropped, and a DROPPED record in their place counts their events. Only batches from writers that
 * cannot wait (sockets) are dropped. A reader that can wait (of a file or a directory) calls
 * journal_has_room() first and marks its batch as safe; safe batches are always applied.
 *
 * journal_push() blocks only for a short mutex. The loop's functions are for one thread only.
 * Batches returned stay valid until the loop's next journal_trim(), or until the history is sorted.
 */
#ifndef MONITOR_JOURNAL_H
#define MONITOR_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/event/batch.h"

struct journal;

struct journal_stats {
	size_t bytes;            /* size of all batches, including the history */
	uint64_t waiting_events; /* events that were pushed and are not applied yet */
	uint64_t pushed_events;  /* events that were pushed so far */
	uint64_t evicted_events; /* evicted from the history after they were applied */
	uint64_t dropped_events; /* dropped before they were applied */
};

/*
 * Create a journal. `history_bytes` bounds the history; 0 keeps none and recycles each batch after
 * it was applied. `wake` is called after each push, from the intake thread. It must
 * not block and may be NULL if the loop never sleeps.
 */
struct journal *journal_new(size_t history_bytes, void (*wake)(void *data), void *wake_data);
void journal_free(struct journal *journal);
/* Return `history_bytes` as passed to journal_new(). */
size_t journal_history_bytes(const struct journal *journal);

/* ---- intake thread ---- */

/* Return an empty batch to fill, recycled if possible. */
struct batch *journal_take(struct journal *journal);

/* Append `batch` and take ownership. An empty batch is recycled. */
void journal_push(struct journal *journal, struct batch *batch);

/* True if a reader that can wait may continue. Only safe batches count. */
bool journal_has_room(struct journal *journal);

/*
 * Set the callback that runs when there is space again after journal_has_room() returned false. It
 * runs on the loop thread.
 */
void journal_on_room(struct journal *journal, void (*room)(void *data), void *data);

/* ---- loop thread ---- */

/*
 * Return the next batch to apply and advance the cursor, or NULL if none is waiting. It is valid
 * until journal_trim(), or until the next journal_next() if no history is kept.
 */
const struct batch *journal_next(struct journal *journal);

/* Set the callback that is called with each batch that journal_trim() is about to free. */
void journal_on_evict(struct journal *journal,
		      void (*evicted)(void *data, const struct batch *batch), void *data);

/*
 * Set how many of the `history_bytes` are used or needed by other data: journal_trim() leaves only
 * the rest to batches, at least an eighth. The default is 0.
 */
void journal_set_reserve(struct journal *journal, size_t bytes);

/* Evict the oldest batches until the limit holds. Batches that were returned must not be in use. */
void journal_trim(struct journal *journal);

/*
 * Range of the history: sequence numbers from first to end - 1, oldest first. journal_at() returns
 * NULL if `seq` is outside it.
 */
uint64_t journal_first_seq(const struct journal *journal);
uint64_t journal_end_seq(const struct journal *journal);
const struct batch *journal_at(const struct journal *journal, uint64_t seq);

/* ---- sorting by time; loop thread ---- */

/*
 * Return how often the history was sorted. Sorting makes earlier batch pointers, sequence numbers
 * and event numbers invalid, so store this number with them.
 */
uint64_t journal_era(const struct journal *journal);

/*
 * True if events of the history may be out of time order: content from before the start of
 * trace2top was read after another stream. Determined from the streams of each batch, at no cost
 * per event. A single file is always in order.
 */
bool journal_is_disordered(const struct journal *journal);

/*
 * Return the sequence number after the last batch with content from before the start of trace2top.
 * Later batches are in the order of arrival.
 */
uint64_t journal_old_end(const struct journal *journal);

/* For journal_order.c: mark the history as sorted. */
void journal_set_ordered(struct journal *journal);

/*
 * For journal_order.c: move the oldest `nr` batches to `to`, owned by the caller. Call no other
 * function on the history until journal_put_back() replaces them with batches that have exactly the
 * same events, owned by the journal. `ordered`: they are in time order.
 */
void journal_take_out(struct journal *journal, struct batch **to, uint64_t nr);
void journal_put_back(struct journal *journal, struct batch *const *batches, uint64_t nr,
		      bool ordered);

void journal_stats(struct journal *journal, struct journal_stats *out);

#endif
