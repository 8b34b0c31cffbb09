/* SPDX-License-Identifier: MIT */
/*
 * The strip counts commands per slot of time, in bounded memory (0.4 MiB).
 *
 * Slot number n covers the seconds n * r to (n + 1) * r - 1 since the epoch; the width r is a power
 * of two. A slot exists only if it counts something.
 *
 *   all     slots for the whole time: r is at least the smallest width with at most STRIP_ALL slots
 *   recent  the newest STRIP_RECENT slots with a width of 1 s
 *
 * A command is a process whose parent's SID is not in the trace. It is counted once: in `began` at
 * its start and, unless its state is STATE_RUNNING, at its end in `ended`, with its elapsed time,
 * and in `failed`, `signaled` or `lost` if that applies. An end before the start counts at the
 * start. Errors of all processes are counted at their own time, else at the start of their process.
 * A process without a start time is counted in `untimed` instead. A process that is evicted before
 * its parent's first event counts as a command, too.
 *
 * The model keeps a strip of evicted processes and errors; model_strip() adds the others.
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

/* A slot. buckets[b] counts elapsed times from 1 ms * 2^((b - 8) / 2), half octaves from 62.5 us to
 * 17 minutes; the first and the last bucket also have shorter and longer times. */
struct strip_slot {
	uint32_t began, ended, failed, signaled, lost, errors;
	/* longest elapsed time of the commands counted in `ended`; NS_NONE: unknown */
	ns_t longest;
	uint32_t buckets[STRIP_BUCKETS];
};

#define STRIP_SLOT_EMPTY ((struct strip_slot){ .longest = NS_NONE })

struct strip_slots {
	int64_t *numbers; /* ascending */
	/* private: index in `slots` of the slot numbers[i] */
	uint16_t *places;
	struct strip_slot *slots; /* private: slots in no particular order */
	uint32_t nr;              /* slots in use */
	uint32_t cap;             /* private */
	unsigned shift;           /* width of a slot: 1 << shift seconds */
};

struct strip {
	struct strip_slots all;
	/* valid if the width of `all` is more than 1 s; see strip_seconds() */
	struct strip_slots recent;
	uint64_t untimed;  /* number of processes without a start time */
	uint64_t versions; /* number of changes to the strip */
};

/* Return slot `index`, from 0 to nr - 1; slots are in order of time. */
static inline const struct strip_slot *strip_slot_at(const struct strip_slots *slots,
						     uint32_t index)
{
	return &slots->slots[slots->places[index]];
}

/* Return the slots with a width of one second; they include the newest STRIP_RECENT. */
static inline const struct strip_slots *strip_seconds(const struct strip *strip)
{
	return strip->all.shift ? &strip->recent : &strip->all;
}

/* Return the index of the first slot whose number is at least `number`, or nr. */
uint32_t strip_slot_find(const struct strip_slots *slots, int64_t number);

/* Copy a strip to `to`, which may be zeroed. The copy allocates only slots in use. */
void strip_copy(struct strip *to, const struct strip *from);
void strip_release(struct strip *strip);
size_t strip_bytes(const struct strip *strip);
/* Double the width of slots until `all` has at most `max` (at least 2). */
void strip_widen(struct strip *strip, uint32_t max);
void strip_slot_add(struct strip_slot *to, const struct strip_slot *from);

/* Return the nearest-rank quantile `q` (0 < q <= 1) of the slot's elapsed times: the geometric
 * middle of its bucket, but at most `longest`. NS_NONE: no elapsed time is known. */
ns_t strip_quantile(const struct strip_slot *slot, double q);
unsigned strip_bucket(ns_t elapsed);
/* Return the lower bound of a bucket, 0 for the first one. */
ns_t strip_bucket_bound(unsigned bucket);
/* Return the geometric middle of a bucket. */
ns_t strip_bucket_middle(unsigned bucket);

/* How a process is counted in a strip, without errors. */
struct strip_part {
	/* seconds since the epoch of the process's start and end; STRIP_NO_SECOND: not counted */
	int64_t began, ended;
	ns_t elapsed; /* NS_NONE: unknown */
	bool failed, signaled, lost;
	bool untimed; /* the process has no start time */
};

#define STRIP_NO_SECOND INT64_MIN

void strip_part_of(const struct process *process, struct strip_part *out);
void strip_part_add(struct strip *strip, const struct strip_part *part);
/* Add the errors in the process's list from index `first` on to a strip. If `first` is 0, also
 * evicted ones without a time. */
void strip_errors_add(struct strip *strip, const struct model *model, const struct process *process,
		      uint32_t first);

/* Return the strip of evicted processes and errors. It has changed only if `versions` has. */
const struct strip *model_strip_evicted(const struct model *model);
/* Set `out`, a zeroed or used strip, to the strip of all processes, including evicted ones. The
 * model must be settled. */
void model_strip(const struct model *model, struct strip *out);

#endif
