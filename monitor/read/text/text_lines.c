/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/text/text_lines.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"

/* If `per_stream` readers together hold more than OPEN_ALL_BYTES, no record of more than
 * OPEN_SMALL_BYTES is continued. */
#define OPEN_ALL_BYTES   (64u << 20)
#define OPEN_SMALL_BYTES (64u << 10)

_Static_assert(TR2_NR_EVENTS <= 64, "a mask of kinds is one number");

static void note_quoted(struct text_memo *memo, const struct text_format *format)
{
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++)
		for (const struct tr2_piece *piece = format->pieces(kind);
		     piece->how != TR2_PIECE_END; piece++)
			if (piece->how == TR2_PIECE_QUOTED)
				memo->quoted_kinds |= 1ull << kind;
}

void text_lines_begin(struct text_lines *l, const struct text_format *format,
		      struct tr2_intern *syms, const struct reader_stream *stream)
{
	struct text_memo *memo = stream->shared ? *stream->shared : NULL;

	l->format = format;
	if (!memo) {
		memo = xcalloc(1, sizeof(*memo));
		format->kinds(memo);
		note_quoted(memo, format);
		memo->format_sym = tr2_intern(syms, format->word, strlen(format->word));
		memo->main_sym = format->has_threads ? tr2_intern(syms, "main", 4) : SYM_NONE;
		if (stream->shared)
			*stream->shared = memo;
		else
			l->own_memo = memo;
	}
	l->source.stream = stream;
	l->clock.memo = &memo->clock;
	l->source.names = (struct text_names){ syms, memo };
	l->source.format = format->word;
	l->source.format_sym = memo->format_sym;
	l->source.main_sym = memo->main_sym;
	tr2_buf_init(&l->open, SPLITTER_MAX_LINE_BYTES + 2 * SCAN_PAD);
}

void text_lines_release(struct text_lines *l)
{
	tr2_buf_release(&l->open);
	free(l->own_memo);
}

static void text_malformed(struct text_lines *l, const char *line, size_t len, enum diag_code code,
			   const char *message)
{
	struct diag why = { code, message, 0 };

	l->source.counts->nr_malformed++;
	if (l->bad)
		l->bad(l->bad_data, line, len, &why);
}

/* True if a quote, brace or bracket is open at the end of the record, so that it continues. */
static bool record_is_open(struct text_lines *l, const struct text_record *rec)
{
	const char *end = rec->message.at + rec->message.len;

	if (rec->ev.kind == TR2_E_DATA_JSON) {
		const struct text_late *json = text_noted(rec, TR2_F_VALUE);

		if (!json)
			return false;
		l->open_is_json = true;
		l->json = (struct text_json_state){ 0 };
		text_json_scan(&l->json, json->text.at, end);
		return text_json_is_open(&l->json);
	}
	l->open_is_json = false;
	l->open_is_quoted = false;
	if (rec->ev.kind < TR2_NR_EVENTS &&
	    l->source.names.memo->quoted_kinds >> rec->ev.kind & 1 && !rec->known.tail)
		l->open_is_quoted = text_quote_state(false, rec->message.at, end);
	return l->open_is_quoted;
}

static ns_t wall_of(struct text_lines *l, const char *line, ns_t time_of_day)
{
	const struct reader_stream *stream = l->source.stream;
	ns_t wall =
		text_clock_next(&l->clock, time_of_day, stream->reference_ns, stream->arrival_ns);

	text_clock_note(&l->clock, line);
	return wall;
}

bool text_lines_first(struct text_lines *l, const char *p, int64_t *wall_us)
{
	ns_t time_of_day;

	if (!text_time_of_day(p, &time_of_day) || p[TEXT_TIME_BYTES] != ' ')
		return false;
	l->has_record = true;
	*wall_us = wall_of(l, p, time_of_day) / NS_PER_US;
	return true;
}

