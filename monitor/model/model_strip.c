/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/model/model_strip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/hist.h"
#include "monitor/base/lower_bound.h"
#include "monitor/model/model_priv.h"

#define FIRST_SLOTS 16u
/* Lower bounds in ns, from which those of other buckets follow: even ones by doubling the first,
 * odd ones by halving the last. */
#define FIRST_BOUND_NS    62500
#define LAST_ODD_BOUND_NS INT64_C(741455200190)
#define LAST_BUCKET       (STRIP_BUCKETS - 1)

static inline ns_t odd_bound(unsigned bucket)
{
	unsigned halvings = (LAST_BUCKET - bucket) / 2;

	return (LAST_ODD_BOUND_NS + ((ns_t)1 << halvings) - 1) >> halvings;
}

ns_t strip_bucket_bound(unsigned bucket)
{
	if (!bucket)
		return 0;
	return bucket % 2 ? odd_bound(bucket) : (ns_t)FIRST_BOUND_NS << bucket / 2;
}

ns_t strip_bucket_middle(unsigned bucket)
{
	return (ns_t)llround(exp2(((double)bucket + 0.5) / 2) * FIRST_BOUND_NS);
}

static inline __attribute__((always_inline)) unsigned bucket_of(ns_t elapsed)
{
	unsigned long long units = (unsigned long long)elapsed / FIRST_BOUND_NS;
	unsigned bucket;

	if (elapsed < FIRST_BOUND_NS)
		return 0;
	bucket = (63 - (unsigned)__builtin_clzll(units)) * 2;
	if (bucket >= LAST_BUCKET)
		return LAST_BUCKET;
	return bucket + (elapsed >= odd_bound(bucket + 1));
}

unsigned strip_bucket(ns_t elapsed)
{
	return bucket_of(elapsed);
}

ns_t strip_quantile(const struct strip_slot *slot, double q)
{
	uint64_t nr = 0, rank;
	unsigned bucket = 0;
	ns_t middle;

	for (unsigned i = 0; i < STRIP_BUCKETS; i++)
		nr += slot->buckets[i];
	if (!nr)
		return NS_NONE;
	rank = hist_rank(nr, q);
	for (uint64_t sum = slot->buckets[0]; sum < rank; sum += slot->buckets[bucket])
		bucket++;
	middle = strip_bucket_middle(bucket);
	return middle < slot->longest ? middle : slot->longest;
}

void strip_slot_add(struct strip_slot *to, const struct strip_slot *from)
{
	to->began += from->began;
	to->ended += from->ended;
	to->failed += from->failed;
	to->signaled += from->signaled;
	to->lost += from->lost;
	to->errors += from->errors;
	if (from->longest > to->longest)
		to->longest = from->longest;
	for (unsigned i = 0; i < STRIP_BUCKETS; i++)
		to->buckets[i] += from->buckets[i];
}

uint32_t strip_slot_find(const struct strip_slots *s, int64_t number)
{
	uint32_t at;

	if (!s->nr || number > s->numbers[s->nr - 1])
		return s->nr;
	LOWER_BOUND(at, s->nr, s->numbers[at] < number);
	return at;
}

static void slots_allocate(struct strip_slots *s, uint32_t cap)
{
	s->cap = cap;
	s->numbers = xreallocarray(s->numbers, cap, sizeof(*s->numbers));
	s->places = xreallocarray(s->places, cap, sizeof(*s->places));
	s->slots = xreallocarray(s->slots, cap, sizeof(*s->slots));
}

/* Insert an empty slot at index `at` of `numbers` and `places`, with its counts in slots[place].
 * The arrays must have space. */
static struct strip_slot *slot_put(struct strip_slots *s, uint32_t at, int64_t number,
				   uint16_t place)
{
	memmove(s->numbers + at + 1, s->numbers + at, (s->nr - at) * sizeof(*s->numbers));
	memmove(s->places + at + 1, s->places + at, (s->nr - at) * sizeof(*s->places));
	s->nr++;
	s->numbers[at] = number;
	s->places[at] = place;
	s->slots[place] = STRIP_SLOT_EMPTY;
	return &s->slots[place];
}

/* Insert an empty slot at index `at`. There must be fewer than `max` slots. */
static struct strip_slot *slot_new(struct strip_slots *s, uint32_t at, int64_t number, uint32_t max)
{
	uint32_t cap = s->cap ? s->cap * 2 : FIRST_SLOTS;

	if (s->nr == s->cap)
		slots_allocate(s, cap < max ? cap : max);
	return slot_put(s, at, number, (uint16_t)s->nr);
}

/* Move slots in `slots`, so that the places in use are 0 to nr - 1. */
static void slots_compact(struct strip_slots *s)
{
	bool used[STRIP_ALL] = { false };
	uint16_t hole = 0;

	for (uint32_t i = 0; i < s->nr; i++)
		used[s->places[i]] = true;
	for (uint32_t i = 0; i < s->nr; i++) {
		if (s->places[i] < s->nr)
			continue;
		while (used[hole])
			hole++;
		s->slots[hole] = s->slots[s->places[i]];
		s->places[i] = hole++;
	}
}

