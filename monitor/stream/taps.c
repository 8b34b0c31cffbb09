/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/stream/taps.h"

#include <string.h>

#include "monitor/read/recording.h"
#include "monitor/stream/origin.h"
#include "monitor/stream/stream.h"
#include "monitor/stream/streams.h"

/* Maximum length, in bytes, of texts such as names of streams in entries of taps; longer texts are
 * truncated. */
#define TEXT_MAX 1024u

static struct recorded_text taps_text_of(const char *text)
{
	return (struct recorded_text){ text, strnlen(text, TEXT_MAX) };
}

static ns_t taps_arrival(const struct stream *stream)
{
	return stream->played_ns == NS_NONE ? tr2_clock_wall() : stream->played_ns;
}

static void taps_put(struct stream *stream, const struct tap_entry *entry)
{
	struct taps *taps = &stream->origin->streams->taps;
	bool stored = stream->origin->is_stored;

	for (unsigned i = 0; i < taps->nr; i++)
		if (!stored || taps->stored >> i & 1)
			if (!tap_put(taps->all[i], i, &stream->tap, entry))
				taps->epoch++;
}

static void taps_put_text(struct stream *stream, enum tap_kind kind, uint32_t number)
{
	struct taps *taps = &stream->origin->streams->taps;
	struct tap_entry entry = { .kind = kind,
				   .stream = number,
				   .arrival_ns = taps_arrival(stream),
				   .bytes = taps->text.data,
				   .len = (uint32_t)taps->text.len };

	taps_put(stream, &entry);
	tr2_buf_clear(&taps->text);
}

static void put_source(struct stream *stream)
{
	struct origin *o = stream->origin;
	struct recording_source about = { taps_text_of(o->stats.kind),
					  taps_text_of(o->stats.spec) };

	o->tapped = o->streams->taps.epoch;
	recording_source_pack(&o->streams->taps.text, &about);
	taps_put_text(stream, TAP_SOURCE, (uint32_t)o->number);
}

static const char *base_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static uint32_t flags_of(const struct stream *stream, bool datagrams)
{
	return (stream->live ? OPEN_LIVE : 0) | (stream->about.one_process ? OPEN_ONE_PROCESS : 0) |
	       (stream->refuses ? OPEN_REFUSES : 0) | (datagrams ? OPEN_DATAGRAMS : 0) |
	       (stream->goes_on ? OPEN_GOES_ON : 0);
}

/*
 * Return the word for the stream's format, if the format was given, or if it is known and the
 * stream `goes_on`; otherwise "".
 */
static const char *taps_format_word(const struct stream *stream)
{
	if (stream->forced >= 0)
		return reader_words[stream->forced + 1].word;
	return stream->goes_on && stream->reader ? reader_words[stream->format + 1].word : "";
}

static void put_open(struct stream *stream, bool datagrams)
{
	struct origin *o = stream->origin;
	struct taps *taps = &o->streams->taps;
	const char *name = stream->about.name ? stream->about.name : base_name(stream->name);
	struct recording_open open = { .source = (uint32_t)o->number,
				       .peer_pid = stream->about.peer_pid,
				       .reference_ns = stream->about.reference_ns,
				       .name = taps_text_of(name) };

	if (stream->has_uid)
		open.user = (uint64_t)stream->uid + 1;
	if (stream->agent != SYM_NONE)
		open.agent.text = tr2_intern_text(o->streams->syms, stream->agent, &open.agent.len);
	stream->goes_on |= stream->tap.epoch != 0;
	open.flags = flags_of(stream, datagrams);
	open.format = taps_text_of(taps_format_word(stream));
	if (o->tapped != taps->epoch)
		put_source(stream);
	stream->tap.epoch = taps->epoch;
	recording_open_pack(&taps->text, &open);
	taps_put_text(stream, TAP_OPEN, stream->number);
}

