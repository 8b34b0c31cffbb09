/* SPDX-License-Identifier: MIT */
/*
 * Go execution traces, part 1: split the bytes of a stream into generations.
 *
 *   stream:      header  batch batch ... | batch ...          | ...
 *                       \ generation 1 / \ generation 2 /
 *
 * A generation covers about one second of the traced program. It consists of batches of events per
 * thread, and has its own strings, stacks and clock. Names may be defined after their use, so a
 * generation is kept and delivered as a whole. From version 26 on, an end mark follows it; in older
 * versions its end is derived.
 *
 * Invariants: in the state BATCHES, while `ready` is false, `gen` holds whole batches of one
 * generation only. While `ready` or `is_new_trace` is set, nothing is read; go_frame_next() clears
 * `ready`, the caller clears `is_new_trace`. The state BROKEN never ends.
 *
 * Only one thread at a time may use this interface.
 */
#ifndef MONITOR_GO_FRAME_H
#define MONITOR_GO_FRAME_H

#include <stddef.h>
#include <string.h>

#include "monitor/read/ids.h"

/* Sizes and limits that Go's own trace reader also has. */
#define GO_HEADER_BYTES     16
#define GO_MAX_BATCH_BYTES  65536u
#define GO_MAX_STRING_BYTES 1024u
#define GO_MAX_FRAMES       128u
#define GO_MAX_ARGS         5 /* limit of arguments per event, including the time */
/*
 * Approximate limits of this reader: bytes held for the generations of all streams; bytes of one
 * generation's batches, and of its tables; threads of one generation.
 */
#define GO_MAX_ALL_BYTES        (512ull << 20)
#define GO_MAX_GENERATION_BYTES (256ull << 20)
#define GO_MAX_THREADS          65536u

#define GO_KNOWN_STRINGS 256u

#define GO_NO_INDEX UINT32_MAX /* unknown index */
#define GO_NONE     UINT64_MAX /* "no thread" or "no P" in the trace format */

enum go_wire {
#define GO_WIRE(ID, number, args, string, stack, new_stack, rule, take, needs_lane)                \
	WIRE_##ID = number,
#include "monitor/read/gotrace/go_wire.def"
#undef GO_WIRE
};

/* Arguments of a type of event (go_wire.def). nr_args 0: the type is unknown. */
struct go_wire_row {
	uint8_t nr_args, strings, stack, new_stack;
};
extern const struct go_wire_row go_wire_rows[256];

struct go_text {
	const char *text;
	uint32_t len;
};

struct go_stack {
	/* 4 varints per frame, innermost first: pc, function, file, line */
	const uint8_t *frames;
	uint32_t nr, nr_bytes;
};

struct go_batch {
	const uint8_t *at;
	uint32_t len;
	uint32_t next; /* next batch of the same thread; GO_NO_INDEX: none */
	uint64_t time; /* start time, in units of the trace's clock */
};

struct go_thread {
	uint64_t id; /* GO_NONE: no thread */
	uint32_t first, last;
};

struct go_sample {
	uint64_t time; /* time of the sample, in units of the trace's clock */
	uint64_t thread, proc, goroutine, stack;
};

