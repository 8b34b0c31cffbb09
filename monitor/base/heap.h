/* SPDX-License-Identifier: MIT */
/*
 * heap: a relocatable heap. Items are addressed by 32-bit references instead of pointers, so
 * copying one array copies the heap.
 *
 *   0      [ unused: reference 0 means "none" ]
 *   ref 1  [8 bytes][8 bytes] ...              up to 32 GiB
 *
 * Pointers from heap_get() are valid until the next allocation in the heap. One thread at a time.
 */
#ifndef MONITOR_HEAP_H
#define MONITOR_HEAP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HEAP_UNIT_BYTES 8u
/* Size classes of blocks: multiples of 8 bytes up to 1 KiB, then four sizes per power of two. */
#define HEAP_EXACT_CLASSES 128u
#define HEAP_CLASSES       (HEAP_EXACT_CLASSES + 128u)

struct heap {
	char *base;         /* private */
	uint32_t nr_units;  /* private: end of the last block, in units */
	uint32_t cap_units; /* private: size of the memory at `base`, in units */
	uint32_t free_list[HEAP_CLASSES];
	size_t used_bytes; /* ro: bytes in blocks that are not free */
};

void heap_init(struct heap *heap);
void heap_release(struct heap *heap);
/* Copy the heap `from` to `to`, whose old contents are not freed. References stay valid. */
void heap_copy(struct heap *to, const struct heap *from);

static inline void *heap_get(const struct heap *heap, uint32_t ref)
{
	return heap->base + (size_t)ref * HEAP_UNIT_BYTES;
}

/* Private: heap_class() for more than 1 KiB. */
unsigned heap_class_above(size_t units_wanted, uint32_t *units);

/* Return the size class of a block of `bytes`; sets `*units` to the block's size in units. */
static inline unsigned heap_class(size_t bytes, uint32_t *units)
{
	size_t wanted = (bytes + HEAP_UNIT_BYTES - 1) / HEAP_UNIT_BYTES;

	if (wanted > HEAP_EXACT_CLASSES)
		return heap_class_above(wanted, units);
	*units = (uint32_t)wanted;
	return (unsigned)wanted - 1;
}

/* Private: allocate at the end of the heap. */
uint32_t heap_extend(struct heap *heap, uint32_t units);

/* Allocate a block of at least `bytes` (> 0), not zeroed, and return its reference. Exits on
 * failure. */
static inline uint32_t heap_allocate(struct heap *heap, size_t bytes)
{
	uint32_t units, next;
	unsigned class = heap_class(bytes, &units);
	uint32_t ref = heap->free_list[class];

	heap->used_bytes += (size_t)units * HEAP_UNIT_BYTES;
	if (!ref)
		return heap_extend(heap, units);
	memcpy(&next, heap_get(heap, ref), sizeof(next));
	__builtin_prefetch(heap_get(heap, next));
	heap->free_list[class] = next;
	return ref;
}

/* Free a block; `bytes` as passed to heap_allocate(). Ignores reference 0. */
static inline void heap_free(struct heap *heap, uint32_t ref, size_t bytes)
{
	uint32_t units;
	unsigned class;

	if (!ref)
		return;
	class = heap_class(bytes, &units);
	heap->used_bytes -= (size_t)units * HEAP_UNIT_BYTES;
	memcpy(heap_get(heap, ref), &heap->free_list[class], sizeof(uint32_t));
	heap->free_list[class] = ref;
}

/* Return by how many bytes a full array of `bytes` should grow: its size if it is small, else a
 * fraction of it. */
size_t grow_by(size_t bytes);

/* Return the bytes of memory that the heap holds. */
size_t heap_bytes(const struct heap *heap);

/* A growable array in a heap. With a maximum it keeps the newest items. */
struct vec {
	uint32_t ref; /* heap reference of the items; 0: none */
	uint32_t nr;
	/* private: position of item 0 in the block, a ring buffer */
	uint32_t head : 24;
	/* index of the vector's capacity in the series 1, 2, 3, 4, 6, 8, 12, 16, ... */
	uint32_t cap_step : 8;
};

#define VEC_MAX (1u << 24) /* highest `max` of vec_push() */

/* Item `step` of the series 1, 2, 3, 4, 6, 8, 12, 16, ... of capacities. */
static inline size_t vec_step_cap(unsigned step)
{
	return step & 1 ? (size_t)2 << (step / 2) : step ? (size_t)3 << (step / 2 - 1) : 1;
}

static inline size_t vec_cap(const struct vec *vec)
{
	return vec->ref ? vec_step_cap(vec->cap_step) : 0;
}

/* Private: enlarge a full vector. */
void vec_grow(struct heap *heap, struct vec *vec, size_t item_bytes);

/* Increase the capacity of a vector to vec_step_cap(`step`), which must be more than now. */
void vec_grow_to(struct heap *heap, struct vec *vec, size_t item_bytes, unsigned step);

/*
 * Append an item (not zeroed) to a vector and return it, valid until the next allocation in the
 * heap. If the vector has `max` items (and `max` is not 0), evicts the oldest and increments
 * `*dropped` (may be NULL).
 */
static inline void *vec_push(struct heap *heap, struct vec *vec, size_t item_bytes, uint32_t max,
			     uint64_t *dropped)
{
	uint32_t at;

	if (max && vec->nr >= max) {
		at = vec->head;
		vec->head = at + 1 == vec->nr ? 0 : (at + 1) & (VEC_MAX - 1);
		if (dropped)
			++*dropped;
		return (char *)heap_get(heap, vec->ref) + at * item_bytes;
	}
	if (vec->nr == vec_cap(vec))
		vec_grow(heap, vec, item_bytes);
	return (char *)heap_get(heap, vec->ref) + vec->nr++ * item_bytes;
}

static inline void vec_release(struct heap *heap, struct vec *vec, size_t item_bytes)
{
	heap_free(heap, vec->ref, vec_cap(vec) * item_bytes);
	*vec = (struct vec){ 0 };
}

/* Return item `index` of a vector; `index` must be valid. */
static inline void *vec_at(const struct heap *heap, const struct vec *vec, uint32_t index,
			   size_t item_bytes)
{
	uint32_t at = vec->head + index;

	if (at >= vec->nr)
		at -= vec->nr;
	return (char *)heap_get(heap, vec->ref) + (vec->head ? at : index) * item_bytes;
}

/* Remove the last item of a vector, which must not have evicted any items. */
static inline void vec_pop(struct vec *vec)
{
	vec->nr--;
}

struct text {
	uint32_t ref;
	uint32_t len;
};

struct text text_new(struct heap *heap, const char *bytes, size_t len);
void text_release(struct heap *heap, struct text *text);
static inline const char *text_bytes(const struct heap *heap, struct text text)
{
	return text.len ? heap_get(heap, text.ref) : "";
}

/* A hash table in a heap from 64-bit keys to 32-bit values, which must be below INDEX_NONE. A
 * single key cannot be removed. */
struct index {
	uint32_t ref;
	uint32_t nr;
	uint32_t cap; /* number of slots of the hash table, a power of two */
};

#define INDEX_NONE UINT32_MAX

uint32_t index_get(const struct heap *heap, const struct index *index, uint64_t key);
void index_put(struct heap *heap, struct index *index, uint64_t key, uint32_t value);
/* Remove all keys of the index except those with the value `value`. */
void index_keep(struct heap *heap, struct index *index, uint32_t value);
void index_release(struct heap *heap, struct index *index);

#endif
