/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/heap.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"

#define FIRST_UNITS 4096u

void heap_init(struct heap *heap)
{
	*heap = (struct heap){ .nr_units = 1 };
}

void heap_release(struct heap *heap)
{
	free(heap->base);
	heap_init(heap);
}

void heap_copy(struct heap *to, const struct heap *from)
{
	*to = *from;
	to->cap_units = from->nr_units;
	to->base = NULL;
	if (!from->base)
		return;
	to->base = xmalloc((size_t)from->nr_units * HEAP_UNIT_BYTES);
	memcpy(to->base, from->base, (size_t)from->nr_units * HEAP_UNIT_BYTES);
}

size_t heap_bytes(const struct heap *heap)
{
	return (size_t)heap->cap_units * HEAP_UNIT_BYTES;
}

unsigned heap_class_above(size_t units_wanted, uint32_t *units)
{
	unsigned shift = 64 - (unsigned)__builtin_clzll(units_wanted - 1), quarter, step;

	if (shift > 31)
		die("a trace needs a list of %zu bytes; lower --max-processes",
		    units_wanted * HEAP_UNIT_BYTES);
	quarter = 1u << (shift - 3);
	step = (unsigned)((units_wanted - 1) / quarter) - 3;
	*units = (4 + step) * quarter;
	return HEAP_EXACT_CLASSES + 4 * shift + step - 1;
}

size_t grow_by(size_t bytes)
{
	if (bytes < (128u << 10))
		return bytes;
	return bytes / (bytes < (1u << 20) ? 8 : bytes < (4u << 20) ? 16 : 32);
}

static void grow(struct heap *heap, uint32_t units)
{
	uint64_t cap = heap->cap_units ? heap->cap_units : FIRST_UNITS;

	while (cap < (uint64_t)heap->nr_units + units && cap <= SIZE_MAX / HEAP_UNIT_BYTES)
		cap += grow_by(cap * HEAP_UNIT_BYTES) / HEAP_UNIT_BYTES;
	if (cap > UINT32_MAX)
		die("the model exceeds 32 GiB; set --max-processes");
	if (cap > SIZE_MAX / HEAP_UNIT_BYTES)
		die_of_memory(SIZE_MAX);
	heap->base = xrealloc(heap->base, cap * HEAP_UNIT_BYTES);
	heap->cap_units = (uint32_t)cap;
}

uint32_t heap_extend(struct heap *heap, uint32_t units)
{
	uint32_t ref;

	if (heap->cap_units - heap->nr_units < units || !heap->base)
		grow(heap, units);
	ref = heap->nr_units;
	heap->nr_units += units;
	return ref;
}

void vec_grow(struct heap *heap, struct vec *vec, size_t item_bytes)
{
	vec_grow_to(heap, vec, item_bytes, vec->ref ? vec->cap_step + 1u : 0);
}

void vec_grow_to(struct heap *heap, struct vec *vec, size_t item_bytes, unsigned step)
{
	size_t cap = vec_cap(vec);
	uint32_t ref = heap_allocate(heap, vec_step_cap(step) * item_bytes);

	if (vec->nr)
		memcpy(heap_get(heap, ref), heap_get(heap, vec->ref), vec->nr * item_bytes);
	heap_free(heap, vec->ref, cap * item_bytes);
	vec->ref = ref;
	vec->cap_step = step & 0xff;
}

struct text text_new(struct heap *heap, const char *bytes, size_t len)
{
	struct text text = { .len = (uint32_t)len };

	if (!len)
		return text;
	text.ref = heap_allocate(heap, len);
	memcpy(heap_get(heap, text.ref), bytes, len);
	return text;
}

void text_release(struct heap *heap, struct text *text)
{
	if (text->len)
		heap_free(heap, text->ref, text->len);
	*text = (struct text){ 0 };
}

struct index_slot {
	uint64_t key;
	uint32_t value; /* the stored value plus 1; 0: the slot is free */
	uint32_t unused;
};

static struct index_slot *index_slot(const struct heap *heap, const struct index *index,
				     uint64_t key)
{
	struct index_slot *slots = heap_get(heap, index->ref);
	/* Keys 4n to 4n + 3 hash to adjacent slots, to share cache lines. */
	uint32_t mask = index->cap - 1;
	uint32_t at = ((uint32_t)tr2_hash_pair(key / 4, 0) * 4 + key % 4) & mask;

	while (slots[at].value && slots[at].key != key)
		at = (at + 1) & mask;
	return &slots[at];
}

uint32_t index_get(const struct heap *heap, const struct index *index, uint64_t key)
{
	const struct index_slot *slot;

	if (!index->cap)
		return INDEX_NONE;
	slot = index_slot(heap, index, key);
	return slot->value ? slot->value - 1 : INDEX_NONE;
}

static void index_grow(struct heap *heap, struct index *index)
{
	struct index old = *index;

	index->cap = old.cap ? old.cap * 2 : 64;
	index->ref = heap_allocate(heap, index->cap * sizeof(struct index_slot));
	memset(heap_get(heap, index->ref), 0, index->cap * sizeof(struct index_slot));
	for (uint32_t i = 0; i < old.cap; i++) {
		const struct index_slot *from = (struct index_slot *)heap_get(heap, old.ref) + i;

		if (from->value)
			*index_slot(heap, index, from->key) = *from;
	}
	heap_free(heap, old.ref, old.cap * sizeof(struct index_slot));
}

void index_put(struct heap *heap, struct index *index, uint64_t key, uint32_t value)
{
	struct index_slot *slot;

	if ((index->nr + 1) * 2 > index->cap)
		index_grow(heap, index);
	slot = index_slot(heap, index, key);
	index->nr += !slot->value;
	*slot = (struct index_slot){ .key = key, .value = value + 1 };
}

void index_keep(struct heap *heap, struct index *index, uint32_t value)
{
	struct index old = *index;

	*index = (struct index){ 0 };
	for (uint32_t i = 0; i < old.cap; i++) {
		const struct index_slot *from = (struct index_slot *)heap_get(heap, old.ref) + i;

		if (from->value && from->value - 1 == value)
			index_put(heap, index, from->key, value);
	}
	index_release(heap, &old);
}

void index_release(struct heap *heap, struct index *index)
{
	heap_free(heap, index->ref, index->cap * sizeof(struct index_slot));
	*index = (struct index){ 0 };
}
