/* SPDX-License-Identifier: MIT */
/*
 * replay: the clock of a recording that is replayed.
 *
 *   moment = `at` + (now - `since`) * speed, while it runs
 *
 * It starts at the first entry requested. `now` is monotonic and passed by the caller, so that
 * tests can set it. Unless `exact`, a pause of more than REPLAY_PAUSE_NS is shortened to
 * REPLAY_SHORT_NS.
 *
 * Any thread.
 */
#ifndef MONITOR_REPLAY_H
#define MONITOR_REPLAY_H

#include <stdbool.h>

#include "engine/base/clock.h"

/* Longer pauses of the recording are shortened to REPLAY_SHORT_NS. */
#define REPLAY_PAUSE_NS (5 * NS_PER_SEC)
#define REPLAY_SHORT_NS NS_PER_SEC
/* Bounds of the speed. */
#define REPLAY_SLOWEST 0.0625
#define REPLAY_FASTEST 1024.0

struct replay;

/* Speed, and whether pauses keep their length. */
struct replay_pace {
	double speed; /* factor; 0: no replay */
	bool exact;
};

/* Exits if out of memory. */
struct replay *replay_new(struct replay_pace pace);
void replay_free(struct replay *replay);

/* Set the first and last time of the recording, if known before it is read. */
void replay_set_bounds(struct replay *replay, ns_t first, ns_t last);

/* ---- for playback ---- */

/*
 * True if the entry that arrived at `arrival` may be delivered now. Otherwise sets `*due` to its
 * monotonic time, INT64_MAX while held.
 */
bool replay_is_due(struct replay *replay, ns_t arrival, ns_t now, ns_t *due);

/* ---- for the user interface ---- */

void replay_set_speed(struct replay *replay, double speed, ns_t now);
void replay_hold(struct replay *replay, bool held, ns_t now);
/* Skip `by` of the recording. */
void replay_skip(struct replay *replay, ns_t by, ns_t now);

struct replay_view {
	bool began, held;
	double speed;
	ns_t at;    /* wall: current moment of the recording */
	ns_t from;  /* wall: first entry */
	ns_t until; /* wall: last entry; NS_NONE: unknown */
};
struct replay_view replay_get(struct replay *replay, ns_t now);

#endif
