/* SPDX-License-Identifier: MIT */
/*
 * Looking back: the model as it was after any event that the journal still holds.
 *
 *   base          checkpoints                    cursor            end of the journal
 *    |--------------o--------------o----o---o--o--|-----------------------|
 *    what was evicted is in the base
 *
 * What leaves the journal is applied to the base model first, so that looking back starts from
 * the truth however long the program has run. To go to an event, the nearest checkpoint before
 * it is copied and the records between are applied; on the way new checkpoints are left, the
 * closer to the cursor the denser, so that the next step back costs a copy and some hundred
 * events. Checkpoints exist only while looking back.
 *
 * Base, cursor and checkpoints together stay within the journal's history_bytes: if the model is
 * large, there are fewer checkpoints. One checkpoint is always allowed, because without it every
 * step back would apply the whole history again.
 *
 * Positions are counted in Trace2 events since the first one ever applied: position n is the
 * state after the first n events. They go in the order of the journal. To have
 * that be the order of time, put it so before (chronicle.h), which ends looking back: the cursor
 * and all checkpoints are gone then. Loop thread.
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

/* `config` as the live model's. Hooks itself to the journal's eviction; both must outlive it. */
struct past *past_new(struct journal *journal, const struct tr2_intern *syms,
		      const struct model_config *config);
void past_free(struct past *past);

/* The positions that can be gone to: from the oldest kept to the end that was applied. */
uint64_t past_first(const struct past *past);
uint64_t past_end(const struct past *past);

/*
 * Go to `position`, which is brought into range. Returns the model as it was then, valid until
 * the next call; it is settled. `work` is asked at each batch whether to go on, NULL: it always
 * does; broken off, it stays where it has come to, which past_position() tells.
 */
const struct model *past_seek(struct past *past, uint64_t position, struct work *work);

/* The position of the first event at or after wall time `time`; past_end() where all are
 * before. By the time in the events, else by their arrival, else (what was there before we came)
 * by the event before. */
uint64_t past_position_of(const struct past *past, ns_t time);

/*
 * Where it is, and when that event happened (wall; NS_NONE where none says); before the first one,
 * when that will.
 */
uint64_t past_position(const struct past *past);
ns_t past_time(const struct past *past);

/* The position so many events, or seconds, on from there; before it, where they are negative. A
 * longer time in which nothing happened is as one second; `now_ns` is the time to count from where
 * past_time() says none (NS_NONE: all of it is one second). To be brought into range. */
uint64_t past_events_on(const struct past *past, int64_t events);
uint64_t past_seconds_on(const struct past *past, int64_t seconds, ns_t now_ns);

/*
 * All that was applied, applied anew in the order in which it is now: a model of the caller's,
 * settled; NULL where `work` broke it off.
 */
struct model *past_replay(const struct past *past, struct work *work);

/* Back to the present: forget checkpoints and cursor. */
void past_leave(struct past *past);

/* Memory held by checkpoints and cursor, in bytes; it counts as history. */
size_t past_bytes(const struct past *past);

#endif
