/* SPDX-License-Identifier: MIT */
/*
 * Play a recording (monitor/read/recording.h): convert its bytes to the streams that were recorded.
 *
 *   carrier: bytes of a file or pipe --> complete chunks --> entries --> stream, stream, ...
 *
 * The carrier is the stream that contains the recording. The data of a recorded stream passes
 * through a splitter and a reader, because a recording is not more trustworthy than a trace. It is
 * counted for the carrier's source. Arrival times are those in the recording.
 *
 * Invariant: `done` counts the bytes of complete frames that were delivered. If the carrier is read
 * again from its beginning, delivery resumes at `done`, or in the chunk that is being delivered.
 *
 * At most PLAYBACK_MAX_STREAMS streams are open; if there are more, one of them is ended. For the
 * intake thread, or others while it does not run.
 */
#ifndef MONITOR_PLAYBACK_H
#define MONITOR_PLAYBACK_H

#include <stdbool.h>
#include <stddef.h>

struct playback;
struct stream;

#define PLAYBACK_MAX_STREAMS 65536u

struct playback *playback_new(struct stream *carrier);
void playback_free(struct playback *playback);

/*
 * Feed bytes of the recording, until `*budget` is 0, a stream is behind, or the next entry is not
 * due. Reduces `*budget` by about the number of bytes that were delivered. Returns the number of
 * bytes consumed. Sets `*why` to a static text after an error, which ends the delivery, else to
 * NULL.
 */
size_t playback_feed(struct playback *playback, const char *bytes, size_t len, size_t *budget,
		     const char **why);
/* True if the playback may produce more output without more bytes. */
bool playback_has_more(const struct playback *playback);
/*
 * Continue the stream that is behind, if any. Returns false if it is still behind, or if the next
 * entry is not due yet.
 */
bool playback_catch_up(struct playback *playback);
/* Call before the recording is fed from its beginning again. */
void playback_again(struct playback *playback);
/* End all streams, because the file or pipe has ended. Returns false if the last frame was not
 * delivered completely and no error was reported before. */
bool playback_end(struct playback *playback);

#endif
