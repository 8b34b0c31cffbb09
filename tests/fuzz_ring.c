/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of ring files. The input is a program: it writes events, pieces and blocks in the
 * ring layout, overwrites any bytes, and lets the reader read or skip at any time. Reading must not
 * decrease the number of lost events, and each event must have a line that is read as one event.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/event/event_json.h"
#include "monitor/read/reader_ring.h"
#include "tests/ring_maker.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OP_EVENT, OP_PATCH, OP_BLOCK, OP_DROP, OP_LOOK, OP_RACE, OP_SKIP, OP_HEAD, NR_OPS };

#define NR_RINGS 3u
#define MAX_OPS  400

struct input {
	const uint8_t *at, *end;
};

static uint32_t fuzz_ring_take(struct input *in, unsigned bytes)
{
	uint32_t v = 0;

	for (; bytes; bytes--)
		v = v << 8 | (in->at < in->end ? *in->at++ : 0);
	return v;
}

static void fuzz_ring_expect(bool ok)
{
	if (!ok)
		abort();
}

struct fuzz_ring_world {
	struct tr2_intern syms;
	struct ring_memo memo;
	struct ring_reader *reader;
	struct reader *lines;
	struct batch *batch, *again;
	struct tr2_buf line;
	struct maker m;
	uint64_t nr_events, lost;
	bool foreign;
};

/* Write an event whose fields have bytes of the input. */
static void op_event(struct fuzz_ring_world *w, struct input *in)
{
	static char fields[TR2_RING_EVENT_BYTES];
	unsigned ring = fuzz_ring_take(in, 1) % NR_RINGS, kind = fuzz_ring_take(in, 1),
		 times = fuzz_ring_take(in, 1);
	uint64_t mask = (uint64_t)fuzz_ring_take(in, 3) << 24 | fuzz_ring_take(in, 3);
	size_t len = fuzz_ring_take(in, 1), all = 0;

	if (kind < 2 * TR2_NR_EVENTS)
		kind %= TR2_NR_EVENTS;
	/* If bit 0 of `times` is set, set at most the first field of the event's kind. */
	if (times & 1)
		mask = tr2_events[kind % TR2_NR_EVENTS].nr_fields
			       ? 1ull << tr2_events[kind % TR2_NR_EVENTS].fields[0].id
			       : 0;
	len = len < (size_t)(in->end - in->at) ? len : (size_t)(in->end - in->at);
	for (unsigned i = 0; i <= times >> 4 && all + len < 6000; i++, all += len)
		memcpy(fields + all, in->at, len);
	in->at += len;
	maker_event(&w->m, ring, kind, mask, MAKER_START + (int64_t)fuzz_ring_take(in, 2) * 1000,
		    fields, all);
}

static void op_patch(struct fuzz_ring_world *w, struct input *in)
{
	size_t at = fuzz_ring_take(in, 2), len = fuzz_ring_take(in, 1) % 16;

	if (at >= w->m.len)
		return;
	for (; len && at < w->m.len; len--)
		w->m.file[at++] = (char)fuzz_ring_take(in, 1);
}

static void op_head(struct fuzz_ring_world *w, struct input *in)
{
	struct tr2_ring_head *head = maker_ring(&w->m, fuzz_ring_take(in, 1) % NR_RINGS);
	uint64_t v = fuzz_ring_take(in, 4);

	if (fuzz_ring_take(in, 1) & 1)
		head->reserved = v;
	else
		head->written = v & ~7ull;
}

static void copy(struct fuzz_ring_world *w, struct input *in, bool race)
{
	for (unsigned i = 0; i < NR_RINGS && i < ring_reader_about(w->reader)->rings; i++) {
		struct tr2_ring_head head = *maker_ring(&w->m, i);
		uint64_t from = 0, at;
		size_t len = ring_reader_wants(w->reader, i, &head, &from);
		char *to = len ? ring_reader_room(w->reader, i, len) : NULL;

		bool is_cut = false;

		fuzz_ring_expect(len <= TR2_RING_MAX_BYTES);
		for (size_t left = len, piece; left && !is_cut; left -= piece, to += piece) {
			piece = left;
			at = ring_reader_place(w->reader, i, from + (len - left), &piece);
			fuzz_ring_expect(piece && at < TR2_RING_FILE_MAX);
			/* The file may be shorter than its head claims. */
			is_cut = at + piece > w->m.len;
			if (!is_cut)
				memcpy(to, w->m.file + at, piece);
			if (race)
				op_event(w, in);
		}
		if (len && !is_cut)
			ring_reader_copied(w->reader, i, from, len, maker_ring(&w->m, i)->reserved);
	}
}

