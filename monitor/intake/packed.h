/* SPDX-License-Identifier: MIT */
/*
 * packed: detects compressed streams and recordings, between a source and the splitter of a
 * stream. The format is detected once, from the first bytes; decompressed data is not decompressed
 * again.
 *
 *   stream_feed_some() -- first bytes --+-- plain ------------------------> stream_feed()
 *                                       +-- packed -- unpack -- (skip) ---> stream_feed()
 *                                       '-- recording -- playback.h ------> its streams
 *
 * Output is limited by a budget and stops if the reader is behind. The caller keeps unused bytes
 * or reads them again.
 *
 * A file that was truncated and rewritten, or whose decoder was freed to save memory, is
 * decompressed again from its beginning, and the part that was already delivered is discarded. So
 * it must begin as before; the first PACKED_FIRST_BYTES of the file are compared.
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
/* Memory limit of the decoders of files that wait within a member. */
#define PACKED_MAX_WAITING (256u << 20)

/* Enable detection. Call before the first feed. */
void stream_may_be_packed(struct stream *stream);

/*
 * Like stream_feed(), for a stream that may be packed. Uses up to `*budget` bytes and subtracts
 * the bytes produced (or consumed, if more). Returns the number of bytes consumed; errors are
 * reported for the source.
 */
size_t stream_feed_some(struct stream *stream, const char *bytes, size_t len, size_t *budget);
/* True if more output is available without more input. */
bool stream_has_more(const struct stream *stream);

/* True if packed; then it can only be read from its beginning. */
bool stream_is_packed(const struct stream *stream);
/* True if these first bytes are of a packed format. */
bool packed_is(const char *bytes, size_t len);

/*
 * All available data was read: free memory that is not needed to continue. Returns false if the
 * decoder used too much memory or `is_closed`; then the stream must be fed from its beginning
 * again.
 */
bool stream_unpack_rest(struct stream *stream, bool is_closed);
/* The stream will be fed from its beginning again. */
void stream_unpack_again(struct stream *stream);
/* Get the kept first bytes. Returns their number. */
size_t stream_packed_first(const struct stream *stream, const char **bytes);

/* ---- for streams ---- */

/* Returns false if it is a recording that is behind or not due yet. */
bool packed_catch_up(struct stream *stream);

/* End: feed undetected first bytes. Reports an end within a member. */
void packed_end(struct stream *stream);
/* Free it without a report. */
void packed_release(struct stream *stream);

#endif
