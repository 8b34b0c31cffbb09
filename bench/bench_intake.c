/* SPDX-License-Identifier: MIT */
/*
 * Intake: bytes in memory to packed batches, framer and EVENT reader together, against
 * simdjson's On-Demand parser reading nine fields of the same lines (bench/ref_simdjson.cpp).
 * CPU time of one thread; the runs of both alternate.
 */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "monitor/framer.h"
#include "monitor/reader.h"

#define NR_RUNS 15
/* As much as a source reads at once. */
#define CHUNK_BYTES (256u << 10)

struct intake {
	struct reader *reader;
	struct batch *batch;
	struct read_counts counts;
	uint64_t nr_bytes; /* of all full batches */
	uint64_t nr_kept;  /* events in them */
};

static void take_lines(void *data, const char *lines, size_t len)
{
	struct intake *in = data;

	for (;;) {
		size_t used = reader_lines(in->reader, lines, len, in->batch, &in->counts, NULL,
					   NULL);

		lines += used;
		len -= used;
		if (!batch_is_full(in->batch))
			return;
		in->nr_bytes += in->batch->nr_words * 4ull + in->batch->nr_text_bytes +
				in->batch->nr_sids * sizeof(struct batch_sid) +
				(in->batch->shapes.nr + in->batch->sites.nr) * 8ull;
		in->nr_kept += in->batch->nr_events;
		batch_clear(in->batch);
	}
}

static char *load(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	char *bytes;

	if (!file || fseek(file, 0, SEEK_END))
		return NULL;
	*len = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*len + FRAMER_PAD);
	if (bytes)
		*len = fread(bytes, 1, *len, file);
	fclose(file);
	return bytes;
}

/* One run; nanoseconds an event. */
static double run(const char *bytes, size_t len, struct intake *in)
{
	struct framer_counts counts = { 0 };
	struct framer_sink sink = { take_lines, in };
	struct framer_pool pool;
	struct framer framer;
	double ns = bench_cpu_ns();

	framer_pool_init(&pool, FRAMER_MAX_PARTIAL_BYTES);
	framer_init(&framer, &pool, &counts);
	for (size_t at = 0; at < len; at += CHUNK_BYTES)
		framer_feed(&framer, bytes + at,
			    len - at < CHUNK_BYTES ? len - at : CHUNK_BYTES, &sink);
	framer_end(&framer, NULL, NULL);
	framer_pool_release(&pool);
	return (bench_cpu_ns() - ns) / (double)in->counts.nr_events;
}

/* The reference's nanoseconds an event, line by line and as a stream; false without it. */
static bool reference(const char *data, double *lines_ns, double *stream_ns)
{
	const char *build = getenv("BENCH_BUILD");
	char command[4096];
	bool ok;
	FILE *pipe;

	snprintf(command, sizeof(command), "%s/ref_simdjson", build ? build : "bench");
	if (access(command, X_OK))
		return false;
	snprintf(command, sizeof(command), "'%s/ref_simdjson' '%s'", build ? build : "bench",
		 data);
	pipe = popen(command, "r");
	ok = pipe && fscanf(pipe, "%lf %lf", lines_ns, stream_ns) == 2;
	if (pipe)
		pclose(pipe);
	return ok;
}

static void print_reference(struct bench_runs *ours, struct bench_runs *ref, const char *what)
{
	bench_row(what, ref, "ns/event");
	printf("%-44s %10.2f\n", "  framer + reader / that",
	       bench_median(ours) / bench_median(ref));
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
	char *bytes = data ? load(data, &len) : NULL;

	if (!bytes || !tr2_intern_init(&syms, 0, 0)) {
		fputs("bench_intake: BENCH_DATA must name a file of events\n", stderr);
		return 2;
	}
	for (int i = 0; i < NR_RUNS; i++) {
		struct intake in = { .reader = reader_new(READER_EVENT, &syms),
				     .batch = batch_new() };
		double ns = run(bytes, len, &in);

		bench_add(&ours, ns);
		nr_events = in.counts.nr_events;
		kept_bytes = in.nr_kept ? (double)in.nr_bytes / (double)in.nr_kept : 0;
		reader_free(in.reader);
		batch_free(in.batch);
		if (reference(data, &by_line_ns, &stream_ns)) {
			bench_add(&by_line, by_line_ns);
			bench_add(&stream, stream_ns);
		}
	}
	printf("intake: %" PRIu64 " events of %.0f bytes\n", nr_events,
	       (double)len / (double)nr_events);
	bench_row("framer + reader", &ours, "ns/event");
	printf("%-44s %10.1f bytes/event\n", "batches", kept_bytes);
	if (by_line.nr) {
		print_reference(&ours, &by_line, "simdjson, nine fields, line by line");
		print_reference(&ours, &stream, "simdjson, nine fields, whole file");
	} else {
		puts("skipped: simdjson");
	}
	free(bytes);
	tr2_intern_release(&syms);
	return 0;
}
