/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/stream/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/read/seems.h"
#include "monitor/stream/origin.h"
#include "monitor/stream/packed.h"
#include "monitor/stream/sid_owners.h"
#include "monitor/stream/streams.h"

static void bad_note(struct origin *o, const char *record, size_t len, const struct diag *why)
{
	struct source_stats *st = &o->stats;
	struct bad_sample *bad;

	if (st->nr_bad == BAD_SAMPLES)
		return;
	bad = &st->bad[st->nr_bad++];
	*bad = (struct bad_sample){
		.len = (uint32_t)(len < BAD_SAMPLE_BYTES ? len : BAD_SAMPLE_BYTES),
		.record_len = (uint32_t)(len < UINT32_MAX ? len : UINT32_MAX),
		.number = o->read.nr_malformed + o->framed.nr_torn,
		.why = why->message,
		.offset = why->offset,
	};
	memcpy(bad->bytes, record, bad->len);
}

void stream_malformed(struct origin *o, const char *text, size_t len, const struct diag *why)
{
	o->read.nr_malformed++;
	bad_note(o, text, len, why);
}

void stream_bad_record(void *data, const char *record, size_t len, const struct diag *why)
{
	bad_note(data, record, len, why);
}

static void bad_torn(struct origin *o, const char *line, size_t len)
{
	static const struct diag torn = { DIAG_TORN, "the last line has no end", 0 };

	bad_note(o, line, len, &torn);
}

static ns_t stream_arrival(const struct stream *stream)
{
	return stream->played_ns == NS_NONE ? tr2_clock_wall() : stream->played_ns;
}

bool stream_is_own(const struct stream *stream)
{
	return stream->reader && stream->reader->ops->per_stream;
}

/*
 * Return the stream's own reader of the format `i`, or NULL. A stream of datagrams may have one per
 * format.
 */
static struct reader *own_reader(const struct stream *stream, unsigned i)
{
	if (stream->own)
		return i < nr_readers ? stream->own[i] : NULL;
	return i == stream->format && stream_is_own(stream) ? stream->reader : NULL;
}

void stream_keep_name(struct stream *stream)
{
	struct stream_name *name = stream_names_get(&stream->origin->streams->names, stream->name);

	stream->about.name = name->text;
	stream->about.nr_processes = &name->nr_processes;
}

static void format_seen(struct origin *o, unsigned format)
{
	if (o->formats_seen >> format & 1)
		return;
	o->formats_seen |= 1u << format;
	reader_names(o->formats_seen, o->stats.format, sizeof(o->stats.format));
}

static struct reader *reader_for(struct stream *stream, unsigned format)
{
	struct streams *all = stream->origin->streams;

	format_seen(stream->origin, format);
	if (!readers[format]->per_stream) {
		if (!all->readers[format])
			all->readers[format] = reader_new(format, all->syms);
		return all->readers[format];
	}
	if (!stream->about.name)
		stream_keep_name(stream);
	if (!stream->about.held_bytes) {
		stream->about.number = stream->number;
		stream->about.held_bytes = &all->held_bytes;
		stream->about.arrival_ns = stream_arrival(stream);
	}
	stream->about.shared = &all->shared[format];
	return reader_new_of(format, all->syms, &stream->about);
}

static void stream_begin(struct stream *stream, unsigned format)
{
	stream->reader = reader_for(stream, format);
	stream->format = (uint8_t)format;
	stream->splitter.framing = readers[format]->framing;
}

static void stream_count_held(struct stream *stream)
{
	struct streams *all = stream->origin->streams;
	size_t held = 0;

	for (unsigned i = 0; i < nr_readers; i++) {
		struct reader *reader = own_reader(stream, i);

		held += reader ? reader_held(reader) : 0;
	}
	all->held_bytes += held - stream->held;
	stream->origin->stats.held_bytes += (uint64_t)held - stream->held;
	stream->held = held;
}

