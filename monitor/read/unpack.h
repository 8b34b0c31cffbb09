/* SPDX-License-Identifier: MIT */
/*
 * Decompression (gzip, xz, zstd) in front of a stream's splitter. Packed bytes go in, and the text
 * comes out in pieces. Consecutive members, streams or frames form one text. The kind is detected
 * from the first bytes, never from the file name.
 *
 *   packed:   1f 8b 08 ...            . | 1f 8b 08 ...
 *             \______ a member _______/   \__ the next
 *   state:    INSIDE                BETWEEN INSIDE
 *
 * A kind is a file, unpack_NAME.c, and its row in packings.def. A kind that was disabled at
 * configure is still detected, so that the user gets one message instead of many malformed lines.
 *
 * Memory: 40 KiB (gz) or 128 MiB (xz: what lzma may allocate; zst: its window) per stream inside a
 * member, a hundred bytes between members, and one shared buffer of 64 KiB. Output is bounded by
 * the caller's budget per call, so a decompression bomb only costs time. One thread for all
 * objects. No file descriptor, no clock.
 */
#ifndef MONITOR_UNPACK_H
#define MONITOR_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum bytes per call of a sink. SPLITTER_PAD bytes after them are readable. */
#define UNPACK_PIECE (64u << 10)
/* Number of first bytes that identify every kind. */
#define UNPACK_MAGIC_MAX 6
/* Memory limit of an xz stream or a zstd window. */
#define UNPACK_MAX_MEMORY (128ull << 20)

enum unpack_state {
	UNPACK_BETWEEN, /* complete so far: no member, or all members have ended */
	UNPACK_INSIDE,  /* inside a member: the end of input here means truncated */
	UNPACK_DAMAGED, /* no more output */
	UNPACK_OVER,    /* no more output; all members were complete, but other data follows */
};

enum unpack_step { STEP_ON, STEP_END, STEP_DAMAGED };

/* Buffers of one step. The step advances both pointers. */
struct unpack_io {
	const uint8_t *in;
	size_t nr_in;
	uint8_t *out;
	size_t nr_out;
};

/* First bytes. Only the bits in `mask` of the first byte are compared. */
struct packing_magic {
	uint8_t bytes[UNPACK_MAGIC_MAX];
	uint8_t nr, mask;
};

/* A kind. If it was disabled at configure, `begin` and the functions after it are NULL. */
struct packing_ops {
	const char *name;               /* "gz" */
	const char *library;            /* the library: "zlib" */
	struct packing_magic magics[2]; /* first bytes of a member; unused entries have length 0 */
	bool pads;                      /* zeroes after a member are padding, not garbage */
	/* Create a state for all members of one stream. NULL: out of memory. */
	void *(*make)(void);
	/* Reset the state for a new member. */
	bool (*begin)(void *state);
	/* Unpack some bytes. Sets `why` (static) for STEP_DAMAGED. */
	enum unpack_step (*step)(void *state, struct unpack_io *io, const char **why);
	void (*release)(void *state);
	size_t (*held)(void *state);  /* approximate memory used, in bytes */
	const char *(*version)(void); /* version of the library at run time, static */
};

#define PACKING(name) extern const struct packing_ops packing_##name;
#include "monitor/read/packings.def"
#undef PACKING

/* The kinds in the order of packings.def; NULL after the last. */
const struct packing_ops *packing_at(size_t i);

/*
 * The kind that these first bytes identify, or NULL. `*more` is set if the bytes are too few to
 * decide.
 */
const struct packing_ops *packing_of(const char *bytes, size_t len, bool *more);

typedef void unpack_sink(void *data, const char *bytes, size_t len);

/* Create an unpacker. NULL: out of memory, or the kind was disabled. The caller frees it. */
struct unpack *unpack_new(const struct packing_ops *packing);
void unpack_free(struct unpack *unpack); /* NULL is allowed */

/*
 * Process the next bytes. Calls `sink` with pieces of at most UNPACK_PIECE bytes, until all bytes
 * are used or at least `budget` bytes came out. Returns the number of bytes used; feed the rest
 * again. If unpack_pending() is true afterwards, more output is available without input: call
 * again, if necessary with 0 bytes. If the state becomes DAMAGED or OVER, `*why` (static) is set
 * and all bytes count as used; earlier output is valid.
 */
size_t unpack_feed(struct unpack *unpack, const char *bytes, size_t len, size_t budget,
		   unpack_sink *sink, void *data, const char **why);
bool unpack_pending(const struct unpack *unpack);
/* No data for now: between members, free the library's state. */
void unpack_rest(struct unpack *unpack);
/* Approximate bytes used by the library's state. */
size_t unpack_held(const struct unpack *unpack);
enum unpack_state unpack_state(const struct unpack *unpack);
const struct packing_ops *unpack_packing(const struct unpack *unpack);

#endif
