/* SPDX-License-Identifier: MIT */
/*
 * lookback_instants NR SEED [newest-first] < EVENTS: seek to NR random positions of a trace, in
 * random order, and compare the JSON report of each with that of a replay up to there. Exits with
 * status 2 at the first difference. newest-first: read the events as one file per process, newest
 * first, let the journal sort them by time, and compare the order with that of qsort().
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/split.h"
#include "engine/base/hash.h"
#include "monitor/history/journal_order.h"
#include "monitor/base/die.h"
#include "monitor/read/splitter.h"
#include "monitor/history/journal.h"
#include "monitor/history/lookback.h"
#include "monitor/read/reader.h"
#include "monitor/report/report.h"

#define HISTORY_BYTES (256u << 20)
#define NEW_EVERY     50

struct instant {
	uint64_t position, hash;
	ns_t took_ns, step_ns; /* duration of the seek, and of a step back */
};

struct trace {
	struct tr2_intern syms;
	struct reader *reader;
	struct journal *journal;
	struct batch *batch;
	struct read_counts counts;
	struct model *live;
	struct lookback *past;
};

static const struct model_config config = { .nesting = -1, .max_processes = DEFAULT_MAX_PROCESSES };

static ssize_t hash_write(void *data, const char *bytes, size_t len)
{
	uint64_t *hash = data;

	*hash = tr2_hash_pair(*hash, tr2_hash(bytes, len));
	return (ssize_t)len;
}

/* Return a hash of the JSON report. It depends on the pieces in which the report is written. */
static uint64_t model_hash(const struct model *model)
{
	struct model *copy = model_copy(model);
	struct report_input input = { .model = copy, .nesting = -1, .depth = -1, .parts = true };
	uint64_t hash = 1;
	FILE *to = fopencookie(&hash, "w", (cookie_io_functions_t){ .write = hash_write });
	static char buf[1 << 16];

	if (!to || setvbuf(to, buf, _IOFBF, sizeof(buf)) ||
	    !report_write(exporters[EXPORTER_JSON].ops, to, &input) || fclose(to))
		die("cannot write a report: %s", strerror(errno));
	model_free(copy);
	return hash;
}

static void apply_all(struct trace *t)
{
	const struct batch *batch;

	while ((batch = journal_next(t->journal))) {
		model_apply(t->live, batch);
		lookback_set_live_bytes(t->past, model_bytes(t->live));
		journal_trim(t->journal);
	}
}

static void batch_hand(struct trace *t)
{
	journal_push(t->journal, t->batch);
	t->batch = journal_take(t->journal);
	apply_all(t);
}

static void lines_read(struct trace *t, const char *lines, size_t len)
{
	while (len) {
		size_t used = reader_lines(t->reader, lines, len, t->batch, &t->counts, NULL, NULL);

		lines += used;
		len -= used;
		if (batch_is_full(t->batch))
			batch_hand(t);
	}
}

static void trace_begin(struct trace *t)
{
	if (!tr2_intern_init(&t->syms, 0, 0))
		die("out of memory");
	t->reader = reader_new(READER_EVENT, &t->syms);
	t->journal = journal_new(HISTORY_BYTES, NULL, NULL);
	t->batch = journal_take(t->journal);
	t->live = model_new(&t->syms, &config);
	t->past = lookback_new(t->journal, &t->syms, &config);
}

static void spans_read(struct trace *t, struct splitter_span span)
{
	while (splitter_next(&span))
		if (span.kind == SPLITTER_LINES)
			lines_read(t, span.bytes, span.len);
}

static void trace_read(struct trace *t, FILE *from)
{
	static char chunk[(256 << 10) + SPLITTER_PAD];
	struct splitter_counts counts = { 0 };
	struct splitter_pool pool;
	struct splitter splitter;
	size_t len;

	splitter_pool_init(&pool, SPLITTER_MAX_PARTIAL_BYTES);
	splitter_init(&splitter, &pool, &counts);
	while ((len = fread(chunk, 1, sizeof(chunk) - SPLITTER_PAD, from)))
		spans_read(t, splitter_feed(&splitter, chunk, len));
	spans_read(t, splitter_end(&splitter));
	splitter_pool_release(&pool);
	journal_push(t->journal, t->batch);
	apply_all(t);
}

struct happening {
	const char *time; /* time in the event, or a later one of an earlier event of its file */
	uint32_t file, order;
};

static char *all_of(FILE *from, size_t *len)
{
	size_t cap = 1 << 20;
	char *bytes = xmalloc(cap);

	for (*len = 0;;) {
		size_t nr = fread(bytes + *len, 1, cap - *len, from);

		if (!nr)
			return bytes;
		*len += nr;
		if (*len == cap)
			bytes = xrealloc(bytes, cap *= 2);
	}
}

