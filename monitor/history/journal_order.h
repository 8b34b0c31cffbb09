/* SPDX-License-Identifier: MIT */
/*
 * Sort the history by time. The history is in the order of reading, and traces that existed before
 * this program's start are read newest first. Sort it before looking back or replaying the journal.
 * Programs that do neither pay nothing.
 *
 *   batches in the order of reading            batches in the order of time
 *     [c c c|b b][b|a a a]      -- merge -->     [a b|a a b][b c c|c]
 *
 * Streams (files, connections) are merged. The order within a stream never changes, so the model
 * stays the same. The time of an event is:
 *
 *   its own time, or the latest time before it in its stream if that is later, so a clock that is
 *   set back reorders nothing. An event without a time has that of the event before it, else the
 *   first time in its stream, else its stream's arrival. An event that arrived live is at most
 *   JOURNAL_ORDER_SLACK_NS later than its arrival. Events from an agent have the time at which its
 *   server received them, because the clocks of hosts differ.
 *   Our own records (a pid is gone, a gap) have the time of their arrival, but never less than live
 *   events that arrived before. The end of a connection comes after all of its events.
 *
 * Events of equal time stay in the order of reading. Only events before the end of old content are
 * sorted (journal_old_end()); later ones stay in the order of arrival.
 *
 * Loop thread. About 0.2 us per event. A batch is freed when all of it has been merged.
 */
#ifndef MONITOR_JOURNAL_ORDER_H
#define MONITOR_JOURNAL_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/history/journal.h"
#include "monitor/base/work.h"

/*
 * How much later than the arrival of its stream a live event may be: the time that it takes to fill
 * a batch.
 */
#define JOURNAL_ORDER_SLACK_NS NS_PER_SEC

/* Numbers of events that sorting changes and that must be translated, in any order, possibly
 * repeated. */
struct places {
	uint64_t *numbers;
	uint32_t nr, cap;
	uint32_t taken; /* how many translated numbers were returned */
};

#define PLACE_NONE UINT64_MAX

void places_add(struct places *places, uint64_t number);
/* Return the next translated number, in the order of places_add(). */
uint64_t places_take(struct places *places);
void places_release(struct places *places);

/*
 * Sort the history by time if it is disordered. Translates the event numbers in `places` (NULL:
 * none). Returns false if `work` stopped it: the merged part is sorted, the rest follows in the
 * order of reading, and the history is still valid. journal_era() changes if anything moved.
 */
bool journal_order_sort(struct journal *journal, struct places *places, struct work *work);

#endif
