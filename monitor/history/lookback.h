/* SPDX-License-Identifier: MIT */
/*
 * Looking back: the model after any event that is still in the journal.
 *
 *   base          checkpoints                    cursor            end of the journal
 *    |--------------o--------------o----o---o--o--|-----------------------|
 *    evicted events are in the base
 *
 * Batches evicted from the journal are applied to the base model first, so looking back is exact
 * however long the program has run. To seek to an event, the nearest checkpoint before it is copied
 * and the records between are applied. New checkpoints are left on the way, denser close to the
 * cursor, so that the next step back costs a copy and some hundred events. Checkpoints exist only
 * while looking back.
 *
 * Base, cursor, checkpoints and journal together stay within the journal's history_bytes, if the
 * model is bounded by lookback_model_bytes(). The journal leaves room for as many copies of the
 * model as are useful, up to half of the history, and for three in any case: base, cursor and one
 * checkpoint, because without it every step back would apply the whole history again.
 *
 * A position counts Trace2 events since the first one ever applied: position n is the state after
 * the first n events, in the order of the journal. To seek by time, sort the journal first
 * (journal_order.h); this drops the cursor and all checkpoints. Loop thread.
 */
#ifndef MONITOR_LOOKBACK_H
#define MONITOR_LOOKBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/history/journal.h"
#include "monitor/model/model.h"
#include "monitor/base/work.h"

#define LOOKBACK_CHECKPOINTS 8

struct lookback;

/* Return the limit of the heap of a model (model_config.max_bytes) whose copies shall fit into a
 * history of `history_bytes`: a quarter of it, within bounds. */
size_t lookback_model_bytes(size_t history_bytes);

/*
 * Create the object at the end of the journal. `config` must be that of the live model. Registers
 * for the journal's evictions. `journal` and `syms` must outlive it.
 */
struct lookback *lookback_new(struct journal *journal, const struct tr2_intern *syms,
			      const struct model_config *config);
void lookback_free(struct lookback *past);

/* Make the journal leave room for copies of a model of `live_bytes`, the size of the live one, when
 * it is trimmed. Call it while the live model grows, for example once per frame. */
void lookback_set_live_bytes(struct lookback *past, size_t live_bytes);

/* Return the range of valid positions: the oldest state that is kept, and the end of the applied
 * events. */
uint64_t lookback_first(const struct lookback *past);
uint64_t lookback_end(const struct lookback *past);

/*
 * Go to `position`, clamped to the valid range. Returns the model as it was then, settled and valid
 * until the next call. `work` (NULL: never stop) is polled at each batch. If it stops the seek, the
 * cursor stays at the position reached; see lookback_position().
 */
const struct model *lookback_seek(struct lookback *past, uint64_t position, struct work *work);

/*
 * Return the position of the first event at or after wall time `time`, or lookback_end() if there
 * is none. Uses the time in the event, or else its arrival. For content from before the start of
 * trace2top, an event without a time has that of the event before it.
 */
uint64_t lookback_position_of(const struct lookback *past, ns_t time);

/*
 * Return the current position, and the wall time of its event (NS_NONE: unknown). Before the first
 * event, it is the time of that event.
 */
uint64_t lookback_position(const struct lookback *past);
ns_t lookback_time(const struct lookback *past);

/*
 * Return the position `events` or `seconds` after the current one; negative values go back. A time
 * without events that is longer than `seconds` counts as one second. `now_ns` is the start if
 * lookback_time() is unknown; if it is NS_NONE, the whole history counts as one second. The result
 * may be out of range; lookback_seek() clamps it.
 */
uint64_t lookback_events_on(const struct lookback *past, int64_t events);
uint64_t lookback_seconds_on(const struct lookback *past, int64_t seconds, ns_t now_ns);

/*
 * Apply the whole history again in its current order. Returns a settled model owned by the caller,
 * or NULL if `work` stopped it.
 */
struct model *lookback_replay(const struct lookback *past, struct work *work);

/* Return to the present: free checkpoints and cursor. */
void lookback_leave(struct lookback *past);

/* Return the bytes held by base, checkpoints and cursor; they count as history. */
size_t lookback_bytes(const struct lookback *past);

#endif
