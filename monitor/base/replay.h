/* SPDX-License-Identifier: MIT */
/*
 * The clock of a recording that is replayed: which moment of it is now.
 *
 *   moment = `at` + (now - `since`) * speed, while it runs
 *
 * It begins with the first entry that is asked for. `now` is monotonic and always the caller's, so
 * that a test brings its own. Where nothing happens for more than REPLAY_PAUSE_NS, all but a
 * second of it is passed over, unless it is `exact`.
 *
 * Any thread.
 */
#ifndef MONITOR_REPLAY_H
#define MONITOR_REPLAY_H

#include <stdbool.h>

#include "engine/base/clock.h"

/* A pause of the recording that is passed over, and how long it takes then. */
#define REPLAY_PAUSE_NS (5 * NS_PER_SEC)
#define REPLAY_SHORT_NS NS_PER_SEC
/* Bounds of the speed. */
#define REPLAY_SLOWEST 0.0625
#define REPLAY_FASTEST 1024.0

struct replay;

/* How fast, and whether pauses last as long as they did. */
struct replay_pace {
	double speed; /* 0: no replay */
	bool exact;
};

/* Dies where memory is short. */
struct replay *replay_new(struct replay_pace pace);
void replay_free(struct replay *replay);

/* The recording's bounds, as far as they are known before it is read. */
void replay_set_bounds(struct replay *replay, ns_t first, ns_t last);

/* ---- who plays ---- */

/* May what arrived at `arrival` be handed on? Where not, `*due` is when (monotonic); INT64_MAX
 * while it is held. */
bool replay_is_due(struct replay *replay, ns_t arrival, ns_t now, ns_t *due);

/* ---- who watches ---- */

void replay_set_speed(struct replay *replay, double speed, ns_t now);
void replay_hold(struct replay *replay, bool held, ns_t now);
/* Go on by so much of the recording at once. */
void replay_skip(struct replay *replay, ns_t by, ns_t now);

struct replay_view {
	bool began, held;
	double speed;
	ns_t at;    /* wall: the moment of the recording */
	ns_t from;  /* of its first entry */
	ns_t until; /* of its last; NS_NONE: not known */
};
struct replay_view replay_look(struct replay *replay, ns_t now);

#endif
