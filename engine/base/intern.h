/* SPDX-License-Identifier: MIT */
/*
 * Interning: one 32-bit symbol for each distinct run of bytes, from 0 up in the order of first
 * sight. Symbol 0 is always the empty string.
 *
 * One thread interns; others may look symbols up that they were handed through something that
 * orders memory (a mutex, the journal): entries and text never move and never change. The
 * tables are bounded in symbols and bytes: past a bound every new run of bytes becomes
 * `sym_other` ("(other)"), and `nr_refused` counts it.
 *
 * Cost: one hash and one compare a call; no allocation for a run that is known.
 */
#ifndef TR2_BASE_INTERN_H
#define TR2_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/slots.h"

typedef uint32_t sym_t;

/* "No symbol": what was absent. Never returned by tr2_intern(). */
#define SYM_NONE  UINT32_MAX
#define SYM_EMPTY 0

#define INTERN_CHUNK_BITS 12
#define INTERN_CHUNK_SYMS (1u << INTERN_CHUNK_BITS)
#define INTERN_MAX_CHUNKS 4096 /* 16.7 million symbols */

struct tr2_intern_entry {
	const char *text;
	uint32_t len;
	uint32_t hash;
};

struct tr2_intern {
	struct tr2_intern_entry *chunks[INTERN_MAX_CHUNKS];
	struct tr2_slots by_hash; /* private: symbols */
	uint32_t nr_syms;         /* ro: symbols in use */
	uint32_t max_syms;        /* ro */
	size_t text_bytes;        /* ro: bytes of text held */
	size_t max_bytes;         /* ro */
	uint64_t nr_refused;      /* ro: lookups answered with sym_other */
	sym_t sym_other;          /* ro: the symbol of "(other)" */
	char *block;              /* private: where text goes next */
	size_t block_left;
	void **blocks; /* private: every text block, to free them */
	uint32_t nr_blocks, cap_blocks;
};

/*
 * Make an empty table that holds at most `max_syms` symbols and `max_bytes` of text (0: the
 * largest possible). False where memory is short.
 */
bool tr2_intern_init(struct tr2_intern *in, uint32_t max_syms, size_t max_bytes);
void tr2_intern_release(struct tr2_intern *in);

/* The symbol of `len` bytes at `text`, made if it is new; `sym_other` past a bound. */
sym_t tr2_intern(struct tr2_intern *in, const char *text, size_t len);

/*
 * The bytes of `sym` (not NUL-terminated), valid until release. Any thread that was handed the
 * symbol. SYM_NONE gives the empty string.
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

#endif