struct go_generation {
	uint64_t number;   /* 0: no generation is open */
	uint64_t first_at; /* approximate offset of the first batch in the stream */
	/* data bytes of the generation's batches, plus one per batch */
	uint64_t nr_bytes;
	struct go_piece *pieces; /* private: its bytes */
	struct go_batch *batches;
	uint32_t nr_batches, cap_batches;
	/* threads in the order of their first batches */
	struct go_thread *threads;
	uint32_t nr_threads, cap_threads;
	struct ids thread_ids;
	/* earliest start of a batch of any kind, in units of the trace's clock */
	uint64_t min_time;
	struct go_text *strings;
	uint32_t nr_strings, cap_strings;
	struct ids string_ids;
	struct go_stack *stacks;
	uint32_t nr_stacks, cap_stacks;
	struct ids stack_ids;
	struct go_sample *samples;
	uint32_t nr_samples, cap_samples;
	uint64_t nr_table_bytes; /* private: bytes of all tables */
	/*
	 * Private. `wanted`: ids of strings that stacks use but that were unknown when the stacks
	 * arrived. `known`: a cache of ids that are known or in `wanted`.
	 */
	uint64_t *wanted;
	uint32_t nr_wanted, cap_wanted;
	uint64_t known[GO_KNOWN_STRINGS];
	double ns_a_unit;  /* ns per unit of the trace's clock; 0: unknown */
	uint32_t whole_ns; /* private: `ns_a_unit` if whole and below 2^20, else 0 */
	/* Wall clock (Go 1.25 and later): the wall time was `wall_ns` when the trace's clock was
	 * `wall_time`. */
	bool has_wall;
	uint64_t wall_time;
	int64_t wall_ns;
	/* the generation exceeded a limit and is discarded */
	bool is_lost;
	uint8_t last_kind; /* private */
	bool is_behind_stacks;
};

/* Reports a problem of the trace, such as damaged data. */
typedef void go_bad_fn(void *data, const char *text);

struct go_frame {
	enum { GO_HEADER, GO_BATCHES, GO_BROKEN } state; /* ro */
	/* ro: version of the trace format, such as 22 */
	uint8_t version;
	/* ro: `gen` is complete: deliver its events, then call go_frame_next() */
	bool ready;
	/* rw: a further trace begins */
	bool is_new_trace;
	/* private: first batch of the next generation */
	uint8_t *stashed;
	struct go_generation gen; /* ro */
	uint64_t at;              /* ro: offset of the next byte in the stream */
	uint64_t delivered;       /* ro: number of the last delivered generation; 0: none */
	bool has_gap;             /* rw: generations before `gen` are missing or unreliable */
	/* ro: number of generations that were lost after their first batch was read */
	uint64_t nr_lost;
	/* ro: number of batches dropped because the last delivered generation has their number */
	uint64_t nr_late;
	uint64_t nr_oversized; /* ro: number of generations over a limit */
	/* rw: receives reports of damage; not NULL */
	go_bad_fn *bad;
	void *bad_data;
};

void go_frame_init(struct go_frame *frame);
void go_frame_release(struct go_frame *frame);

/*
 * Read headers, batches and end marks until `ready` or `is_new_trace` is set, or the next item is
 * incomplete. Returns the number of bytes used; pass the unused bytes again, followed by more. If
 * neither flag is set, at most GO_MAX_BATCH_BYTES plus the head of a batch are unused.
 */
size_t go_frame_read(struct go_frame *frame, const uint8_t *bytes, size_t len);

/* Discard the `ready` generation, and add the first batch of the next one if it was read. */
void go_frame_next(struct go_frame *frame);

/*
 * Call when the stream has ended, or, with `is_quiet`, when it had no data for a while. `left`:
 * number of unused bytes. A generation that seems complete becomes `ready`. At the end of the
 * stream, an incomplete generation counts as lost.
 */
void go_frame_finish(struct go_frame *frame, size_t left, bool is_quiet);

/* Return approximately how many bytes of memory `frame` holds. */
size_t go_frame_held(const struct go_frame *frame);

/* Convert units of the trace's clock to ns, at most 9.2e18. */
static inline int64_t go_ns(const struct go_generation *gen, uint64_t units)
{
	double ns;

	/* Fast path: the product is exact and below 2^52. */
	if (gen->whole_ns && units <= UINT32_MAX)
		return (int64_t)(units * gen->whole_ns);
	ns = (double)units * gen->ns_a_unit;
	return ns < 9.2e18 ? (int64_t)ns : (int64_t)9.2e18;
}

/* Return the string with this id: for 0 the empty string; if unknown, `text` is NULL. */
struct go_text go_string(const struct go_generation *gen, uint64_t id);

