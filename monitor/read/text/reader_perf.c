/* SPDX-License-Identifier: MIT */
/*
 * Reader of Git's PERF target: one line of columns per event. If several processes write to a
 * stream, perf_apart.h separates them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/read/text/perf_apart.h"
#include "monitor/read/text/perf_guess.h"
#include "monitor/read/text/perf_line.h"
#include "monitor/read/text/text_lines.h"
#include "monitor/read/text/text_memo.h"

struct perf_reader {
	/* must be the first member: functions cast its address to the whole struct */
	struct text_lines lines;
	/* the stream's process, if only one writes to it; NULL: none */
	struct text_process *only;
	struct perf_apart *apart;
	struct perf_last last; /* of `only` */
	bool has_left;         /* `apart` may hold lines to deliver */
};

static void perf_kinds(struct text_memo *memo)
{
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++) {
		char padded[MEMO_KIND_BYTES + SCAN_PAD] = "";
		size_t len = strlen(tr2_events[kind].wire);

		memcpy(padded, tr2_events[kind].wire, len);
		memo_kind_add(memo, padded, len, kind);
	}
}

static const struct tr2_piece *perf_pieces(unsigned kind)
{
	return tr2_events[kind].perf;
}

static enum text_line perf_parse_line(struct text_lines *lines, const char *text, size_t len,
				      struct text_record *rec)
{
	int64_t wall_us = len > TEXT_TIME_BYTES
				  ? text_clock_in_minute(&lines->clock, text,
							 lines->source.stream->arrival_ns)
				  : INT64_MIN;

	return perf_line(&lines->source.names, text, len,
			 wall_us == INT64_MIN ? NS_NONE : wall_us * NS_PER_US, rec);
}

static void note_open(struct perf_reader *r, unsigned kind, sym_t name, uint32_t nr_dots)
{
	struct text_thread *thread = text_thread_find(r->only, name);

	if (!thread && r->only->nr_threads < TEXT_MAX_THREADS)
		thread = text_thread_add(r->only, name);
	if (thread)
		thread->nr_open = nr_dots / 2 + (kind == TR2_E_REGION_ENTER);
}

/* The thread's open regions determine which dots belong to a message. */
static void perf_take_only(struct perf_reader *r, struct text_record *rec)
{
	unsigned kind = rec->ev.kind;
	struct text_thread *thread;

	if (!r->only)
		r->only = text_process_new(&r->lines.source, NULL, rec->depth);
	if (perf_is_free(kind)) {
		thread = text_thread_find(r->only, event_sym(&rec->ev, TR2_F_THREAD));
		perf_take_free(&r->lines.source.names, thread ? thread->nr_open : 0, rec);
	} else if (kind == TR2_E_REGION_ENTER || kind == TR2_E_REGION_LEAVE) {
		note_open(r, kind, event_sym(&rec->ev, TR2_F_THREAD), rec->nr_dots);
	}
	text_deliver(&r->lines.source, r->only, rec);
	if (rec->head && !r->lines.source.stream->is_skipped)
		perf_tail_learn_texts(&r->lines.source.names.memo->guesses, rec,
				      r->lines.source.batch);
}

static const char *perf_take_guessed(struct text_lines *lines, const char *p, const char *end)
{
	struct perf_reader *r = (struct perf_reader *)lines;
	struct text_source *source = &lines->source;
	struct perf_guesses *guesses = &source->names.memo->guesses;
	struct perf_known known;
	int64_t wall_us;
	const char *next;
	unsigned kind;

	if (end - p < PERF_LEAST_BYTES || r->apart || source->stream->is_skipped)
		return NULL;
	wall_us = text_clock_in_minute(&lines->clock, p, source->stream->arrival_ns);
	if (wall_us == INT64_MIN && r->only)
		return NULL;
	next = perf_guess(guesses, p, end, &r->last, &known);
	if (!next)
		return NULL;
	if (!r->only) {
		if (!text_lines_first(lines, p, &wall_us))
			return NULL;
		r->only = text_process_new(source, NULL, known.head->depth);
	}
	if (!perf_guess_put(guesses, &known, source->batch, text_process_emit(source, r->only),
			    wall_us, &r->last))
		return NULL;
	source->counts->nr_events++;
	kind = known.head->kind;
	if (kind == TR2_E_REGION_ENTER || kind == TR2_E_REGION_LEAVE)
		note_open(r, kind, known.head->thread, known.tail->nr_dots);
	return next;
}

static void perf_take_record(struct text_lines *lines, struct text_record *rec, const char *text,
			     size_t len)
{
	struct perf_reader *r = (struct perf_reader *)lines;

	if (r->apart)
		perf_apart_take(r->apart, rec, text, len);
	else
		perf_take_only(r, rec);
}

static const struct text_format format = {
	.word = "perf",
	.has_threads = true,
	.kinds = perf_kinds,
	.pieces = perf_pieces,
	.line = perf_parse_line,
	.guessed = perf_take_guessed,
	.take = perf_take_record,
};

static void perf_begin(void *state, struct tr2_intern *syms, const struct reader_stream *stream)
{
	struct perf_reader *r = state;

	text_lines_begin(&r->lines, &format, syms, stream);
	if (!stream->one_process)
		r->apart = perf_apart_new(&r->lines.source);
}

static size_t perf_read_lines(void *state, const char *bytes, size_t len, struct batch *batch,
			      struct read_counts *counts, read_bad_fn *bad, void *bad_data)
{
	struct perf_reader *r = state;

	return text_lines_read(&r->lines, bytes, len, batch, counts, bad, bad_data);
}

static void perf_finish(void *state, bool is_quiet, struct read_counts *counts, read_bad_fn *bad,
			void *bad_data)
{
	struct perf_reader *r = state;

	if (!is_quiet)
		text_lines_end(&r->lines, counts, bad, bad_data);
	r->has_left = r->apart != NULL;
}

static bool perf_pump(void *state, struct batch *batch, struct read_counts *counts,
		      read_bad_fn *bad, void *bad_data)
{
	struct perf_reader *r = state;

	(void)bad;
	(void)bad_data;
	if (!r->has_left)
		return false;
	r->has_left = false;
	text_source_fill(&r->lines.source, batch, counts);
	perf_apart_flush(r->apart);
	return false;
}

static size_t perf_held_bytes(const void *state)
{
	const struct perf_reader *r = state;

	return text_lines_bytes(&r->lines) + (r->only ? r->only->bytes : 0) +
	       (r->apart ? perf_apart_bytes(r->apart) : 0);
}

static void perf_release(void *state)
{
	struct perf_reader *r = state;

	perf_apart_free(r->apart);
	text_process_free(r->only);
	text_lines_release(&r->lines);
}

const struct reader_ops reader_perf_ops = {
	.state_bytes = sizeof(struct perf_reader),
	.framing = FRAME_LINES,
	.per_stream = true,
	.is_twin = true,
	.probe = perf_probe,
	.begin = perf_begin,
	.read_lines = perf_read_lines,
	.pump = perf_pump,
	.finish = perf_finish,
	.held_bytes = perf_held_bytes,
	.release = perf_release,
};
