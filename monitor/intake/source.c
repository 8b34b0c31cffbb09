/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/intake/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/intake/intake_priv.h"

#define SOURCE(ID, spec, help, ops) extern const struct source_ops ops;
#include "monitor/intake/sources.def"

const struct source_ops *const source_kinds[NR_SOURCES] = {
#define SOURCE(ID, spec, help, ops) [SOURCE_##ID] = &ops,
#include "monitor/intake/sources.def"
};

const struct word source_words[NR_SOURCES] = {
#define SOURCE(ID, spec, help, ops) [SOURCE_##ID] = { spec, help },
#include "monitor/intake/sources.def"
};

/* ---- how it is named ---- */

static bool is_named(enum source_kind kind, const char *spec, const char **path)
{
	const struct word *word = &source_words[kind];
	size_t before = word_fixed(word);
	struct stat st;

	if (strncmp(spec, word->word, before))
		return false;
	*path = spec + before;
	if (!word->word[before]) {
		*path = NULL;
		return !spec[before];
	}
	return !source_kinds[kind]->claims ||
	       source_kinds[kind]->claims(stat(*path, &st) ? NULL : &st);
}

enum source_kind source_kind_of(const char *spec, const char **path)
{
	int kind = NR_SOURCES - 1;

	while (kind && !is_named(kind, spec, path))
		kind--;
	if (!kind)
		*path = spec;
	return kind;
}

/* Of paths as they are, Git takes absolute ones alone. */
const char *intake_target_path(const char *target)
{
	const char *path;
	enum source_kind kind = source_kind_of(target, &path);

	return source_kinds[kind]->is_target && (path != target || *path == '/') ? path : NULL;
}

char *intake_socket_spec(const char *path)
{
	const struct word *word = &source_words[SOURCE_STREAM];
	size_t before = word_fixed(word), len = strlen(path);
	char *spec = xmalloc(before + len + 1);

	memcpy(spec, word->word, before);
	memcpy(spec + before, path, len + 1);
	return spec;
}

/* ---- what is known of it ---- */

void source_refresh(struct source *s)
{
	struct source_stats *st = &s->live;

	st->bytes = s->framed.nr_bytes;
	st->oversized = s->framed.nr_oversized;
	st->foreign = s->framed.nr_foreign;
	st->events = s->read.nr_events;
	st->unknown = s->read.nr_unknown;
	st->malformed = s->read.nr_malformed + s->framed.nr_torn;
	st->records = st->events + st->malformed + st->oversized;
}

void source_error(struct source *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->live.error, sizeof(s->live.error), fmt, ap);
	va_end(ap);
}

void source_loss(struct source *s, const char *fmt, ...)
{
	va_list ap;

	s->incomplete = true;
	va_start(ap, fmt);
	vsnprintf(s->live.error, sizeof(s->live.error), fmt, ap);
	va_end(ap);
}

void source_set_state(struct source *s, enum source_state state)
{
	s->live.state = state == SOURCE_DONE && s->incomplete ? SOURCE_FAILED : state;
}

/* ---- its work ---- */

void source_busy(struct source *s)
{
	s->busy = true;
	if (s->live.state == SOURCE_FOLLOWING)
		s->live.state = SOURCE_READING;
	if (s->intake->running)
		ev_idle_start(s->intake->loop, &s->intake->idle);
}

void source_become(struct source *s, enum source_kind kind)
{
	s->become = source_kinds[kind];
}

bool source_convert(struct source *s)
{
	const struct source_ops *ops = s->become;
	char why[200];

	s->become = NULL;
	s->ops->close(s);
	s->ops = ops;
	s->live.kind = ops->kind;
	s->live.error[0] = '\0';
	s->can_wait = false;
	if (!ops->open(s, why, sizeof(why))) {
		source_error(s, "%s", why);
		ops->close(s);
		s->ops = ops = source_kinds[SOURCE_FILE];
		s->live.kind = ops->kind;
		ops->open(s, why, sizeof(why));
	}
	ops->start(s);
	return s->busy;
}

/* ---- streams ---- */

