/* SPDX-License-Identifier: MIT */
/*
 * Copies the bytes of streams to taps (monitor/base/tap.h), after decompression and before parsing;
 * events of ring files are put as lines. For the intake thread, or others while it does not run.
 */
#ifndef MONITOR_TAPS_H
#define MONITOR_TAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/clock.h"
#include "monitor/base/tap.h"

struct stream;

#define TAPS_MAX 6

struct taps {
	unsigned nr;
	/* number that increases when a tap was reset, so that open streams are announced again */
	uint32_t epoch;
	struct tap *all[TAPS_MAX];
	uint8_t stored; /* mask of taps that receive data of files */
	struct tr2_buf text;
};

void taps_put_bytes(struct stream *stream, const char *bytes, size_t len);
void taps_put_datagram(struct stream *stream, const char *bytes, size_t len, bool cut);
void taps_put_format(struct stream *stream);
void taps_put_end(struct stream *stream, bool closed);

#define TAPS_OF(stream) __builtin_expect((stream)->origin->streams->taps.nr, 0)
#define taps_bytes(stream, bytes, len)                                                             \
	(TAPS_OF(stream) ? taps_put_bytes(stream, bytes, len) : (void)0)
#define taps_datagram(stream, bytes, len, cut)                                                     \
	(TAPS_OF(stream) ? taps_put_datagram(stream, bytes, len, cut) : (void)0)
#define taps_format(stream)      (TAPS_OF(stream) ? taps_put_format(stream) : (void)0)
#define taps_end(stream, closed) (TAPS_OF(stream) ? taps_put_end(stream, closed) : (void)0)

/*
 * Put an entry into all taps: the intake paused for `gap_ns` before the wall time `at`, because of
 * `why`.
 */
void taps_gap(struct taps *taps, ns_t at, ns_t gap_ns, const char *why, size_t why_len);
/* Put an entry about lost lines and bytes of the input into all taps. */
void taps_dropped(struct taps *taps, ns_t at, uint64_t lines, uint64_t bytes);
/* True if all taps that receive files (`stored`) have space. */
bool taps_have_room(struct taps *taps);
void taps_init(struct taps *taps);
/* Add a tap; there can be at most TAPS_MAX. If `stored`, the tap also receives the data of
 * files. */
void taps_add(struct taps *taps, struct tap *tap, bool stored);
void taps_release(struct taps *taps);

#endif
