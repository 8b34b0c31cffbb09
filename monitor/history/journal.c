/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/history/journal.h"

#include <pthread.h>
#include <stdlib.h>

#include "monitor/base/die.h"

/* Minimum of the limit on the bytes of waiting batches. */
#define WAITING_BYTES_MIN (8u << 20)
/* Limit on the bytes of waiting batches if no history is kept: large, so that a report normally
 * loses no events. */
#define WAITING_BYTES_UNKEPT (256u << 20)
#define SPARE_BATCHES_MAX    8u
/* While a history is kept and at least this many waiting batches have spare capacity,
 * journal_push() copies each batch to its exact size. */
#define ROOMY_BATCHES_MAX SPARE_BATCHES_MAX

struct queue {
	struct batch *first, **end;
	size_t bytes;
};

struct journal {
	size_t history_bytes; /* limit on the bytes of the history; 0: no history */
	size_t reserve;       /* bytes of `history_bytes` that batches may not use */
	size_t waiting_max;
	/* journal_has_room() is true while waiting safe batches have fewer bytes than this */
	size_t room_bytes;
	void (*wake)(void *data);
	void *wake_data;
	void (*room)(void *data);
	void *room_data;
	void (*evicted)(void *data, const struct batch *batch);
	void *evicted_data;

	pthread_mutex_t lock; /* protects the members from `waiting` to `room_wanted` */
	/* waiting[0]: batches that may be dropped; waiting[1]: safe batches */
	struct queue waiting[2];
	uint64_t waiting_end; /* `seq` of the next pushed batch while it waits */
	uint32_t nr_roomy;
	uint64_t waiting_events, pushed_events;
	uint64_t dropped_events;
	uint64_t dropped_untold; /* number of events dropped since the last DROPPED record */
	struct batch *spare;
	uint32_t nr_spare;
	bool room_wanted;

	/* The history, which only the loop thread uses: a ring of 2^n slots, indexed by the low
	 * bits of sequence numbers. */
	struct batch **ring;
	uint64_t first_seq, end_seq;
	uint64_t ring_size;
	size_t kept_bytes;
	uint64_t applied_events, evicted_events;
	struct batch *current; /* batch that the loop thread uses now, if no history is kept */

	/* `era`: number of sorts that replaced batches; `old_end`: see journal_old_end() */
	uint64_t era, old_end;
	/* number of the first stream that the history ever had; UINT32_MAX: none yet */
	uint32_t stream;
	bool has_streams;
	bool disordered;
	/* `nr_out`: number of batches that journal_take_out() moved out; `out_event`: number of the
	 * first event of the next one to put back */
	uint64_t nr_out, out_event;
};

struct journal *journal_new(size_t history_bytes, void (*wake)(void *data), void *wake_data)
{
	struct journal *j = xcalloc(1, sizeof(*j));

	j->history_bytes = history_bytes;
	j->waiting_max = history_bytes > WAITING_BYTES_MIN ? history_bytes : WAITING_BYTES_MIN;
	j->room_bytes = WAITING_BYTES_MIN / 2;
	if (!history_bytes)
		j->waiting_max = WAITING_BYTES_UNKEPT;
	j->wake = wake;
	j->wake_data = wake_data;
	j->waiting[0].end = &j->waiting[0].first;
	j->waiting[1].end = &j->waiting[1].first;
	j->stream = UINT32_MAX;
	j->ring_size = 64;
	j->ring = xcalloc(j->ring_size, sizeof(struct batch *));
	pthread_mutex_init(&j->lock, NULL);
	return j;
}

size_t journal_history_bytes(const struct journal *j)
{
	return j->history_bytes;
}

static void free_batches(struct batch *batch)
{
	while (batch) {
		struct batch *next = batch->next;

		batch_free(batch);
		batch = next;
	}
}