static void bad_note(struct source *s, const char *record, size_t len, const struct diag *why)
{
	struct source_stats *st = &s->live;
	struct bad_sample *bad;

	if (st->nr_bad == BAD_SAMPLES)
		return;
	bad = &st->bad[st->nr_bad++];
	*bad = (struct bad_sample){
		.len = (uint32_t)(len < BAD_SAMPLE_BYTES ? len : BAD_SAMPLE_BYTES),
		.record_len = (uint32_t)(len < UINT32_MAX ? len : UINT32_MAX),
		.number = s->read.nr_malformed + s->framed.nr_torn,
		.why = why->message,
		.offset = why->offset,
	};
	memcpy(bad->bytes, record, bad->len);
}

static void bad_record(void *data, const char *record, size_t len, const struct diag *why)
{
	bad_note(data, record, len, why);
}

static void bad_torn(void *data, const char *line, size_t len)
{
	static const struct diag torn = { DIAG_TORN, "the last line has no end", 0 };

	bad_note(((struct stream *)data)->source, line, len, &torn);
}

/* Say in the batch whose events follow. */
static void stream_announce(struct stream *stream)
{
	struct intake *in = stream->source->intake;
	struct event ev = { .kind = REC_STREAM };

	if (in->batch_stream == stream->number && in->batch_live == stream->live)
		return;
	/* The journal drops whole batches. */
	if (in->batch->is_safe != stream->source->can_wait)
		intake_push(in);
	in->batch->is_safe = stream->source->can_wait;
	in->batch_stream = stream->number;
	in->batch_live = stream->live;
	event_set(&ev, FLD_STREAM, stream->number);
	event_set(&ev, FLD_SOURCE, stream->source->number);
	event_set(&ev, FLD_ARRIVAL, tr2_clock_wall());
	event_set(&ev, FLD_LIVE, stream->live);
	if (stream->peer_pid)
		event_set(&ev, TR2_F_PID, stream->peer_pid);
	batch_add(in->batch, &ev);
}

static void stream_lines(void *data, const char *lines, size_t len)
{
	struct stream *stream = data;
	struct source *s = stream->source;
	struct intake *in = s->intake;

	while (len) {
		size_t used;

		stream_announce(stream);
		used = reader_lines(in->reader, lines, len, in->batch, &s->read, bad_record, s);
		lines += used;
		len -= used;
		if (batch_is_full(in->batch))
			intake_push(in);
	}
}

void stream_init(struct stream *stream, struct source *source)
{
	*stream = (struct stream){ .source = source, .number = source->intake->nr_streams++ };
	stream->live = source->intake->running;
	framer_init(&stream->framer, &source->intake->pool, &source->framed);
	source->live.nr_streams++;
}

/* The rule of directories. */
static enum verdict stream_judge(void *data, const char *bytes, size_t len, bool is_all)
{
	(void)data;
	switch (reader_detect(1u << READER_EVENT, bytes, len, is_all)) {
	case DETECT_MORE:
		return VERDICT_MORE;
	case DETECT_NONE:
		return VERDICT_FOREIGN;
	default:
		return VERDICT_LINES;
	}
}

static struct framer_sink stream_sink(struct stream *stream)
{
	return (struct framer_sink){ .lines = stream_lines,
				     .judge = stream_judge,
				     .torn = bad_torn,
				     .data = stream };
}

void stream_feed(struct stream *stream, const char *bytes, size_t len)
{
	struct framer_sink sink = stream_sink(stream);

	framer_feed(&stream->framer, bytes, len, &sink);
}

void stream_datagram(struct stream *stream, char *bytes, size_t len, bool cut)
{
	struct framer_sink sink = stream_sink(stream);

	framer_datagram(&stream->source->framed, bytes, len, cut, &sink);
}

void stream_end(struct stream *stream, bool connection)
{
	struct intake *in = stream->source->intake;
	struct framer_sink sink = stream_sink(stream);
	struct event ev = { .kind = REC_STREAM_END };

	framer_end(&stream->framer, &sink);
	if (!connection)
		return;
	event_set(&ev, FLD_STREAM, stream->number);
	event_set(&ev, FLD_ARRIVAL, tr2_clock_wall());
	batch_add(in->batch, &ev);
	in->batch_stream = UINT32_MAX;
}

void stream_release(struct stream *stream)
{
	framer_release(&stream->framer);
}
