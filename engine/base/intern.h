/* SPDX-License-Identifier: MIT */
/*
 * String interning: maps each distinct byte string to a 32-bit symbol: 0 for the empty string, then
 * 1, 2, ... in the order of first occurrence.
 *
 * One thread may intern. Other threads may look up symbols that they received through something
 * that orders memory, such as a mutex, because entries and text do not move or change. If there are
 * too many symbols or bytes of text, or if out of memory, a new string maps to `sym_other`
 * ("(other)").
 */
#ifndef TR2_BASE_INTERN_H
#define TR2_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/hash_index.h"

typedef uint32_t sym_t;

/* The symbol of an absent value. tr2_intern() never returns it. */
#define SYM_NONE  UINT32_MAX
#define SYM_EMPTY 0

#define INTERN_CHUNK_BITS 12
#define INTERN_CHUNK_SYMS (1u << INTERN_CHUNK_BITS)
#define INTERN_MAX_CHUNKS 4096 /* enough for 16.8 million symbols */

struct tr2_intern_entry {
	const char *text;
	uint32_t len;
	uint32_t hash;
};

struct tr2_intern {
	struct tr2_intern_entry *chunks[INTERN_MAX_CHUNKS];
	struct tr2_hash_index by_hash; /* private */
	uint32_t nr_syms;              /* ro */
	uint32_t max_syms;             /* ro */
	size_t text_bytes;             /* ro */
	size_t max_bytes;              /* ro */
	/* ro: number of calls that returned sym_other because of a limit or lack of memory */
	uint64_t nr_refused;
	sym_t sym_other; /* ro */
	char *block;     /* private: free memory for text */
	size_t block_left;
	void **blocks; /* private */
	uint32_t nr_blocks, cap_blocks;
};

/*
 * Initialise a table for at most `max_syms` symbols and `max_bytes` of text (0: the largest
 * possible), with the symbols of "" and "(other)". Returns false if out of memory or if a limit is
 * too low.
 */
bool tr2_intern_init(struct tr2_intern *in, uint32_t max_syms, size_t max_bytes);
void tr2_intern_release(struct tr2_intern *in);

/* Return the symbol of `len` bytes at `text`, adding it if new; `sym_other` on failure. */
sym_t tr2_intern(struct tr2_intern *in, const char *text, size_t len);

/*
 * Return the bytes of `sym` (not NUL-terminated), valid until the table is released. SYM_NONE gives
 * the empty string. Any thread that received the symbol.
 */
static inline const char *tr2_intern_text(const struct tr2_intern *in, sym_t sym, size_t *len)
{
	const struct tr2_intern_entry *e;

	if (sym == SYM_NONE) {
		*len = 0;
		return "";
	}
	e = &in->chunks[sym >> INTERN_CHUNK_BITS][sym & (INTERN_CHUNK_SYMS - 1)];
	*len = e->len;
	return e->text;
}

/* True if `sym` is not SYM_NONE and its text is `word`. */
static inline bool tr2_intern_is(const struct tr2_intern *in, sym_t sym, const char *word)
{
	size_t len;
	const char *text = tr2_intern_text(in, sym, &len);

	return sym != SYM_NONE && strlen(word) == len && !memcmp(text, word, len);
}

#endif
