/* SPDX-License-Identifier: MIT */
/*
 * PERF and NORMAL: the first events of BENCH_DATA are written in these formats (NORMAL lacks some
 * kinds of events), then read into batches and a model, alternating with the EVENT lines. CPU time
 * of one thread.
 */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/split.h"
#include "bench/target.h"
#include "engine/base/buf.h"
#include "engine/base/hash.h"
#include "monitor/event/sid.h"

#define NR_RUNS   11
#define MAX_BYTES (55u << 20) /* maximum length of the EVENT data */
#define NR_OPEN   (1u << 16)

struct text_writer {
	bool is_normal;
	struct tr2_intern syms;
	struct split split; /* lines by process */
	struct tr2_buf text;
	char *files; /* the lines of each process, concatenated */
	size_t *lens;
	uint32_t nr_open[NR_OPEN]; /* number of open regions, by hash of SID and thread */
	ns_t first[NR_OPEN]; /* 100 us before a process's `version` event, by hash of its SID */
};

static void add_quoted(struct tr2_buf *out, const char *text, size_t len)
{
	tr2_buf_addch(out, '\'');
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\'')
			tr2_buf_addstr(out, "'\\''");
		else
			tr2_buf_addch(out, text[i]);
	tr2_buf_addch(out, '\'');
}

static void text_event_add_text(struct tr2_buf *out, bool quoted, const char *text, size_t len)
{
	if (quoted)
		add_quoted(out, text, len);
	else
		tr2_buf_add(out, text, len);
}

static void text_event_add_field(struct text_writer *w, const struct batch *batch,
				 const struct event *ev, const struct tr2_piece *piece)
{
	int64_t v = ev->v[piece->field], item;
	bool quoted = piece->how == TR2_PIECE_QUOTED;
	const char *text;
	size_t len;

	switch (tr2_fields[piece->field].type) {
	case TR2_TYPE_SYM:
		text = tr2_intern_text(&w->syms, (sym_t)v, &len);
		text_event_add_text(&w->text, quoted, text, len);
		break;
	case TR2_TYPE_TEXT:
		text = batch_text(batch, v, &len);
		text_event_add_text(&w->text, quoted, text, len);
		break;
	case TR2_TYPE_LIST:
		for (uint32_t nr = batch_list(batch, v, &item), i = 0; i < nr; i++) {
			text = batch_text(batch, item, &len);
			tr2_buf_addstr(&w->text, i ? " " : "");
			add_quoted(&w->text, text, len);
			item = batch_list_next(batch, item);
		}
		break;
	case TR2_TYPE_TIME:
		tr2_buf_addf(&w->text, "%" PRId64 ".%06d", v / (int64_t)NS_PER_SEC,
			     (int)(v % NS_PER_SEC / NS_PER_US));
		break;
	default:
		tr2_buf_addf(&w->text, "%" PRId64, v);
	}
}

static void text_event_add_time(struct tr2_buf *out, bool there, ns_t ns)
{
	if (there)
		tr2_buf_addf(out, "%2d.%06d | ", (int)(ns / NS_PER_SEC),
			     (int)(ns % NS_PER_SEC / NS_PER_US));
	else
		tr2_buf_addstr(out, "          | ");
}

static const char *text_event_sym(const struct text_writer *w, const struct event *ev,
				  unsigned field, int *len)
{
	size_t bytes;
	const char *text = tr2_intern_text(&w->syms, event_sym(ev, field), &bytes);

	*len = (int)bytes;
	return text;
}

static void add_pieces(struct text_writer *w, const struct batch *batch, const struct event *ev,
		       const struct tr2_piece *piece)
{
	for (; piece->how != TR2_PIECE_END; piece++) {
		bool is_there = piece->how == TR2_PIECE_TEXT || event_has(ev, piece->field);

		if (!is_there || piece->how == TR2_PIECE_ERRNO)
			continue;
		tr2_buf_add(&w->text, piece->lead, piece->lead_len);
		if (piece->how != TR2_PIECE_TEXT)
			text_event_add_field(w, batch, ev, piece);
		tr2_buf_add(&w->text, piece->tail, piece->tail_len);
	}
	tr2_buf_addch(&w->text, '\n');
}

static void add_time_of_day(struct text_writer *w, ns_t time)
{
	int64_t us = time / NS_PER_US % 86400000000;

	tr2_buf_addf(&w->text, "%02d:%02d:%02d.%06d ", (int)(us / 3600000000),
		     (int)(us / 60000000 % 60), (int)(us / 1000000 % 60), (int)(us % 1000000));
}