void journal_free(struct journal *j)
{
	if (!j)
		return;
	free_batches(j->waiting[0].first);
	free_batches(j->waiting[1].first);
	free_batches(j->spare);
	batch_free(j->current);
	for (uint64_t seq = j->first_seq; seq != j->end_seq; seq++)
		batch_free(j->ring[seq & (j->ring_size - 1)]);
	free(j->ring);
	pthread_mutex_destroy(&j->lock);
	free(j);
}

static void recycle_batch(struct journal *j, struct batch *batch)
{
	batch_clear(batch);
	pthread_mutex_lock(&j->lock);
	if (j->nr_spare < SPARE_BATCHES_MAX) {
		batch->next = j->spare;
		j->spare = batch;
		j->nr_spare++;
		batch = NULL;
	}
	pthread_mutex_unlock(&j->lock);
	batch_free(batch);
}

struct batch *journal_take(struct journal *j)
{
	struct batch *batch;

	pthread_mutex_lock(&j->lock);
	batch = j->spare;
	if (batch) {
		j->spare = batch->next;
		j->nr_spare--;
	}
	pthread_mutex_unlock(&j->lock);
	if (!batch)
		return batch_new();
	batch->next = NULL;
	return batch;
}

/* ---- functions up to waiting_drop() need the lock ---- */

static size_t waiting_bytes(const struct journal *j)
{
	return j->waiting[0].bytes + j->waiting[1].bytes;
}

static void waiting_add(struct journal *j, struct batch *batch)
{
	struct queue *q = &j->waiting[batch->is_safe];

	batch->next = NULL;
	batch->seq = j->waiting_end++;
	*q->end = batch;
	q->end = &batch->next;
	q->bytes += batch_bytes(batch);
	j->nr_roomy += !batch->is_compact;
	j->waiting_events += batch->nr_events;
}

/* Remove and return the oldest safe batch, or, if not `safe`, the oldest one that may be dropped;
 * NULL: none. */
static struct batch *waiting_pop(struct journal *j, bool safe)
{
	struct queue *q = &j->waiting[safe];
	struct batch *batch = q->first;

	if (!batch)
		return NULL;
	q->first = batch->next;
	if (!q->first)
		q->end = &q->first;
	batch->next = NULL;
	q->bytes -= batch_bytes(batch);
	j->nr_roomy -= !batch->is_compact;
	j->waiting_events -= batch->nr_events;
	return batch;
}

static bool is_next_safe(const struct journal *j)
{
	const struct batch *first = j->waiting[0].first, *safe = j->waiting[1].first;

	return safe && (!first || safe->seq < first->seq);
}

/* While waiting batches exceed their limit, take out the oldest one that may be dropped, but never
 * the newest batch. Returns the dropped batches, which the caller frees. */
static struct batch *waiting_drop(struct journal *j)
{
	struct batch *dropped = NULL;

	while (waiting_bytes(j) > j->waiting_max && j->waiting[0].first &&
	       j->waiting[0].first->seq + 1 != j->waiting_end) {
		struct batch *oldest = waiting_pop(j, false);

		j->dropped_events += oldest->nr_events;
		j->dropped_untold += oldest->nr_events;
		oldest->next = dropped;
		dropped = oldest;
	}
	return dropped;
}

static bool has_many_large(struct journal *j)
{
	bool many;

	pthread_mutex_lock(&j->lock);
	many = j->nr_roomy >= ROOMY_BATCHES_MAX;
	pthread_mutex_unlock(&j->lock);
	return many;
}

static struct batch *compact_batch(struct journal *j, struct batch *batch)
{
	struct batch *kept = batch_compact(batch);

	recycle_batch(j, batch);
	return kept;
}

