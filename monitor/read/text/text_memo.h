/* SPDX-License-Identifier: MIT */
/*
 * Cache for text formats, of symbols for example. The streams of a format can share one, so that
 * their own state is small. Only one thread at a time may use it.
 */
#ifndef MONITOR_TEXT_MEMO_H
#define MONITOR_TEXT_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/intern.h"
#include "monitor/base/scan.h"
#include "monitor/read/text/perf_guess.h"
#include "monitor/read/text/text_clock.h"

#define MEMO_BITS       9
#define MEMO_TEXT_BYTES 32
#define MEMO_KIND_BYTES 16
#define MEMO_KINDS      128u /* number of slots; more than the kinds of events */

/* A short text and its meaning. All zeros: the empty text. */
struct memo_entry {
	struct scan_word16 a, b;
	uint32_t len;
	uint32_t v[2];
};

struct memo_kind {
	struct scan_word16 word;
	uint16_t len; /* 0: the slot is free */
	uint16_t kind;
};

struct text_memo {
	struct memo_entry syms[1u << MEMO_BITS]; /* v[0]: symbol */
	/* places `FILE:LINE`; v[0]: symbol of the file, v[1]: line */
	struct memo_entry places[1u << MEMO_BITS];
	struct memo_kind kinds[MEMO_KINDS];
	struct text_clock_memo clock;
	/* names of the format and of the main thread (SYM_NONE: the format has no threads) */
	sym_t format_sym, main_sym;
	/* mask of the kinds of events whose messages may have quoted words */
	uint64_t quoted_kinds;
	struct perf_guesses guesses;
};

static inline uint32_t memo_kind_hash(struct scan_word16 word)
{
	return (uint32_t)(((word.lo ^ word.hi << 7) * 0x9e3779b97f4a7c15ull) >> 57);
}

/*
 * Register a name of `len` bytes, 1 to MEMO_KIND_BYTES, for a kind of event. SCAN_PAD bytes must be
 * readable after the name.
 */
static inline void memo_kind_add(struct text_memo *memo, const char *name, size_t len,
				 unsigned kind)
{
	struct scan_word16 word = scan_word16(name, len);
	uint32_t at = memo_kind_hash(word);

	while (memo->kinds[at].len)
		at = (at + 1) % MEMO_KINDS;
	memo->kinds[at] = (struct memo_kind){ word, (uint16_t)len, (uint16_t)kind };
}

/* Return the kind with this name, or UINT16_MAX. */
static inline unsigned memo_kind_find(const struct text_memo *memo, const char *name, size_t len)
{
	struct scan_word16 word;

	if (!len || len > MEMO_KIND_BYTES)
		return UINT16_MAX;
	word = scan_word16(name, len);
	for (uint32_t at = memo_kind_hash(word);; at = (at + 1) % MEMO_KINDS) {
		const struct memo_kind *slot = &memo->kinds[at];

		if (slot->word.lo == word.lo && slot->word.hi == word.hi && slot->len == len)
			return slot->kind;
		if (!slot->len)
			return UINT16_MAX;
	}
}

/*
 * Return the slot for a text of `len` <= MEMO_TEXT_BYTES bytes. Sets `want` to the members, except
 * `v`, of a slot that holds that text.
 */
static inline struct memo_entry *memo_at(struct memo_entry *entries, const char *p, size_t len,
					 struct memo_entry *want)
{
	uint64_t hash;

	*want = (struct memo_entry){ .len = (uint32_t)len };
	want->a = scan_word16(p, len < 16 ? len : 16);
	hash = want->a.lo * 0x9e3779b97f4a7c15ull ^ want->a.hi * 0xa0761d6478bd642full;
	if (len > 16) {
		want->b = scan_word16(p + 16, len - 16);
		hash ^= want->b.lo * 0xe7037ed1a0b428dbull ^ want->b.hi * 0x8ebc6af09c88c6e3ull;
	}
	return &entries[hash >> (64 - MEMO_BITS)];
}

static inline bool memo_is(const struct memo_entry *entry, const struct memo_entry *want)
{
	return entry->a.lo == want->a.lo && entry->a.hi == want->a.hi &&
	       entry->b.lo == want->b.lo && entry->b.hi == want->b.hi && entry->len == want->len;
}

/* Return the symbol of a text. SCAN_PAD bytes must be readable after the text. */
static inline sym_t memo_sym(struct text_memo *memo, struct tr2_intern *syms, const char *p,
			     size_t len)
{
	struct memo_entry want, *entry;
	sym_t sym;

	if (len > MEMO_TEXT_BYTES)
		return tr2_intern(syms, p, len);
	entry = memo_at(memo->syms, p, len, &want);
	if (__builtin_expect(memo_is(entry, &want), 1))
		return entry->v[0];
	sym = tr2_intern(syms, p, len);
	if (sym != syms->sym_other) {
		*entry = want;
		entry->v[0] = sym;
	}
	return sym;
}

#endif
