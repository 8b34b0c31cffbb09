/* SPDX-License-Identifier: MIT */
/*
 * slab: a relocatable heap. Items are addressed by 32-bit references instead of pointers, so
 * copying one array copies the heap.
 *
 *   0      [ unused: reference 0 means "none" ]
 *   ref 1  [8 bytes][8 bytes] ...              up to 32 GiB
 *
 * Freed blocks go to a free list of their size class. Pointers from slab_at() are valid until the
 * next slab_alloc() or vec_push(). One thread.
 */
#ifndef MONITOR_SLAB_H
#define MONITOR_SLAB_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SLAB_UNIT_BYTES 8u
/* Size classes: multiples of the unit up to 1 KiB, then quarters of powers of two. */
#define SLAB_EXACT_CLASSES 128u
#define SLAB_CLASSES       (SLAB_EXACT_CLASSES + 128u)

struct slab {
	char *base;         /* private */
	uint32_t nr_units;  /* private: allocated so far, in units */
	uint32_t cap_units; /* private */
	uint32_t free_list[SLAB_CLASSES];
	size_t used_bytes; /* ro: in blocks that are not free */
};

/* Initialise an empty heap; allocates nothing. */
void slab_init(struct slab *slab);
void slab_release(struct slab *slab);
/* Copy `from` to `to`, which is uninitialised. References stay valid. */
void slab_copy(struct slab *to, const struct slab *from);

static inline void *slab_at(const struct slab *slab, uint32_t ref)
{
	return slab->base + (size_t)ref * SLAB_UNIT_BYTES;
}

/* Private: size class of a large block; sets `*units` to the block's size. */
unsigned slab_class_above(size_t units_wanted, uint32_t *units);

/* Private: size class; sets `*units` to the block's size. */
static inline unsigned slab_class(size_t bytes, uint32_t *units)
{
	size_t wanted = (bytes + SLAB_UNIT_BYTES - 1) / SLAB_UNIT_BYTES;

	if (wanted > SLAB_EXACT_CLASSES)
		return slab_class_above(wanted, units);
	*units = (uint32_t)wanted;
	return (unsigned)wanted - 1;
}

/* Private: allocate a new block at the end. */
uint32_t slab_extend(struct slab *slab, uint32_t units);

/* Allocate at least `bytes` (> 0), not zeroed. Exits if out of memory. */
static inline uint32_t slab_alloc(struct slab *slab, size_t bytes)
{
	uint32_t units, next;
	unsigned class = slab_class(bytes, &units);
	uint32_t ref = slab->free_list[class];

	slab->used_bytes += (size_t)units * SLAB_UNIT_BYTES;
	if (!ref)
		return slab_extend(slab, units);
	memcpy(&next, slab_at(slab, ref), sizeof(next));
	/* The next allocation reads it. */
	__builtin_prefetch(slab_at(slab, next));
	slab->free_list[class] = next;
	return ref;
}

/* Free a block; `bytes` as passed to slab_alloc(). Reference 0 is ignored. */
static inline void slab_free(struct slab *slab, uint32_t ref, size_t bytes)
{
	uint32_t units;
	unsigned class;

	if (!ref)
		return;
	class = slab_class(bytes, &units);
	slab->used_bytes -= (size_t)units * SLAB_UNIT_BYTES;
	memcpy(slab_at(slab, ref), &slab->free_list[class], sizeof(uint32_t));
	slab->free_list[class] = ref;
}

/*
 * Growth of an array of `bytes`: doubles while small, then grows by decreasing factors. Large
 * arrays grow by moving pages without copying, so the memory held stays close to the memory used.
 */
size_t grow_by(size_t bytes);

/* Memory allocated from the system, in bytes. */
size_t slab_bytes(const struct slab *slab);

/*
 * A growable array in a slab. With a maximum it keeps the newest items: item 0 is then the oldest
 * one kept.
 */
struct vec {
	uint32_t ref; /* 0: nothing allocated */
	uint32_t nr;
	uint32_t head : 24;    /* private: position of item 0, once the array is a ring */
	uint32_t cap_step : 8; /* private: capacity 1, 2, 3, 4, 6, 8, 12, 16, ... */
};

#define VEC_MAX (1u << 24) /* upper limit of any maximum */

/*
 * Private. Half steps: most lists are short and many, so a third of the memory is unused instead
 * of half.
 */
static inline size_t vec_step_cap(unsigned step)
{
	return step & 1 ? (size_t)2 << (step / 2) : step ? (size_t)3 << (step / 2 - 1) : 1;
}

static inline size_t vec_cap(const struct vec *vec)
{
	return vec->ref ? vec_step_cap(vec->cap_step) : 0;
}

/* Private: increase the capacity. */
void vec_grow(struct slab *slab, struct vec *vec, size_t item_bytes);

/*
 * Increase the capacity to vec_step_cap(step) items, more than now. Private, except for callers
 * that know the steps.
 */
void vec_grow_to(struct slab *slab, struct vec *vec, size_t item_bytes, unsigned step);

/*
 * Append an item (not zeroed); the pointer is valid until the next allocation. If `max` is not 0
 * and reached, evicts the oldest item and increments `*dropped` (may be NULL).
 */
static inline void *vec_push(struct slab *slab, struct vec *vec, size_t item_bytes, uint32_t max,
			     uint64_t *dropped)
{
	uint32_t at;

	if (max && vec->nr >= max) {
		at = vec->head;
		vec->head = at + 1 == vec->nr ? 0 : (at + 1) & (VEC_MAX - 1);
		if (dropped)
			++*dropped;
		return (char *)slab_at(slab, vec->ref) + at * item_bytes;
	}
	if (vec->nr == vec_cap(vec))
		vec_grow(slab, vec, item_bytes);
	return (char *)slab_at(slab, vec->ref) + vec->nr++ * item_bytes;
}

static inline void vec_release(struct slab *slab, struct vec *vec, size_t item_bytes)
{
	slab_free(slab, vec->ref, vec_cap(vec) * item_bytes);
	*vec = (struct vec){ 0 };
}

/* Item `index` < nr. */
static inline void *vec_at(const struct slab *slab, const struct vec *vec, uint32_t index,
			   size_t item_bytes)
{
	uint32_t at = vec->head + index;

	if (at >= vec->nr)
		at -= vec->nr;
	return (char *)slab_at(slab, vec->ref) + (vec->head ? at : index) * item_bytes;
}

/* Remove the last item. Not for an array that became a ring. */
static inline void vec_pop(struct vec *vec)
{
	vec->nr--;
}

/* A text of `len` bytes in a slab. */
struct text {
	uint32_t ref;
	uint32_t len;
};

struct text text_new(struct slab *slab, const char *bytes, size_t len);
void text_release(struct slab *slab, struct text *text);
static inline const char *text_bytes(const struct slab *slab, struct text text)
{
	return text.len ? slab_at(slab, text.ref) : "";
}

/*
 * A hash table in a slab from 64-bit keys to 32-bit values, for lists that are too long to search.
 * Keys cannot be removed; the table is released as a whole.
 */
struct index {
	uint32_t ref;
	uint32_t nr;
	uint32_t cap; /* entries, a power of two */
};

#define INDEX_NONE UINT32_MAX

uint32_t index_get(const struct slab *slab, const struct index *index, uint64_t key);
void index_put(struct slab *slab, struct index *index, uint64_t key, uint32_t value);
/* Remove all keys except those with this value. */
void index_keep(struct slab *slab, struct index *index, uint32_t value);
void index_release(struct slab *slab, struct index *index);

#endif