static void stream_say(struct trace *t, uint32_t file)
{
	struct event ev = { .kind = REC_STREAM };

	event_set(&ev, FLD_STREAM, file);
	event_set(&ev, FLD_SOURCE, 0);
	event_set(&ev, FLD_ARRIVAL, tr2_clock_wall());
	event_set(&ev, FLD_LIVE, 0);
	batch_add(t->batch, &ev);
}

static void file_read(struct trace *t, const struct split *split, const char *bytes, uint32_t file)
{
	static char padded[(1 << 20) + READER_PAD];

	stream_say(t, file);
	for (uint32_t l = split->files[file].first; l != SPLIT_NONE; l = split->lines[l].next) {
		const struct split_line *line = &split->lines[l];

		if (line->len > 1 << 20)
			die("a line of %u bytes", line->len);
		if (batch_is_full(t->batch)) {
			batch_hand(t);
			stream_say(t, file);
		}
		memcpy(padded, bytes + line->at, line->len);
		reader_lines(t->reader, padded, line->len, t->batch, &t->counts, NULL, NULL);
	}
}

#define TIME_KEY "\"time\":\""

static int time_compare(const char *a, const char *b)
{
	return memcmp(a, b, sizeof("2026-01-02T03:04:05.678901Z") - 1);
}

static int by_happening(const void *a, const void *b)
{
	const struct happening *x = a, *y = b;
	int differ = time_compare(x->time, y->time);

	return differ ? differ : x->order < y->order ? -1 : x->order > y->order;
}

static struct happening *happenings_make(const struct split *split, char *bytes)
{
	struct happening *all = xcalloc(split->nr_lines, sizeof(*all));
	uint32_t nr = 0;

	for (uint32_t file = split->nr_files; file-- > 0;) {
		const char *latest = NULL;

		for (uint32_t l = split->files[file].first; l != SPLIT_NONE;
		     l = split->lines[l].next, nr++) {
			const struct split_line *line = &split->lines[l];
			const char *time =
				memmem(bytes + line->at, line->len, TIME_KEY, sizeof(TIME_KEY) - 1);

			if (!time)
				die("an event without a time");
			all[nr] = (struct happening){ time + sizeof(TIME_KEY) - 1, file, nr };
			if (latest && time_compare(all[nr].time, latest) < 0)
				all[nr].time = latest;
			latest = all[nr].time;
		}
	}
	qsort(all, nr, sizeof(*all), by_happening);
	return all;
}

static void order_check(struct trace *t, struct split *split, const struct happening *wanted)
{
	uint64_t at = 0;

	for (uint64_t seq = 0; seq < journal_end_seq(t->journal); seq++) {
		const struct batch *batch = journal_at(t->journal, seq);
		struct batch_cursor cursor = batch_begin(batch);
		struct event ev;

		while (batch_next(&cursor, &ev)) {
			if (!event_is_trace2(&ev))
				continue;
			uint32_t file = split_file_of(split, batch->sids[ev.v[TR2_F_SID]].hash);

			if (at >= split->nr_lines || wanted[at].file != file)
				die("event %" PRIu64 " is of another file", at);
			at++;
		}
	}
	if (at != split->nr_lines)
		die("%" PRIu64 " events of %u", at, split->nr_lines);
}

static void trace_read_newest_first(struct trace *t, FILE *from)
{
	struct happening *wanted;
	struct split split;
	size_t len;
	char *bytes = all_of(from, &len);
	ns_t begun;

	split_make(&split, bytes, len, (uint32_t)(len / 50), NULL);
	wanted = happenings_make(&split, bytes);
	for (uint32_t file = split.nr_files; file-- > 0;)
		file_read(t, &split, bytes, file);
	journal_push(t->journal, t->batch);
	apply_all(t);
	begun = tr2_clock_monotonic();
	if (!journal_is_disordered(t->journal) || !journal_order_sort(t->journal, NULL, NULL))
		die("nothing was to be put in order");
	printf("%u events of %u files in the order of time: %.1f ms\n", split.nr_lines,
	       split.nr_files, (double)(tr2_clock_monotonic() - begun) / 1e6);
	order_check(t, &split, wanted);
	free(wanted);
	split_release(&split);
	free(bytes);
}

static void trace_release(struct trace *t)
{
	lookback_free(t->past);
	model_free(t->live);
	journal_free(t->journal);
	reader_free(t->reader);
	tr2_intern_release(&t->syms);
}

struct replay {
	struct model *model;
	uint64_t seq, position;
	uint32_t record;
};

