/* SPDX-License-Identifier: MIT */
/*
 * Streams that may be packed, or a recording: what stands between a source and the framer of one
 * of its streams.
 * That it is packed, its first bytes tell, once: what comes out is not unpacked again.
 *
 *   stream_feed_some() -- first bytes --+-- plain ------------------------> stream_feed()
 *                                       +-- packed -- unpack -- (skip) ---> stream_feed()
 *                                       '-- recording -- playback.h ------> its streams
 *
 * What comes out is under a budget, and stops where the reader is behind: bytes that were not
 * used are the caller's to keep, or to read again.
 *
 * A file that was truncated and written anew, or whose unpacking was given up to save memory, is
 * unpacked from its beginning; as much as was handed on before is thrown away first. So it must
 * begin as it did, which the first PACKED_FIRST_BYTES, as they came, tell.
 *
 * The intake thread alone.
 */
#ifndef MONITOR_PACKED_H
#define MONITOR_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct stream;

/* So many bytes of a packed stream are remembered as they came. */
#define PACKED_FIRST_BYTES 512
/* What the unpacking of files that wait within a member may take together. */
#define PACKED_MAX_WAITING (256u << 20)

/* Before the first feed: it may be packed. */
void stream_may_be_packed(struct stream *stream);

/*
 * As stream_feed(), of one that may be packed: as much as `*budget` allows, which what came out
 * (or went in, where that is more) is taken off. Returns how many bytes were used; what is
 * wrong is told as the source's.
 */
size_t stream_feed_some(struct stream *stream, const char *bytes, size_t len, size_t *budget);
/* Would more come out without a byte more? */
bool stream_has_more(const struct stream *stream);

/* Is it packed? Then it can be read from its beginning alone. */
bool stream_is_packed(const struct stream *stream);
/* Are these first bytes those of something packed? */
bool packed_is(const char *bytes, size_t len);

/* All that is there was read: free what is not needed to go on. False: that was too much, or
 * `is_closed`, and it is to be fed from its beginning again. */
bool stream_unpack_rest(struct stream *stream, bool is_closed);
/* It is fed from its beginning again. */
void stream_unpack_again(struct stream *stream);
/* The first bytes as they were; their number. */
size_t stream_packed_first(const struct stream *stream, const char **bytes);

/* ---- for streams ---- */

/* Of a packed stream: false where it is a recording that is behind, or whose time has not come. */
bool packed_catch_up(struct stream *stream);

/* It ends: first bytes that told nothing are fed. An end within a member is told. */
void packed_end(struct stream *stream);
/* Forget it without a word. */
void packed_release(struct stream *stream);

#endif
