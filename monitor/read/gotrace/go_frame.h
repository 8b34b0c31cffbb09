/* SPDX-License-Identifier: MIT */
/*
 * Go execution traces, first part: bytes of a stream become generations.
 *
 *   stream:      header  batch batch ... | batch ...          | ...
 *                        \ generation 1 / \ generation 2 /
 *
 * A generation is about a second of a program: batches of events a thread (not in the order of
 * time across threads), its own strings, stacks and clock. Nothing of it has a name before its
 * last batch, so it is kept whole and delivered whole:
 *   - header 26 and later: at its end mark;
 *   - before: when the next one's first batch comes, or at a batch of strings behind the stacks
 *     where the clock is known and every string of every stack is there. A batch that still
 *     comes for a delivered generation is dropped and counted.
 * Ids are hashed, never indexes; whatever a length or a count says is bounded by the bytes that
 * are there. Pure: no clock, no I/O. One thread.
 *
 * Invariant of the states: in BATCHES and not `ready`, `gen` holds whole batches of one
 * generation and nothing of another; once `ready`, nothing is read until go_frame_next(), and
 * behind a header nothing until `is_new_trace` was taken back.
 * BROKEN is left by nothing: what follows cannot be told from data.
 */
#ifndef MONITOR_GO_FRAME_H
#define MONITOR_GO_FRAME_H

#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "monitor/read/ids.h"

/* Bounds of Go's own reader. */
#define GO_HEADER_BYTES     16
#define GO_MAX_BATCH_BYTES  65536u
#define GO_MAX_STRING_BYTES 1024u
#define GO_MAX_FRAMES       128u
#define GO_MAX_ARGS         5 /* of an event, the time among them */
/* Ours: all streams' generations together with their tables; of one of them its bytes, and its
 * tables. */
#define GO_MAX_ALL_BYTES        (512ull << 20)
#define GO_MAX_GENERATION_BYTES (256ull << 20)
#define GO_MAX_THREADS          65536u

#define GO_KNOWN_STRINGS 256u

#define GO_NO_INDEX UINT32_MAX /* of an array: none */
#define GO_NONE     UINT64_MAX /* no thread, no P, as the wire says it */

enum go_wire {
#define GO_WIRE(ID, number, args, string, stack, new_stack, rule, take, needs_lane)                \
	WIRE_##ID = number,
#include "monitor/read/gotrace/go_wire.def"
#undef GO_WIRE
};

/* What follows a type, see go_wire.def; nr_args 0: no such event. */
struct go_wire_row {
	uint8_t nr_args, strings, stack, new_stack;
};
extern const struct go_wire_row go_wire_rows[256];

struct go_text {
	const char *text;
	uint32_t len;
};

struct go_stack {
	const uint8_t *frames; /* 4 varints a frame, the leaf first: pc, function, file, line */
	uint32_t nr, nr_bytes;
};

struct go_batch {
	const uint8_t *at;
	uint32_t len;
	uint32_t next; /* of the same thread; GO_NO_INDEX: none */
	uint64_t time; /* in units of the trace's clock */
};

struct go_thread {
	uint64_t id; /* GO_NONE: of no thread */
	uint32_t first, last;
};

struct go_sample {
	uint64_t time; /* units */
	uint64_t thread, proc, goroutine, stack;
};

struct go_generation {
	uint64_t number;         /* 0: none */
	uint64_t first_at;       /* of its first batch: offset in the stream */
	uint64_t nr_bytes;       /* of its batches */
	struct go_piece *pieces; /* private: the bytes */
	struct go_batch *batches;
	uint32_t nr_batches, cap_batches;
	struct go_thread *threads; /* in the order of their first batches */
	uint32_t nr_threads, cap_threads;
	struct ids thread_ids;
	uint64_t min_time; /* units: of the earliest batch of any kind */
	struct go_text *strings;
	uint32_t nr_strings, cap_strings;
	struct ids string_ids;
	struct go_stack *stacks;
	uint32_t nr_stacks, cap_stacks;
	struct ids stack_ids;
	struct go_sample *samples;
	uint32_t nr_samples, cap_samples;
	uint64_t nr_table_bytes; /* private: of all of these, as they were counted last */
	/* Private: strings that stacks name, which were not there when the stacks came; and some
	 * that are or were looked for already, by their last bits. */
	uint64_t *wanted;
	uint32_t nr_wanted, cap_wanted;
	uint64_t known[GO_KNOWN_STRINGS];
	double ns_a_unit;  /* 0: not known */
	uint32_t whole_ns; /* private: the same, where it is a whole number below 2^20 */
	/* The wall clock, 1.25 and later: at `wall_time` units it was `wall_ns`. */
	bool has_wall;
	uint64_t wall_time;
	int64_t wall_ns;
	bool is_lost; /* it is too large, or has too many threads: nothing more is kept of it */
	uint8_t last_kind; /* private: of its last batch */
	bool is_behind_stacks;
};

