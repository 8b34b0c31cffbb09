/* SPDX-License-Identifier: MIT */
/*
 * Taps: cost for the reading thread to append its bytes while a consumer pauses between polls; then
 * the recorder's compression and the decompression of a recording. CPU time of one thread. The
 * baseline is a plain copy.
 */
#include "config.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "bench/bench.h"
#include "monitor/base/tap.h"
#include "monitor/read/recording.h"

#define NR_RUNS     15
#define PIECE_BYTES 16384
#define MAX_BYTES   (64u << 20)

static char *data;
static size_t nr_data;
static uint64_t nr_events;
static struct bench_runs runs;

static void data_read(void)
{
	const char *path = getenv("BENCH_DATA");
	FILE *from = path ? fopen(path, "rb") : NULL;

	if (!from) {
		fprintf(stderr, "bench_tap: cannot read BENCH_DATA\n");
		exit(1);
	}
	data = malloc(MAX_BYTES);
	nr_data = fread(data, 1, MAX_BYTES, from);
	fclose(from);
	while (nr_data && data[nr_data - 1] != '\n')
		nr_data--;
	for (size_t i = 0; i < nr_data; i++)
		nr_events += data[i] == '\n';
}

struct tap_consumer {
	struct tap *tap;
	int rest_ms;
	_Atomic bool stop;
	uint64_t bytes;
};

static void *tap_consume(void *arg)
{
	struct tap_consumer *c = arg;
	struct tap_entry entry;
	bool stop;

	do {
		struct pollfd it = { .fd = tap_fd(c->tap), .events = POLLIN };

		stop = c->stop;
		while (tap_next(c->tap, &entry)) {
			c->bytes += entry.len;
			tap_done(c->tap);
		}
		tap_give_back(c->tap);
		if (!stop)
			poll(&it, 1, c->rest_ms);
	} while (!stop);
	return NULL;
}

static void tap_row(const char *what, size_t ring, int rest_ms, bool asks)
{
	uint64_t lost = 0;

	runs.nr = 0;
	for (int run = 0; run < NR_RUNS; run++) {
		struct tap_consumer c = { .tap = tap_new(ring), .rest_ms = rest_ms };
		struct tap_state state = { 0 };
		pthread_t thread;
		double ns = 0;

		pthread_create(&thread, NULL, tap_consume, &c);
		for (size_t at = 0; at < nr_data; at += PIECE_BYTES) {
			struct tap_entry entry = { .kind = TAP_BYTES, .bytes = data + at };
			double begun;

			entry.len =
				(uint32_t)(nr_data - at < PIECE_BYTES ? nr_data - at : PIECE_BYTES);
			while (asks && !tap_has_room(c.tap))
				sched_yield();
			begun = bench_cpu_ns();
			tap_put(c.tap, 0, &state, &entry);
			ns += bench_cpu_ns() - begun;
		}
		c.stop = true;
		tap_wake(c.tap);
		pthread_join(thread, NULL);
		lost += tap_lost(c.tap).bytes;
		if (c.bytes + tap_lost(c.tap).bytes != nr_data)
			printf("bench_tap: bytes are missing\n");
		tap_free(c.tap);
		bench_add(&runs, ns / (double)nr_events);
	}
	bench_row(what, &runs, "ns/event");
	if (lost)
		printf("  lost: %.1f %% of the bytes\n",
		       100.0 * (double)lost / (double)nr_data / NR_RUNS);
}

static void copy_row(void)
{
	static char to[1 << 20];

	runs.nr = 0;
	for (int run = 0; run < NR_RUNS; run++) {
		double ns = 0;

		for (size_t at = 0; at + PIECE_BYTES < nr_data; at += PIECE_BYTES) {
			double begun = bench_cpu_ns();

			memcpy(to + (at & (sizeof(to) - 1)), data + at, PIECE_BYTES);
			ns += bench_cpu_ns() - begun;
		}
		bench_add(&runs, ns / (double)nr_events);
	}
	bench_row("plain copy and two clock readings", &runs, "ns/event");
}

static void recording_rows(void)
{
	static struct bench_runs reading;
	struct tr2_buf out;
	uint64_t index = 0;

	if (!recording_is_built())
		return;
	tr2_buf_init(&out, SIZE_MAX / 2);
	runs.nr = 0;
	for (int run = 0; run < NR_RUNS; run++) {
		struct recording_writer *w = recording_writer_new();
		struct recording_chunk *chunk = recording_chunk_new();
		struct recording_frame frame;
		double begun = bench_cpu_ns();

		tr2_buf_clear(&out);
		for (size_t at = 0; at < nr_data; at += PIECE_BYTES) {
			struct recording_entry entry = { .kind = RECORDED_BYTES,
							 .arrival_ns = (ns_t)at };

			entry.len =
				(uint32_t)(nr_data - at < PIECE_BYTES ? nr_data - at : PIECE_BYTES);
			recording_add(w, &entry, data + at);
			if (recording_waiting(w) >= RECORDING_CHUNK_BYTES)
				recording_chunk(w, &out);
		}
		recording_chunk(w, &out);
		bench_add(&runs, (bench_cpu_ns() - begun) / (double)nr_events);
		begun = bench_cpu_ns();
		index = 0;
		for (size_t at = 0; at < out.len; at += (size_t)frame.bytes) {
			struct recording_entry entry;
			const char *why;
			char *bytes;

			if (recording_check(out.data + at, out.len - at, &frame) != LOOK_CHUNK ||
			    !recording_chunk_open(chunk, out.data + at, (size_t)frame.bytes, &why))
				break;
			while (recording_next(chunk, &entry, &bytes, &why))
				;
			index += (uint64_t)frame.bytes - frame.nr_packed_data;
		}
		bench_add(&reading, (bench_cpu_ns() - begun) / (double)nr_events);
		recording_chunk_free(chunk);
		recording_writer_free(w);
	}
	bench_row("recorder, compressing", &runs, "ns/event");
	bench_row("reader, decompressing", &reading, "ns/event");
	printf("%-44s %10.1f bytes/event, %.2f of them heads and index (raw: %.0f)\n",
	       "size of the recording", (double)out.len / (double)nr_events,
	       (double)index / (double)nr_events, (double)nr_data / (double)nr_events);
	tr2_buf_release(&out);
}

int main(void)
{
	data_read();
	copy_row();
	tap_row("tap_put, 2 MiB, consumer pauses 5 ms", 2u << 20, 5, false);
	tap_row("tap_put, 16 MiB, consumer pauses 20 ms, polled", 16u << 20, 20, true);
	recording_rows();
	return 0;
}
