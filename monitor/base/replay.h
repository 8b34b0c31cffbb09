/* SPDX-License-Identifier: MIT */
/*
 * replay: the clock with which a recording is replayed. The time in the recording is
 *
 *   moment = `at` + (now - `since`) * speed, while it runs
 *
 * `now` is monotonic. Unless `exact`, a pause of the recording of more than REPLAY_PAUSE_NS takes
 * at most about REPLAY_SHORT_NS of real time.
 *
 * Any thread.
 */
#ifndef MONITOR_REPLAY_H
#define MONITOR_REPLAY_H

#include <stdbool.h>

#include "engine/base/clock.h"

#define REPLAY_PAUSE_NS (5 * NS_PER_SEC)
#define REPLAY_SHORT_NS NS_PER_SEC
/* Lowest and highest speed of a replay. */
#define REPLAY_SLOWEST 0.0625
#define REPLAY_FASTEST 1024.0

struct replay;

struct replay_pace {
	/* 1: as fast as recorded; 2: twice as fast; 0: no replay */
	double speed;
	bool exact;
};

struct replay *replay_new(struct replay_pace pace);
void replay_free(struct replay *replay);

/* Extend the recording's time range to include `first` and `last`. */
void replay_set_bounds(struct replay *replay, ns_t first, ns_t last);

/* True if the entry that arrived at the time `arrival` of the recording may be delivered now.
 * Otherwise sets `*due` to the monotonic time for its delivery; INT64_MAX: unknown. */
bool replay_is_due(struct replay *replay, ns_t arrival, ns_t now, ns_t *due);

void replay_set_speed(struct replay *replay, double speed, ns_t now);
void replay_hold(struct replay *replay, bool held, ns_t now);
/* Move the replay forward by `by` ns of the recording. */
void replay_skip(struct replay *replay, ns_t by, ns_t now);

struct replay_view {
	bool began, held;
	double speed;
	ns_t at;    /* current wall time in the recording; valid if `began` */
	ns_t from;  /* wall time of the recording's first entry; NS_NONE: unknown */
	ns_t until; /* wall time of the recording's last entry; NS_NONE: unknown */
};
struct replay_view replay_get(struct replay *replay, ns_t now);

#endif
