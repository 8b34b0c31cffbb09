/* SPDX-License-Identifier: MIT */
/* Reading rings: copies of blocks to batches, from one ring and from four that are merged by time,
 * compared with the same events as lines. CPU time of one thread, alternating. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "monitor/event/event_json.h"
#include "monitor/read/reader_ring.h"
#include "tests/ring_maker.h"

#define NR_RUNS  15
#define NR_LOOKS 40

static struct tr2_intern syms;
static struct ring_memo memo;
static struct batch *batch;

static void ring_write_data(struct maker *m, unsigned ring, int64_t number)
{
	static const char *const texts[] = { "flat", "number" };
	char fields[200], value[24];
	uint64_t mask = MAKER_BIT(FILE) | MAKER_BIT(T_ABS) | MAKER_BIT(T_REL) | MAKER_BIT(NESTING) |
			MAKER_BIT(CATEGORY) | MAKER_BIT(KEY) | MAKER_BIT(VALUE);
	int64_t rel = number % 1000, nesting = 1;
	size_t len = maker_text(fields, "src/work.c", 10);

	memcpy(fields + len, &rel, sizeof(rel));
	len += sizeof(rel);
	memcpy(fields + len, &nesting, sizeof(nesting));
	len += sizeof(nesting);
	for (int i = 0; i < 2; i++)
		len += maker_text(fields + len, texts[i], strlen(texts[i]));
	len += maker_text(fields + len, value,
			  (size_t)snprintf(value, sizeof(value), "%" PRId64, number));
	maker_event(m, ring, TR2_E_DATA, mask, MAKER_START + number * 1000, fields, len);
}

static void copy_blocks(struct ring_reader *reader, struct maker *m)
{
	ring_reader_head(reader, m->file, TR2_RING_HEADS_AT);
	for (unsigned i = 0; i < m->rings; i++) {
		uint64_t from, at;
		size_t len = ring_reader_wants(reader, i, maker_ring(m, i), &from), piece;
		char *to = len ? ring_reader_room(reader, i, len) : NULL;

		for (size_t left = len; left; left -= piece, to += piece) {
			piece = left;
			at = ring_reader_place(reader, i, from + (len - left), &piece);
			memcpy(to, m->file + at, piece);
		}
		if (len)
			ring_reader_copied(reader, i, from, len, maker_ring(m, i)->reserved);
	}
}

/* Return CPU nanoseconds per event. Appends the events as lines to `lines` unless it is NULL. */
static double rings_run(unsigned rings, struct tr2_buf *lines)
{
	struct ring_reader *reader = ring_reader_new(&syms, &memo);
	struct read_counts counts = { 0 };
	struct maker m;
	struct event ev;
	double ns = 0;
	int64_t number = 0;

	maker_begin(&m, 128 << 10, rings);
	for (int look = 0; look < NR_LOOKS; look++) {
		double begun;

		for (unsigned i = 0; i < 1000 * rings; i++, number++)
			ring_write_data(&m, (unsigned)number % rings, number);
		begun = bench_cpu_ns();
		copy_blocks(reader, &m);
		while (ring_reader_next(reader, batch, &ev, &counts, NULL, NULL)) {
			batch_add(batch, &ev);
			if (lines)
				event_json(&syms, batch, &ev, EVENT_JSON_TRACE, lines);
			if (lines)
				tr2_buf_addch(lines, '\n');
			if (batch_is_full(batch))
				batch_clear(batch);
		}
		ns += bench_cpu_ns() - begun;
	}
	if (ring_reader_lost(reader) || counts.nr_events != (uint64_t)number)
		abort();
	ring_reader_free(reader);
	maker_end(&m);
	batch_clear(batch);
	return ns / (double)number;
}

static double ring_lines_run(const struct tr2_buf *lines)
{
	struct reader *reader = reader_new(READER_EVENT, &syms);
	struct read_counts counts = { 0 };
	double begun = bench_cpu_ns(), ns;

	for (size_t at = 0; at < lines->len;) {
		at += reader_lines(reader, lines->data + at, lines->len - at, batch, &counts, NULL,
				   NULL);
		batch_clear(batch);
	}
	ns = bench_cpu_ns() - begun;
	reader_free(reader);
	return ns / (double)counts.nr_events;
}

int main(void)
{
	struct bench_runs one = { 0 }, four = { 0 }, line = { 0 };
	struct tr2_buf lines;
	static const char pad[READER_PAD];

	tr2_intern_init(&syms, 0, 0);
	batch = batch_new();
	tr2_buf_init(&lines, 256 << 20);
	rings_run(1, &lines);
	tr2_buf_add(&lines, pad, sizeof(pad));
	lines.len -= sizeof(pad);
	for (int i = 0; i < NR_RUNS; i++) {
		bench_add(&one, rings_run(1, NULL));
		bench_add(&four, rings_run(4, NULL));
		bench_add(&line, ring_lines_run(&lines));
	}
	bench_row("ring: one ring", &one, "ns/event");
	bench_row("ring: four, merged", &four, "ns/event");
	bench_row("ring: the same events as lines", &line, "ns/event");
	tr2_buf_release(&lines);
	batch_free(batch);
	return 0;
}
