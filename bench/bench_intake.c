/* SPDX-License-Identifier: MIT */
/* Intake: bytes in memory to batches, compared with simdjson's On-Demand parser reading nine fields
 * of the same lines. CPU time of one thread; the runs of both alternate. */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/feed.h"
#include "engine/base/buf.h"

#define NR_RUNS      15
#define NR_REWRITTEN 50000
struct intake_kept {
	/* bytes and events of all full batches */
	uint64_t nr_bytes;
	uint64_t nr_events;
};

static void intake_batch_take(struct feed *feed)
{
	const struct batch *batch = feed->batch;
	struct intake_kept *kept = feed->data;

	kept->nr_bytes += batch->nr_words * 4ull + batch->nr_text_bytes +
			  batch->nr_sids * sizeof(struct batch_sid) +
			  (batch->shapes.nr + batch->sites.nr) * 8ull;
	kept->nr_events += batch->nr_events;
	batch_clear(feed->batch);
}

static double intake_run(const char *bytes, size_t len, struct feed *feed)
{
	double ns = bench_cpu_ns();

	feed_bytes(feed, bytes, len);
	return (bench_cpu_ns() - ns) / (double)feed->counts.nr_events;
}

/* Get the reference's nanoseconds per event, line by line and as a stream. Returns false on
 * failure. */
static bool run_reference(const char *data, double *lines_ns, double *stream_ns)
{
	const char *build = getenv("BENCH_BUILD");
	char command[4096];
	bool ok;
	FILE *pipe;

	snprintf(command, sizeof(command), "%s/ref_simdjson", build ? build : "bench");
	if (access(command, X_OK))
		return false;
	snprintf(command, sizeof(command), "'%s/ref_simdjson' '%s'", build ? build : "bench", data);
	pipe = popen(command, "r");
	ok = pipe && fscanf(pipe, "%lf %lf", lines_ns, stream_ns) == 2;
	if (pipe)
		pclose(pipe);
	return ok;
}

/* Append the line, unchanged or modified, without its newline. */
typedef void rewrite_fn(struct tr2_buf *out, const char *line, size_t len);

static void as_it_is(struct tr2_buf *out, const char *line, size_t len)
{
	tr2_buf_add(out, line, len);
}

/* Remove time, file and line, which are adjacent. */
static void brief(struct tr2_buf *out, const char *line, size_t len)
{
	const char *time = memmem(line, len, ",\"time\":", 8), *number = NULL, *rest = NULL;

	if (time)
		number = memmem(time, (size_t)(line + len - time), ",\"line\":", 8);
	if (number)
		rest = memmem(number + 1, (size_t)(line + len - number) - 1, ",\"", 2);
	if (!rest)
		rest = time = line;
	tr2_buf_add(out, line, (size_t)(time - line));
	tr2_buf_add(out, rest, (size_t)(line + len - rest));
}

/* Move the first key, the event's name, to the end, so that no key is at its predicted place. */
static void reordered(struct tr2_buf *out, const char *line, size_t len)
{
	const char *comma = memchr(line, ',', len);

	if (!comma) {
		tr2_buf_add(out, line, len);
		return;
	}
	tr2_buf_addch(out, '{');
	tr2_buf_add(out, comma + 1, (size_t)(line + len - comma) - 2);
	tr2_buf_add(out, ",", 1);
	tr2_buf_add(out, line + 1, (size_t)(comma - line) - 1);
	tr2_buf_addch(out, '}');
}

/* Put a blank after each comma and colon outside strings, as many JSON writers do. */
static void blanks(struct tr2_buf *out, const char *line, size_t len)
{
	bool inside = false;

	for (size_t i = 0; i < len; i++) {
		tr2_buf_addch(out, line[i]);
		if (line[i] == '"' && line[i - !!i] != '\\')
			inside = !inside;
		if (!inside && (line[i] == ',' || line[i] == ':'))
			tr2_buf_addch(out, ' ');
	}
}

static void long_argv(struct tr2_buf *out, const char *line, size_t len)
{
	const char *list = memmem(line, len, "\"argv\":[", 8);

	if (!list) {
		tr2_buf_add(out, line, len);
		return;
	}
	list += 8;
	tr2_buf_add(out, line, (size_t)(list - line));
	for (int i = 0; i < 100; i++)
		tr2_buf_addf(out, "\"src/directory/file-%d.c\",", i);
	tr2_buf_add(out, list, (size_t)(line + len - list));
}

