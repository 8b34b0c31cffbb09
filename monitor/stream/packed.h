/* SPDX-License-Identifier: MIT */
/*
 * Detect and decompress compressed ("packed") streams, and recordings. Decompressed data is not
 * decompressed again.
 *
 *   stream_feed_some() -- first bytes --+-- plain ------------------------> stream_feed()
 *                                       +-- packed -- unpack -- (skip) ---> stream_feed()
 *                                       '-- recording -- playback.h ------> its streams
 *
 * A file whose decoder was freed to save memory, for example, is decompressed again from its
 * beginning, and the part that was already delivered is discarded. Its first PACKED_FIRST_BYTES are
 * compared to find out if the file still begins as before.
 *
 * For the intake thread, or others while it does not run.
 */
#ifndef MONITOR_PACKED_H
#define MONITOR_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct stream;

/* Maximum number of first bytes of a packed stream that are kept for comparison. */
#define PACKED_FIRST_BYTES 512
/* Maximum memory, in bytes, of the decoders of all files that end in the middle of a member. */
#define PACKED_MAX_WAITING (256u << 20)

/* Make stream_feed_some() detect if the stream is packed. Call before the stream is fed for the
 * first time. */
void stream_may_be_packed(struct stream *stream);

/*
 * Feed a stream that may be packed. Plain data, and data after an error, is consumed as a whole;
 * compressed data until `*budget` is 0 or the stream is behind; a recording until `*budget` is 0,
 * one of its streams is behind, or its next entry is not due. Reduces `*budget` by about the number
 * of bytes that were produced or consumed. Returns the number of bytes consumed.
 */
size_t stream_feed_some(struct stream *stream, const char *bytes, size_t len, size_t *budget);
/* True if the stream may produce more output without more bytes. */
bool stream_has_more(const struct stream *stream);

/* True if the stream is packed or a recording, so that reading must start at its beginning. */
bool stream_is_packed(const struct stream *stream);
/* True if these are the first bytes of a compression format or of a recording. */
bool packed_is(const char *bytes, size_t len);

/*
 * Call after all available data of the stream was read. Frees memory that is not needed to
 * continue. If `is_closed` (the file is being closed), or if decoders use more than
 * PACKED_MAX_WAITING, also frees the stream's decoder in the middle of a member and returns false;
 * the stream must then be fed from its beginning again.
 */
bool stream_unpack_rest(struct stream *stream, bool is_closed);
/* Call before a packed stream is fed from its beginning again. */
void stream_unpack_again(struct stream *stream);
/* Get the first bytes of a packed stream that were kept for comparison. Returns their number. */
size_t stream_packed_first(const struct stream *stream, const char **bytes);

/*
 * Of a recording, continue the stream that is behind, if any. Returns false if delivery cannot
 * continue yet.
 */
bool packed_catch_up(struct stream *stream);

/* End the data of a stream. Feeds first bytes that were kept to detect the format, and reports
 * truncated data. */
void packed_end(struct stream *stream);
void packed_release(struct stream *stream);

#endif