static void readers_free(struct stream *stream)
{
	for (unsigned i = 0; i < nr_readers; i++)
		reader_free(own_reader(stream, i));
	free(stream->own);
	stream->own = NULL;
	stream->reader = NULL;
	stream->is_behind = stream->splitter.stalled = false;
	stream->about.name = NULL;
	stream->about.held_bytes = NULL;
	stream_count_held(stream);
}

/* Decide about a stream that matches none of its possible formats. If it matches another format,
 * and the source has no given format, note that for the user. */
static enum verdict refuse(struct stream *stream, const char *bytes, size_t len, bool is_all)
{
	struct origin *o = stream->origin;
	int format = reader_detect(~stream->formats, bytes, len, is_all);
	char *hint = o->stats.hint;
	size_t used = 0;

	if (format == DETECT_MORE)
		return VERDICT_MORE;
	if (format == DETECT_NONE || o->format >= 0)
		return VERDICT_FOREIGN;
	o->refused[format]++;
	for (unsigned i = 0; i < nr_readers && used < sizeof(o->stats.hint); i++) {
		const char *word = reader_words[i + 1].word;
		unsigned nr = o->refused[i];

		if (nr)
			used += (size_t)snprintf(
				hint + used, sizeof(o->stats.hint) - used,
				"%s%u file%s of format %s: --input-format=%s reads %s",
				used ? "; " : "", nr, nr == 1 ? " is" : "s are", word, word,
				nr == 1 ? "it" : "them");
	}
	return VERDICT_FOREIGN;
}

static void seems_add(struct stream *stream, const char *bytes, size_t len)
{
	struct source_stats *st = &stream->origin->stats;
	struct seems seems;

	if (*st->seems || !len)
		return;
	seems = seems_of(bytes, len);
	snprintf(st->seems, sizeof(st->seems), "%.60s seems to be %s: %s",
		 stream->refuses ? stream->name : "it", seems.what, seems.mend);
}

static enum verdict stream_decide_format(struct stream *stream, const char *bytes, size_t len,
					 bool is_all)
{
	int format = reader_detect(stream->formats, bytes, len, is_all);

	if (format == DETECT_MORE)
		return VERDICT_MORE;
	if (format == DETECT_NONE && stream->refuses) {
		enum verdict verdict = refuse(stream, bytes, len, is_all);

		if (verdict == VERDICT_FOREIGN && !*stream->origin->stats.hint)
			seems_add(stream, bytes, len);
		return verdict;
	}
	if (format == DETECT_NONE)
		seems_add(stream, bytes, len);
	stream_begin(stream, format == DETECT_NONE ? READER_EVENT : (unsigned)format);
	taps_format(stream);
	return stream->splitter.framing == FRAME_BYTES ? VERDICT_BYTES : VERDICT_LINES;
}

void stream_announce(struct stream *stream)
{
	struct streams *all = stream->origin->streams;
	struct event ev = { .kind = REC_STREAM };

	if (all->out.stream == stream->number && all->out.live == stream->live)
		return;
	batcher_set_safe(&all->out, stream->origin->can_wait);
	all->out.stream = stream->number;
	all->out.live = stream->live;
	event_set(&ev, FLD_STREAM, stream->number);
	event_set(&ev, FLD_SOURCE, stream->origin->number);
	event_set(&ev, FLD_ARRIVAL, stream_arrival(stream));
	event_set(&ev, FLD_LIVE, stream->live);
	if (stream->about.peer_pid)
		event_set(&ev, TR2_F_PID, stream->about.peer_pid);
	if (stream->has_uid)
		event_set(&ev, FLD_UID, stream->uid);
	if (stream->agent != SYM_NONE) {
		event_set(&ev, FLD_AGENT, stream->agent);
		if (!all->out.owners)
			all->out.owners = sid_owners_new();
	}
	if (stream->skew)
		event_set(&ev, FLD_T_GAP, stream->skew);
	batch_add(all->out.batch, &ev);
}

/*
 * Deliver the records that a reader has ready. Returns false if the journal is full before all are
 * delivered, the source can wait, and the stream is not ending; call again when the journal has
 * space.
 */
