/* SPDX-License-Identifier: MIT */
/*
 * The journal: a queue of batches from the intake thread to the loop thread, and the history of
 * batches that were applied to the model. Batches are in the order of arrival until journal_order.h
 * sorts them by time.
 *
 *   oldest                    apply cursor                newest
 *     [b][b][b][b][b][b][b][b][b]| [b][b][b][b]
 *      \_ applied: history, for    \_ waiting to be applied
 *         looking back
 *
 * The journal is bounded. If applied and waiting batches together exceed `history_bytes`, the
 * oldest applied batches are evicted. Copies of the model for looking back count as a part of the
 * history (journal_set_reserve()). If the waiting batches alone exceed their limit because the loop
 * thread is slow or paused, the oldest of them are dropped, and a DROPPED record in their place has
 * the number of their events. Only batches of sources that cannot wait (sockets) are dropped. A
 * reader that can wait (of a file or a directory) calls journal_has_room() before it reads and
 * marks its batch as safe; safe batches are always applied.
 *
 * journal_push() never waits, except for a mutex that is held for a short time. Functions for the
 * loop thread must all be called by the same thread. A returned batch stays valid until that thread
 * calls journal_trim() or sorts the history, or, if no history is kept, calls journal_next().
 */
#ifndef MONITOR_JOURNAL_H
#define MONITOR_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/event/batch.h"

struct journal;

struct journal_stats {
	size_t bytes;            /* bytes of all batches: history and waiting ones */
	uint64_t waiting_events; /* number of events that were pushed and not applied yet */
	uint64_t pushed_events;  /* number of events that were pushed since the start */
	/* number of events evicted from the history after they were applied */
	uint64_t evicted_events;
	uint64_t dropped_events; /* number of events that were dropped before they were applied */
};

/*
 * Create a journal. `history_bytes` limits the size of the history; with 0 no history is kept and
 * each batch is recycled after it was applied. After each push of a batch that is not empty, the
 * callback `wake` is called on the thread that pushes. It must not block, and may be NULL if the
 * loop thread never sleeps.
 */
struct journal *journal_new(size_t history_bytes, void (*wake)(void *data), void *wake_data);
void journal_free(struct journal *journal);
/* Return the value `history_bytes` that was passed to journal_new(). */
size_t journal_history_bytes(const struct journal *journal);

/* ---- functions for the intake thread ---- */

/* Return an empty batch to be filled: a recycled batch if there is one. */
struct batch *journal_take(struct journal *journal);

/*
 * Append `batch` to the waiting batches and take ownership of it. An empty batch is only recycled.
 */
void journal_push(struct journal *journal, struct batch *batch);

/* True if a reader that can wait may read more, because the safe batches have few enough bytes. */
bool journal_has_room(struct journal *journal);

/*
 * Set the callback that is called on the loop thread when there is space again, after
 * journal_has_room() has returned false.
 */
void journal_on_room(struct journal *journal, void (*room)(void *data), void *data);

/* ---- functions for the loop thread ---- */

/*
 * Return the next batch to apply and move the apply cursor past it; NULL if no batch is waiting.
 * The batch is valid until journal_trim() is called, or, if no history is kept, until the next
 * journal_next().
 */
const struct batch *journal_next(struct journal *journal);

/* Set the callback that journal_trim() calls with each batch before it frees the batch. */
void journal_on_evict(struct journal *journal,
		      void (*evicted)(void *data, const struct batch *batch), void *data);

/*
 * Set how many of the `history_bytes` other data needs. journal_trim() leaves only the rest to
 * batches, but at least an eighth of `history_bytes`. The default is 0.
 */
void journal_set_reserve(struct journal *journal, size_t bytes);

/* Evict the oldest applied batches, except the newest one, until the limit on the history holds. No
 * batch that the journal returned may be in use. */
void journal_trim(struct journal *journal);

/*
 * The history has the batches with sequence numbers from journal_first_seq() to journal_end_seq() -
 * 1, the oldest first. journal_at() returns the batch with number `seq`, or NULL if the history
 * does not contain it.
 */
uint64_t journal_first_seq(const struct journal *journal);
uint64_t journal_end_seq(const struct journal *journal);
const struct batch *journal_at(const struct journal *journal, uint64_t seq);

/* ---- functions for sorting by time, loop thread ---- */

/*
 * Return how often the history was sorted. Sorting makes pointers to batches, sequence numbers and
 * event numbers invalid. So store the result of this function with them, and compare it before use.
 */
uint64_t journal_era(const struct journal *journal);

/*
 * True if the history may have events that are not in order of time, because content from before
 * the start of trace2top was read after another stream. This is known from the streams of each
 * batch, without looking at events. Content of a single stream counts as in order.
 */
bool journal_is_disordered(const struct journal *journal);

/*
 * Return the sequence number after the last batch that has content from before the start of
 * trace2top. Batches from there on stay in the order of arrival when the history is sorted.
 */
uint64_t journal_old_end(const struct journal *journal);

/* Mark the history as sorted. Only for journal_order.c. */
void journal_set_ordered(struct journal *journal);

/*
 * Only for journal_order.c. journal_take_out() moves the oldest `nr` batches to the array `to`; the
 * caller owns them. No other function on the history may be called until journal_put_back()
 * replaces them by batches with exactly the same events, which the journal owns afterwards.
 * `ordered`: these are in time order.
 */
void journal_take_out(struct journal *journal, struct batch **to, uint64_t nr);
void journal_put_back(struct journal *journal, struct batch *const *batches, uint64_t nr,
		      bool ordered);

void journal_stats(struct journal *journal, struct journal_stats *out);

#endif
