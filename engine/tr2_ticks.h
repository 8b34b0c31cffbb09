/* SPDX-License-Identifier: MIT */
/*
 * The time of an event by the processor's counter of ticks: half of what the clock costs, which is
 * the most of what an event in a ring costs. Only where the kernel makes its own clock of that
 * counter, and only in a process that has rings; else this is the clock.
 *
 * A thread reads the clock, and the counter around it. For TR2_TICKS_TRUST_NS from then on its time
 * is that reading and the ticks since; then it reads the clock again. So:
 * - as a rule a time is behind the clock by less than 0.1 us: ticks are taken for a little shorter
 *   than they are, so that time does not run back where the clock is read again. Where it would, by
 *   less than a microsecond, it stands still;
 * - a counter that is not within these ticks (another processor's, a suspended or moved machine's)
 *   is not believed, so a jump puts no time off by more than they are;
 * - where ticks and the clock are apart by more than a microsecond in the end, how long a tick is
 *   is measured anew.
 * Threads measure that against the clock, for all of them: no calibration of a boot, of a vendor
 * or of a kernel is believed.
 */
#ifndef TR2_TICKS_H
#define TR2_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

#define TR2_TICKS_TRUST_NS (250 * NS_PER_US)
#define TR2_TICKS_SHIFT    24

/* What a thread knows; all zero: nothing. */
struct tr2_ticks {
	uint64_t base;     /* the counter where `at` was read ... */
	uint64_t trusted;  /* ... so many ticks from there on are believed; 0: none */
	uint32_t scale;    /* ns of a tick, in 1 / (1 << TR2_TICKS_SHIFT) */
	ns_t at;           /* monotonic */
	uint64_t measured; /* as `scale`, and last; 0: not so far */
	/* Since when ticks are being measured: the counter before and after a reading. */
	struct {
		uint64_t before, after;
		ns_t at; /* 0: they are not */
	} origin;
};

#if defined(__x86_64__) || defined(__i386__)
#define TR2_HAVE_TICKS 1
static inline uint64_t tr2_ticks_count(void)
{
	return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
#define TR2_HAVE_TICKS 1
static inline uint64_t tr2_ticks_count(void)
{
	uint64_t count;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
	return count;
}
#else
#define TR2_HAVE_TICKS 0
static inline uint64_t tr2_ticks_count(void)
{
	return 0;
}
#endif

/* Use ticks from here on, if they may be. Before other threads emit, or under tr2_lock(). */
void tr2_ticks_allow(void);

/* Whether the ticks tell the time where the counter is `count`. Pure. */
static inline bool tr2_ticks_tell(const struct tr2_ticks *ticks, uint64_t count, ns_t *time)
{
	uint64_t since = count - ticks->base;

	*time = ticks->at + (ns_t)(since * ticks->scale >> TR2_TICKS_SHIFT);
	return since < ticks->trusted;
}

/* The clock was `now` when the counter was between `before` and `after`. Returns the thread's time
 * then. Pure, but for what threads tell one another. */
ns_t tr2_ticks_settle(struct tr2_ticks *ticks, uint64_t before, ns_t now, uint64_t after);

/* The time, where the ticks do not tell it. */
ns_t tr2_ticks_read(struct tr2_ticks *ticks);

/* The thread's time, monotonic. Its own thread, inside a frame. */
static inline ns_t tr2_ticks_now(struct tr2_ticks *ticks)
{
	ns_t time;

	if (TR2_HAVE_TICKS && ticks->trusted &&
	    __builtin_expect(tr2_ticks_tell(ticks, tr2_ticks_count(), &time), 1))
		return time;
	return tr2_ticks_read(ticks);
}

#endif