static bool pump(struct stream *stream, struct reader *reader)
{
	struct origin *o = stream->origin;
	struct streams *all = o->streams;
	bool more = reader->ops->pump != NULL;

	while (more) {
		stream_announce(stream);
		more = reader_pump(reader, all->out.batch, &o->read, stream_bad_record, o);
		if (batch_is_full(all->out.batch))
			batcher_push(&all->out);
		if (!more || !o->can_wait)
			continue;
		if (!stream->is_ending && !journal_has_room(all->out.journal))
			return false;
		if (all->read_datagrams)
			all->read_datagrams(all->data);
	}
	return true;
}

static void stream_lines(struct stream *stream, const char *lines, size_t len)
{
	struct origin *o = stream->origin;
	struct streams *all = o->streams;

	/* Skip data that the user does not want (reader_stream.is_skipped). A reader with one state
	 * per stream may need such data to decode later data. */
	if (stream->about.is_skipped && !stream->reader->ops->per_stream)
		return;
	while (len) {
		size_t used;

		stream_announce(stream);
		used = reader_lines(stream->reader, lines, len, all->out.batch, &o->read,
				    stream_bad_record, o);
		lines += used;
		len -= used;
		if (batch_is_full(all->out.batch))
			batcher_push(&all->out);
	}
	/* The splitter keeps no whole lines, so even a stream that is behind reads further ones. */
	if (!stream->is_behind)
		stream->is_behind = !pump(stream, stream->reader);
}

static size_t stream_bytes(struct stream *stream, const char *bytes, size_t len)
{
	struct origin *o = stream->origin;
	struct streams *all = o->streams;
	size_t used = 0, n = 1;
	bool full = false;

	while (!stream->is_behind && used < len && (n || full)) {
		stream_announce(stream);
		n = reader_bytes(stream->reader, bytes + used, len - used, all->out.batch, &o->read,
				 stream_bad_record, o);
		used += n;
		full = batch_is_full(all->out.batch);
		if (full)
			batcher_push(&all->out);
		stream->is_behind = !pump(stream, stream->reader);
	}
	stream->splitter.stalled = stream->is_behind;
	return used;
}

static void stream_spans(struct stream *stream, struct splitter_span span)
{
	while (splitter_next(&span))
		switch (span.kind) {
		case SPLITTER_LINES:
			stream_lines(stream, span.bytes, span.len);
			break;
		case SPLITTER_BYTES:
			span.used = stream_bytes(stream, span.bytes, span.len);
			break;
		case SPLITTER_PROBE:
			span.verdict = stream_decide_format(stream, span.bytes, span.len,
							    span.is_complete);
			break;
		case SPLITTER_TORN:
			bad_torn(stream->origin, span.bytes, span.len);
			break;
		case SPLITTER_NONE:
			break;
		}
}

static void waiting_remove(struct stream *stream)
{
	struct streams *all = stream->origin->streams;

	if (!stream->is_waiting)
		return;
	stream->is_waiting = false;
	if (stream->prev)
		stream->prev->next = stream->next;
	else
		all->waiting = stream->next;
	if (stream->next)
		stream->next->prev = stream->prev;
}

static bool silence_matters(const struct stream *stream)
{
	if (splitter_is_undecided(&stream->splitter))
		return true;
	for (unsigned i = 0; i < nr_readers; i++) {
		const struct reader *reader = own_reader(stream, i);

		if (reader && reader->ops->finish)
			return true;
	}
	return false;
}

/*
 * Put a stream into the list of streams that must be checked for silence, if that matters for the
 * stream, else remove it from the list.
 */
static void waiting_note(struct stream *stream)
{
	struct streams *all = stream->origin->streams;

	if (stream_is_own(stream) || stream->own)
		stream_count_held(stream);
	if (!silence_matters(stream)) {
		waiting_remove(stream);
		return;
	}
	stream->fed_ns = tr2_clock_monotonic();
	if (stream->is_waiting)
		return;
	stream->is_waiting = true;
	stream->prev = NULL;
	stream->next = all->waiting;
	if (stream->next)
		stream->next->prev = stream;
	all->waiting = stream;
}

