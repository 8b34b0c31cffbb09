/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/read/gotrace/go_frame_priv.h"

/* First bytes of the items of a stream: batches, end marks, headers. */
enum { MARK_BATCH = 1, MARK_EXPERIMENTAL = 49, MARK_END = 52, MARK_HEADER = 'g' };
enum { VERSION_FIRST = 22, VERSION_SYNC = 25, VERSION_END_MARK = 26 };

static void __attribute__((format(printf, 2, 3)))
go_report_bad(struct go_frame *frame, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	frame->bad(frame->bad_data, text);
}

static uint8_t go_batch_kind(const struct go_frame *frame, const struct go_batch_head *head,
			     const uint8_t *data)
{
	if (head->mark == MARK_EXPERIMENTAL)
		return KIND_EXPERIMENTAL;
	if (!head->size)
		return KIND_EVENTS;
	switch (*data) {
	case KIND_STACKS:
	case KIND_STRINGS:
	case KIND_SAMPLES:
		return *data;
	case KIND_FREQUENCY:
		return frame->version < VERSION_SYNC ? *data : KIND_EVENTS;
	case KIND_SYNC:
		return frame->version >= VERSION_SYNC ? *data : KIND_EVENTS;
	default:
		return KIND_EVENTS;
	}
}

static void go_lose_generation(struct go_frame *frame, const char *why)
{
	struct go_generation *gen = &frame->gen;
	uint64_t number = gen->number, first_at = gen->first_at;

	go_generation_release(gen);
	gen->number = number;
	gen->first_at = first_at;
	gen->is_lost = true;
	frame->nr_oversized++;
	go_report_bad(frame, "generation %" PRIu64 " %s", number, why);
}

static void add_batch(struct go_frame *frame, const struct go_batch_head *head, const uint8_t *data)
{
	struct go_generation *gen = &frame->gen;
	uint8_t kind = go_batch_kind(frame, head, data);
	const uint8_t *at, *end;
	bool ok = true;

	if (gen->is_lost)
		return;
	if (!gen->nr_bytes || head->time < gen->min_time)
		gen->min_time = head->time;
	gen->nr_bytes += head->size + 1;
	gen->is_behind_stacks =
		kind == KIND_STACKS ||
		(gen->is_behind_stacks && (kind == KIND_EXPERIMENTAL || kind == KIND_STRINGS));
	gen->last_kind = kind;
	if (kind == KIND_EXPERIMENTAL)
		return;
	at = go_keep(gen, data, head->size);
	if (!at) {
		go_lose_generation(frame, "is too large");
		return;
	}
	end = at + head->size;
	switch (kind) {
	case KIND_STRINGS:
		ok = go_read_strings(gen, at + 1, end);
		break;
	case KIND_STACKS:
		ok = go_read_stacks(gen, at + 1, end);
		break;
	case KIND_SAMPLES:
		ok = go_read_samples(gen, at + 1, end);
		break;
	case KIND_FREQUENCY:
		ok = go_read_clock(gen, at, end, head->time);
		break;
	case KIND_SYNC:
		ok = go_read_clock(gen, at + 1, end, head->time);
		break;
	default:
		if (!go_add_events(gen, head, at, end)) {
			go_lose_generation(frame, "has too many threads");
			return;
		}
	}
	if (!ok)
		go_report_bad(frame, "generation %" PRIu64 " has a damaged table", gen->number);
	if (!go_tables_fit(gen))
		go_lose_generation(frame, "is too large");
}

static bool has_clock(const struct go_frame *frame)
{
	return frame->gen.ns_a_unit > 0 && (frame->version < VERSION_SYNC || frame->gen.has_wall);
}

/* True if the generation seems complete, and its version has no end marks. */
static bool looks_whole(struct go_frame *frame)
{
	struct go_generation *gen = &frame->gen;

	return frame->version < VERSION_END_MARK && has_clock(frame) && !gen->is_lost &&
	       gen->last_kind == KIND_STRINGS && gen->is_behind_stacks &&
	       go_stacks_have_strings(gen);
}