void journal_push(struct journal *j, struct batch *batch)
{
	struct batch *dropped;

	if (batch_is_empty(batch)) {
		recycle_batch(j, batch);
		return;
	}
	/*
	 * A copy would delay the intake thread, so that a busy writer may fill a datagram socket.
	 * So leave the copy to journal_next(), unless many batches with spare capacity wait.
	 */
	if (j->history_bytes && has_many_large(j))
		batch = compact_batch(j, batch);
	pthread_mutex_lock(&j->lock);
	waiting_add(j, batch);
	j->pushed_events += batch->nr_events;
	dropped = waiting_drop(j);
	pthread_mutex_unlock(&j->lock);
	free_batches(dropped);
	if (j->wake)
		j->wake(j->wake_data);
}

bool journal_has_room(struct journal *j)
{
	bool has;

	pthread_mutex_lock(&j->lock);
	has = j->waiting[1].bytes < j->room_bytes;
	if (!has)
		j->room_wanted = true;
	pthread_mutex_unlock(&j->lock);
	return has;
}

void journal_on_room(struct journal *j, void (*room)(void *data), void *data)
{
	j->room = room;
	j->room_data = data;
}

void journal_on_evict(struct journal *j, void (*evicted)(void *data, const struct batch *batch),
		      void *data)
{
	j->evicted = evicted;
	j->evicted_data = data;
}

static struct batch *new_dropped_batch(uint64_t drops)
{
	struct event ev = { .kind = REC_DROPPED };
	struct batch *batch;

	if (!drops)
		return NULL;
	batch = batch_new();
	event_set(&ev, FLD_DROPS, (int64_t)drops);
	event_set(&ev, FLD_ARRIVAL, tr2_clock_wall());
	batch_add(batch, &ev);
	return batch;
}

static void append_to_history(struct journal *j, struct batch *batch)
{
	if (j->end_seq - j->first_seq == j->ring_size) {
		uint64_t size = j->ring_size * 2;
		struct batch **ring = xcalloc(size, sizeof(struct batch *));

		for (uint64_t seq = j->first_seq; seq != j->end_seq; seq++)
			ring[seq & (size - 1)] = j->ring[seq & (j->ring_size - 1)];
		free(j->ring);
		j->ring = ring;
		j->ring_size = size;
	}
	j->ring[j->end_seq & (j->ring_size - 1)] = batch;
	j->kept_bytes += batch_bytes(batch);
}

/*
 * Update `disordered`. Content that is not live may be out of order if the history has had several
 * streams.
 */
static void update_order(struct journal *j, const struct batch *batch)
{
	if (j->stream == UINT32_MAX)
		j->stream = batch->stream;
	j->has_streams |=
		batch->has_streams || (batch->stream != UINT32_MAX && batch->stream != j->stream);
	if (!batch->has_old)
		return;
	j->disordered |= j->has_streams;
	j->old_end = batch->seq + 1;
}

const struct batch *journal_next(struct journal *j)
{
	struct batch *batch;
	uint64_t drops;
	bool tell_room, safe;

	if (j->current) {
		recycle_batch(j, j->current);
		j->current = NULL;
	}
	pthread_mutex_lock(&j->lock);
	safe = is_next_safe(j);
	/* A waiting batch that may be dropped is newer than all dropped batches, so report the
	 * drops before it. */
	drops = safe && j->waiting[0].first ? 0 : j->dropped_untold;
	j->dropped_untold -= drops;
	batch = drops ? NULL : waiting_pop(j, safe);
	tell_room = j->room_wanted && j->waiting[1].bytes < j->room_bytes / 2;
	if (tell_room)
		j->room_wanted = false;
	pthread_mutex_unlock(&j->lock);
	if (tell_room && j->room)
		j->room(j->room_data);
	if (!batch)
		batch = new_dropped_batch(drops);
	if (!batch)
		return NULL;
	if (j->history_bytes && !batch->is_compact)
		batch = compact_batch(j, batch);
	batch->seq = j->end_seq;
	batch->first_event = j->applied_events;
	j->applied_events += batch->nr_events;
	if (j->history_bytes) {
		append_to_history(j, batch);
		update_order(j, batch);
	} else {
		j->current = batch;
	}
	j->end_seq++;
	if (!j->history_bytes)
		j->first_seq = j->end_seq;
	return batch;
}