static void readers_finish(struct stream *stream, bool is_quiet)
{
	struct origin *o = stream->origin;

	/* Records of a stream that ends must be delivered even if the journal is full. */
	stream->is_ending = !is_quiet;
	for (unsigned i = 0; i < nr_readers; i++) {
		struct reader *reader = own_reader(stream, i);

		if (!reader)
			continue;
		reader_finish(reader, is_quiet, &o->read, stream_bad_record, o);
		if (!pump(stream, reader))
			stream->is_behind = stream->splitter.stalled = true;
	}
	stream->is_ending = false;
	stream_count_held(stream);
}

static void stream_check_silence(struct stream *stream, ns_t now)
{
	ns_t silence = now - stream->fed_ns;

	/* A stream does not count as silent while its source has unread data. */
	if (stream->origin->is_busy)
		return;
	/* The source may not have noticed that the stream is behind: try to continue. */
	if (stream->is_behind) {
		stream_catch_up(stream);
		return;
	}
	if (splitter_is_undecided(&stream->splitter)) {
		if (silence < READER_DECIDE_NS)
			return;
		stream_spans(stream, splitter_decide(&stream->splitter));
		waiting_note(stream);
	} else if (silence >= READER_QUIET_NS) {
		readers_finish(stream, true);
		if (!stream->is_behind)
			waiting_remove(stream);
	}
}

bool streams_check(struct streams *all)
{
	ns_t now = tr2_clock_monotonic();

	for (struct stream *stream = all->waiting, *next; stream; stream = next) {
		next = stream->next;
		stream_check_silence(stream, now);
	}
	return all->waiting;
}

static uint32_t formats_of(int forced, bool refuses)
{
	uint32_t formats = forced < 0 ? FORMATS_ALL : 1u << forced;

	for (unsigned i = 0; refuses && forced < 0 && i < nr_readers; i++)
		if (readers[i]->is_twin)
			formats &= ~(1u << i);
	return formats;
}

void stream_init_again(struct stream *stream, struct origin *origin, uint32_t number)
{
	*stream = (struct stream){ .origin = origin, .name = origin->stats.spec, .number = number };
	stream->live = origin->streams->is_running;
	stream->agent = SYM_NONE;
	stream->about.reference_ns = NS_NONE;
	stream->played_ns = NS_NONE;
	stream->forced = (int8_t)origin->format;
	stream->formats = formats_of(origin->format, false);
	splitter_init(&stream->splitter, &origin->streams->pool, &origin->framed);
	stream->splitter.probes = origin->format < 0;
}

void stream_init(struct stream *stream, struct origin *origin)
{
	stream_init_again(stream, origin, origin->streams->nr++);
	origin->stats.nr_streams++;
}

void stream_refuse_others(struct stream *stream)
{
	stream->refuses = stream->splitter.probes = true;
	stream->formats = formats_of(stream->forced, true);
}

void stream_force(struct stream *stream, unsigned format)
{
	if (stream->forced >= 0)
		return;
	stream->forced = (int8_t)format;
	stream->formats = 1u << format;
	stream->splitter.probes = stream->refuses;
}

void stream_decide(struct stream *stream, unsigned format)
{
	if (stream->reader || stream->splitter.foreign || !(stream->formats >> format & 1))
		return;
	stream->formats = 1u << format;
	if (!splitter_is_undecided(&stream->splitter))
		return;
	stream_spans(stream, splitter_decide(&stream->splitter));
	waiting_note(stream);
}

void stream_go_on(struct stream *stream, unsigned format)
{
	stream->splitter.started = stream->goes_on = true;
	stream->splitter.probes = false;
	stream_begin(stream, format);
}

