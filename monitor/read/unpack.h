/* SPDX-License-Identifier: MIT */
/*
 * Packed input (gzip, xz, zstd): a filter in front of a stream's framer. Bytes as they come go
 * in, the text that was packed comes out, in pieces; members, streams and frames that follow
 * each other are one text. What it is says its first bytes, never a file's name.
 *
 *   packed:   1f 8b 08 ...            . | 1f 8b 08 ...
 *             \______ a member _______/   \__ the next
 *   state:    INSIDE                BETWEEN INSIDE
 *
 * A kind is a file, unpack_NAME.c, and its row in packings.def. One that was left out at
 * configure is known all the same, so that its first bytes get a message and not a heap of
 * malformed lines.
 *
 * Bounds: 40 KiB (gz), 128 MiB (xz: what lzma may allocate; zst: its window) a stream that is
 * within a member, a hundred bytes for one that rests between two; one buffer of 64 KiB for all.
 * What comes out is bounded by the caller's budget a call, so a bomb costs time alone. One thread
 * for all of them. No descriptor, no clock.
 */
#ifndef MONITOR_UNPACK_H
#define MONITOR_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most that a sink gets at once. FRAMER_PAD bytes behind it may be read. */
#define UNPACK_PIECE (64u << 10)
/* So many first bytes tell every kind. */
#define UNPACK_MAGIC_MAX 6
/* What an xz stream or a zstd window may take. */
#define UNPACK_MAX_MEMORY (128ull << 20)

enum unpack_state {
	UNPACK_BETWEEN, /* whole so far: nothing, or all members have ended */
	UNPACK_INSIDE,  /* a member has begun: an end here is `ends in the middle` */
	UNPACK_DAMAGED, /* nothing comes any more */
	UNPACK_OVER,    /* the same, but all members were whole: something else stands behind */
};

enum unpack_step { STEP_ON, STEP_END, STEP_DAMAGED };

/* A step's room: it moves both pointers on by what it used and made. */
struct unpack_io {
	const uint8_t *in;
	size_t nr_in;
	uint8_t *out;
	size_t nr_out;
};

/* First bytes. Of the first one only the bits of `mask` count. */
struct packing_magic {
	uint8_t bytes[UNPACK_MAGIC_MAX];
	uint8_t nr, mask;
};

/* A kind. `begin` is NULL where it was left out at configure; the rest of the calls then, too. */
struct packing_ops {
	const char *name;               /* "gz" */
	const char *library;            /* what reads it: "zlib" */
	struct packing_magic magics[2]; /* what a member may begin with; of no bytes: none */
	bool pads;                      /* zeroes behind a member are no garbage */
	/* A state for the members of one stream, one after the other; NULL: out of memory. */
	void *(*make)(void);
	/* A member begins: the state is as new. */
	bool (*begin)(void *state);
	/* Unpack some. `why` (static) for STEP_DAMAGED. */
	enum unpack_step (*step)(void *state, struct unpack_io *io, const char **why);
	void (*release)(void *state);
	size_t (*held)(void *state);  /* bytes that it takes now, about */
	const char *(*version)(void); /* of the library that runs, static */
};

#define PACKING(name) extern const struct packing_ops packing_##name;
#include "monitor/read/packings.def"
#undef PACKING

/* The kinds, in the order of their rows; NULL behind the last. */
const struct packing_ops *packing_at(size_t i);

/*
 * The kind whose first bytes these are, else NULL; `*more`: the bytes are too few to know, one
 * kind could still be meant.
 */
const struct packing_ops *packing_of(const char *bytes, size_t len, bool *more);

typedef void unpack_sink(void *data, const char *bytes, size_t len);

/* NULL: out of memory, or the kind was left out. The caller frees it. */
struct unpack *unpack_new(const struct packing_ops *packing);
void unpack_free(struct unpack *unpack); /* NULL is nothing */

/*
 * The next bytes: give what comes out to `sink`, in pieces of at most UNPACK_PIECE, until all
 * bytes are used or at least `budget` bytes came out. Returns the bytes used; what is left is to
 * be fed again. Where unpack_pending() holds afterwards more would come out without a byte more:
 * call again, with nothing if need be. Once the state is DAMAGED or OVER, `*why` (static) says
 * why and all bytes count as used; what came out before is good.
 */
size_t unpack_feed(struct unpack *unpack, const char *bytes, size_t len, size_t budget,
		   unpack_sink *sink, void *data, const char **why);
bool unpack_pending(const struct unpack *unpack);
/* Nothing follows for now: BETWEEN members the library's state is freed. */
void unpack_rest(struct unpack *unpack);
/* Bytes that the library's state takes, about. */
size_t unpack_held(const struct unpack *unpack);
enum unpack_state unpack_state(const struct unpack *unpack);
const struct packing_ops *unpack_packing(const struct unpack *unpack);

#endif
