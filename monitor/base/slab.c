/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/slab.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"

#define FIRST_UNITS 4096u

void slab_init(struct slab *slab)
{
	*slab = (struct slab){ .nr_units = 1 };
}

void slab_release(struct slab *slab)
{
	free(slab->base);
	slab_init(slab);
}

void slab_copy(struct slab *to, const struct slab *from)
{
	*to = *from;
	to->cap_units = from->nr_units;
	to->base = NULL;
	if (!from->base)
		return;
	to->base = xmalloc((size_t)from->nr_units * SLAB_UNIT_BYTES);
	memcpy(to->base, from->base, (size_t)from->nr_units * SLAB_UNIT_BYTES);
}

size_t slab_bytes(const struct slab *slab)
{
	return (size_t)slab->cap_units * SLAB_UNIT_BYTES;
}

unsigned slab_class_above(size_t units_wanted, uint32_t *units)
{
	unsigned shift = 64 - (unsigned)__builtin_clzll(units_wanted - 1), quarter, step;

	if (shift > 31)
		die("a trace needs a list of %zu bytes; lower --max-processes",
		    units_wanted * SLAB_UNIT_BYTES);
	quarter = 1u << (shift - 3);
	step = (unsigned)((units_wanted - 1) / quarter) - 3; /* 1 to 4 above half of 1 << shift */
	*units = (4 + step) * quarter;
	return SLAB_EXACT_CLASSES + 4 * shift + step - 1;
}

size_t grow_by(size_t bytes)
{
	if (bytes < (128u << 10))
		return bytes;
	return bytes / (bytes < (1u << 20) ? 8 : bytes < (4u << 20) ? 16 : 32);
}

static void grow(struct slab *slab, uint32_t units)
{
	uint64_t cap = slab->cap_units ? slab->cap_units : FIRST_UNITS;

	while (cap < (uint64_t)slab->nr_units + units && cap <= SIZE_MAX / SLAB_UNIT_BYTES)
		cap += grow_by(cap * SLAB_UNIT_BYTES) / SLAB_UNIT_BYTES;
	if (cap > UINT32_MAX)
		die("the model has grown past 32 GiB; give --max-processes");
	/* On 32-bit machines the address space is the limit. */
	if (cap > SIZE_MAX / SLAB_UNIT_BYTES)
		die_of_memory(SIZE_MAX);
	slab->base = xrealloc(slab->base, cap * SLAB_UNIT_BYTES);
	slab->cap_units = (uint32_t)cap;
}

uint32_t slab_extend(struct slab *slab, uint32_t units)
{
	uint32_t ref;

	if (slab->cap_units - slab->nr_units < units || !slab->base)
		grow(slab, units);
	ref = slab->nr_units;
	slab->nr_units += units;
	return ref;
}

void vec_grow(struct slab *slab, struct vec *vec, size_t item_bytes)
{
	vec_grow_to(slab, vec, item_bytes, vec->ref ? vec->cap_step + 1u : 0);
}

void vec_grow_to(struct slab *slab, struct vec *vec, size_t item_bytes, unsigned step)
{
	size_t cap = vec_cap(vec);
	uint32_t ref = slab_alloc(slab, vec_step_cap(step) * item_bytes);

	if (vec->nr)
		memcpy(slab_at(slab, ref), slab_at(slab, vec->ref), vec->nr * item_bytes);
	slab_free(slab, vec->ref, cap * item_bytes);
	vec->ref = ref;
	vec->cap_step = step & 0xff;
}

struct text text_new(struct slab *slab, const char *bytes, size_t len)
{
	struct text text = { .len = (uint32_t)len };

	if (!len)
		return text;
	text.ref = slab_alloc(slab, len);
	memcpy(slab_at(slab, text.ref), bytes, len);
	return text;
}

void text_release(struct slab *slab, struct text *text)
{
	if (text->len)
		slab_free(slab, text->ref, text->len);
	*text = (struct text){ 0 };
}

struct index_slot {
	uint64_t key;
	uint32_t value; /* plus 1; 0 is a free slot */
	uint32_t unused;
};

static struct index_slot *index_slot(const struct slab *slab, const struct index *index,
				     uint64_t key)
{
	struct index_slot *slots = slab_at(slab, index->ref);
	/* Consecutive keys are adjacent, four per cache line. */
	uint32_t mask = index->cap - 1;
	uint32_t at = ((uint32_t)tr2_hash_pair(key / 4, 0) * 4 + key % 4) & mask;

	while (slots[at].value && slots[at].key != key)
		at = (at + 1) & mask;
	return &slots[at];
}

uint32_t index_get(const struct slab *slab, const struct index *index, uint64_t key)
{
	const struct index_slot *slot;

	if (!index->cap)
		return INDEX_NONE;
	slot = index_slot(slab, index, key);
	return slot->value ? slot->value - 1 : INDEX_NONE;
}

static void index_grow(struct slab *slab, struct index *index)
{
	struct index old = *index;

	index->cap = old.cap ? old.cap * 2 : 64;
	index->ref = slab_alloc(slab, index->cap * sizeof(struct index_slot));
	memset(slab_at(slab, index->ref), 0, index->cap * sizeof(struct index_slot));
	for (uint32_t i = 0; i < old.cap; i++) {
		const struct index_slot *from = (struct index_slot *)slab_at(slab, old.ref) + i;

		if (from->value)
			*index_slot(slab, index, from->key) = *from;
	}
	slab_free(slab, old.ref, old.cap * sizeof(struct index_slot));
}

void index_put(struct slab *slab, struct index *index, uint64_t key, uint32_t value)
{
	struct index_slot *slot;

	if ((index->nr + 1) * 2 > index->cap)
		index_grow(slab, index);
	slot = index_slot(slab, index, key);
	index->nr += !slot->value;
	*slot = (struct index_slot){ .key = key, .value = value + 1 };
}

void index_keep(struct slab *slab, struct index *index, uint32_t value)
{
	struct index old = *index;

	*index = (struct index){ 0 };
	for (uint32_t i = 0; i < old.cap; i++) {
		const struct index_slot *from = (struct index_slot *)slab_at(slab, old.ref) + i;

		if (from->value && from->value - 1 == value)
			index_put(slab, index, from->key, value);
	}
	index_release(slab, &old);
}

void index_release(struct slab *slab, struct index *index)
{
	slab_free(slab, index->ref, index->cap * sizeof(struct index_slot));
	*index = (struct index){ 0 };
}
