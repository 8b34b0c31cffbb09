/* SPDX-License-Identifier: MIT */
/* A generation of a Go trace: its bytes and its tables. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "monitor/base/grow.h"
#include "monitor/read/gotrace/go_frame_priv.h"

#define PIECE_BYTES (256u << 10)

/* Bytes of a generation's batches. They never move. */
struct go_piece {
	struct go_piece *next;
	uint32_t nr;
	uint8_t bytes[];
};

const struct go_wire_row go_wire_rows[256] = {
#define GO_WIRE(ID, number, args, string, stack, new_stack, rule, take, needs_lane)                \
	[number] = { args, string, stack, new_stack },
#include "monitor/read/gotrace/go_wire.def"
#undef GO_WIRE
};

/* Bytes held for the generations of all streams. */
static uint64_t all_bytes;

void go_guesses_for(struct go_guesses *guesses, uint32_t nr)
{
	uint32_t room = guesses->nr ? guesses->nr : 64;

	while (room < nr)
		room *= 2;
	if (room == guesses->nr)
		return;
	guesses->at = xreallocarray(guesses->at, room, sizeof(*guesses->at));
	memset(guesses->at, 0xff, room * sizeof(*guesses->at));
	guesses->nr = room;
}

static void go_drop_bytes(struct go_generation *gen)
{
	for (struct go_piece *piece = gen->pieces, *next; piece; piece = next) {
		next = piece->next;
		all_bytes -= PIECE_BYTES;
		free(piece);
	}
	gen->pieces = NULL;
	all_bytes -= gen->nr_table_bytes;
	gen->nr_table_bytes = 0;
}

void go_generation_release(struct go_generation *gen)
{
	go_drop_bytes(gen);
	free(gen->batches);
	free(gen->threads);
	free(gen->strings);
	free(gen->stacks);
	free(gen->samples);
	free(gen->wanted);
	ids_release(&gen->thread_ids);
	ids_release(&gen->string_ids);
	ids_release(&gen->stack_ids);
	*gen = (struct go_generation){ 0 };
}

void go_generation_clear(struct go_generation *gen)
{
	struct go_generation kept = {
		.batches = gen->batches,
		.cap_batches = gen->cap_batches,
		.threads = gen->threads,
		.cap_threads = gen->cap_threads,
		.strings = gen->strings,
		.cap_strings = gen->cap_strings,
		.stacks = gen->stacks,
		.cap_stacks = gen->cap_stacks,
		.samples = gen->samples,
		.cap_samples = gen->cap_samples,
		.wanted = gen->wanted,
		.cap_wanted = gen->cap_wanted,
		.thread_ids = gen->thread_ids,
		.string_ids = gen->string_ids,
		.stack_ids = gen->stack_ids,
	};

	go_drop_bytes(gen);
	ids_clear(&kept.thread_ids);
	ids_clear(&kept.string_ids);
	ids_clear(&kept.stack_ids);
	*gen = kept;
}

const uint8_t *go_keep(struct go_generation *gen, const uint8_t *bytes, size_t len)
{
	struct go_piece *piece = gen->pieces;

	if (!piece || PIECE_BYTES - sizeof(*piece) - piece->nr < len) {
		if (all_bytes + PIECE_BYTES > GO_MAX_ALL_BYTES ||
		    gen->nr_bytes + len > GO_MAX_GENERATION_BYTES)
			return NULL;
		piece = xmalloc(PIECE_BYTES);
		piece->next = gen->pieces;
		piece->nr = 0;
		gen->pieces = piece;
		all_bytes += PIECE_BYTES;
	}
	memcpy(piece->bytes + piece->nr, bytes, len);
	piece->nr += (uint32_t)len;
	return piece->bytes + piece->nr - len;
}

bool go_tables_fit(struct go_generation *gen)
{
	/* Bytes per id: the item and a slot of the hash index. */
	const uint64_t id = sizeof(struct ids_item) + sizeof(uint32_t);
	uint64_t bytes = gen->nr_batches * sizeof(*gen->batches) +
			 gen->nr_threads * (sizeof(*gen->threads) + id) +
			 gen->nr_strings * (sizeof(*gen->strings) + id) +
			 gen->nr_stacks * (sizeof(*gen->stacks) + id) +
			 gen->nr_samples * sizeof(*gen->samples) +
			 gen->nr_wanted * sizeof(*gen->wanted);

	all_bytes += bytes - gen->nr_table_bytes;
	gen->nr_table_bytes = bytes;
	return bytes <= GO_MAX_GENERATION_BYTES && all_bytes <= GO_MAX_ALL_BYTES;
}

