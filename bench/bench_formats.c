/* SPDX-License-Identifier: MIT */
/*
 * PERF: the events of BENCH_DATA written as that target writes them, and read again to batches and
 * a model; against the EVENT lines of the same events, in turns. CPU time of one thread.
 */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/feed.h"
#include "bench/split.h"
#include "engine/base/buf.h"
#include "engine/base/hash.h"
#include "monitor/event/sid.h"
#include "monitor/model/model.h"

#define NR_RUNS   11
#define MAX_BYTES (55u << 20) /* of EVENT */
#define NR_OPEN   (1u << 16)

/* ---- EVENT to PERF ---- */

struct writer {
	struct tr2_intern syms;
	struct split split; /* lines of PERF by process */
	struct tr2_buf text;
	uint32_t nr_open[NR_OPEN]; /* by hash of SID and thread */
	ns_t first[NR_OPEN];       /* time of a process's first line, by hash of its SID */
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

static void add_text(struct tr2_buf *out, bool quoted, const char *text, size_t len)
{
	if (quoted)
		add_quoted(out, text, len);
	else
		tr2_buf_add(out, text, len);
}

static void add_field(struct writer *w, const struct batch *batch, const struct event *ev,
		      const struct tr2_piece *piece)
{
	int64_t v = ev->v[piece->field], item;
	bool quoted = piece->how == TR2_PIECE_QUOTED;
	const char *text;
	size_t len;

	switch (tr2_fields[piece->field].type) {
	case TR2_TYPE_SYM:
		text = tr2_intern_text(&w->syms, (sym_t)v, &len);
		add_text(&w->text, quoted, text, len);
		break;
	case TR2_TYPE_TEXT:
		text = batch_text(batch, v, &len);
		add_text(&w->text, quoted, text, len);
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

static void add_time(struct tr2_buf *out, bool there, ns_t ns)
{
	if (there)
		tr2_buf_addf(out, "%2d.%06d | ", (int)(ns / NS_PER_SEC),
			     (int)(ns % NS_PER_SEC / NS_PER_US));
	else
		tr2_buf_addstr(out, "          | ");
}

static const char *sym_of(const struct writer *w, const struct event *ev, unsigned field, int *len)
{
	size_t bytes;
	const char *text = tr2_intern_text(&w->syms, event_sym(ev, field), &bytes);

	*len = (int)bytes;
	return text;
}

/* One line; its process. */
static uint64_t add_line(struct writer *w, const struct batch *batch, const struct event *ev)
{
	const struct tr2_event_desc *row = &tr2_events[ev->kind];
	size_t sid_len, from = w->text.len;
	const char *sid = batch_sid_text(batch, (uint32_t)ev->v[TR2_F_SID], &sid_len);
	uint64_t process = tr2_hash(sid, sid_len);
	uint32_t *open = &w->nr_open[tr2_hash_pair(process, event_sym(ev, TR2_F_THREAD)) % NR_OPEN];
	ns_t time = event_get(ev, TR2_F_TIME, 0), *first = &w->first[process % NR_OPEN];
	int64_t us = time / NS_PER_US % 86400000000;
	unsigned category = ev->kind == TR2_E_DEF_PARAM ? TR2_F_SCOPE : TR2_F_CATEGORY;
	const char *text;
	int len;

	if (ev->kind == TR2_E_VERSION)
		*first = time - 100 * NS_PER_US;
	tr2_buf_addf(&w->text, "%02d:%02d:%02d.%06d ", (int)(us / 3600000000),
		     (int)(us / 60000000 % 60), (int)(us / 1000000 % 60), (int)(us % 1000000));
	text = sym_of(w, ev, TR2_F_FILE, &len);
	tr2_buf_addf(&w->text, "%.*s:%" PRId64, len > 24 ? 20 : len, text,
		     event_get(ev, TR2_F_LINE, 0));
	if (w->text.len - from < 44)
		tr2_buf_fill(&w->text, ' ', 44 - (w->text.len - from));
	text = sym_of(w, ev, TR2_F_THREAD, &len);
	tr2_buf_addf(&w->text, " | d%u | %-24.*s | %-12s | ", sid_depth(sid, sid_len), len, text,
		     row->wire);
	if (event_has(ev, TR2_F_REPO))
		tr2_buf_addf(&w->text, "r%-2" PRId64 " | ", ev->v[TR2_F_REPO]);
	else
		tr2_buf_addstr(&w->text, "    | ");
	add_time(&w->text, row->times >= TR2_TIMES_ABS, time - *first);
	add_time(&w->text, row->times == TR2_TIMES_ABS_REL, event_get(ev, TR2_F_T_REL, 0));
	text = sym_of(w, ev, category, &len);
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
	for (const struct tr2_piece *piece = row->perf; piece->how != TR2_PIECE_END; piece++) {
		if (!event_has(ev, piece->field) || piece->how == TR2_PIECE_ERRNO)
			continue;
		tr2_buf_add(&w->text, piece->lead, piece->lead_len);
		add_field(w, batch, ev, piece);
		tr2_buf_add(&w->text, piece->tail, piece->tail_len);
	}
	tr2_buf_addch(&w->text, '\n');
	return process;
}

static void write_batch(struct feed *feed)
{
	struct writer *w = feed->data;
	struct batch_cursor cursor = batch_begin(feed->batch);
	struct event ev;

	while (batch_next(&cursor, &ev)) {
		size_t from = w->text.len;
		uint64_t process;

		if (ev.kind >= TR2_NR_EVENTS || !event_has(&ev, TR2_F_SID))
			continue;
		process = add_line(w, feed->batch, &ev);
		split_line_add(&w->split, process, from, w->text.len - from);
	}
	batch_clear(feed->batch);
}

/* ---- the runs ---- */

struct target {
	struct tr2_intern syms;
	struct model *model;
	struct feed feed;
	uint32_t nr_processes;
	void *shared;
};

static void apply(struct feed *feed)
{
	struct target *t = feed->data;

	model_apply(t->model, feed->batch);
	batch_clear(feed->batch);
}

static struct target *target_new(void)
{
	struct target *t = calloc(1, sizeof(*t));

	if (!t || !tr2_intern_init(&t->syms, 0, 0))
		exit(1);
	t->model =
		model_new(&t->syms, &(struct model_config){ .nesting = -1, .max_processes = 1000 });
	t->feed = (struct feed){ .batch = batch_new(), .full = apply, .data = t };
	return t;
}

static double target_end(struct target *t, double from)
{
	double ns;
	uint64_t nr = t->feed.counts.nr_events;

	apply(&t->feed);
	ns = bench_cpu_ns() - from;
	if (!nr || t->feed.counts.nr_malformed)
		printf("formats: %" PRIu64 " malformed\n", t->feed.counts.nr_malformed);
	batch_free(t->feed.batch);
	model_free(t->model);
	tr2_intern_release(&t->syms);
	free(t->shared);
	free(t);
	return nr ? ns / (double)nr : 0;
}

static double run_event(const char *bytes, size_t len)
{
	struct target *t = target_new();
	double from = bench_cpu_ns();

	t->feed.reader = reader_new(READER_EVENT, &t->syms);
	feed_bytes(&t->feed, bytes, len);
	reader_free(t->feed.reader);
	return target_end(t, from);
}

static struct reader_stream stream_of(struct target *t, bool one_process)
{
	return (struct reader_stream){ .name = "bench",
				       .one_process = one_process,
				       .reference_ns = 1795262400 * NS_PER_SEC,
				       .nr_processes = &t->nr_processes,
				       .shared = &t->shared };
}

static void feed_stream(struct target *t, const struct reader_stream *stream, const char *bytes,
			size_t len)
{
	t->feed.reader = reader_new_of(READER_PERF, &t->syms, stream);
	feed_bytes(&t->feed, bytes, len);
	reader_finish(t->feed.reader, false, &t->feed.counts, NULL, NULL);
	reader_pump(t->feed.reader, t->feed.batch, &t->feed.counts, NULL, NULL);
	reader_free(t->feed.reader);
}

static double run_appended(const struct writer *w)
{
	struct target *t = target_new();
	struct reader_stream stream = stream_of(t, false);
	double from = bench_cpu_ns();

	feed_stream(t, &stream, w->text.data, w->text.len);
	return target_end(t, from);
}

/* `files`: where each process's lines stand together, of `lens` bytes. */
static double run_files(const struct writer *w, const char *files, const size_t *lens)
{
	struct target *t = target_new();
	struct reader_stream stream = stream_of(t, true);
	double from = bench_cpu_ns();
	size_t at = 0;

	for (uint32_t i = 0; i < w->split.nr_files; i++) {
		feed_stream(t, &stream, files + at, lens[i]);
		at += lens[i];
	}
	return target_end(t, from);
}

int main(void)
{
	static struct writer w;
	static struct bench_runs event, files, appended;
	struct feed feed = { .full = write_batch, .data = &w };
	size_t len, at = 0, *lens;
	char *bytes = feed_load(getenv("BENCH_DATA"), &len), *apart;

	if (!bytes || !tr2_intern_init(&w.syms, 0, 0))
		return 1;
	while (len > MAX_BYTES || (len && bytes[len - 1] != '\n'))
		len--;
	tr2_buf_init(&w.text, SIZE_MAX / 2);
	split_make(&w.split, bytes, 0, (uint32_t)(len / 64), NULL);
	feed.batch = batch_new();
	feed.reader = reader_new(READER_EVENT, &w.syms);
	feed_bytes(&feed, bytes, len);
	write_batch(&feed);
	tr2_buf_fill(&w.text, '\n', FRAMER_PAD);
	w.text.len -= FRAMER_PAD;
	apart = malloc(w.text.len + FRAMER_PAD);
	lens = calloc(w.split.nr_files, sizeof(*lens));
	if (!apart || !lens)
		return 1;
	for (uint32_t i = 0; i < w.split.nr_files; i++)
		for (uint32_t n = w.split.files[i].first; n != SPLIT_NONE;) {
			const struct split_line *line = &w.split.lines[n];

			memcpy(apart + at, w.text.data + line->at, line->len);
			at += line->len;
			lens[i] += line->len;
			n = line->next;
		}
	for (int i = 0; i < NR_RUNS; i++) {
		bench_add(&event, run_event(bytes, len));
		bench_add(&files, run_files(&w, apart, lens));
		bench_add(&appended, run_appended(&w));
	}
	printf("formats: %zu MB of EVENT, %zu MB of PERF, reader and model\n", len >> 20, at >> 20);
	bench_row("  EVENT", &event, "ns/event");
	bench_row("  PERF, a process a stream", &files, "ns/event");
	printf("    against EVENT: %.2f (goal 1.3)\n", bench_median(&files) / bench_median(&event));
	bench_row("  PERF, an appended file", &appended, "ns/event");
	printf("    against EVENT: %.2f (goal 2)\n",
	       bench_median(&appended) / bench_median(&event));
	return 0;
}