void stream_feed(struct stream *stream, const char *bytes, size_t len)
{
	if (!stream->reader && !stream->splitter.probes)
		stream_begin(stream, (unsigned)stream->forced);
	taps_bytes(stream, bytes, len);
	if (stream_is_own(stream))
		stream->about.arrival_ns = stream_arrival(stream);
	stream_spans(stream, splitter_feed(&stream->splitter, bytes, len));
	if (stream_is_own(stream) || stream->is_waiting || splitter_is_undecided(&stream->splitter))
		waiting_note(stream);
}

/* Return a datagram's format. A detected one is never binary. */
static unsigned datagram_format(const struct stream *stream, const char *bytes, size_t len)
{
	size_t at = 0;
	int format;

	if (stream->forced >= 0)
		return (unsigned)stream->forced;
	while (at < len && (bytes[at] == '\n' || bytes[at] == '\r'))
		at++;
	len -= at;
	if (!len)
		return READER_EVENT;
	len = len < SPLITTER_PROBE_BYTES ? len : SPLITTER_PROBE_BYTES;
	format = reader_detect(stream->formats, bytes + at, len, true);
	return format >= 0 && readers[format]->framing == FRAME_LINES ? (unsigned)format
								      : READER_EVENT;
}

void stream_datagram(struct stream *stream, char *bytes, size_t len, bool cut)
{
	unsigned format = datagram_format(stream, bytes, len);

	taps_datagram(stream, bytes, len, cut);
	if (!readers[format]->per_stream) {
		stream->reader = reader_for(stream, format);
	} else {
		if (!stream->own)
			stream->own = xcalloc(nr_readers, sizeof(struct reader *));
		if (!stream->own[format])
			stream->own[format] = reader_for(stream, format);
		stream->reader = stream->own[format];
		stream->about.arrival_ns = stream_arrival(stream);
	}
	stream->format = (uint8_t)format;
	len = splitter_datagram(&stream->origin->framed, bytes, len, cut);
	if (len)
		stream_lines(stream, bytes, len);
	if (stream->own)
		waiting_note(stream);
}

bool stream_catch_up(struct stream *stream)
{
	if (stream->packed && !packed_catch_up(stream))
		return false;
	if (!stream->is_behind)
		return true;
	stream->is_behind = !pump(stream, stream->reader);
	if (stream->is_behind)
		return false;
	stream->splitter.stalled = false;
	stream_spans(stream, splitter_resume(&stream->splitter));
	stream_count_held(stream);
	return !stream->is_behind;
}

void stream_end(struct stream *stream, bool connection)
{
	struct streams *all = stream->origin->streams;
	struct event ev = { .kind = REC_STREAM_END };

	stream->is_ending = true;
	packed_end(stream);
	stream_catch_up(stream);
	stream_spans(stream, splitter_end(&stream->splitter));
	readers_finish(stream, false);
	waiting_remove(stream);
	readers_free(stream);
	stream->splitter.probes = stream->forced < 0 || stream->refuses;
	taps_end(stream, connection);
	if (!connection)
		return;
	event_set(&ev, FLD_STREAM, stream->number);
	event_set(&ev, FLD_ARRIVAL, stream_arrival(stream));
	batch_add(all->out.batch, &ev);
	all->out.stream = UINT32_MAX;
}

void stream_release(struct stream *stream)
{
	waiting_remove(stream);
	readers_free(stream);
	packed_release(stream);
	splitter_release(&stream->splitter);
}

bool stream_has_state(const struct stream *stream)
{
	const struct splitter *splitter = &stream->splitter;

	if (splitter->foreign)
		return false;
	return splitter_held(splitter) || splitter->discard || stream->packed || !stream->reader ||
	       stream_is_own(stream);
}

bool stream_would_own(const struct origin *origin, bool refuses, const char *bytes, size_t len)
{
	int format = origin->format;

	if (packed_is(bytes, len))
		return true;
	if (format < 0)
		format = reader_detect(formats_of(format, refuses), bytes, len, true);
	return format >= 0 && readers[format]->per_stream;
}
