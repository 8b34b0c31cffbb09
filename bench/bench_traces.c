/* SPDX-License-Identifier: MIT */
/*
 * Go execution traces and TraceLog, to batches and a model. Two Go traces, alternating with a bare
 * walk over their bytes (ref_gowalk.h). Then a TraceLog file, compared with lines of EVENT
 * (BENCH_DATA). CPU time of one thread.
 *
 * 	BENCH_GO, BENCH_GO_MANY, BENCH_TRACELOG		the files; a row without its file is skipped
 */
#include "config.h"

#include <string.h>

#include "bench/ref_gowalk.h"
#include "bench/target.h"

#define NR_RUNS 11
/* Maximum number of EVENT bytes, and of bytes of another file if it is repeated. */
#define MAX_BYTES (20u << 20)

struct traces_file {
	char *bytes;
	size_t len;
	unsigned nr_times;
};

/* Load a file, and set how many times it is read: as often as it fits into MAX_BYTES, or once. */
static bool file_load(struct traces_file *file, const char *variable)
{
	file->bytes = feed_load(getenv(variable), &file->len);
	if (!file->bytes || !file->len) {
		printf("skipped: no file in %s\n", variable);
		return false;
	}
	file->nr_times = file->len < MAX_BYTES ? (unsigned)(MAX_BYTES / file->len) : 1;
	return true;
}

/* Return the CPU nanoseconds of reading a file `nr_times` times. Sets `*nr` to the number of
 * events. */
static double traces_run(const struct traces_file *file, unsigned kind, double *nr)
{
	struct bench_target *t = target_new();
	struct reader_stream stream;
	double from = bench_cpu_ns();
	char name[32];

	for (unsigned i = 0; i < file->nr_times; i++) {
		snprintf(name, sizeof(name), "bench%u", i);
		stream = target_stream(t, name, true);
		target_feed(t, kind, &stream, file->bytes, file->len);
	}
	return target_end(t, from, nr);
}

static double traces_run_event(const struct traces_file *file, double *nr)
{
	struct bench_target *t = target_new();
	double from = bench_cpu_ns();

	t->feed.reader = reader_new(READER_EVENT, &t->syms);
	feed_bytes(&t->feed, file->bytes, file->len);
	reader_free(t->feed.reader);
	return target_end(t, from, nr);
}

static void go_rows(const char *what, const char *variable)
{
	struct bench_runs *ours = calloc(1, sizeof(*ours)), *walk = calloc(1, sizeof(*walk));
	struct ref_gowalk bare = { 0 };
	struct traces_file file;
	double nr_told;
	char text[80];

	if (!ours || !walk || !file_load(&file, variable))
		return;
	for (int i = 0; i < NR_RUNS; i++) {
		double from = bench_cpu_ns();

		bare = (struct ref_gowalk){ 0 };
		for (unsigned n = 0; n < file.nr_times; n++)
			ref_gowalk((const uint8_t *)file.bytes, file.len, &bare);
		bench_add(walk, (bench_cpu_ns() - from) / (double)bare.nr_events);
		bench_add(ours, traces_run(&file, READER_GO, &nr_told) / (double)bare.nr_events);
	}
	snprintf(text, sizeof(text), "Go, %s", what);
	bench_row(text, ours, "ns/event");
	bench_row("  bare walk", walk, "ns/event");
	printf("    ratio to the walk: %.1f (goal 15)%s\n", bench_median(ours) / bench_median(walk),
	       bare.sum ? "" : "!");
	free(file.bytes);
	free(ours);
	free(walk);
}

static void log_rows(void)
{
	static struct bench_runs ours[2], event[2];
	struct traces_file log, data;

	if (!file_load(&log, "BENCH_TRACELOG") || !file_load(&data, "BENCH_DATA"))
		return;
	while (data.len > MAX_BYTES || (data.len && data.bytes[data.len - 1] != '\n'))
		data.len--;
	for (int i = 0; i < NR_RUNS; i++) {
		double nr, ns = traces_run(&log, READER_TRACELOG, &nr);

		bench_add(&ours[0], ns / nr);
		bench_add(&ours[1], ns / (double)(log.len * log.nr_times));
		ns = traces_run_event(&data, &nr);
		bench_add(&event[0], ns / nr);
		bench_add(&event[1], ns / (double)data.len);
	}
	bench_row("TraceLog", &ours[0], "ns/event");
	bench_row("  EVENT", &event[0], "ns/event");
	printf("    ratio to EVENT: %.2f; per byte: %.1f ns, %.1f (goal 1.5)\n",
	       bench_median(&ours[0]) / bench_median(&event[0]), bench_median(&ours[1]),
	       bench_median(&ours[1]) / bench_median(&event[1]));
	free(log.bytes);
	free(data.bytes);
}

int main(void)
{
	go_rows("a compiler's trace", "BENCH_GO");
	go_rows("100,000 goroutines taking turns", "BENCH_GO_MANY");
	log_rows();
	return 0;
}
