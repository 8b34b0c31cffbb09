/* SPDX-License-Identifier: MIT */
/*
 * Tests of the clock of a replay: when each entry of a recording is delivered. The test sets the
 * time.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "monitor/base/replay.h"

/* start of the recording (wall) and of the replay (monotonic), which are unrelated */
#define FIRST_NS (1767356916ll * NS_PER_SEC)
#define NOW_NS   (5000 * NS_PER_SEC)

static ns_t handed_on(struct replay *replay, ns_t arrival, ns_t now)
{
	ns_t due;

	for (int i = 0; i < 10; i++) {
		if (replay_is_due(replay, arrival, now, &due))
			return now;
		assert_true(due > now && due < INT64_MAX);
		now = due;
	}
	fail_msg("it is never due");
	return 0;
}

/* Times are converted through doubles, so they are not exact. */
static void assert_about(ns_t got, ns_t want)
{
	if (got < want - NS_PER_US || got > want + NS_PER_US)
		fail_msg("%lld is not about %lld", (long long)got, (long long)want);
}

static void plays_each_entry_at_its_time_divided_by_the_speed(void **state)
{
	static const double speeds[] = { 0.25, 0.5, 1, 2, 10, 1024 };

	(void)state;
	for (size_t s = 0; s < sizeof(speeds) / sizeof(*speeds); s++) {
		struct replay *replay =
			replay_new((struct replay_pace){ .speed = speeds[s], .exact = true });
		ns_t now = NOW_NS, at = 0;

		srand(7);
		for (int i = 0; i < 500; i++) {
			now = handed_on(replay, FIRST_NS + at, now);
			assert_about(now, NOW_NS + (ns_t)((double)at / speeds[s]));
			/* A nanosecond of the replay may be many of the recording. */
			assert_true(replay_get(replay, now).at - (FIRST_NS + at) <
				    NS_PER_US + (ns_t)(speeds[s] * 10));
			at += rand() % (20 * NS_PER_SEC);
		}
		replay_free(replay);
	}
}

static void shortens_long_pauses_by_default(void **state)
{
	static const ns_t later = FIRST_NS + 3600 * NS_PER_SEC;
	struct replay *replay = replay_new((struct replay_pace){ .speed = 2 });

	(void)state;
	assert_about(handed_on(replay, FIRST_NS, NOW_NS), NOW_NS);
	assert_about(handed_on(replay, later, NOW_NS), NOW_NS + NS_PER_SEC);
	/* A pause of four seconds is not shortened: at double speed it takes two. */
	assert_about(handed_on(replay, later + 4 * NS_PER_SEC, NOW_NS + NS_PER_SEC),
		     NOW_NS + 3 * NS_PER_SEC);
	replay_free(replay);
	replay = replay_new((struct replay_pace){ .speed = 2, .exact = true });
	assert_about(handed_on(replay, FIRST_NS, NOW_NS), NOW_NS);
	assert_about(handed_on(replay, later, NOW_NS), NOW_NS + 1800 * NS_PER_SEC);
	replay_free(replay);
}

static void pause_stops_playback_and_skip_resumes(void **state)
{
	struct replay *replay = replay_new((struct replay_pace){ .speed = 1 });
	ns_t due, now = NOW_NS;

	(void)state;
	assert_true(replay_is_due(replay, FIRST_NS, now, &due));
	replay_hold(replay, true, now += NS_PER_SEC);
	assert_false(
		replay_is_due(replay, FIRST_NS + 2 * NS_PER_SEC, now += 100 * NS_PER_SEC, &due));
	assert_true(due == INT64_MAX);
	assert_about(replay_get(replay, now).at, FIRST_NS + NS_PER_SEC);
	replay_skip(replay, NS_PER_SEC, now);
	assert_true(replay_is_due(replay, FIRST_NS + 2 * NS_PER_SEC, now, &due));
	assert_false(replay_is_due(replay, FIRST_NS + 3 * NS_PER_SEC, now, &due));
	replay_hold(replay, false, now);
	replay_set_speed(replay, 4, now);
	assert_about(handed_on(replay, FIRST_NS + 3 * NS_PER_SEC, now), now + NS_PER_SEC / 4);
	replay_free(replay);
}

static void speed_changes_at_once_and_is_bounded(void **state)
{
	struct replay *replay = replay_new((struct replay_pace){ .speed = 1 });
	ns_t due;

	(void)state;
	assert_true(replay_is_due(replay, FIRST_NS, NOW_NS, &due));
	replay_set_speed(replay, 1e9, NOW_NS + NS_PER_SEC);
	assert_true(replay_get(replay, NOW_NS).speed == REPLAY_FASTEST);
	assert_about(replay_get(replay, NOW_NS + NS_PER_SEC).at, FIRST_NS + NS_PER_SEC);
	replay_set_speed(replay, 0, NOW_NS + NS_PER_SEC);
	assert_true(replay_get(replay, NOW_NS).speed == REPLAY_SLOWEST);
	replay_free(replay);
}

/* Times that are not plausible: before the first one, years apart, and the extreme values. */
static void survives_any_times(void **state)
{
	static const ns_t times[] = { FIRST_NS,     INT64_MAX, INT64_MIN + 1, 0,        -1,
				      FIRST_NS - 1, NS_NONE,   INT64_MAX - 1, FIRST_NS, 1 };

	(void)state;
	for (int exact = 0; exact < 2; exact++) {
		struct replay *replay =
			replay_new((struct replay_pace){ .speed = 1024, .exact = exact });
		ns_t due, now = NOW_NS;

		for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
			replay_is_due(replay, times[i], now, &due);
			replay_get(replay, now);
			now += NS_PER_SEC;
		}
		replay_free(replay);
	}
}

static void knows_its_end_from_bounds_or_entries(void **state)
{
	struct replay *replay = replay_new((struct replay_pace){ .speed = 1 });
	struct replay_view view;
	ns_t due;

	(void)state;
	assert_false(replay_get(replay, NOW_NS).began);
	replay_set_bounds(replay, FIRST_NS, FIRST_NS + NS_PER_SEC);
	assert_true(replay_is_due(replay, FIRST_NS, NOW_NS, &due));
	view = replay_get(replay, NOW_NS + 100 * NS_PER_SEC);
	assert_true(view.began && view.from == FIRST_NS);
	assert_true(view.at == FIRST_NS + NS_PER_SEC && view.until == FIRST_NS + NS_PER_SEC);
	/* The recording was still being written, so entries follow after the end that was set. */
	assert_true(
		replay_is_due(replay, FIRST_NS + 2 * NS_PER_SEC, NOW_NS + 100 * NS_PER_SEC, &due));
	assert_true(replay_get(replay, NOW_NS).until == FIRST_NS + 2 * NS_PER_SEC);
	replay_free(replay);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plays_each_entry_at_its_time_divided_by_the_speed),
		cmocka_unit_test(shortens_long_pauses_by_default),
		cmocka_unit_test(pause_stops_playback_and_skip_resumes),
		cmocka_unit_test(speed_changes_at_once_and_is_bounded),
		cmocka_unit_test(survives_any_times),
		cmocka_unit_test(knows_its_end_from_bounds_or_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
