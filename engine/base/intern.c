/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"

#define INTERN_BLOCK_BYTES (64u << 10)
#define INTERN_FIRST_SLOTS 1024u

static struct tr2_intern_entry *intern_entry_at(const struct tr2_intern *in, uint32_t sym)
{
	return &in->chunks[sym >> INTERN_CHUNK_BITS][sym & (INTERN_CHUNK_SYMS - 1)];
}

static uint32_t intern_hash_of(const void *in, uint32_t sym)
{
	return intern_entry_at(in, sym)->hash;
}

static void *intern_block_new(struct tr2_intern *in, size_t bytes)
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

static const char *intern_text_copy(struct tr2_intern *in, const char *text, size_t len)
{
	char *copy;

	if (len > INTERN_BLOCK_BYTES / 4) {
		copy = intern_block_new(in, len);
	} else {
		if (!in->block || in->block_left < len) {
			char *block = intern_block_new(in, INTERN_BLOCK_BYTES);

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

static bool intern_entry_add(struct tr2_intern *in, const char *text, size_t len, uint32_t hash)
{
	uint32_t sym = in->nr_syms;
	struct tr2_intern_entry **chunk = &in->chunks[sym >> INTERN_CHUNK_BITS];
	const char *copy;

	if (!*chunk && !(*chunk = calloc(INTERN_CHUNK_SYMS, sizeof(**chunk))))
		return false;
	copy = intern_text_copy(in, text, len);
	if (!copy)
		return false;
	*intern_entry_at(in, sym) =
		(struct tr2_intern_entry){ .text = copy, .len = (uint32_t)len, .hash = hash };
	in->text_bytes += len;
	return true;
}

sym_t tr2_intern(struct tr2_intern *in, const char *text, size_t len)
{
	uint32_t hash = (uint32_t)(tr2_hash(text, len) >> 32);

	TR2_HASH_INDEX_EACH(&in->by_hash, hash, at)
	{
		const struct tr2_intern_entry *e = intern_entry_at(in, in->by_hash.at[at] - 1);

		if (e->hash == hash && e->len == len && !memcmp(e->text, text, len))
			return in->by_hash.at[at] - 1;
	}
	if (in->nr_syms >= in->max_syms || len > in->max_bytes - in->text_bytes || len > UINT32_MAX)
		goto refused;
	if (!intern_entry_add(in, text, len, hash))
		goto refused;
	if (tr2_hash_index_put(&in->by_hash, hash, in->nr_syms, intern_hash_of, in))
		return in->nr_syms++;
refused:
	in->nr_refused++;
	return in->sym_other;
}

bool tr2_intern_init(struct tr2_intern *in, uint32_t max_syms, size_t max_bytes)
{
	uint32_t most = INTERN_CHUNK_SYMS * INTERN_MAX_CHUNKS;

	memset(in, 0, sizeof(*in));
	in->max_syms = max_syms && max_syms < most ? max_syms : most;
	in->max_bytes = max_bytes ? max_bytes : SIZE_MAX;
	if (!tr2_hash_index_init(&in->by_hash, INTERN_FIRST_SLOTS))
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
	tr2_hash_index_release(&in->by_hash);
	memset(in, 0, sizeof(*in));
}
