/* SPDX-License-Identifier: MIT */
/*
 * Looking back: restores the model as it was after any event that is still in the journal.
 *
 *   base          checkpoints                    cursor            end of the journal
 *    |--------------o--------------o----o---o--o--|-----------------------|
 *    evicted events are in the base
 *
 * Batches that the journal evicts are first applied to a model, the base. A checkpoint is a copy of
 * the model at a position. To seek a position, the nearest checkpoint (or the base) before it is
 * copied to the cursor, unless the cursor is before the position and no farther; then the records
 * up to the position are applied to the cursor. A seek may leave checkpoints on its way, denser
 * close to the position, so that a step back is short.
 *
 * The journal reserves up to half of the history for copies of the model, or more (at most seven
 * eighths) if three need it: base, cursor and one checkpoint.
 *
 * A position is a number of Trace2 events since the start: position n is the state after the first
 * n events in the order of the journal. To seek by time, sort the journal first (journal_order.h).
 * Loop thread.
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

/* Return the limit on the bytes of a model (model_config.max_bytes) whose copies must fit into a
 * history of `history_bytes`: a quarter of it, within fixed bounds. */
size_t lookback_model_bytes(size_t history_bytes);

/*
 * Create a lookback object, before the journal evicts a batch; its base is the empty model.
 * `config` must be that of the live model. Sets the journal's callback for evictions. `journal` and
 * `syms` must outlive the object.
 */
struct lookback *lookback_new(struct journal *journal, const struct tr2_intern *syms,
			      const struct model_config *config);
void lookback_free(struct lookback *past);

/* Reserve space in the journal for copies of a model of `live_bytes`, the size of the live model.
 * Call it while the live model grows, for example once per frame. */
void lookback_set_live_bytes(struct lookback *past, size_t live_bytes);

/* Return the limits of valid positions: lookback_first() is the oldest state that is kept,
 * lookback_end() the state after all applied events. */
uint64_t lookback_first(const struct lookback *past);
uint64_t lookback_end(const struct lookback *past);

/*
 * Move the cursor to `position`, clamped to the valid range. Returns the model at the cursor; it is
 * settled and valid until the next call of lookback_seek(), lookback_leave() or lookback_free().
 * `work` is polled at each batch (NULL: never stop). If it is cancelled, the cursor stops before
 * `position`; see lookback_position().
 */
const struct model *lookback_seek(struct lookback *past, uint64_t position, struct work *work);

/*
 * Return the position just before the first event whose time is at or after wall time `time`, or
 * lookback_end() if none exists. An event without a time has its arrival or, in content that is not
 * live (FLD_LIVE), the time before it, if any.
 */
uint64_t lookback_position_of(const struct lookback *past, ns_t time);

/*
 * lookback_position() returns the position of the cursor, or lookback_end() if none exists or
 * the journal was sorted since; lookback_time() returns the wall time at the cursor; NS_NONE:
 * unknown.
 */
uint64_t lookback_position(const struct lookback *past);
ns_t lookback_time(const struct lookback *past);

/*
 * Return the position that is `events` or `seconds` after the current one; negative values go back.
 * If no later event is within `seconds` (> 0), the position is that after the next event. Seconds
 * are counted from lookback_time(), or from `now_ns` if that is unknown. The result may be out of
 * range; lookback_seek() clamps it.
 */
uint64_t lookback_events_on(const struct lookback *past, int64_t events);
uint64_t lookback_seconds_on(const struct lookback *past, int64_t seconds, ns_t now_ns);

/*
 * Apply the whole history to a copy of the base. Returns a settled model that the caller owns, or
 * NULL if `work` was cancelled.
 */
struct model *lookback_replay(const struct lookback *past, struct work *work);

void lookback_leave(struct lookback *past);

size_t lookback_bytes(const struct lookback *past);

#endif
