/* SPDX-License-Identifier: MIT */
/* Measure the tick length of the processor's counter and decide if event times are taken from
 * it. */
#include "config.h"
#include "engine/tr2_ticks.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/platform.h"

/* Minimum and maximum duration of a measurement of the tick length. A longer one is discarded: the
 * machine may have been suspended. */
#define MEASURE_MIN_NS NS_PER_MS
#define MEASURE_MAX_NS NS_PER_SEC
/* A measured tick length may be wrong by this part of it: 1 / MEASURE_PARTS. */
#define MEASURE_PARTS 4096
/* Two measurements of the tick length agree if they differ by at most 1 / AGREE_PARTS. */
#define AGREE_PARTS 1024
/* Ticks are assumed to be shorter than measured by this part: 1 / SHORTER_PARTS. */
#define SHORTER_PARTS 4096
/* Maximum duration of a clock reading; a longer one is too inexact. */
#define INTERRUPTED_NS NS_PER_US
/* Allowed difference, in ns, between the time computed from ticks and the clock. */
#define TOLERANCE_NS NS_PER_US

static bool allowed;

/* atomic; last confirmed tick length of any thread, minus 1 / SHORTER_PARTS; 0: unknown */
static uint32_t known_scale;

#if TR2_HAVE_TICKS
static bool clocksource_is(const char *name)
{
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);
	char text[32] = "";
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 && !strncmp(text, name, strlen(name)) && text[strlen(name)] == '\n';
}
#endif

void tr2_ticks_allow(void)
{
#if defined(__x86_64__) || defined(__i386__)
	allowed = clocksource_is("tsc") && tr2_platform_may_read_counter();
#elif TR2_HAVE_TICKS
	allowed = clocksource_is("arch_sys_counter") && tr2_platform_may_read_counter();
#endif
}

static uint64_t ticks_to_ns(uint64_t ticks, uint32_t scale)
{
	return ticks * scale >> TR2_TICKS_SHIFT;
}

static uint64_t ns_to_ticks(ns_t ns, uint32_t scale)
{
	return ((uint64_t)ns << TR2_TICKS_SHIFT) / scale;
}

/*
 * Complete the measurement of the tick length in progress, if it is long enough, and start the
 * next. A measured length is used only after the next measurement of the same thread confirms it,
 * because a jump of the counter spoils a single measurement.
 */
static void measure_ticks(struct tr2_ticks *t, uint64_t before, ns_t now, uint64_t after)
{
	ns_t ns = now - t->origin.at;
	uint64_t most = after - t->origin.before, least = before - t->origin.after;
	uint64_t ticks = after - t->origin.after, scale;

	if (t->origin.at && ns < MEASURE_MIN_NS)
		return;
	if (t->origin.at && ns <= MEASURE_MAX_NS && ticks && least < most &&
	    most - least < most / MEASURE_PARTS) {
		scale = ns_to_ticks(ns, 1) / ticks;
		scale = scale <= UINT32_MAX ? scale : 0;
		if (scale <= t->measured + t->measured / AGREE_PARTS &&
		    scale >= t->measured - t->measured / AGREE_PARTS)
			__atomic_store_n(&known_scale, (uint32_t)(scale - scale / SHORTER_PARTS),
					 __ATOMIC_RELAXED);
		t->measured = scale;
	}
	t->origin.before = before;
	t->origin.after = after;
	t->origin.at = now;
}

/* Compare the time computed from ticks with the clock's `*now`. If the computed time is slightly
 * later, set `*now` to it. Returns false if the times differ too much. */
static bool ticks_agree(const struct tr2_ticks *t, uint64_t before, ns_t *now, uint64_t after)
{
	uint64_t since = before - t->base;
	ns_t ours, off;

	if (!t->trusted || since / 4 >= t->trusted)
		return true;
	ours = t->at + (ns_t)ticks_to_ns(since, t->scale);
	off = *now - ours;
	if (off < -TOLERANCE_NS || (uint64_t)(off + TOLERANCE_NS) >
					   2 * TOLERANCE_NS + ticks_to_ns(after - before, t->scale))
		return false;
	if (off < 0)
		*now = ours;
	return true;
}

ns_t tr2_ticks_update(struct tr2_ticks *t, uint64_t before, ns_t now, uint64_t after)
{
	uint32_t scale;
	ns_t time = now;

	if (ticks_agree(t, before, &time, after)) {
		measure_ticks(t, before, now, after);
	} else {
		t->origin.at = 0;
		t->measured = 0;
		__atomic_store_n(&known_scale, 0, __ATOMIC_RELAXED);
	}
	scale = __atomic_load_n(&known_scale, __ATOMIC_RELAXED);
	/* Clear `trusted` while the members are inconsistent, because a signal handler may jump out
	 * of this function. */
	t->trusted = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->base = after;
	t->at = time;
	t->scale = scale;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (scale && after - before <= ns_to_ticks(INTERRUPTED_NS, scale))
		t->trusted = ns_to_ticks(TR2_TICKS_TRUST_NS, scale);
	return time;
}

ns_t tr2_ticks_read(struct tr2_ticks *t)
{
	uint64_t before;
	ns_t now;

	if (!TR2_HAVE_TICKS || !allowed)
		return tr2_clock_monotonic();
	if (!t->trusted) {
		now = tr2_clock_monotonic();
		if (t->at && now - t->at < TR2_TICKS_TRUST_NS)
			return now;
	}
	before = tr2_ticks_count();
	now = tr2_clock_monotonic();
	return tr2_ticks_update(t, before, now, tr2_ticks_count());
}