static void add_normal(struct text_writer *w, const struct batch *batch, const struct event *ev)
{
	size_t from = w->text.len;
	const char *text;
	int len;

	add_time_of_day(w, event_get(ev, TR2_F_TIME, 0));
	text = text_event_sym(w, ev, TR2_F_FILE, &len);
	tr2_buf_addf(&w->text, "%.*s:%" PRId64 " ", len, text, event_get(ev, TR2_F_LINE, 0));
	if (w->text.len - from < 50)
		tr2_buf_fill(&w->text, ' ', 50 - (w->text.len - from));
	add_pieces(w, batch, ev, tr2_events[ev->kind].normal);
}

static void add_perf(struct text_writer *w, const struct batch *batch, const struct event *ev)
{
	const struct tr2_event_desc *formats_row = &tr2_events[ev->kind];
	size_t sid_len, from = w->text.len;
	const char *sid = batch_sid_text(batch, (uint32_t)ev->v[TR2_F_SID], &sid_len);
	uint64_t process = tr2_hash(sid, sid_len);
	uint32_t *open = &w->nr_open[tr2_hash_pair(process, event_sym(ev, TR2_F_THREAD)) % NR_OPEN];
	ns_t time = event_get(ev, TR2_F_TIME, 0), *first = &w->first[process % NR_OPEN];
	unsigned category = ev->kind == TR2_E_DEF_PARAM ? TR2_F_SCOPE : TR2_F_CATEGORY;
	const char *text;
	int len;

	if (ev->kind == TR2_E_VERSION)
		*first = time - 100 * NS_PER_US;
	add_time_of_day(w, time);
	text = text_event_sym(w, ev, TR2_F_FILE, &len);
	tr2_buf_addf(&w->text, "%.*s:%" PRId64, len > 24 ? 20 : len, text,
		     event_get(ev, TR2_F_LINE, 0));
	if (w->text.len - from < 44)
		tr2_buf_fill(&w->text, ' ', 44 - (w->text.len - from));
	text = text_event_sym(w, ev, TR2_F_THREAD, &len);
	tr2_buf_addf(&w->text, " | d%u | %-24.*s | %-12s | ", sid_depth(sid, sid_len), len, text,
		     formats_row->wire);
	if (event_has(ev, TR2_F_REPO))
		tr2_buf_addf(&w->text, "r%-2" PRId64 " | ", ev->v[TR2_F_REPO]);
	else
		tr2_buf_addstr(&w->text, "    | ");
	text_event_add_time(&w->text, formats_row->times >= TR2_TIMES_ABS, time - *first);
	text_event_add_time(&w->text, formats_row->times == TR2_TIMES_ABS_REL,
			    event_get(ev, TR2_F_T_REL, 0));
	text = text_event_sym(w, ev, category, &len);
	tr2_buf_addf(&w->text, "%s%-*.*s | ", category == TR2_F_SCOPE ? "scope:" : "",
		     category == TR2_F_SCOPE ? 6 : 12,
		     category == TR2_F_SCOPE && len > 6 ? 6
		     : len > 12                         ? 12
							: len,
		     text);
	if (ev->kind == TR2_E_REGION_LEAVE && *open)
		--*open;
	tr2_buf_fill(&w->text, '.', 2 * (size_t)*open);
	*open += ev->kind == TR2_E_REGION_ENTER;
	add_pieces(w, batch, ev, formats_row->perf);
}

static void write_batch(struct feed *feed)
{
	struct text_writer *w = feed->data;
	struct batch_cursor cursor = batch_begin(feed->batch);
	struct event ev;

	while (batch_next(&cursor, &ev)) {
		size_t from = w->text.len, len;
		const char *sid;

		if (ev.kind >= TR2_NR_EVENTS || !event_has(&ev, TR2_F_SID) ||
		    (w->is_normal && tr2_events[ev.kind].normal[0].how == TR2_PIECE_END))
			continue;
		if (w->is_normal)
			add_normal(w, feed->batch, &ev);
		else
			add_perf(w, feed->batch, &ev);
		sid = batch_sid_text(feed->batch, (uint32_t)ev.v[TR2_F_SID], &len);
		split_line_add(&w->split, tr2_hash(sid, len), from, w->text.len - from);
	}
	batch_clear(feed->batch);
}