/* Return the stack with this id; if unknown, `nr` is 0. */
struct go_stack go_stack(const struct go_generation *gen, uint64_t id);

/* Return the name of the function of the frame at `*at`, and advance `*at` to the next frame. */
struct go_text go_stack_function(const struct go_generation *gen, const struct go_stack *stack,
				 const uint8_t **at);

/* Return the index of an id in its table; GO_NO_INDEX: the id is unknown. */
static inline uint32_t go_index(const struct ids *ids, uint64_t id)
{
	return (uint32_t)ids_get(ids, id);
}

/*
 * A cache of indexes by the last bits of the id. Ids may share these bits, so the caller must check
 * that the entry at the index has the id. All zeros: an empty cache.
 */
struct go_guesses {
	uint32_t *at;
	uint32_t nr; /* number of entries, a power of two; 0: not allocated */
};

/* Make sure that the cache has at least `nr` entries. Growing empties it. */
void go_guesses_for(struct go_guesses *guesses, uint32_t nr);

static inline uint32_t go_guess(const struct go_guesses *guesses, uint64_t id)
{
	return guesses->nr ? guesses->at[id & (guesses->nr - 1)] : GO_NO_INDEX;
}

static inline uint32_t go_guess_set(struct go_guesses *guesses, uint64_t id, uint32_t index)
{
	if (guesses->nr)
		guesses->at[id & (guesses->nr - 1)] = index;
	return index;
}

static inline uint64_t go_word(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap64(word);
}

/* Read a varint (LEB128). Returns the position after it; NULL if the bytes end before it ends, or
 * its value exceeds 64 bits. */
static inline const uint8_t *go_varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
	uint64_t v = 0;

	for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
		uint8_t byte = *at++;

		if (shift == 63 && byte > 1)
			return NULL;
		v |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) {
			*value = v;
			return at;
		}
	}
	return NULL;
}

/*
 * Read a varint; GO_MAX_VARINT bytes must be readable. Varints of up to four bytes (nearly all) are
 * decoded without a branch on their length, which the processor could not predict.
 */
#define GO_MAX_VARINT 10
static inline const uint8_t *go_varint_there(const uint8_t *at, uint64_t *value)
{
	uint32_t v = (uint32_t)go_word(at), ends = ~v & 0x80808080u;

	if (__builtin_expect(!ends, 0))
		return go_varint(at, at + GO_MAX_VARINT, value);
	/*
	 * Discard the bytes after the first varint, then join 7-bit groups in pairs, then 14-bit
	 * groups.
	 */
	v &= (ends ^ (ends - 1)) & 0x7f7f7f7fu;
	v -= (v & 0x7f007f00u) >> 1;
	*value = (v & 0x3fffu) | (v & 0x3fff0000u) >> 2;
	return at + (unsigned)__builtin_ctz(ends) / 8 + 1;
}

/*
 * Skip `nr` varints, at least 1. Returns the position after them, or NULL. One multiplication
 * counts, for each of eight bytes, the varints that end at or before this byte.
 */
static inline const uint8_t *go_skip(const uint8_t *at, const uint8_t *end, unsigned nr)
{
	const uint64_t ones = 0x0101010101010101ull;
	uint64_t v;

	while (end - at >= 8) {
		uint64_t ends = ~go_word(at) >> 7 & ones, nr_so_far = ends * ones, enough;

		if (nr <= 8) {
			enough = (nr_so_far + (128 - nr) * ones) & 128 * ones;
			if (enough)
				return at + __builtin_ctzll(enough) / 8 + 1;
		}
		if (!ends)
			break;
		nr -= (unsigned)(nr_so_far >> 56);
		at += 8 - __builtin_clzll(ends) / 8;
	}
	for (; nr && at; nr--)
		at = go_varint(at, end, &v);
	return at;
}

#endif
