/* SPDX-License-Identifier: MIT */
/*
 * A relocatable heap: everything in it is addressed by a 32-bit reference, never by a pointer,
 * so that the heap is copied by copying one array.
 *
 *   0      [ nothing: reference 0 means "none" ]
 *   ref 1  [8 bytes][8 bytes] ...              up to 32 GiB
 *
 * Freed pieces go to a free list of their size class and are used again. Pointers from
 * slab_at() are valid until the next slab_alloc() or vec_push(). One thread.
 */
#ifndef MONITOR_SLAB_H
#define MONITOR_SLAB_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SLAB_UNIT_BYTES 8u
/* Up to 1 KiB by the unit, then by quarters of powers of two. */
#define SLAB_EXACT_CLASSES 128u
#define SLAB_CLASSES       (SLAB_EXACT_CLASSES + 128u)

struct slab {
	char *base;         /* private */
	uint32_t nr_units;  /* private: handed out so far, in units */
	uint32_t cap_units; /* private */
	uint32_t free_list[SLAB_CLASSES];
	size_t used_bytes; /* ro: in pieces that are not free */
};

/* An empty heap; allocates nothing. */
void slab_init(struct slab *slab);
void slab_release(struct slab *slab);
/* Make `to` a copy of `from`: all references mean the same in it. `to` is uninitialised. */
void slab_copy(struct slab *to, const struct slab *from);

static inline void *slab_at(const struct slab *slab, uint32_t ref)
{
	return slab->base + (size_t)ref * SLAB_UNIT_BYTES;
}

/* Private: the class of a size beyond the exact ones, and how many units its pieces have. */
unsigned slab_class_above(size_t units_wanted, uint32_t *units);

/* Private: the class of a size, and how many units its pieces have. */
static inline unsigned slab_class(size_t bytes, uint32_t *units)
{
	size_t wanted = (bytes + SLAB_UNIT_BYTES - 1) / SLAB_UNIT_BYTES;

	if (wanted > SLAB_EXACT_CLASSES)
		return slab_class_above(wanted, units);
	*units = (uint32_t)wanted;
	return (unsigned)wanted - 1;
}

/* Private: a piece that was never given out. */
uint32_t slab_extend(struct slab *slab, uint32_t units);

/* A piece of at least `bytes` (> 0), not zeroed. Out of memory ends the program. */
static inline uint32_t slab_alloc(struct slab *slab, size_t bytes)
{
	uint32_t units, next;
	unsigned class = slab_class(bytes, &units);
	uint32_t ref = slab->free_list[class];

	slab->used_bytes += (size_t)units * SLAB_UNIT_BYTES;
	if (!ref)
		return slab_extend(slab, units);
	memcpy(&next, slab_at(slab, ref), sizeof(next));
	/* The next one will be read here, too. */
	__builtin_prefetch(slab_at(slab, next));
	slab->free_list[class] = next;
	return ref;
}

/* Give a piece back; `bytes` as it was asked for. Reference 0 is ignored. */
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
 * By how much an array of so many bytes grows: it doubles while it is small, then by less and
 * less, since the system moves pages and copies nothing, and what is held stays near to what is
 * used.
 */
size_t grow_by(size_t bytes);

/* Memory held from the system, in bytes. */
size_t slab_bytes(const struct slab *slab);

/*
 * A growable array in a slab. With a maximum it keeps the newest: item 0 is then the oldest
 * kept one, and `nr_dropped` counts those that left.
 */
struct vec {
	uint32_t ref; /* 0: no room yet */
	uint32_t nr;
	uint32_t head : 24;    /* private: where item 0 stands, once the array is a ring */
	uint32_t cap_step : 8; /* private: there is room for 1, 2, 3, 4, 6, 8, 12, 16, ... */
};

#define VEC_MAX (1u << 24) /* no maximum may be larger */

/* Private. Half steps: most lists are short and many, so a third of the room lies idle, not
 * half. */
static inline size_t vec_step_cap(unsigned step)
{
	return step & 1 ? (size_t)2 << (step / 2) : step ? (size_t)3 << (step / 2 - 1) : 1;
}

static inline size_t vec_cap(const struct vec *vec)
{
	return vec->ref ? vec_step_cap(vec->cap_step) : 0;
}

/* Private: room for more items than there is room for. */
void vec_grow(struct slab *slab, struct vec *vec, size_t item_bytes);

/* Private, or of one that knows its steps: room for vec_step_cap(step) items, more than it has. */
void vec_grow_to(struct slab *slab, struct vec *vec, size_t item_bytes, unsigned step);

/* Room for one more item (not zeroed), valid until the next allocation. `max` 0: unbounded;
 * else the oldest item makes room and `*dropped`, where not NULL, is counted up. */
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

/* Take the last item off; not for an array that became a ring. */
static inline void vec_pop(struct vec *vec)
{
	vec->nr--;
}

/* A text in a slab: `len` bytes. */
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
 * A small hash table from 64-bit keys to 32-bit values in a slab, for lists that grew too long
 * to be searched. Keys are not removed; the table goes as a whole.
 */
struct index {
	uint32_t ref;
	uint32_t nr;
	uint32_t cap; /* slots, a power of two */
};

#define INDEX_NONE UINT32_MAX

uint32_t index_get(const struct slab *slab, const struct index *index, uint64_t key);
void index_put(struct slab *slab, struct index *index, uint64_t key, uint32_t value);
/* Forget every key but those of this value. */
void index_keep(struct slab *slab, struct index *index, uint32_t value);
void index_release(struct slab *slab, struct index *index);

#endif
