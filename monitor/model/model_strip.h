/* SPDX-License-Identifier: MIT */
/*
 * The strip: counts of commands per slot of time, in bounded memory (0.4 MiB).
 *
 * A slot of width r covers [number * r, (number + 1) * r) seconds since the epoch, r a power of
 * two. Only slots in use exist.
 *
 *   all     everything, in at most STRIP_ALL slots: r is the smallest that suffices
 *   recent  the newest STRIP_RECENT slots of width 1 s
 *
 * A command is a process whose parent's SID is not in the trace. Each counts once, by its row in
 * the report: `began` at its start; unless it runs, `ended`, `failed`, `signaled`, `lost` and its
 * elapsed time at its end, or at its start if that is later. Errors of all processes count at their
 * own time, else at their process's start. A process without any time is only in `untimed`. No
 * filter or limit applies.
 *
 * The result depends neither on the order of events and processes nor on evictions, with one
 * exception: a process evicted before its parent's first event counts as a command.
 *
 * The model keeps a strip of evicted data. model_strip() adds the processes that are still kept, so
 * events cost nothing.
 */
#ifndef MONITOR_MODEL_STRIP_H
#define MONITOR_MODEL_STRIP_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/model/model.h"

#define STRIP_ALL     1024u
#define STRIP_RECENT  600u
#define STRIP_BUCKETS 48u

/*
 * Bucket b counts elapsed times from 1 ms * 2^((b - 8) / 2): half octaves from 62.5 us to 17
 * minutes. The first and the last one are open.
 */
struct strip_slot {
	uint32_t began, ended, failed, signaled, lost, errors;
	ns_t longest; /* NS_NONE: no elapsed time is known; may be negative */
	uint32_t buckets[STRIP_BUCKETS];
};

/* An empty slot. */
#define STRIP_SLOT_EMPTY ((struct strip_slot){ .longest = NS_NONE })

struct strip_slots {
	int64_t *numbers;         /* ascending */
	uint16_t *places;         /* private: index in `slots`, by index in `numbers` */
	struct strip_slot *slots; /* private: in the order of creation */
	uint32_t nr;              /* slots in use */
	uint32_t cap;             /* private */
	unsigned shift;           /* r is 1 << shift seconds */
};

struct strip {
	struct strip_slots all;
	struct strip_slots recent; /* empty while r is 1: see strip_seconds() */
	uint64_t untimed;          /* processes without any time */
	uint64_t versions;         /* number of changes to the strip */
};

/* Slot `index`, from 0 to nr - 1, in order of time. */
static inline const struct strip_slot *strip_slot_at(const struct strip_slots *slots,
						     uint32_t index)
{
	return &slots->slots[slots->places[index]];
}

/* The slots of one second: at least the newest STRIP_RECENT. */
static inline const struct strip_slots *strip_seconds(const struct strip *strip)
{
	return strip->all.shift ? &strip->recent : &strip->all;
}

/* Return the first index of a slot whose number is at least `number`; nr if there is none. */
uint32_t strip_slot_find(const struct strip_slots *slots, int64_t number);

/* A zeroed strip is empty. Copies allocate only the slots in use. */
void strip_copy(struct strip *to, const struct strip *from);
void strip_release(struct strip *strip);
/* Return the memory that a strip holds, in bytes. */
size_t strip_bytes(const struct strip *strip);
/* Double r until `all` has at most `max` slots, at least 2. */
void strip_widen(struct strip *strip, uint32_t max);
/* Add the counts of the slot `from` to the sum `to`. */
void strip_slot_add(struct strip_slot *to, const struct strip_slot *from);

/* Nearest-rank quantile `q` (0 < q <= 1): the geometric middle of its bucket, at most `longest`.
 * NS_NONE if no elapsed time is known. */
ns_t strip_quantile(const struct strip_slot *slot, double q);
/* Return the bucket that counts an elapsed time. */
unsigned strip_bucket(ns_t elapsed);
/* Lower bound and geometric middle of a bucket; the bound of the first one is 0. */
ns_t strip_bucket_bound(unsigned bucket);
ns_t strip_bucket_middle(unsigned bucket);

/* The contribution of a process to a strip, without its errors. */
struct strip_part {
	int64_t began, ended; /* seconds since the epoch; STRIP_NO_SECOND: does not count */
	ns_t elapsed;         /* NS_NONE: unknown */
	bool failed, signaled, lost;
	bool untimed; /* the process has no time at all */
};

#define STRIP_NO_SECOND INT64_MIN

void strip_part_of(const struct process *process, struct strip_part *out);
void strip_part_add(struct strip *strip, const struct strip_part *part);
/* Add the errors of the process that are in its list, from index `first` on. */
void strip_errors_add(struct strip *strip, const struct model *model, const struct process *process,
		      uint32_t first);

/* The strip of evicted data. It changes only if its `versions` does. */
const struct strip *model_strip_evicted(const struct model *model);
/* Set `out`, a valid strip, to that of the whole model, which must be settled. For frequent use see
 * analysis/over_time.h. */
void model_strip(const struct model *model, struct strip *out);

#endif
