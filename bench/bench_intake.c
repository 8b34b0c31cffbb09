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
#include "bench/feed.h"

#define NR_RUNS 15
struct kept {
	uint64_t nr_bytes; /* of all full batches */
	uint64_t nr_events;
};

static void batch_take(struct feed *feed)
{
	const struct batch *batch = feed->batch;
	struct kept *kept = feed->data;

	kept->nr_bytes += batch->nr_words * 4ull + batch->nr_text_bytes +
			  batch->nr_sids * sizeof(struct batch_sid) +
			  (batch->shapes.nr + batch->sites.nr) * 8ull;
	kept->nr_events += batch->nr_events;
	batch_clear(feed->batch);
}

/* One run; nanoseconds an event. */
static double run(const char *bytes, size_t len, struct feed *feed)
{
	double ns = bench_cpu_ns();

	feed_bytes(feed, bytes, len);
	return (bench_cpu_ns() - ns) / (double)feed->counts.nr_events;
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
	char *bytes = feed_load(data, &len);

	if (!bytes || !tr2_intern_init(&syms, 0, 0)) {
		fputs("bench_intake: BENCH_DATA must name a file of events\n", stderr);
		return 2;
	}
	for (int i = 0; i < NR_RUNS; i++) {
		struct kept kept = { .nr_events = 0 };
		struct feed feed = { .reader = reader_new(READER_EVENT, &syms),
				     .batch = batch_new(),
				     .full = batch_take,
				     .data = &kept };
		double ns = run(bytes, len, &feed);

		bench_add(&ours, ns);
		nr_events = feed.counts.nr_events;
		kept_bytes = kept.nr_events ? (double)kept.nr_bytes / (double)kept.nr_events : 0;
		reader_free(feed.reader);
		batch_free(feed.batch);
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