static void check_line(struct fuzz_ring_world *w, const struct event *ev)
{
	struct read_counts counts = { 0 };
	char *padded;

	tr2_buf_clear(&w->line);
	event_json(&w->syms, w->batch, ev, EVENT_JSON_TRACE, &w->line);
	tr2_buf_addch(&w->line, '\n');
	fuzz_ring_expect(memchr(w->line.data, '\n', w->line.len) == w->line.data + w->line.len - 1);
	padded = calloc(1, w->line.len + READER_PAD);
	memcpy(padded, w->line.data, w->line.len);
	batch_clear(w->again);
	reader_lines(w->lines, padded, w->line.len, w->again, &counts, NULL, NULL);
	fuzz_ring_expect(counts.nr_events == 1 && !counts.nr_malformed);
	free(padded);
}

static void op_look(struct fuzz_ring_world *w, struct input *in, bool race)
{
	struct read_counts counts = { 0 };
	struct event ev;
	uint64_t nr = 0;

	if (ring_reader_head(w->reader, w->m.file, TR2_RING_HEADS_AT)) {
		w->foreign = true;
		return;
	}
	copy(w, in, race);
	while (ring_reader_next(w->reader, w->batch, &ev, &counts, NULL, NULL)) {
		batch_add(w->batch, &ev);
		check_line(w, &ev);
		fuzz_ring_expect(++nr <= NR_RINGS * TR2_RING_MAX_BYTES / 8);
		if (batch_is_full(w->batch))
			batch_clear(w->batch);
	}
	fuzz_ring_expect(counts.nr_events == nr);
	fuzz_ring_expect(ring_reader_lost(w->reader) >= w->lost);
	w->lost = ring_reader_lost(w->reader);
	w->nr_events += nr;
}

static void op_skip(struct fuzz_ring_world *w, struct input *in)
{
	unsigned ring = fuzz_ring_take(in, 1) % NR_RINGS;
	uint64_t to = maker_ring(&w->m, ring)->written;
	char block[TR2_RING_BLOCK_BYTES] = { 0 };
	size_t len = (size_t)(to % TR2_RING_BLOCK_BYTES), piece = len;
	uint64_t at;

	if (ring_reader_head(w->reader, w->m.file, TR2_RING_HEADS_AT))
		return;
	at = ring_reader_place(w->reader, ring, to - len, &piece);
	if (at + len > w->m.len)
		return;
	memcpy(block, w->m.file + at, len);
	ring_reader_skip(w->reader, ring, to, len ? block : NULL);
	w->lost = ring_reader_lost(w->reader);
}

static void fuzz_ring_run(struct fuzz_ring_world *w, struct input *in)
{
	for (int i = 0; i < MAX_OPS && in->at < in->end && !w->foreign; i++) {
		switch (fuzz_ring_take(in, 1) % NR_OPS) {
		case OP_EVENT:
			op_event(w, in);
			break;
		case OP_PATCH:
			op_patch(w, in);
			break;
		case OP_BLOCK:
			maker_block(&w->m, fuzz_ring_take(in, 1) % NR_RINGS);
			break;
		case OP_DROP:
			maker_drop(&w->m, fuzz_ring_take(in, 1) % NR_RINGS);
			break;
		case OP_LOOK:
			op_look(w, in, false);
			break;
		case OP_RACE:
			op_look(w, in, true);
			break;
		case OP_SKIP:
			op_skip(w, in);
			break;
		default:
			op_head(w, in);
		}
	}
	if (!w->foreign)
		op_look(w, in, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_ring_world w;
	struct input in = { data, data + size };

	memset(&w, 0, sizeof(w));
	fuzz_ring_expect(tr2_intern_init(&w.syms, 0, 0));
	w.reader = ring_reader_new(&w.syms, &w.memo);
	w.lines = reader_new(READER_EVENT, &w.syms);
	w.batch = batch_new();
	w.again = batch_new();
	tr2_buf_init(&w.line, 16 << 20);
	maker_begin(&w.m, 16 << 10, NR_RINGS);
	w.m.keeps_first = true;
	fuzz_ring_run(&w, &in);
	maker_end(&w.m);
	ring_reader_free(w.reader);
	reader_free(w.lines);
	batch_free(w.batch);
	batch_free(w.again);
	tr2_buf_release(&w.line);
	tr2_intern_release(&w.syms);
	return 0;
}