/* Told of each malformed record: `text` says what (for a sample), in words. */
typedef void go_bad_fn(void *data, const char *text);

struct go_frame {
	enum { GO_HEADER, GO_BATCHES, GO_BROKEN } state; /* ro */
	uint8_t version;                                 /* ro: 22, 23, 25, 26 ... */
	bool ready;        /* ro: `gen` is whole; deliver it, then go_frame_next() */
	bool is_new_trace; /* rw: a header came: what follows is another trace. Take it back */
	uint8_t *stashed;  /* private: the next generation's first batch, while this one is ready
			   */
	struct go_generation gen; /* ro */
	uint64_t at;              /* ro: bytes of the stream that were used */
	uint64_t delivered;       /* ro: number of the last one that was; 0: none */
	bool has_gap;             /* rw: what follows is not what followed the last one */
	uint64_t nr_lost;         /* ro: generations */
	uint64_t nr_late;         /* ro: batches of a generation that was delivered */
	uint64_t nr_oversized;    /* ro: generations beyond the bounds */
	go_bad_fn *bad;           /* rw: not NULL while bytes are read */
	void *bad_data;
};

void go_frame_init(struct go_frame *frame);
void go_frame_release(struct go_frame *frame);

/*
 * Read batches until the bytes hold no whole one or a generation is `ready`; returns how many
 * bytes were used, what is left comes again with more behind it (at most GO_MAX_BATCH_BYTES and
 * a batch's head).
 */
size_t go_frame_read(struct go_frame *frame, const uint8_t *bytes, size_t len);

/* The generation that was `ready` is delivered: forget it. */
void go_frame_next(struct go_frame *frame);

/*
 * No more bytes come (or, `is_quiet`, none now); `left` were not used. Where what is there is a
 * whole generation it is `ready`; else, at the end, it is lost and told, with what else is cut.
 */
void go_frame_finish(struct go_frame *frame, size_t left, bool is_quiet);

/* Bytes that are kept. */
size_t go_frame_held(const struct go_frame *frame);

/* ---- of a generation ---- */

/* The time of so many units, saturating. */
static inline int64_t go_ns(const struct go_generation *gen, uint64_t units)
{
	double ns;

	/* Below 2^52, so a double is as exact, and takes longer. */
	if (gen->whole_ns && units <= UINT32_MAX)
		return (int64_t)(units * gen->whole_ns);
	ns = (double)units * gen->ns_a_unit;
	return ns < 9.2e18 ? (int64_t)ns : (int64_t)9.2e18;
}

/* The string: "" for 0; `text` NULL where there is none of that id. */
struct go_text go_string(const struct go_generation *gen, uint64_t id);

/* The stack; `nr` 0 where there is none. */
struct go_stack go_stack(const struct go_generation *gen, uint64_t id);

/* The frame that `at` points to, which moves on to the next one. */
struct go_text go_stack_function(const struct go_generation *gen, const struct go_stack *stack,
				 const uint8_t **at);

/* What the id is an index by; GO_NO_INDEX: it is not there. */
static inline uint32_t go_index(const struct ids *ids, uint64_t id)
{
	return (uint32_t)ids_get(ids, id);
}

/*
 * Where in an array an id may stand, by its last bits: looked at before a table of ids is asked,
 * and checked there, for what stands here may be stale. Zeroed it is empty.
 */
struct go_guesses {
	uint32_t *at;
	uint32_t nr; /* a power of two; 0: none yet */
};

/* See that there is one for each of `nr` ids. */
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

/* Eight bytes, the first one lowest. */
static inline uint64_t go_word(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return le64toh(word);
}

/* The next varint; NULL where the bytes end, or say more than 64 bits. */
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
 * The next varint, where GO_MAX_VARINT bytes are there. One of up to four bytes, as nearly all
 * are, is made of a word without a branch on its length: lengths alternate, and would be guessed
 * wrong.
 */
#define GO_MAX_VARINT 10
static inline const uint8_t *go_varint_there(const uint8_t *at, uint64_t *value)
{
	uint32_t v = (uint32_t)go_word(at), ends = ~v & 0x80808080u;

	if (__builtin_expect(!ends, 0))
		return go_varint(at, at + GO_MAX_VARINT, value);
	/* The bytes up to the first that ends one; then 7 bits beside 7, and 14 beside 14. */
	v &= (ends ^ (ends - 1)) & 0x7f7f7f7fu;
	v -= (v & 0x7f007f00u) >> 1;
	*value = (v & 0x3fffu) | (v & 0x3fff0000u) >> 2;
	return at + (unsigned)__builtin_ctz(ends) / 8 + 1;
}

/*
 * Behind the next `nr` varints, at least 1; NULL as go_varint(). Of eight bytes at once those that
 * end a varint are counted, byte by byte from the first one, in one multiplication.
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