static void text_deliver_record(struct text_lines *l, struct text_record *rec, const char *line,
				size_t len)
{
	l->has_record = true;
	if (rec->wall_ns == NS_NONE && rec->time_of_day != NS_NONE)
		rec->wall_ns = wall_of(l, line, rec->time_of_day);
	l->format->take(l, rec, line, len);
}

static void open_close(struct text_lines *l)
{
	struct text_record rec;

	tr2_buf_fill(&l->open, '\n', SCAN_PAD);
	l->open.len -= SCAN_PAD;
	if (l->format->line(l, l->open.data, l->open.len, &rec) == TEXT_RECORD)
		text_deliver_record(l, &rec, l->open.data, l->open.len);
	else
		text_malformed(l, l->open.data, l->open.len, DIAG_EVENT,
			       "not a record of this format");
	tr2_buf_clear(&l->open);
	if (l->open.cap > OPEN_SMALL_BYTES)
		tr2_buf_release(&l->open);
}

static void open_give_up(struct text_lines *l, const char *why)
{
	text_malformed(l, l->open.data, l->open.len, DIAG_OVERSIZE, why);
	tr2_buf_release(&l->open);
}

static void open_line(struct text_lines *l, const char *line, size_t len)
{
	const size_t *held = l->source.stream->held_bytes;

	if (l->open.len + len + 1 > SPLITTER_MAX_LINE_BYTES ||
	    (held && *held > OPEN_ALL_BYTES && l->open.len + len > OPEN_SMALL_BYTES)) {
		open_give_up(l, "a quote or brace was not closed");
		return;
	}
	/* A line end in JSON becomes a blank, because stored JSON must not contain line ends. */
	tr2_buf_addch(&l->open, l->open_is_json ? ' ' : '\n');
	tr2_buf_add(&l->open, line, len);
	if (l->open_is_json) {
		text_json_scan(&l->json, line, line + len);
		if (text_json_is_open(&l->json))
			return;
	} else {
		l->open_is_quoted = text_quote_state(l->open_is_quoted, line, line + len);
		if (l->open_is_quoted)
			return;
	}
	open_close(l);
}

static void text_take_line(struct text_lines *l, const char *line, size_t len)
{
	struct text_record rec;

	if (len && line[len - 1] == '\r')
		len--;
	if (l->open.len) {
		open_line(l, line, len);
		return;
	}
	switch (l->format->line(l, line, len, &rec)) {
	case TEXT_RECORD:
		if (!l->has_record)
			l->is_brief = rec.time_of_day == NS_NONE;
		if (!record_is_open(l, &rec)) {
			text_deliver_record(l, &rec, line, len);
			return;
		}
		l->has_record = true;
		tr2_buf_add(&l->open, line, len);
		break;
	case TEXT_BAD:
		text_malformed(l, line, len, DIAG_EVENT, "a record of another format");
		break;
	case TEXT_OTHER:
		if (l->has_record)
			l->source.counts->nr_continued++;
		else if (len)
			text_malformed(l, line, len, DIAG_EVENT, "not a record of this format");
		break;
	}
}

size_t text_lines_read(struct text_lines *l, const char *bytes, size_t len, struct batch *batch,
		       struct read_counts *counts, read_bad_fn *bad, void *bad_data)
{
	const char *p = bytes, *end = bytes + len;

	text_source_fill(&l->source, batch, counts);
	l->bad = bad;
	l->bad_data = bad_data;
	while (p < end && !batch_is_full(batch)) {
		const char *next = l->open.len || !l->format->guessed
					   ? NULL
					   : l->format->guessed(l, p, end),
			   *lf;

		if (next) {
			p = next;
			continue;
		}
		lf = memchr(p, '\n', (size_t)(end - p));
		text_take_line(l, p, (size_t)(lf - p));
		p = lf + 1;
	}
	return (size_t)(p - bytes);
}

void text_lines_end(struct text_lines *l, struct read_counts *counts, read_bad_fn *bad,
		    void *bad_data)
{
	l->source.counts = counts;
	l->bad = bad;
	l->bad_data = bad_data;
	if (l->open.len)
		open_give_up(l, "it ends inside a quote or brace");
}
