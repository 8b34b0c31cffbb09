/* SPDX-License-Identifier: MIT */
/*
 * Event times from the processor's tick counter. It takes half the time of reading the clock, which
 * is most of the cost of an event in a ring. Ticks are used only if the kernel derives its own
 * clock from that counter, and only in a process with rings. Otherwise this reads the clock.
 *
 * A thread reads the clock, and the counter before and after. For the next TR2_TICKS_TRUST_NS its
 * time is that reading plus the ticks since; then it reads the clock again. Therefore:
 * - A time usually lags the clock by less than 0.1 us. Ticks are assumed to be slightly
 *   shorter than measured, so that time does not decrease when the clock is read again. If it would
 *   decrease by less than a microsecond, it stays the same.
 * - A counter outside this range of ticks (another processor, or a suspended or migrated machine)
 *   is ignored, so a jump distorts a time by at most that range.
 * - If ticks and clock differ by more than a microsecond at the end, the length of a tick is
 *   measured again.
 *
 * Threads measure the length against the clock and share the result. Calibration by the boot, the
 * vendor or the kernel is not used.
 */
#ifndef TR2_TICKS_H
#define TR2_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

#define TR2_TICKS_TRUST_NS (250 * NS_PER_US)
#define TR2_TICKS_SHIFT    24

/* Per-thread state; all zeros: nothing measured. */
struct tr2_ticks {
	uint64_t base;     /* counter when `at` was read */
	uint64_t trusted;  /* number of ticks from `base` that are trusted; 0: none */
	uint32_t scale;    /* ns per tick, in units of 1 / (1 << TR2_TICKS_SHIFT) */
	ns_t at;           /* monotonic */
	uint64_t measured; /* last measured `scale`; 0: none */
	/* Start of the current measurement: the counter before and after a reading of the clock. */
	struct {
		uint64_t before, after;
		ns_t at; /* 0: not measuring */
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

/* Enable ticks if possible. Call before other threads emit, or under tr2_lock(). */
void tr2_ticks_allow(void);

/* Compute the time from the counter `count`. Returns false if the ticks are not trusted. Pure. */
static inline bool tr2_ticks_time(const struct tr2_ticks *ticks, uint64_t count, ns_t *time)
{
	uint64_t since = count - ticks->base;

	*time = ticks->at + (ns_t)(since * ticks->scale >> TR2_TICKS_SHIFT);
	return since < ticks->trusted;
}

/*
 * Record that the clock was `now` while the counter was between `before` and `after`. Returns the
 * thread's time. Pure, except for the scale that threads share.
 */
ns_t tr2_ticks_update(struct tr2_ticks *ticks, uint64_t before, ns_t now, uint64_t after);

/* Return the time if the ticks are not trusted. */
ns_t tr2_ticks_read(struct tr2_ticks *ticks);

/* Return the thread's monotonic time. On its own thread, inside a frame. */
static inline ns_t tr2_ticks_now(struct tr2_ticks *ticks)
{
	ns_t time;

	if (TR2_HAVE_TICKS && ticks->trusted &&
	    __builtin_expect(tr2_ticks_time(ticks, tr2_ticks_count(), &time), 1))
		return time;
	return tr2_ticks_read(ticks);
}

#endif