static void replay_to(const struct trace *t, struct replay *r, uint64_t position)
{
	const struct batch *batch;

	for (; r->position < position && (batch = journal_at(t->journal, r->seq)); r->seq++) {
		struct batch_cursor cursor = batch_begin(batch);
		uint32_t from = r->record, at = 0;
		struct event ev;

		while (r->position < position && batch_next(&cursor, &ev))
			if (at++ >= from)
				r->position += event_is_trace2(&ev);
		if (r->position < position)
			at = batch->nr_records;
		model_apply_range(r->model, batch, from, at);
		r->record = at;
		if (r->position == position)
			return;
		r->record = 0;
	}
}

static uint64_t fresh_hash(const struct trace *t, uint64_t position)
{
	struct replay fresh = { .model = model_new(&t->syms, &config) };
	uint64_t hash;

	replay_to(t, &fresh, position);
	hash = model_hash(fresh.model);
	model_free(fresh.model);
	return hash;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int by_position(const void *a, const void *b)
{
	const struct instant *x = a, *y = b;

	return x->position < y->position ? -1 : x->position > y->position;
}

static int by_time(const void *a, const void *b)
{
	const struct instant *x = a, *y = b;

	return x->took_ns < y->took_ns ? -1 : x->took_ns > y->took_ns;
}

static int by_step(const void *a, const void *b)
{
	const struct instant *x = a, *y = b;

	return x->step_ns < y->step_ns ? -1 : x->step_ns > y->step_ns;
}

static struct instant *instants_make(const struct trace *t, unsigned nr, uint64_t seed)
{
	struct instant *instants = xcalloc(nr, sizeof(*instants));
	struct replay replay = { .model = model_new(&t->syms, &config) };

	for (unsigned i = 0; i < nr; i++)
		instants[i].position = next_random(&seed) % (lookback_end(t->past) + 1);
	qsort(instants, nr, sizeof(*instants), by_position);
	for (unsigned i = 0; i < nr; i++) {
		replay_to(t, &replay, instants[i].position);
		instants[i].hash = i % NEW_EVERY == 0 ? fresh_hash(t, instants[i].position)
						      : model_hash(replay.model);
	}
	model_free(replay.model);
	for (unsigned i = nr; i > 1; i--) {
		unsigned other = (unsigned)(next_random(&seed) % i);
		struct instant swapped = instants[i - 1];

		instants[i - 1] = instants[other];
		instants[other] = swapped;
	}
	return instants;
}

static bool instant_check(struct trace *t, struct instant *instant)
{
	ns_t before = tr2_clock_monotonic();
	const struct model *model = lookback_seek(t->past, instant->position, NULL);

	instant->took_ns = tr2_clock_monotonic() - before;
	if (lookback_position(t->past) != instant->position || model_hash(model) != instant->hash)
		return false;
	before = tr2_clock_monotonic();
	lookback_seek(t->past, instant->position - (instant->position > 0), NULL);
	instant->step_ns = tr2_clock_monotonic() - before;
	return true;
}

int main(int argc, char **argv)
{
	unsigned nr = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	struct trace trace = { 0 };
	struct instant *instants;

	if (!nr || !seed) {
		fputs("usage: lookback_instants NR SEED [newest-first] < EVENTS (both more than "
		      "0)\n",
		      stderr);
		return 2;
	}
	trace_begin(&trace);
	if (argc > 3 && !strcmp(argv[3], "newest-first"))
		trace_read_newest_first(&trace, stdin);
	else
		trace_read(&trace, stdin);
	if (lookback_first(trace.past) || lookback_end(trace.past) < nr)
		die("%" PRIu64 " to %" PRIu64 " is not what was to be looked back at",
		    lookback_first(trace.past), lookback_end(trace.past));
	instants = instants_make(&trace, nr, seed);
	for (unsigned i = 0; i < nr; i++)
		if (!instant_check(&trace, &instants[i]))
			die("seed %" PRIu64 ": the state after %" PRIu64 " events is another one",
			    seed, instants[i].position);
	qsort(instants, nr, sizeof(*instants), by_time);
	printf("seed %" PRIu64 ": %u instants of %" PRIu64 " events, jumps of %.1f ms (median), "
	       "%.1f (99 %%), %.1f (worst)\n",
	       seed, nr, lookback_end(trace.past), (double)instants[nr / 2].took_ns / 1e6,
	       (double)instants[nr * 99 / 100].took_ns / 1e6,
	       (double)instants[nr - 1].took_ns / 1e6);
	qsort(instants, nr, sizeof(*instants), by_step);
	printf("one event back: %.1f ms (median), %.1f (99 %%), %.1f (worst)\n",
	       (double)instants[nr / 2].step_ns / 1e6,
	       (double)instants[nr * 99 / 100].step_ns / 1e6,
	       (double)instants[nr - 1].step_ns / 1e6);
	free(instants);
	trace_release(&trace);
	return 0;
}
