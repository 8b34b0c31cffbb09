/* SPDX-License-Identifier: MIT */
/*
 * Reader of Go execution traces, Go 1.22 and later: read a generation, scan it for names, order its
 * events, and translate them.
 *
 *   FRAMING -> (a generation is ready) -> BEFORE -> EVENTS -> FRAMING
 *
 * Bytes are read in the state FRAMING only. In the other two states, pump() delivers events.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/read/gotrace/go_map.h"
#include "monitor/read/reader.h"

/* Number of events emitted before checking again if the batch is full. */
enum { EVENTS_A_LOOK = 16 };

struct go_reader {
	const struct reader_stream *stream;
	struct tr2_intern *syms;
	struct go_frame frame;
	struct go_order order;
	struct go_walk walk;
	struct go_map *map; /* NULL: the trace has no process yet */
	enum { FRAMING, BEFORE, EVENTS } phase;
	/* the state before the generation is unknown */
	bool is_first;
	bool has_ended, has_told_end;
	size_t left; /* number of bytes that the last read did not use */
	/* counters of `frame` as last added to `counts` */
	uint64_t nr_lost, nr_late, nr_oversized;
	/* These members are valid only while a function of the reader runs. */
	struct read_counts *counts;
	read_bad_fn *bad;
	void *bad_data;
};

static void reader_go_begin(void *state, struct tr2_intern *syms,
			    const struct reader_stream *stream)
{
	struct go_reader *r = state;

	r->stream = stream;
	r->syms = syms;
	r->is_first = true;
	go_frame_init(&r->frame);
	go_order_init(&r->order);
}

static void reader_go_release(void *state)
{
	struct go_reader *r = state;

	if (r->map)
		go_map_free(r->map);
	go_walk_release(&r->walk);
	go_order_release(&r->order);
	go_frame_release(&r->frame);
}

static enum probe reader_go_probe(const char *bytes, size_t len, bool is_all)
{
	static const char shape[GO_HEADER_BYTES] = "go 1.00 trace\0\0";

	(void)is_all;
	for (size_t i = 0; i < len && i < sizeof(shape); i++)
		if (i == 5 || i == 6 ? bytes[i] < '0' || bytes[i] > '9' : bytes[i] != shape[i])
			return PROBE_NO;
	return len < sizeof(shape) ? PROBE_MORE : PROBE_YES;
}

static void bad_text(void *data, const char *text)
{
	static const struct diag damaged = { DIAG_TORN, "the trace is damaged", 0 };
	static const struct diag too_old = { DIAG_TORN, "its version is not supported", 0 };
	struct go_reader *r = data;

	r->counts->nr_malformed++;
	if (r->bad)
		r->bad(r->bad_data, text, strlen(text), r->frame.version ? &damaged : &too_old);
}

static void reader_go_call_begin(struct go_reader *r, struct read_counts *counts, read_bad_fn *bad,
				 void *bad_data)
{
	r->counts = counts;
	r->bad = bad;
	r->bad_data = bad_data;
	r->frame.bad = r->order.bad = bad_text;
	r->frame.bad_data = r->order.bad_data = r;
}

static void reader_go_call_end(struct go_reader *r)
{
	r->counts->nr_lost += r->frame.nr_lost - r->nr_lost;
	r->counts->nr_ignored += r->frame.nr_late - r->nr_late;
	r->counts->nr_oversized += r->frame.nr_oversized - r->nr_oversized;
	r->nr_lost = r->frame.nr_lost;
	r->nr_late = r->frame.nr_late;
	r->nr_oversized = r->frame.nr_oversized;
}