static void put_opened(struct stream *stream, bool datagrams)
{
	if (stream->tap.epoch != stream->origin->streams->taps.epoch)
		put_open(stream, datagrams);
}

void taps_put_bytes(struct stream *stream, const char *bytes, size_t len)
{
	struct tap_entry entry = { .kind = TAP_BYTES,
				   .stream = stream->number,
				   .arrival_ns = taps_arrival(stream),
				   .bytes = bytes,
				   .len = (uint32_t)len };

	if (!len)
		return;
	put_opened(stream, false);
	taps_put(stream, &entry);
}

void taps_put_datagram(struct stream *stream, const char *bytes, size_t len, bool cut)
{
	struct tap_entry entry = { .kind = TAP_DATAGRAM,
				   .flags = cut ? TAP_TRUNCATED : 0,
				   .stream = stream->number,
				   .arrival_ns = taps_arrival(stream),
				   .bytes = bytes,
				   .len = (uint32_t)len };

	put_opened(stream, true);
	taps_put(stream, &entry);
}

void taps_put_format(struct stream *stream)
{
	const char *word = reader_words[stream->format + 1].word;

	/* Put the format only if bytes of the stream were put into the taps. */
	if (!stream->tap.epoch || !tr2_buf_addstr(&stream->origin->streams->taps.text, word))
		return;
	taps_put_text(stream, TAP_FORMAT, stream->number);
}

void taps_put_end(struct stream *stream, bool closed)
{
	struct tap_entry entry = { .kind = TAP_END,
				   .flags = closed ? TAP_CLOSED : 0,
				   .stream = stream->number,
				   .arrival_ns = taps_arrival(stream) };

	/* Put OPEN before END if a connection was closed, even if it had no data. */
	if (closed && !stream->tap.epoch)
		put_opened(stream, false);
	if (stream->tap.epoch || stream->goes_on)
		taps_put(stream, &entry);
	stream->tap = (struct tap_state){ 0 };
	stream->goes_on = false;
}

static void put_all(struct taps *taps, struct tap_entry *entry)
{
	struct tap_state state = { 0 };

	entry->bytes = taps->text.data;
	entry->len = (uint32_t)taps->text.len;
	for (unsigned i = 0; i < taps->nr; i++)
		if (!tap_put(taps->all[i], i, &state, entry))
			taps->epoch++;
	tr2_buf_clear(&taps->text);
}

void taps_gap(struct taps *taps, ns_t at, ns_t gap_ns, const char *why, size_t why_len)
{
	struct tap_entry entry = { .kind = TAP_GAP, .arrival_ns = at };

	if (taps->nr && tr2_buf_add(&taps->text, &gap_ns, sizeof(gap_ns)) &&
	    tr2_buf_add(&taps->text, why, why_len < TEXT_MAX ? why_len : TEXT_MAX))
		put_all(taps, &entry);
}

void taps_dropped(struct taps *taps, ns_t at, uint64_t lines, uint64_t bytes)
{
	struct tap_entry entry = { .kind = TAP_DROPPED, .arrival_ns = at };
	struct tap_losses losses = { lines, bytes };

	if (taps->nr && tr2_buf_add(&taps->text, &losses, sizeof(losses)))
		put_all(taps, &entry);
}

void taps_add(struct taps *taps, struct tap *tap, bool stored)
{
	taps->stored |= (uint8_t)(stored << taps->nr);
	taps->all[taps->nr++] = tap;
}

bool taps_have_room(struct taps *taps)
{
	for (unsigned i = 0; i < taps->nr; i++)
		if (taps->stored >> i & 1 && !tap_has_room(taps->all[i]))
			return false;
	return true;
}

void taps_init(struct taps *taps)
{
	*taps = (struct taps){ .epoch = 1 };
	tr2_buf_init(&taps->text, 64 << 10);
}

void taps_release(struct taps *taps)
{
	tr2_buf_release(&taps->text);
}
