/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"

#define INTERN_BLOCK_BYTES (64u << 10)
#define INTERN_FIRST_SLOTS 1024u

static struct tr2_intern_entry *entry_at(const struct tr2_intern *in, uint32_t sym)
{
	return &in->chunks[sym >> INTERN_CHUNK_BITS][sym & (INTERN_CHUNK_SYMS - 1)];
}

/* Where `hash` belongs: the slot of the equal entry, or the free slot that ends its run. */
static uint32_t slot_find(const struct tr2_intern *in, const char *text, size_t len, uint32_t hash)
{
	uint32_t at = hash & in->slot_mask;

	while (in->slots[at]) {
		const struct tr2_intern_entry *e = entry_at(in, in->slots[at] - 1);

		if (e->hash == hash && e->len == len && !memcmp(e->text, text, len))
			break;
		at = (at + 1) & in->slot_mask;
	}
	return at;
}

static bool slots_grow(struct tr2_intern *in)
{
	uint32_t nr = in->slots ? (in->slot_mask + 1) * 2 : INTERN_FIRST_SLOTS;
	uint32_t *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return false;
	free(in->slots);
	in->slots = slots;
	in->slot_mask = nr - 1;
	for (uint32_t sym = 0; sym < in->nr_syms; sym++) {
		uint32_t at = entry_at(in, sym)->hash & in->slot_mask;

		while (slots[at])
			at = (at + 1) & in->slot_mask;
		slots[at] = sym + 1;
	}
	return true;
}

static void *block_new(struct tr2_intern *in, size_t bytes)
{
	void *block;

	if (in->nr_blocks == in->cap_blocks) {
		uint32_t cap = in->cap_blocks ? in->cap_blocks * 2 : 16;
		void **blocks = realloc(in->blocks, cap * sizeof(*blocks));

		if (!blocks)
			return NULL;
		in->blocks = blocks;
		in->cap_blocks = cap;
	}
	block = malloc(bytes);
	if (block)
		in->blocks[in->nr_blocks++] = block;
	return block;
}

static const char *text_copy(struct tr2_intern *in, const char *text, size_t len)
{
	char *copy;

	if (len > INTERN_BLOCK_BYTES / 4) {
		copy = block_new(in, len);
	} else {
		if (!in->block || in->block_left < len) {
			char *block = block_new(in, INTERN_BLOCK_BYTES);

			if (!block)
				return NULL;
			in->block = block;
			in->block_left = INTERN_BLOCK_BYTES;
		}
		copy = in->block;
		in->block += len;
		in->block_left -= len;
	}
	if (copy && len)
		memcpy(copy, text, len);
	return copy;
}

static bool entry_add(struct tr2_intern *in, const char *text, size_t len, uint32_t hash)
{
	uint32_t sym = in->nr_syms;
	struct tr2_intern_entry **chunk = &in->chunks[sym >> INTERN_CHUNK_BITS];
	const char *copy;

	if (!*chunk && !(*chunk = calloc(INTERN_CHUNK_SYMS, sizeof(**chunk))))
		return false;
	copy = text_copy(in, text, len);
	if (!copy)
		return false;
	*entry_at(in, sym) =
		(struct tr2_intern_entry){ .text = copy, .len = (uint32_t)len, .hash = hash };
	in->text_bytes += len;
	in->nr_syms++;
	return true;
}

sym_t tr2_intern_hashed(struct tr2_intern *in, const char *text, size_t len, uint64_t hash64)
{
	uint32_t hash = (uint32_t)(hash64 >> 32);
	uint32_t at = slot_find(in, text, len, hash);

	if (in->slots[at])
		return in->slots[at] - 1;
	if (in->nr_syms >= in->max_syms || len > in->max_bytes - in->text_bytes ||
	    len > UINT32_MAX)
		goto refused;
	if ((in->nr_syms + 1) * 2 > in->slot_mask) {
		if (!slots_grow(in))
			goto refused;
		at = slot_find(in, text, len, hash);
	}
	if (!entry_add(in, text, len, hash))
		goto refused;
	in->slots[at] = in->nr_syms;
	return in->nr_syms - 1;
refused:
	in->nr_refused++;
	return in->sym_other;
}

sym_t tr2_intern(struct tr2_intern *in, const char *text, size_t len)
{
	return tr2_intern_hashed(in, text, len, tr2_hash(text, len));
}

bool tr2_intern_init(struct tr2_intern *in, uint32_t max_syms, size_t max_bytes)
{
	uint32_t most = INTERN_CHUNK_SYMS * INTERN_MAX_CHUNKS;

	memset(in, 0, sizeof(*in));
	in->max_syms = max_syms && max_syms < most ? max_syms : most;
	in->max_bytes = max_bytes ? max_bytes : SIZE_MAX;
	if (!slots_grow(in))
		return false;
	if (tr2_intern(in, "", 0) != SYM_EMPTY)
		return false;
	in->sym_other = tr2_intern(in, "(other)", 7);
	return in->nr_syms == 2;
}

void tr2_intern_release(struct tr2_intern *in)
{
	for (uint32_t i = 0; i < INTERN_MAX_CHUNKS && in->chunks[i]; i++)
		free(in->chunks[i]);
	for (uint32_t i = 0; i < in->nr_blocks; i++)
		free(in->blocks[i]);
	free(in->blocks);
	free(in->slots);
	memset(in, 0, sizeof(*in));
}
