/* SPDX-License-Identifier: MIT */
/*
 * Event times from the processor's tick counter, which takes less time to read than the clock.
 * Ticks are used only if the kernel derives its own clock from that counter, and only after rings
 * were created.
 *
 * A thread reads the clock once, and the counter before and after it. For the next
 * TR2_TICKS_TRUST_NS its time is that reading plus the ticks since; then it reads the clock again.
 * Therefore:
 * - A time usually lags the clock by less than 0.1 us. Ticks are assumed to be slightly shorter
 *   than measured, so that time does not decrease when the clock is read again. If it would
 *   decrease by at most a microsecond, it stays the same.
 * - A counter outside this range of ticks is ignored, so a jump distorts a time by at most that
 *   range.
 * - If ticks and clock differ by more than a microsecond at the end, the length of a tick is
 *   measured again.
 */
#ifndef TR2_TICKS_H
#define TR2_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

#define TR2_TICKS_TRUST_NS (250 * NS_PER_US)
#define TR2_TICKS_SHIFT    24

/* State of a thread that computes times from ticks; all zeros: nothing measured. */
struct tr2_ticks {
	uint64_t base; /* value of the counter at the time `at` */
	/* number of ticks after `base` for which times are computed from ticks; 0: read the clock
	 * instead */
	uint64_t trusted;
	uint32_t scale;    /* length of a tick, in units of 1 / (1 << TR2_TICKS_SHIFT) ns */
	ns_t at;           /* monotonic time at which the counter was `base` */
	uint64_t measured; /* last measured tick length, in the unit of `scale`; 0: none */
	/* Start of the current measurement of the tick length: values of the counter before and
	 * after a reading of the clock. */
	struct {
		uint64_t before, after;
		/* time of that reading of the clock; 0: no measurement in progress */
		ns_t at;
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

/* Take event times from ticks if possible. Call before other threads emit events, or with
 * tr2_lock() held. */
void tr2_ticks_allow(void);

/* Compute the time at which the counter was `count`. Returns false if the clock must be read
 * instead. */
static inline bool tr2_ticks_time(const struct tr2_ticks *ticks, uint64_t count, ns_t *time)
{
	uint64_t since = count - ticks->base;

	*time = ticks->at + (ns_t)(since * ticks->scale >> TR2_TICKS_SHIFT);
	return since < ticks->trusted;
}

/* Record that the clock was `now` while the tick counter was between `before` and `after`. Returns
 * the thread's time. */
ns_t tr2_ticks_update(struct tr2_ticks *ticks, uint64_t before, ns_t now, uint64_t after);

/* Read the clock; may update `ticks`. */
ns_t tr2_ticks_read(struct tr2_ticks *ticks);

/* Return the thread's monotonic time. Call it on the thread that owns `ticks`, after
 * tr2_call_enter(). */
static inline ns_t tr2_ticks_now(struct tr2_ticks *ticks)
{
	ns_t time;

	if (TR2_HAVE_TICKS && ticks->trusted &&
	    __builtin_expect(tr2_ticks_time(ticks, tr2_ticks_count(), &time), 1))
		return time;
	return tr2_ticks_read(ticks);
}

#endif
