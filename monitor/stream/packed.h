/* SPDX-License-Identifier: MIT */
/*
 * Detects compressed streams and recordings, between a source and the splitter of a stream. The
 * format is detected once, from the first bytes; decompressed data is not decompressed again.
 *
 *   stream_feed_some() -- first bytes --+-- plain ------------------------> stream_feed()
 *                                       +-- packed -- unpack -- (skip) ---> stream_feed()
 *                                       '-- recording -- playback.h ------> its streams
 *
 * Output is limited by a budget and stops if the stream is behind. The caller keeps unused bytes or
 * reads them again.
 *
 * A file that was truncated and rewritten, or whose decoder was freed to save memory, is
 * decompressed again from its beginning, and the part that was already delivered is discarded. So
 * the file must begin as before; its first PACKED_FIRST_BYTES are compared.
 *
 * Intake thread.
 */
#ifndef MONITOR_PACKED_H
#define MONITOR_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct stream;

/* Number of first bytes of a packed stream that are kept. */
#define PACKED_FIRST_BYTES 512
/* Memory limit of the decoders of files that wait for more data within a member. */
#define PACKED_MAX_WAITING (256u << 20)

/* Detect packed data in this stream. Call before the first feed. */
void stream_may_be_packed(struct stream *stream);

/*
 * Feed a stream that may be packed. Uses up to `*budget` bytes and subtracts the bytes produced (or
 * consumed, if more). Returns the number of bytes consumed; errors are reported for the source.
 */
size_t stream_feed_some(struct stream *stream, const char *bytes, size_t len, size_t *budget);
/* True if feeding 0 bytes to the stream would produce more output. */
bool stream_has_more(const struct stream *stream);

/* True if the stream is packed, so that it can only be read from its beginning. */
bool stream_is_packed(const struct stream *stream);
/* True if these first bytes are of a packed format. */
bool packed_is(const char *bytes, size_t len);

/*
 * All available data of the stream was read: free memory that is not needed to continue. Returns
 * false if the decoder used too much memory or `is_closed`; then the stream must be fed from its
 * beginning again.
 */
bool stream_unpack_rest(struct stream *stream, bool is_closed);
/* Announce that the stream will be fed from its beginning again. */
void stream_unpack_again(struct stream *stream);
/* Get the first bytes of a packed stream, which were kept. Returns their number. */
size_t stream_packed_first(const struct stream *stream, const char **bytes);

/* ---- functions for stream.c ---- */

/* Continue delivery. Returns false if the stream is a recording that is behind or not due yet. */
bool packed_catch_up(struct stream *stream);

/* End a stream: feed first bytes whose format was not detected. Reports an end within a member. */
void packed_end(struct stream *stream);
/* Free the decompression of a stream without reporting errors. */
void packed_release(struct stream *stream);

#endif
