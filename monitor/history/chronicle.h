/* SPDX-License-Identifier: MIT */
/*
 * The order of time. The history is in the order of reading, and of what was there before we
 * came the newest is read first: to look back, or to read the journal as a story, have it put
 * in order first. Nobody else pays.
 *
 *   batches in the order of reading            batches in the order of time
 *     [c c c|b b][b|a a a]      -- merge -->     [a b|a a b][b c c|c]
 *
 * What is merged are streams (files, connections), and the order within one never changes, so
 * that the model means the same by it. When an event happened:
 *
 *   its own time, or that of one before it in its stream where that is later: a clock that is
 *   set back reorders nothing; one without a time goes with the event before it, or with the
 *   first of its stream that has one, or with its stream's arrival. What arrived since we came
 *   did not happen later than that (and CHRONICLE_SLACK_NS), whatever clock says so. What an agent
 *   has sent happened when its server got it, for clocks of hosts differ.
 *   What is ours (that a pid is gone, a gap) happened when it arrived, and never before what
 *   had arrived live before it; the end of a connection follows all that came by it.
 *
 * At one time what was read first comes first. Only what stands before the end of old content is
 * put in order (journal_old_end()): from there on events stand as they arrived.
 *
 * Loop thread. About 0.2 us an event; a batch is freed as soon as all of it stands elsewhere.
 */
#ifndef MONITOR_CHRONICLE_H
#define MONITOR_CHRONICLE_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/history/journal.h"
#include "monitor/base/work.h"

/* By so much a live event may have happened after its stream was said to have arrived: as long
 * as a batch is filled. */
#define CHRONICLE_SLACK_NS NS_PER_SEC

/* Numbers of events (from 0, ever) that somebody remembers; in any order, twice at will. */
struct places {
	uint64_t *numbers;
	uint32_t nr, cap;
	uint32_t taken; /* how many were asked back */
};

#define PLACE_NONE UINT64_MAX

void places_add(struct places *places, uint64_t number);
/* The next one, in the order in which they were added, as it is now. */
uint64_t places_take(struct places *places);
void places_release(struct places *places);

/*
 * Put the history in order, where it is not; the numbers in `places` (NULL: none) become those
 * that their events have then. False where `work` broke it off: what was merged by then stands
 * in order, the rest behind it as it was read, and the history is as good as before.
 * journal_era() tells whether anything moved.
 */
bool chronicle_order(struct journal *journal, struct places *places, struct work *work);

#endif