static const struct {
	const char *what;
	rewrite_fn *rewrite;
} kinds[] = {
	{ "  the first of them, unchanged", as_it_is },
	{ "  brief: no time, file, line", brief },
	{ "  argv with 100 more items", long_argv },
	{ "  the event's name last (slow path)", reordered },
	{ "  blanks between tokens (slow path)", blanks },
};

static void rewrite(struct tr2_buf *out, const char *bytes, size_t len, rewrite_fn *how)
{
	const char *end = bytes + len, *lf;

	for (int i = 0; i < NR_REWRITTEN && (lf = memchr(bytes, '\n', (size_t)(end - bytes)));
	     i++, bytes = lf + 1) {
		how(out, bytes, (size_t)(lf - bytes));
		tr2_buf_addch(out, '\n');
	}
	tr2_buf_reserve(out, SPLITTER_PAD);
}

static void print_reference(struct bench_runs *ours, struct bench_runs *ref, const char *what)
{
	bench_row(what, ref, "ns/event");
	printf("%-44s %10.2f\n", "  splitter + reader / that",
	       bench_median(ours) / bench_median(ref));
}

static void measure_kind(const char *bytes, size_t len, rewrite_fn *how, const char *what,
			 struct tr2_intern *syms)
{
	struct bench_runs runs = { .nr = 0 };
	struct tr2_buf text;
	double per_event = 0;

	tr2_buf_init(&text, 1u << 30);
	rewrite(&text, bytes, len, how);
	for (int i = 0; i < NR_RUNS; i++) {
		struct intake_kept kept = { .nr_events = 0 };
		struct feed feed = { .reader = reader_new(READER_EVENT, syms),
				     .batch = batch_new(),
				     .full = intake_batch_take,
				     .data = &kept };

		bench_add(&runs, intake_run(text.data, text.len, &feed));
		per_event = (double)text.len / (double)feed.counts.nr_events;
		reader_free(feed.reader);
		batch_free(feed.batch);
	}
	bench_row(what, &runs, "ns/event");
	printf("%-44s %10.0f bytes/event\n", "", per_event);
	tr2_buf_release(&text);
}

int main(void)
{
	const char *data = getenv("BENCH_DATA");
	struct bench_runs ours = { .nr = 0 }, by_line = { .nr = 0 }, stream = { .nr = 0 };
	double by_line_ns, stream_ns;
	static struct tr2_intern syms;
	uint64_t nr_events = 0;
	double kept_bytes = 0;
	size_t len;
	char *bytes = feed_load(data, &len);

	if (!bytes || !tr2_intern_init(&syms, 0, 0)) {
		fputs("bench_intake: BENCH_DATA must name a file of events\n", stderr);
		return 2;
	}
	for (int i = 0; i < NR_RUNS; i++) {
		struct intake_kept kept = { .nr_events = 0 };
		struct feed feed = { .reader = reader_new(READER_EVENT, &syms),
				     .batch = batch_new(),
				     .full = intake_batch_take,
				     .data = &kept };
		double ns = intake_run(bytes, len, &feed);

		bench_add(&ours, ns);
		nr_events = feed.counts.nr_events;
		kept_bytes = kept.nr_events ? (double)kept.nr_bytes / (double)kept.nr_events : 0;
		reader_free(feed.reader);
		batch_free(feed.batch);
		if (run_reference(data, &by_line_ns, &stream_ns)) {
			bench_add(&by_line, by_line_ns);
			bench_add(&stream, stream_ns);
		}
	}
	printf("intake: %" PRIu64 " events of %.0f bytes\n", nr_events,
	       (double)len / (double)nr_events);
	bench_row("splitter + reader", &ours, "ns/event");
	printf("%-44s %10.1f bytes/event\n", "batches", kept_bytes);
	if (by_line.nr) {
		print_reference(&ours, &by_line, "simdjson, nine fields, line by line");
		print_reference(&ours, &stream, "simdjson, nine fields, whole file");
	} else {
		puts("skipped: simdjson");
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		measure_kind(bytes, len, kinds[i].rewrite, kinds[i].what, &syms);
	free(bytes);
	tr2_intern_release(&syms);
	return 0;
}