/* Write the events of EVENT lines in the format PERF or NORMAL. Returns false if out of memory. */
static bool write_event_text(struct text_writer *w, char *bytes, size_t len, bool is_normal)
{
	struct feed feed = { .full = write_batch, .data = w };
	size_t at = 0;

	w->is_normal = is_normal;
	if (!tr2_intern_init(&w->syms, 0, 0))
		return false;
	tr2_buf_init(&w->text, SIZE_MAX / 2);
	split_make(&w->split, bytes, 0, (uint32_t)(len / 64), NULL);
	feed.batch = batch_new();
	feed.reader = reader_new(READER_EVENT, &w->syms);
	feed_bytes(&feed, bytes, len);
	write_batch(&feed);
	tr2_buf_fill(&w->text, '\n', SPLITTER_PAD);
	w->text.len -= SPLITTER_PAD;
	w->files = malloc(w->text.len + SPLITTER_PAD);
	w->lens = calloc(w->split.nr_files, sizeof(*w->lens));
	if (!w->files || !w->lens)
		return false;
	for (uint32_t i = 0; i < w->split.nr_files; i++)
		for (uint32_t n = w->split.files[i].first; n != SPLIT_NONE;) {
			const struct split_line *line = &w->split.lines[n];

			memcpy(w->files + at, w->text.data + line->at, line->len);
			at += line->len;
			w->lens[i] += line->len;
			n = line->next;
		}
	return true;
}

static double run_event_lines(const char *bytes, size_t len)
{
	struct bench_target *t = target_new();
	double from = bench_cpu_ns(), nr, ns;

	t->feed.reader = reader_new(READER_EVENT, &t->syms);
	feed_bytes(&t->feed, bytes, len);
	reader_free(t->feed.reader);
	ns = target_end(t, from, &nr);
	return ns / nr;
}

static double run_appended(const struct text_writer *w)
{
	struct bench_target *t = target_new();
	struct reader_stream stream = target_stream(t, "bench", false);
	double from = bench_cpu_ns(), nr, ns;

	target_feed(t, w->is_normal ? READER_NORMAL : READER_PERF, &stream, w->text.data,
		    w->text.len);
	ns = target_end(t, from, &nr);
	return ns / nr;
}

static double run_files(const struct text_writer *w)
{
	struct bench_target *t = target_new();
	struct reader_stream stream = target_stream(t, "bench", true);
	double from = bench_cpu_ns(), nr, ns;
	size_t at = 0;

	for (uint32_t i = 0; i < w->split.nr_files; i++) {
		target_feed(t, w->is_normal ? READER_NORMAL : READER_PERF, &stream, w->files + at,
			    w->lens[i]);
		at += w->lens[i];
	}
	ns = target_end(t, from, &nr);
	return ns / nr;
}

static void formats_row(const char *what, struct bench_runs *runs, struct bench_runs *event,
			const char *goal)
{
	bench_row(what, runs, "ns/event");
	printf("    against EVENT: %.2f%s\n", bench_median(runs) / bench_median(event), goal);
}

int main(void)
{
	static struct text_writer perf, normal;
	static struct bench_runs event, runs[4];
	size_t len;
	char *bytes = feed_load(getenv("BENCH_DATA"), &len);

	if (!bytes)
		return 1;
	while (len > MAX_BYTES || (len && bytes[len - 1] != '\n'))
		len--;
	if (!write_event_text(&perf, bytes, len, false) ||
	    !write_event_text(&normal, bytes, len, true))
		return 1;
	for (int i = 0; i < NR_RUNS; i++) {
		bench_add(&event, run_event_lines(bytes, len));
		bench_add(&runs[0], run_files(&perf));
		bench_add(&runs[1], run_appended(&perf));
		bench_add(&runs[2], run_files(&normal));
		bench_add(&runs[3], run_appended(&normal));
	}
	printf("formats: %zu MB of EVENT, %zu MB of PERF, %zu MB of NORMAL, reader and model\n",
	       len >> 20, perf.text.len >> 20, normal.text.len >> 20);
	bench_row("  EVENT", &event, "ns/event");
	formats_row("  PERF, one stream per process", &runs[0], &event, " (goal 1.3)");
	formats_row("  PERF, an appended file", &runs[1], &event, " (goal 2)");
	formats_row("  NORMAL, one stream per process", &runs[2], &event, "");
	formats_row("  NORMAL, an appended file", &runs[3], &event, "");
	return 0;
}