/* Copy the newest slots of `all`, still one second wide, to `recent`. */
static void recent_begin(struct strip *strip)
{
	const struct strip_slots *all = &strip->all;
	struct strip_slots *to = &strip->recent;
	uint32_t nr = all->nr < STRIP_RECENT ? all->nr : STRIP_RECENT;

	if (to->cap < nr)
		slots_allocate(to, nr);
	for (to->nr = 0; to->nr < nr; to->nr++) {
		uint32_t from = all->nr - nr + to->nr;

		to->numbers[to->nr] = all->numbers[from];
		to->places[to->nr] = (uint16_t)to->nr;
		to->slots[to->nr] = *strip_slot_at(all, from);
	}
}

/* Double the width of the slots in `all`: merge slots 2k and 2k + 1 into slot k. */
static void slots_halve(struct strip *strip)
{
	struct strip_slots *s = &strip->all;
	uint32_t nr = 0;

	if (!s->shift)
		recent_begin(strip);
	s->shift++;
	for (uint32_t i = 0; i < s->nr; i++) {
		int64_t number = s->numbers[i] >> 1;

		if (nr && s->numbers[nr - 1] == number) {
			strip_slot_add(&s->slots[s->places[nr - 1]], &s->slots[s->places[i]]);
			continue;
		}
		s->numbers[nr] = number;
		s->places[nr++] = s->places[i];
	}
	s->nr = nr;
	slots_compact(s);
}

static inline struct strip_slot *slot_if_newest(const struct strip_slots *s, int64_t number)
{
	return s->nr && s->numbers[s->nr - 1] == number ? &s->slots[s->places[s->nr - 1]] : NULL;
}

static struct strip_slot *strip_all_slot_any(struct strip *strip, int64_t second)
{
	struct strip_slots *s = &strip->all;

	for (;;) {
		int64_t number = second >> s->shift;
		uint32_t at = strip_slot_find(s, number);

		if (at < s->nr && s->numbers[at] == number)
			return &s->slots[s->places[at]];
		if (s->nr < STRIP_ALL)
			return slot_new(s, at, number, STRIP_ALL);
		slots_halve(strip);
	}
}

static inline struct strip_slot *strip_all_slot(struct strip *strip, int64_t second)
{
	struct strip_slot *newest = slot_if_newest(&strip->all, second >> strip->all.shift);

	return newest ? newest : strip_all_slot_any(strip, second);
}

/* Return the slot of `recent` for the second; creates it if necessary. NULL: the second is too old,
 * or the slots of `all` are one second wide. */
static struct strip_slot *strip_recent_slot(struct strip *strip, int64_t second)
{
	struct strip_slots *s = &strip->recent;
	struct strip_slot *newest;
	uint16_t place;
	uint32_t at;

	if (!strip->all.shift)
		return NULL;
	newest = slot_if_newest(s, second);
	if (newest)
		return newest;
	at = strip_slot_find(s, second);
	if (at < s->nr && s->numbers[at] == second)
		return &s->slots[s->places[at]];
	if (s->nr < STRIP_RECENT)
		return slot_new(s, at, second, STRIP_RECENT);
	if (!at)
		return NULL;
	place = s->places[0];
	s->nr--;
	memmove(s->numbers, s->numbers + 1, s->nr * sizeof(*s->numbers));
	memmove(s->places, s->places + 1, s->nr * sizeof(*s->places));
	return slot_put(s, at - 1, second, place);
}

static void slots_copy(struct strip_slots *to, const struct strip_slots *from)
{
	if (to->cap < from->nr)
		slots_allocate(to, from->nr);
	to->nr = from->nr;
	to->shift = from->shift;
	if (!from->nr)
		return;
	memcpy(to->numbers, from->numbers, from->nr * sizeof(*to->numbers));
	memcpy(to->places, from->places, from->nr * sizeof(*to->places));
	memcpy(to->slots, from->slots, from->nr * sizeof(*to->slots));
}

void strip_copy(struct strip *to, const struct strip *from)
{
	slots_copy(&to->all, &from->all);
	to->recent.nr = 0;
	if (from->all.shift)
		slots_copy(&to->recent, &from->recent);
	to->untimed = from->untimed;
	to->versions++;
}

static void slots_release(struct strip_slots *s)
{
	free(s->numbers);
	free(s->places);
	free(s->slots);
}

void strip_release(struct strip *strip)
{
	slots_release(&strip->all);
	slots_release(&strip->recent);
	*strip = (struct strip){ 0 };
}

size_t strip_bytes(const struct strip *strip)
{
	return ((size_t)strip->all.cap + strip->recent.cap) *
	       (sizeof(struct strip_slot) + sizeof(int64_t) + sizeof(uint16_t));
}

