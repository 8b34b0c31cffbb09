/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/stream/packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/read/unpack.h"
#include "monitor/stream/origin.h"
#include "monitor/stream/playback.h"
#include "monitor/stream/stream.h"
#include "monitor/stream/streams.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/*
 * State of a stream that is compressed (`ops` is set) or a recording (`playback` is set). `at`:
 * number of bytes consumed since the stream was last fed from its beginning. Of compressed data,
 * `nr_out` counts the decompressed bytes that were delivered, `nr_came` also those that were
 * discarded; `skip`: number of bytes still to be discarded.
 */
struct packed {
	struct playback *playback;
	struct unpack *unpack;
	const struct packing_ops *ops;
	uint64_t at, nr_out, skip, nr_came;
	/* the decoder was freed in the middle of a member, and nothing was fed since; of a
	 * recording: an error was reported */
	bool is_cut;
	size_t held; /* bytes of the decoder in streams.packed_held */
	size_t nr_first;
	char first[PACKED_FIRST_BYTES];
};

void stream_may_be_packed(struct stream *stream)
{
	stream->may_be_packed = true;
}

bool stream_is_packed(const struct stream *stream)
{
	return stream->packed;
}

bool packed_is(const char *bytes, size_t len)
{
	bool more;

	/* A recording begins like zstd data. */
	return packing_of(bytes, len, &more);
}

size_t stream_packed_first(const struct stream *stream, const char **bytes)
{
	*bytes = stream->packed->first;
	return stream->packed->nr_first;
}

bool stream_has_more(const struct stream *stream)
{
	const struct packed *p = stream->packed;

	if (p && p->playback)
		return playback_has_more(p->playback);
	return stream->is_behind || (p && p->unpack && unpack_pending(p->unpack));
}

bool packed_catch_up(struct stream *stream)
{
	return !stream->packed->playback || playback_catch_up(stream->packed->playback);
}

static void loss_report(struct stream *stream, const char *why)
{
	if (stream->refuses)
		origin_loss(stream->origin, "%s: %s", why, stream->name);
	else
		origin_loss(stream->origin, "%s", why);
}

static void packed_count_held(struct stream *stream, size_t held)
{
	stream->origin->streams->packed_held += held - stream->packed->held;
	stream->packed->held = held;
}

static void unpack_stop(struct stream *stream)
{
	packed_count_held(stream, 0);
	unpack_free(stream->packed->unpack);
	stream->packed->unpack = NULL;
}

static void unpack_start(struct stream *stream)
{
	struct packed *p = stream->packed;
	char why[120];

	if (p->ops->begin) {
		p->unpack = unpack_new(p->ops);
		if (!p->unpack)
			die("out of memory");
		return;
	}
	snprintf(why, sizeof(why),
		 "it is packed (%s), and %s was left out of this trace2top: "
		 "unpack it first",
		 p->ops->name, p->ops->library);
	loss_report(stream, why);
}

static void unpack_failed(struct stream *stream, const char *why)
{
	if (unpack_state(stream->packed->unpack) == UNPACK_DAMAGED)
		loss_report(stream, why);
	else if (stream->refuses)
		origin_error(stream->origin, "%s: %s", why, stream->name);
	else
		origin_error(stream->origin, "%s", why);
	unpack_stop(stream);
}

static void packed_take_out(void *data, const char *bytes, size_t len)
{
	struct stream *stream = data;
	struct packed *p = stream->packed;
	size_t again = MIN(len, p->skip);

	p->nr_came += len;
	p->skip -= again;
	p->nr_out += len - again;
	if (len > again)
		stream_feed(stream, bytes + again, len - again);
}

static void first_note(struct packed *p, const char *bytes, size_t len)
{
	if (p->at <= p->nr_first && p->at + len > p->nr_first && p->nr_first < PACKED_FIRST_BYTES) {
		size_t known = p->nr_first - (size_t)p->at;
		size_t nr = MIN(len - known, PACKED_FIRST_BYTES - p->nr_first);

		memcpy(p->first + p->nr_first, bytes + known, nr);
		p->nr_first += nr;
	}
	p->at += len;
}

static size_t unpack_some(struct stream *stream, const char *bytes, size_t len, size_t *budget)
{
	struct packed *p = stream->packed;
	size_t used = 0;

	p->is_cut &= !len;
	while (p->unpack && *budget && !stream->is_behind &&
	       (used < len || unpack_pending(p->unpack))) {
		uint64_t before = p->nr_came;
		const char *why = NULL;
		/* Decompress one piece at a time, because after each piece the stream may be
		 * behind. */
		size_t nr = unpack_feed(p->unpack, bytes + used, len - used, 1, packed_take_out,
					stream, &why);
		size_t came = (size_t)(p->nr_came - before);

		*budget -= MIN(*budget, came > nr ? came : nr);
		used += nr;
		if (why)
			unpack_failed(stream, why);
		else if (stream->splitter.foreign)
			unpack_stop(stream);
	}
	if (!p->unpack && used < len) {
		*budget -= MIN(*budget, len - used);
		used = len;
	}
	first_note(p, bytes, used);
	stream->origin->stats.packed_bytes += used;
	return used;
}