void journal_set_reserve(struct journal *j, size_t bytes)
{
	size_t most = j->history_bytes - j->history_bytes / 8;

	j->reserve = bytes < most ? bytes : most;
}

void journal_trim(struct journal *j)
{
	size_t waiting;

	pthread_mutex_lock(&j->lock);
	waiting = waiting_bytes(j);
	pthread_mutex_unlock(&j->lock);
	/* Waiting batches count towards the limit on the history, too. */
	while (j->kept_bytes + waiting > j->history_bytes - j->reserve &&
	       j->end_seq - j->first_seq > 1) {
		struct batch **slot = &j->ring[j->first_seq++ & (j->ring_size - 1)];

		if (j->evicted)
			j->evicted(j->evicted_data, *slot);
		j->kept_bytes -= batch_bytes(*slot);
		j->evicted_events += (*slot)->nr_events;
		batch_free(*slot);
		*slot = NULL;
	}
}

uint64_t journal_first_seq(const struct journal *j)
{
	return j->first_seq;
}

uint64_t journal_end_seq(const struct journal *j)
{
	return j->end_seq;
}

const struct batch *journal_at(const struct journal *j, uint64_t seq)
{
	if (seq < j->first_seq || seq >= j->end_seq)
		return NULL;
	return j->ring[seq & (j->ring_size - 1)];
}

uint64_t journal_era(const struct journal *j)
{
	return j->era;
}

bool journal_is_disordered(const struct journal *j)
{
	return j->disordered && j->old_end > j->first_seq;
}

uint64_t journal_old_end(const struct journal *j)
{
	return j->old_end;
}

void journal_set_ordered(struct journal *j)
{
	j->disordered = false;
}

void journal_take_out(struct journal *j, struct batch **to, uint64_t nr)
{
	if (nr > j->end_seq - j->first_seq || j->nr_out)
		bug("%llu batches are not there to be taken out", (unsigned long long)nr);
	for (uint64_t i = 0; i < nr; i++) {
		struct batch **slot = &j->ring[(j->first_seq + i) & (j->ring_size - 1)];

		to[i] = *slot;
		*slot = NULL;
		j->kept_bytes -= batch_bytes(to[i]);
	}
	j->nr_out = nr;
	j->out_event = nr ? to[0]->first_event : 0;
}

void journal_put_back(struct journal *j, struct batch *const *batches, uint64_t nr, bool ordered)
{
	uint64_t rest = j->end_seq - j->first_seq - j->nr_out, size = 64, seq = j->first_seq;
	struct batch **ring;

	while (size < nr + rest)
		size *= 2;
	ring = xcalloc(size, sizeof(struct batch *));
	for (uint64_t i = 0; i < nr + rest; i++, seq++) {
		struct batch *batch =
			i < nr ? batches[i]
			       : j->ring[(j->first_seq + j->nr_out + i - nr) & (j->ring_size - 1)];

		batch->seq = seq;
		ring[seq & (size - 1)] = batch;
		if (i >= nr)
			continue;
		j->kept_bytes += batch_bytes(batch);
		batch->first_event = j->out_event;
		j->out_event += batch->nr_events;
	}
	free(j->ring);
	j->ring = ring;
	j->ring_size = size;
	j->old_end = j->first_seq + nr;
	j->end_seq = seq;
	j->nr_out = 0;
	j->disordered = !ordered;
	j->era++;
}

void journal_stats(struct journal *j, struct journal_stats *out)
{
	pthread_mutex_lock(&j->lock);
	*out = (struct journal_stats){
		.bytes = waiting_bytes(j),
		.waiting_events = j->waiting_events,
		.pushed_events = j->pushed_events,
		.dropped_events = j->dropped_events,
	};
	pthread_mutex_unlock(&j->lock);
	out->bytes += j->kept_bytes;
	out->evicted_events = j->evicted_events;
}