void strip_widen(struct strip *strip, uint32_t max)
{
	/* A slot before 1970 is not merged with one after, so keep at least 2 slots. */
	while (strip->all.nr > (max > 2 ? max : 2))
		slots_halve(strip);
}

static inline int64_t second_of(ns_t time)
{
	/* Divide unsigned numbers, which is faster. */
	if (time < 0)
		return -(int64_t)((uint64_t)(-(time + 1)) / NS_PER_SEC) - 1;
	return (int64_t)((uint64_t)time / NS_PER_SEC);
}

static inline __attribute__((always_inline)) void part_of(const struct process *p,
							  struct strip_part *out)
{
	*out = (struct strip_part){ .began = STRIP_NO_SECOND,
				    .ended = STRIP_NO_SECOND,
				    .elapsed = NS_NONE,
				    .untimed = p->start == NS_NONE };
	if (p->start == NS_NONE || p->parent_seen)
		return;
	out->began = second_of(p->start);
	if (p->state == STATE_RUNNING)
		return;
	out->ended = second_of(p->end > p->start ? p->end : p->start);
	out->elapsed = process_elapsed(p);
	out->failed = process_failed(p);
	out->signaled = p->state == STATE_SIGNALED;
	out->lost = p->state == STATE_LOST;
}

void strip_part_of(const struct process *p, struct strip_part *out)
{
	part_of(p, out);
}

static inline void slot_end_add(struct strip_slot *slot, const struct strip_part *part,
				unsigned bucket)
{
	slot->ended++;
	slot->failed += part->failed;
	slot->signaled += part->signaled;
	slot->lost += part->lost;
	if (part->elapsed == NS_NONE)
		return;
	slot->buckets[bucket]++;
	if (part->elapsed > slot->longest)
		slot->longest = part->elapsed;
}

/* Count the start and end of a process in `slot` (may be NULL), if they are in the second
 * `second`. */
static inline void slot_part_add(struct strip_slot *slot, const struct strip_part *part,
				 int64_t second, unsigned bucket)
{
	if (!slot)
		return;
	slot->began += part->began == second;
	if (part->ended == second)
		slot_end_add(slot, part, bucket);
}

static inline void second_part_add(struct strip *strip, const struct strip_part *part,
				   int64_t second, unsigned bucket)
{
	slot_part_add(strip_all_slot(strip, second), part, second, bucket);
	if (strip->all.shift)
		slot_part_add(strip_recent_slot(strip, second), part, second, bucket);
}

static inline __attribute__((always_inline)) void part_add(struct strip *strip,
							   const struct strip_part *part)
{
	unsigned bucket = bucket_of(part->elapsed);

	strip->untimed += part->untimed;
	strip->versions++;
	if (part->began != STRIP_NO_SECOND)
		second_part_add(strip, part, part->began, bucket);
	if (part->ended != STRIP_NO_SECOND && part->ended != part->began)
		second_part_add(strip, part, part->ended, bucket);
}

void strip_part_add(struct strip *strip, const struct strip_part *part)
{
	part_add(strip, part);
}

static void strip_errors_at(struct strip *strip, ns_t time, uint32_t nr)
{
	struct strip_slot *slot;

	if (time == NS_NONE || !nr)
		return;
	strip->versions++;
	strip_all_slot(strip, second_of(time))->errors += nr;
	slot = strip_recent_slot(strip, second_of(time));
	if (slot)
		slot->errors += nr;
}

void strip_errors_add(struct strip *strip, const struct model *m, const struct process *p,
		      uint32_t first)
{
	for (uint32_t i = first; i < p->errors.nr; i++) {
		ns_t time = PROCESS_ITEM(m, &p->errors, error_item, i)->time;

		strip_errors_at(strip, time == NS_NONE ? p->start : time, 1);
	}
	if (!first)
		strip_errors_at(strip, p->start, p->nr_undated_errors_gone);
}

void strip_error_leave(struct model *m, struct process *p, const struct error_item *error)
{
	strip_errors_at(&m->strip, error->time, 1);
	p->nr_undated_errors_gone += error->time == NS_NONE;
	m->strip.versions++;
}

void strip_command_leave(struct model *m, const struct process *p)
{
	struct strip_part part;

	part_of(p, &part);
	part_add(&m->strip, &part);
	if (p->nr_errors)
		strip_errors_add(&m->strip, m, p, 0);
}

const struct strip *model_strip_evicted(const struct model *m)
{
	return &m->strip;
}

void model_strip(const struct model *m, struct strip *out)
{
	strip_copy(out, &m->strip);
	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s)) {
		const struct process *p = model_slot(m, s);
		struct strip_part part;

		strip_part_of(p, &part);
		strip_part_add(out, &part);
		strip_errors_add(out, m, p, 0);
	}
}