static size_t play_some(struct stream *stream, const char *bytes, size_t len, size_t *budget)
{
	struct packed *p = stream->packed;
	const char *why = NULL;
	bool was_told = p->is_cut;
	size_t used = playback_feed(p->playback, bytes, len, budget, &why);

	/* Report an error only once; the remaining data is only counted. */
	p->is_cut = why != NULL;
	if (why && !was_told)
		loss_report(stream, why);
	if (why)
		*budget -= MIN(*budget, len);
	first_note(p, bytes, used);
	stream->origin->stats.packed_bytes += used;
	return used;
}

static size_t take_some(struct stream *stream, const char *bytes, size_t len, size_t *budget)
{
	return stream->packed->playback ? play_some(stream, bytes, len, budget)
					: unpack_some(stream, bytes, len, budget);
}

/* Start decompression with `ops`; NULL: start playback. */
static void packed_begin(struct stream *stream, const struct packing_ops *ops)
{
	stream->may_be_packed = false;
	stream->packed = xcalloc(1, sizeof(*stream->packed));
	stream->packed->ops = ops;
	if (ops)
		unpack_start(stream);
	else
		stream->packed->playback = playback_new(stream);
	stream->origin->stats.plays |= !ops;
}

static void plain_begin(struct stream *stream)
{
	char bytes[STREAM_MAGIC_BYTES + SPLITTER_PAD] = { 0 };
	size_t nr = stream->nr_head;

	memcpy(bytes, stream->head, nr);
	stream->may_be_packed = false;
	stream->nr_head = 0;
	if (nr)
		stream_feed(stream, bytes, nr);
}

/* Detect if compressed data or a recording begins with these bytes. If so, call packed_begin(),
 * without using any of the bytes. `*more` is set if more bytes are needed. */
static bool first_check(struct stream *stream, const char *bytes, size_t len, bool *more)
{
	enum recording_check recording = recording_look_first(bytes, len);
	const struct packing_ops *ops = NULL;

	*more = recording == LOOK_MORE;
	if (recording == LOOK_NO)
		ops = packing_of(bytes, len, more);
	if (ops || recording == LOOK_HEAD)
		packed_begin(stream, ops);
	return stream->packed;
}

/* Collects first bytes if one call has too few. Returns the number of bytes used. */
static size_t packed_detect(struct stream *stream, const char *bytes, size_t len)
{
	size_t used = 0, magic_budget = UNPACK_PIECE;
	bool more = true;

	if (!stream->nr_head && (first_check(stream, bytes, len, &more) || !more)) {
		stream->may_be_packed = false;
		return 0;
	}
	while (used < len && more && !stream->packed) {
		stream->head[stream->nr_head++] = bytes[used++];
		first_check(stream, stream->head, stream->nr_head, &more);
	}
	if (stream->packed) {
		take_some(stream, stream->head, stream->nr_head, &magic_budget);
		stream->nr_head = 0;
	} else if (!more) {
		plain_begin(stream);
	}
	return used;
}

size_t stream_feed_some(struct stream *stream, const char *bytes, size_t len, size_t *budget)
{
	size_t used = stream->may_be_packed && len ? packed_detect(stream, bytes, len) : 0;

	if (stream->packed)
		return used + take_some(stream, bytes + used, len - used, budget);
	*budget -= MIN(*budget, len);
	if (used < len)
		stream_feed(stream, bytes + used, len - used);
	return len;
}

void stream_unpack_again(struct stream *stream)
{
	struct packed *p = stream->packed;

	p->at = 0;
	if (p->playback) {
		playback_again(p->playback);
		return;
	}
	unpack_stop(stream);
	p->skip = p->nr_out;
	unpack_start(stream);
}

bool stream_unpack_rest(struct stream *stream, bool is_closed)
{
	struct packed *p = stream->packed;
	bool is_too_much;

	if (!p || !p->unpack)
		return true;
	unpack_rest(p->unpack);
	packed_count_held(stream, unpack_held(p->unpack));
	is_too_much = stream->origin->streams->packed_held > PACKED_MAX_WAITING;
	if (!p->held || !(is_closed || is_too_much))
		return true;
	stream_unpack_again(stream);
	p->is_cut = true;
	return false;
}

void packed_end(struct stream *stream)
{
	struct packed *p = stream->packed;

	if (stream->may_be_packed)
		plain_begin(stream);
	if (p && p->playback && !playback_end(p->playback))
		loss_report(stream,
			    "its last chunk is not whole: it was cut off, or is still being "
			    "written");
	if (p && p->unpack && (p->is_cut || unpack_state(p->unpack) == UNPACK_INSIDE))
		loss_report(stream, "the compressed data is truncated");
	packed_release(stream);
}

void packed_release(struct stream *stream)
{
	stream->nr_head = 0;
	if (!stream->packed)
		return;
	unpack_stop(stream);
	playback_free(stream->packed->playback);
	free(stream->packed);
	stream->packed = NULL;
}
