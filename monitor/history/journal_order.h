/* SPDX-License-Identifier: MIT */
/*
 * Sorts the history by time; unsorted, it is in the order of reading. Sort it before looking back
 * or replaying the journal.
 *
 *   batches in the order of reading            batches in the order of time
 *     [c c c|b b][b|a a a]      -- merge -->     [a b|a a b][b c c|c]
 *
 * Streams, such as files and connections, are merged. The order within a stream never changes. An
 * event is sorted by:
 *
 * - its own time, or the latest time before it in its stream if that is later
 * - if it has no time: the latest time before it in its stream, else the first time in the stream,
 *   else the arrival of the stream
 * - if it arrived live: its time counts as at most its arrival plus JOURNAL_ORDER_SLACK_NS
 * - if it is from an agent: the time at which the server received it, because hosts have different
 *   clocks
 *
 * A record that trace2top itself added, such as a gap but not ABOUT, is sorted by its arrival, but
 * after live events that were read before it. The end of a stream comes after all events of the
 * stream.
 *
 * Only batches before journal_old_end() are sorted. Loop thread.
 */
#ifndef MONITOR_JOURNAL_ORDER_H
#define MONITOR_JOURNAL_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/history/journal.h"
#include "monitor/base/work.h"

/*
 * The time of a live event may be this much after the arrival in its STREAM record, because filling
 * a batch takes time.
 */
#define JOURNAL_ORDER_SLACK_NS NS_PER_SEC

/* Event numbers to translate if sorting changes them, in any order and with repetitions. */
struct places {
	uint64_t *numbers;
	uint32_t nr, cap;
	uint32_t taken; /* number of elements of `numbers` that places_take() has returned */
};

#define PLACE_NONE UINT64_MAX

void places_add(struct places *places, uint64_t number);
/*
 * Return the next translated event number, in the order of places_add(); PLACE_NONE after the last.
 */
uint64_t places_take(struct places *places);
void places_release(struct places *places);

/*
 * Sort the history by time if it is disordered. Translates the event numbers in `places`, if not
 * NULL. Returns false if `work` was cancelled: then the merged part is sorted, and the rest follows
 * in the order of reading. journal_era() changes if batches were replaced.
 */
bool journal_order_sort(struct journal *journal, struct places *places, struct work *work);

#endif