struct go_text go_string(const struct go_generation *gen, uint64_t id)
{
	uint32_t index;

	if (!id)
		return (struct go_text){ "", 0 };
	index = go_index(&gen->string_ids, id);
	return index == GO_NO_INDEX ? (struct go_text){ NULL, 0 } : gen->strings[index];
}

struct go_stack go_stack(const struct go_generation *gen, uint64_t id)
{
	uint32_t index = id ? go_index(&gen->stack_ids, id) : GO_NO_INDEX;

	return index == GO_NO_INDEX ? (struct go_stack){ NULL, 0, 0 } : gen->stacks[index];
}

struct go_text go_stack_function(const struct go_generation *gen, const struct go_stack *stack,
				 const uint8_t **at)
{
	const uint8_t *end = stack->frames + stack->nr_bytes;
	uint64_t function = 0, v = 0;

	for (unsigned i = 0; i < 4 && *at; i++) {
		*at = go_varint(*at, end, &v);
		if (i == 1)
			function = v;
	}
	return go_string(gen, function);
}

bool go_read_strings(struct go_generation *gen, const uint8_t *at, const uint8_t *end)
{
	while (at < end) {
		uint64_t id, len;

		if (*at++ != KIND_STRING)
			return false;
		at = go_varint(at, end, &id);
		at = at ? go_varint(at, end, &len) : NULL;
		if (!at || !id || len > GO_MAX_STRING_BYTES || len > (size_t)(end - at))
			return false;
		GROW(gen->strings, gen->nr_strings, gen->cap_strings, 16);
		if (!ids_add(&gen->string_ids, id, gen->nr_strings))
			return false;
		gen->strings[gen->nr_strings++] =
			(struct go_text){ (const char *)at, (uint32_t)len };
		at += len;
	}
	return true;
}

/* Note that a stack refers to this string, unless the string is known. */
static void go_want_string(struct go_generation *gen, uint64_t id)
{
	uint64_t *known = &gen->known[id % GO_KNOWN_STRINGS];

	if (!id || *known == id)
		return;
	*known = id;
	if (go_index(&gen->string_ids, id) != GO_NO_INDEX)
		return;
	GROW(gen->wanted, gen->nr_wanted, gen->cap_wanted, 64);
	gen->wanted[gen->nr_wanted++] = id;
}

static const uint8_t *go_read_stack(struct go_generation *gen, const uint8_t *at,
				    const uint8_t *end)
{
	struct go_stack stack;
	uint64_t id, nr, function, file;

	if (*at++ != KIND_STACK)
		return NULL;
	at = go_varint(at, end, &id);
	at = at ? go_varint(at, end, &nr) : NULL;
	if (!at || !id || nr > GO_MAX_FRAMES)
		return NULL;
	stack = (struct go_stack){ .frames = at, .nr = (uint32_t)nr };
	for (uint64_t i = 0; i < nr; i++) {
		at = go_skip(at, end, 1);
		if (at && end - at >= 2 * GO_MAX_VARINT) {
			at = go_varint_there(at, &function);
			at = at ? go_varint_there(at, &file) : NULL;
		} else {
			at = at ? go_varint(at, end, &function) : NULL;
			at = at ? go_varint(at, end, &file) : NULL;
		}
		at = at ? go_skip(at, end, 1) : NULL;
		if (!at)
			return NULL;
		go_want_string(gen, function);
		go_want_string(gen, file);
	}
	stack.nr_bytes = (uint32_t)(at - stack.frames);
	GROW(gen->stacks, gen->nr_stacks, gen->cap_stacks, 16);
	if (!ids_add(&gen->stack_ids, id, gen->nr_stacks))
		return NULL;
	gen->stacks[gen->nr_stacks++] = stack;
	return at;
}

bool go_read_stacks(struct go_generation *gen, const uint8_t *at, const uint8_t *end)
{
	while (at < end) {
		uint32_t nr_wanted = gen->nr_wanted;

		at = go_read_stack(gen, at, end);
		if (!at) {
			/* Do not wait for the strings of a damaged stack. */
			gen->nr_wanted = nr_wanted;
			memset(gen->known, 0, sizeof(gen->known));
			return false;
		}
	}
	return true;
}

bool go_read_samples(struct go_generation *gen, const uint8_t *at, const uint8_t *end)
{
	while (at < end) {
		struct go_sample sample;
		uint64_t *const fields[] = { &sample.time, &sample.thread, &sample.proc,
					     &sample.goroutine, &sample.stack };

		if (*at++ != KIND_SAMPLE)
			return false;
		for (unsigned i = 0; i < 5 && at; i++)
			at = go_varint(at, end, fields[i]);
		if (!at)
			return false;
		GROW(gen->samples, gen->nr_samples, gen->cap_samples, 16);
		gen->samples[gen->nr_samples++] = sample;
	}
	return true;
}

