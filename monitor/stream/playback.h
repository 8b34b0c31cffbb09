/* SPDX-License-Identifier: MIT */
/*
 * Turns the bytes of a recording (monitor/read/recording.h) into its streams.
 *
 *   carrier: bytes of a file or pipe --> complete chunks --> entries --> stream, stream, ...
 *
 * Output passes through the splitter and reader of its stream as usual and counts for the carrier's
 * source, because a recording is not more trustworthy than a trace. Arrival times are those
 * recorded, and events are old (not LIVE). Events of a relay are live. If there is a replay, other
 * events are delivered when they are due.
 *
 * Invariant: `done` counts the bytes of complete frames that were delivered. An incomplete frame is
 * kept in memory (at most RECORDING_MAX_BYTES packed, and as much unpacked) and not parsed. So
 * reading the carrier again from its beginning resumes at `done`.
 *
 * At most PLAYBACK_MAX_STREAMS are open; beyond that the oldest is ended. Intake thread.
 */
#ifndef MONITOR_PLAYBACK_H
#define MONITOR_PLAYBACK_H

#include <stdbool.h>
#include <stddef.h>

struct playback;
struct stream;

#define PLAYBACK_MAX_STREAMS 65536u

struct playback *playback_new(struct stream *carrier);
/* Free the playback and its streams without reporting errors. */
void playback_free(struct playback *playback);

/*
 * Feed bytes of the recording; subtracts from `*budget` like stream_feed_some(). Returns the bytes
 * consumed. Sets `*why` (static) on an error, after which nothing more is delivered.
 */
size_t playback_feed(struct playback *playback, const char *bytes, size_t len, size_t *budget,
		     const char **why);
/* True if feeding 0 bytes would produce more output. */
bool playback_has_more(const struct playback *playback);
/*
 * Continue delivery. Returns false if a stream is behind, or the next entry is not due (then
 * the origin is_not_due).
 */
bool playback_catch_up(struct playback *playback);
/* Announce that the recording will be fed from its beginning again. */
void playback_again(struct playback *playback);
/* End all streams, because the file or pipe has ended. Returns false if it ended within a chunk. */
bool playback_end(struct playback *playback);

#endif