static bool has_begun(const struct go_generation *gen)
{
	return gen->number != 0;
}

/*
 * Make the open generation ready. If its clock is unknown or it exceeded a limit, count it as lost
 * instead.
 */
static void end_generation(struct go_frame *frame, const char *why)
{
	struct go_generation *gen = &frame->gen;

	if (!has_begun(gen))
		return;
	if (has_clock(frame) && !gen->is_lost) {
		frame->ready = true;
		return;
	}
	if (!gen->is_lost)
		go_report_bad(frame, "generation %" PRIu64 " %s: %" PRIu64 " bytes", gen->number,
			      why, frame->at - gen->first_at);
	frame->nr_lost++;
	frame->has_gap = true;
	go_generation_clear(gen);
}

void go_frame_init(struct go_frame *frame)
{
	*frame = (struct go_frame){ 0 };
}

void go_frame_release(struct go_frame *frame)
{
	go_generation_release(&frame->gen);
	free(frame->stashed);
}

static void go_frame_break(struct go_frame *frame)
{
	end_generation(frame, "is truncated");
	go_report_bad(frame, "not a trace from offset %" PRIu64, frame->at);
	frame->state = GO_BROKEN;
}

static size_t go_read_header(struct go_frame *frame, const uint8_t *bytes, size_t len)
{
	static const char shape[] = "go 1.00 trace\0\0\0";
	unsigned version;

	if (len < GO_HEADER_BYTES)
		return 0;
	for (unsigned i = 0; i < GO_HEADER_BYTES; i++)
		if (i == 5 || i == 6 ? bytes[i] < '0' || bytes[i] > '9'
				     : bytes[i] != (uint8_t)shape[i]) {
			go_frame_break(frame);
			return len;
		}
	version = (bytes[5] - '0') * 10u + (bytes[6] - '0');
	if (version < VERSION_FIRST) {
		go_report_bad(frame, "a trace of Go 1.%u is too old; 1.22 or later is needed",
			      version);
		frame->state = GO_BROKEN;
		return len;
	}
	frame->version = (uint8_t)version;
	frame->state = GO_BATCHES;
	return GO_HEADER_BYTES;
}

/* Parse the head of a batch. Returns NULL if it is incomplete (`*more`) or damaged. */
static const uint8_t *go_read_head(const uint8_t *at, const uint8_t *end,
				   struct go_batch_head *head, bool *more)
{
	uint64_t *const fields[] = { &head->generation, &head->thread, &head->time, &head->size };

	*more = false;
	head->mark = *at++;
	if (head->mark == MARK_EXPERIMENTAL) {
		*more = at == end;
		if (*more)
			return NULL;
		/* skip the number of the experiment */
		at++;
	}
	for (unsigned i = 0; i < 4; i++) {
		const uint8_t *next = go_varint(at, end, fields[i]);

		if (!next) {
			*more = end - at < 10;
			return NULL;
		}
		at = next;
	}
	return head->generation && head->size <= GO_MAX_BATCH_BYTES ? at : NULL;
}

static bool ends_open(const struct go_frame *frame, const struct go_batch_head *head)
{
	return has_begun(&frame->gen) && head->generation != frame->gen.number;
}

static void go_accept_batch(struct go_frame *frame, const struct go_batch_head *head,
			    const uint8_t *data)
{
	struct go_generation *gen = &frame->gen;

	if (!has_begun(gen)) {
		if (frame->delivered && head->generation != frame->delivered + 1)
			frame->has_gap = true;
		gen->number = head->generation;
		gen->first_at = frame->at;
	}
	add_batch(frame, head, data);
}

static void go_stash_batch(struct go_frame *frame, const struct go_batch_head *head,
			   const uint8_t *data)
{
	frame->stashed = xmalloc(sizeof(*head) + head->size);
	memcpy(frame->stashed, head, sizeof(*head));
	memcpy(frame->stashed + sizeof(*head), data, head->size);
}