static uint64_t go_mix_hash(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

/*
 * Return a hash that distinguishes traces of the same name. It is not seeded, so that a file that
 * is read twice gives the same process.
 */
static uint32_t go_fingerprint(const struct go_generation *gen)
{
	uint64_t hash = gen->nr_threads;

	for (uint32_t i = 0; i < gen->nr_threads; i++) {
		const struct go_batch *batch = &gen->batches[gen->threads[i].first];
		const uint8_t *at = batch->at, *end = at + batch->len;

		hash = go_mix_hash(hash, batch->time);
		for (; end - at >= 8; at += 8)
			hash = go_mix_hash(hash, go_word(at));
		for (; at < end; at++)
			hash = go_mix_hash(hash, *at);
	}
	return (uint32_t)hash;
}

static void process_begins(struct go_reader *r)
{
	const struct go_generation *gen = &r->frame.gen;
	size_t len = strlen(r->stream->name);
	char *sid = xmalloc(len + 16);
	int64_t reference;

	r->map = go_map_new(r->syms, &r->order);
	r->order.take = go_map_take;
	r->order.take_data = r->map;
	snprintf(sid, len + 16, "go:%s@%08" PRIx32, r->stream->name, go_fingerprint(gen));
	go_map_process(r->map, sid, r->stream->name, r->frame.version);
	free(sid);
	if (gen->has_wall) {
		go_map_clock(r->map, go_ns(gen, gen->wall_time), gen->wall_ns, 0);
		return;
	}
	reference = r->stream->reference_ns == NS_NONE ? r->stream->arrival_ns
						       : r->stream->reference_ns;
	go_map_clock(r->map, r->walk.last_ns, reference, 1);
}

static void process_ends(struct go_reader *r)
{
	if (r->map)
		go_map_free(r->map);
	r->map = NULL;
	go_order_release(&r->order);
	go_order_init(&r->order);
	r->order.bad = bad_text;
	r->order.bad_data = r;
	r->is_first = true;
	r->frame.has_gap = false;
}

static void generation_begins(struct go_reader *r, struct batch *batch)
{
	const struct go_generation *gen = &r->frame.gen;

	/* The state after events sorted by time is unreliable: discard it. */
	if (r->order.by_time)
		r->frame.has_gap = true;
	go_walk_begin(&r->walk, gen);
	if (r->frame.has_gap || r->is_first)
		go_walk_first(&r->walk, !r->map && !gen->has_wall);
	if (!r->map)
		process_begins(r);
	go_map_into(r->map, batch, &r->counts->nr_events, &r->counts->nr_ignored);
	if (r->frame.has_gap && !r->is_first) {
		go_map_gap(r->map);
		go_order_forget(&r->order);
		r->is_first = true;
	}
	r->frame.has_gap = false;
	go_order_begin(&r->order, gen, r->is_first);
	go_map_begin(r->map, gen, &r->walk, r->is_first);
	r->phase = BEFORE;
}

static size_t reader_go_read_bytes(void *state, const char *bytes, size_t len, struct batch *batch,
				   struct read_counts *counts, read_bad_fn *bad, void *bad_data)
{
	struct go_reader *r = state;
	size_t used;

	(void)batch;
	if (r->phase != FRAMING || r->frame.ready)
		return 0;
	reader_go_call_begin(r, counts, bad, bad_data);
	used = go_frame_read(&r->frame, (const uint8_t *)bytes, len);
	r->left = len - used;
	reader_go_call_end(r);
	return used;
}

static bool reader_go_pump(void *state, struct batch *batch, struct read_counts *counts,
			   read_bad_fn *bad, void *bad_data)
{
	struct go_reader *r = state;

	reader_go_call_begin(r, counts, bad, bad_data);
	if (r->map)
		go_map_into(r->map, batch, &counts->nr_events, &counts->nr_ignored);
	while (!batch_is_full(batch)) {
		switch (r->phase) {
		case FRAMING:
			if (r->frame.ready) {
				generation_begins(r, batch);
				break;
			}
			if (r->frame.is_new_trace || (r->has_ended && !r->has_told_end)) {
				if (r->map)
					go_map_ended(r->map);
				r->has_told_end = r->has_ended;
			}
			if (r->frame.is_new_trace)
				process_ends(r);
			r->frame.is_new_trace = false;
			reader_go_call_end(r);
			return false;
		case BEFORE:
			if (!go_map_before(r->map))
				r->phase = EVENTS;
			break;
		case EVENTS:
			if (go_order_emit(&r->order, EVENTS_A_LOOK))
				break;
			go_map_end(r->map);
			r->is_first = false;
			go_frame_next(&r->frame);
			r->phase = FRAMING;
			break;
		}
	}
	reader_go_call_end(r);
	return true;
}

static void reader_go_finish(void *state, bool is_quiet, struct read_counts *counts,
			     read_bad_fn *bad, void *bad_data)
{
	struct go_reader *r = state;

	reader_go_call_begin(r, counts, bad, bad_data);
	go_frame_finish(&r->frame, r->left, is_quiet);
	reader_go_call_end(r);
	r->has_ended = !is_quiet;
}

static size_t reader_go_held_bytes(const void *state)
{
	const struct go_reader *r = state;

	return go_frame_held(&r->frame) + (r->map ? go_map_held(r->map) : 0);
}

const struct reader_ops reader_go_ops = {
	.state_bytes = sizeof(struct go_reader),
	.framing = FRAME_BYTES,
	.per_stream = true,
	.probe = reader_go_probe,
	.begin = reader_go_begin,
	.read_bytes = reader_go_read_bytes,
	.pump = reader_go_pump,
	.finish = reader_go_finish,
	.held_bytes = reader_go_held_bytes,
	.release = reader_go_release,
};