bool go_read_clock(struct go_generation *gen, const uint8_t *at, const uint8_t *end,
		   uint64_t batch_time)
{
	while (at < end) {
		uint64_t frequency, dt, mono, sec, nsec;

		switch (*at++) {
		case KIND_FREQUENCY:
			at = go_varint(at, end, &frequency);
			if (!at || !frequency || gen->ns_a_unit > 0)
				return false;
			gen->ns_a_unit = 1.0 / ((double)frequency / 1e9);
			if (gen->ns_a_unit < 1 << 20)
				gen->whole_ns = (uint32_t)gen->ns_a_unit;
			if (gen->whole_ns != gen->ns_a_unit)
				gen->whole_ns = 0;
			break;
		case KIND_SNAPSHOT:
			at = go_varint(at, end, &dt);
			at = at ? go_varint(at, end, &mono) : NULL;
			at = at ? go_varint(at, end, &sec) : NULL;
			at = at ? go_varint(at, end, &nsec) : NULL;
			if (!at || gen->has_wall || sec > INT64_MAX / NS_PER_SEC - 1 ||
			    nsec >= NS_PER_SEC)
				return false;
			gen->has_wall = true;
			gen->wall_time = batch_time + dt;
			gen->wall_ns = (int64_t)(sec * NS_PER_SEC + nsec);
			break;
		default:
			return false;
		}
	}
	return true;
}

static struct go_thread *go_find_thread(struct go_generation *gen, uint64_t id)
{
	uint32_t index = go_index(&gen->thread_ids, id);

	if (index != GO_NO_INDEX)
		return &gen->threads[index];
	if (gen->nr_threads == GO_MAX_THREADS)
		return NULL;
	GROW(gen->threads, gen->nr_threads, gen->cap_threads, 16);
	ids_add(&gen->thread_ids, id, gen->nr_threads);
	gen->threads[gen->nr_threads] = (struct go_thread){ id, GO_NO_INDEX, GO_NO_INDEX };
	return &gen->threads[gen->nr_threads++];
}

bool go_add_events(struct go_generation *gen, const struct go_batch_head *head, const uint8_t *at,
		   const uint8_t *end)
{
	struct go_thread *thread = go_find_thread(gen, head->thread);
	uint32_t index = gen->nr_batches;

	if (!thread)
		return false;
	GROW(gen->batches, gen->nr_batches, gen->cap_batches, 16);
	gen->batches[gen->nr_batches++] =
		(struct go_batch){ at, (uint32_t)(end - at), GO_NO_INDEX, head->time };
	if (thread->first == GO_NO_INDEX)
		thread->first = index;
	else
		gen->batches[thread->last].next = index;
	thread->last = index;
	return true;
}

bool go_stacks_have_strings(struct go_generation *gen)
{
	/* A known string stays known, so its id is removed from the list. */
	while (gen->nr_wanted &&
	       go_index(&gen->string_ids, gen->wanted[gen->nr_wanted - 1]) != GO_NO_INDEX)
		gen->nr_wanted--;
	return !gen->nr_wanted;
}

bool go_names_stacks(const struct go_generation *gen)
{
	for (uint32_t i = 0; i < gen->nr_batches; i++) {
		const uint8_t *at = gen->batches[i].at, *end = at + gen->batches[i].len;

		while (at && at < end) {
			const struct go_wire_row *row = &go_wire_rows[*at++];
			uint64_t v;

			for (unsigned n = 0; n < row->nr_args && at; n++) {
				at = go_varint(at, end, &v);
				if (at && n && v && (n == row->stack || n == row->new_stack))
					return true;
			}
			if (!row->nr_args)
				break;
		}
	}
	return false;
}

size_t go_generation_held(const struct go_generation *gen)
{
	size_t bytes =
		gen->cap_batches * sizeof(*gen->batches) +
		gen->cap_threads * sizeof(*gen->threads) +
		gen->cap_strings * sizeof(*gen->strings) + gen->cap_stacks * sizeof(*gen->stacks) +
		gen->cap_samples * sizeof(*gen->samples) + gen->cap_wanted * sizeof(*gen->wanted);

	for (const struct go_piece *piece = gen->pieces; piece; piece = piece->next)
		bytes += PIECE_BYTES;
	return bytes;
}