/* Read one item (a header, a batch or an end mark). Returns the number of bytes used; 0: the item
 * is incomplete. */
static size_t go_read_item(struct go_frame *frame, const uint8_t *bytes, size_t len)
{
	const uint8_t *end = bytes + len, *data;
	struct go_batch_head head;
	bool more;

	switch (*bytes) {
	case MARK_END:
		if (frame->version < VERSION_END_MARK)
			break;
		end_generation(frame, "has no clock");
		return 1;
	case MARK_HEADER:
		if (len < GO_HEADER_BYTES)
			return 0;
		end_generation(frame, "is truncated");
		frame->is_new_trace = true;
		frame->delivered = 0;
		return go_read_header(frame, bytes, len);
	case MARK_BATCH:
	case MARK_EXPERIMENTAL:
		data = go_read_head(bytes, end, &head, &more);
		if (!data && more)
			return 0;
		if (!data)
			break;
		if (head.size > (size_t)(end - data))
			return 0;
		if (head.generation == frame->delivered) {
			frame->nr_late++;
			return (size_t)(data - bytes) + head.size;
		}
		if (ends_open(frame, &head)) {
			if (frame->version >= VERSION_END_MARK)
				/* Without its end mark the generation is incomplete: count it as
				 * lost. */
				frame->gen.ns_a_unit = 0;
			end_generation(frame, "is truncated");
		}
		if (frame->ready)
			go_stash_batch(frame, &head, data);
		else
			go_accept_batch(frame, &head, data);
		if (looks_whole(frame))
			frame->ready = true;
		return (size_t)(data - bytes) + head.size;
	}
	go_frame_break(frame);
	return len;
}

void go_frame_next(struct go_frame *frame)
{
	struct go_batch_head head;

	frame->delivered = frame->is_new_trace ? 0 : frame->gen.number;
	frame->ready = false;
	go_generation_clear(&frame->gen);
	if (!frame->stashed)
		return;
	memcpy(&head, frame->stashed, sizeof(head));
	go_accept_batch(frame, &head, frame->stashed + sizeof(head));
	frame->gen.first_at = frame->at - head.size;
	free(frame->stashed);
	frame->stashed = NULL;
}

size_t go_frame_read(struct go_frame *frame, const uint8_t *bytes, size_t len)
{
	size_t at = 0, used;

	while (at < len && !frame->ready && !frame->is_new_trace) {
		switch (frame->state) {
		case GO_HEADER:
			used = go_read_header(frame, bytes + at, len - at);
			break;
		case GO_BATCHES:
			used = go_read_item(frame, bytes + at, len - at);
			break;
		default:
			used = len - at;
		}
		if (!used)
			break;
		at += used;
		frame->at += used;
	}
	return at;
}

void go_frame_finish(struct go_frame *frame, size_t left, bool is_quiet)
{
	struct go_generation *gen = &frame->gen;

	if (frame->ready || frame->state == GO_BROKEN)
		return;
	if (has_begun(gen) && frame->version < VERSION_END_MARK && !left && has_clock(frame) &&
	    gen->last_kind == KIND_STRINGS && !gen->is_lost &&
	    (gen->is_behind_stacks ? go_stacks_have_strings(gen) : !go_names_stacks(gen))) {
		frame->ready = true;
		return;
	}
	if (is_quiet)
		return;
	frame->at += left;
	if (has_begun(gen)) {
		gen->ns_a_unit = 0;
		end_generation(frame, "is truncated");
	} else if (left) {
		go_report_bad(frame, frame->state == GO_HEADER ? "the trace's header is truncated"
							       : "a batch is truncated");
		frame->has_gap = true;
	}
	frame->state = GO_BROKEN;
}

size_t go_frame_held(const struct go_frame *frame)
{
	return go_generation_held(&frame->gen);
}
