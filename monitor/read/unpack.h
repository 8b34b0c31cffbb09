/* SPDX-License-Identifier: MIT */
/*
 * Decompression (gzip, xz, zstd) of a stream before it is split. A compressed file consists of
 * members (gzip), streams (xz) or frames (zstd), all called members here, whose contents form one
 * stream.
 *
 *   packed:  1f 8b 08 ... .  |  1f 8b 08 ...
 *           \______ a member _______/      \__ the next
 *   state:        INSIDE      BETWEEN   INSIDE
 *
 * A compression format that was left out at configure is still detected, to print one message
 * instead of many malformed lines.
 *
 * Memory per stream: about 40 KiB (gz) or at most about 128 MiB (xz, zst); below 100 bytes after
 * unpack_rest() between members. All streams share a buffer, so only one thread at a time may use
 * objects. Output per call is at most the caller's budget plus UNPACK_PIECE, so a decompression
 * bomb only costs time.
 */
#ifndef MONITOR_UNPACK_H
#define MONITOR_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum bytes of output per call of the sink. SPLITTER_PAD bytes after them are readable. */
#define UNPACK_PIECE (64u << 10)
/* Maximum number of bytes that identify a compression format. */
#define UNPACK_MAGIC_MAX 6
/* Maximum memory, in bytes, of an xz stream's decoder or of a zstd window. */
#define UNPACK_MAX_MEMORY (128ull << 20)

enum unpack_state {
	UNPACK_BETWEEN, /* no member has begun, or all begun members have ended */
	/* a member has begun and not ended: if the input ends now, it is truncated */
	UNPACK_INSIDE,
	/* no more output: the data is damaged or unsupported, or needs too much memory */
	UNPACK_DAMAGED,
	/* no more output: other data follows complete members */
	UNPACK_OVER,
};

enum unpack_step { STEP_ON, STEP_END, STEP_DAMAGED };

/* Buffers of one step of a library. The step advances `in` and `out`. */
struct unpack_io {
	const uint8_t *in;
	size_t nr_in;
	uint8_t *out;
	size_t nr_out;
};

/* First bytes of a compression format. Of the first byte only the bits in `mask` are compared. */
struct packing_magic {
	uint8_t bytes[UNPACK_MAGIC_MAX];
	uint8_t nr, mask;
};

/* A compression format. If the format was left out at configure, all its function pointers are
 * NULL. */
struct packing_ops {
	const char *name;
	const char *library;
	struct packing_magic magics[2]; /* first bytes of a member; unused entries have length 0 */
	/* true if zero bytes after a member are padding, not trailing data */
	bool pads;
	/* Create the library's state for one stream. Returns NULL on failure. */
	void *(*make)(void);
	/* Prepare the state for a new member. Returns false on failure. */
	bool (*begin)(void *state);
	/* Decompress some bytes. Sets `*why` (static) if it returns STEP_DAMAGED. */
	enum unpack_step (*step)(void *state, struct unpack_io *io, const char **why);
	void (*release)(void *state);
	size_t (*held)(void *state);
	const char *(*version)(void); /* version of the library at run time; static */
};

#define PACKING(name) extern const struct packing_ops packing_##name;
#include "monitor/read/packings.def"
#undef PACKING

/* Return compression format `i`, in the order of packings.def; NULL: after the last. */
const struct packing_ops *packing_at(size_t i);

/*
 * Return the compression format that these first bytes identify, or NULL. `*more` is set to whether
 * the bytes are too few to decide.
 */
const struct packing_ops *packing_of(const char *bytes, size_t len, bool *more);

typedef void unpack_sink(void *data, const char *bytes, size_t len);

/* Returns NULL on failure, or if the format was left out. */
struct unpack *unpack_new(const struct packing_ops *packing);
void unpack_free(struct unpack *unpack); /* NULL is allowed */

/*
 * Process the next bytes. Calls `sink` with pieces of at most UNPACK_PIECE bytes, until all bytes
 * are used or at least `budget` bytes of output were passed. Returns the number of bytes used; pass
 * the unused bytes again. If unpack_pending() is true afterwards, call again, if necessary with 0
 * bytes. If the state becomes DAMAGED or OVER, `*why` (static) is set and all bytes count as used.
 */
size_t unpack_feed(struct unpack *unpack, const char *bytes, size_t len, size_t budget,
		   unpack_sink *sink, void *data, const char **why);
bool unpack_pending(const struct unpack *unpack);
/* Free the library's state, unless a member is open. */
void unpack_rest(struct unpack *unpack);
size_t unpack_held(const struct unpack *unpack);
enum unpack_state unpack_state(const struct unpack *unpack);
const struct packing_ops *unpack_packing(const struct unpack *unpack);

#endif
