/* SPDX-License-Identifier: MIT */
/*
 * The taps of an intake (base/tap.h): who else gets the bytes of its streams, as they come and
 * before they are read. Where there is none, a test of one number is all that it costs.
 *
 * For the intake thread.
 */
#ifndef MONITOR_TAPS_H
#define MONITOR_TAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/clock.h"
#include "monitor/base/tap.h"
#include "monitor/intake/intake.h"

struct stream;

struct taps {
	unsigned nr;
	uint32_t epoch; /* counts up where a tap lost track: all that is open is told again */
	struct tap *all[INTAKE_MAX_TAPS];
	uint8_t stored; /* those that get files, too, by bit */
	struct tr2_buf text;
};

/* ---- what stream.h does once more for them ---- */

void taps_put_bytes(struct stream *stream, const char *bytes, size_t len);
void taps_put_datagram(struct stream *stream, const char *bytes, size_t len, bool cut);
void taps_put_format(struct stream *stream);
void taps_put_end(struct stream *stream, bool closed);

#define TAPS_OF(stream) __builtin_expect((stream)->source->intake->taps.nr, 0)
#define taps_bytes(stream, bytes, len)                                                             \
	(TAPS_OF(stream) ? taps_put_bytes(stream, bytes, len) : (void)0)
#define taps_datagram(stream, bytes, len, cut)                                                     \
	(TAPS_OF(stream) ? taps_put_datagram(stream, bytes, len, cut) : (void)0)
#define taps_format(stream)      (TAPS_OF(stream) ? taps_put_format(stream) : (void)0)
#define taps_end(stream, closed) (TAPS_OF(stream) ? taps_put_end(stream, closed) : (void)0)

/* ---- for the intake ---- */

/* Nothing was received for so long before `at` (wall). */
void taps_gap(struct taps *taps, ns_t at, ns_t gap_ns, const char *why, size_t why_len);
/* A recording tells that so much was dropped. */
void taps_dropped(struct taps *taps, ns_t at, uint64_t lines, uint64_t bytes);
/* Have those room that get what `stored` sources bring? */
bool taps_have_room(struct taps *taps);
void taps_release(struct taps *taps);

#endif
