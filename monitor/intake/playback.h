/* SPDX-License-Identifier: MIT */
/*
 * Playback: the bytes of a recording (read/recording.h) become the streams that it is of.
 *
 *   carrier: a file's, a pipe's bytes --> whole chunks --> entries --> stream, stream, ...
 *
 * What comes out enters the framer and reader of its stream as ever, and counts for the carrier's
 * source: a recording may lie as much as a trace. Its arrival is that which was recorded, its
 * content old. Of a relay it is live; where the intake has a replay, too, and handed over when its
 * time has come.
 *
 * Invariant: `done` are the bytes of whole frames that were handed on; a frame that is not whole
 * is kept in memory (at most RECORDING_MAX_BYTES packed and as much again), and nothing of it is
 * looked at. So who reads the carrier again from its beginning goes on at `done`.
 *
 * Bounds: PLAYBACK_MAX_STREAMS at once; where there are more the oldest ends. The intake thread.
 */
#ifndef MONITOR_PLAYBACK_H
#define MONITOR_PLAYBACK_H

#include <stdbool.h>
#include <stddef.h>

struct playback;
struct stream;

#define PLAYBACK_MAX_STREAMS 65536u

struct playback *playback_new(struct stream *carrier);
/* Forgets its streams without a word. */
void playback_free(struct playback *playback);

/* The next bytes; `*budget` is taken off, as stream_feed_some() does. Returns those used. `*why`
 * (static): what is wrong, and nothing comes any more. */
size_t playback_feed(struct playback *playback, const char *bytes, size_t len, size_t *budget,
		     const char **why);
/* Would more come without a byte more? */
bool playback_has_more(const struct playback *playback);
/* False: a stream is behind, or what comes next is not due (then source->not_due). */
bool playback_catch_up(struct playback *playback);
/* It is fed from its beginning again. */
void playback_again(struct playback *playback);
/* The carrier has ended, and so have all streams. False: within a chunk. */
bool playback_end(struct playback *playback);

#endif
