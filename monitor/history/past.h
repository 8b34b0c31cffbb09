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
 * Base, cursor and checkpoints together stay within the journal's history_bytes: if the model is
 * large, there are fewer checkpoints. One checkpoint is always allowed, because without it every
 * step back would apply the whole history again.
 *
 * A position counts Trace2 events since the first one ever applied: position n is the state after
 * the first n events, in the order of the journal. To seek by time, sort the journal first
 * (chronicle.h); this drops the cursor and all checkpoints. Loop thread.
 */
#ifndef MONITOR_PAST_H
#define MONITOR_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/history/journal.h"
#include "monitor/model/model.h"
#include "monitor/base/work.h"

#define PAST_CHECKPOINTS 8

struct past;

/*
 * Create the object at the end of the journal. `config` must be that of the live model. Registers
 * for the journal's evictions. `journal` and `syms` must outlive it.
 */
struct past *past_new(struct journal *journal, const struct tr2_intern *syms,
		      const struct model_config *config);
void past_free(struct past *past);

/* Range of valid positions: the oldest state kept, and the end of the applied events. */
uint64_t past_first(const struct past *past);
uint64_t past_end(const struct past *past);

/*
 * Go to `position`, clamped to the valid range. Returns the model as it was then, settled and valid
 * until the next call. `work` (NULL: never stop) is polled at each batch. If it stops the seek, the
 * cursor stays at the position reached; see past_position().
 */
const struct model *past_seek(struct past *past, uint64_t position, struct work *work);

/*
 * Position of the first event at or after wall time `time`, or past_end() without one. Uses
 * the time in the event, else its arrival. For content older than this program's start, an event
 * without a time has that of the event before it.
 */
uint64_t past_position_of(const struct past *past, ns_t time);

/*
 * Current position, and the wall time of its event (NS_NONE: unknown). Before the first event, the
 * time of that event.
 */
uint64_t past_position(const struct past *past);
ns_t past_time(const struct past *past);

/*
 * Position `events` or `seconds` after the current one; negative values go back. A gap longer than
 * that counts as one second. `now_ns` is the start if past_time() is unknown; if it is NS_NONE, the
 * whole history counts as one second. The result may be out of range; past_seek() clamps it.
 */
uint64_t past_events_on(const struct past *past, int64_t events);
uint64_t past_seconds_on(const struct past *past, int64_t seconds, ns_t now_ns);

/*
 * Apply the whole history again in its current order. Returns a settled model owned by the caller,
 * or NULL if `work` stopped it.
 */
struct model *past_replay(const struct past *past, struct work *work);

/* Return to the present: free checkpoints and cursor. */
void past_leave(struct past *past);

/* Bytes held by base, checkpoints and cursor; they count as history. */
size_t past_bytes(const struct past *past);

#endif
