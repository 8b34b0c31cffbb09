/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/history/lookback.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/model/limits.h"

/* Distances from the sought position, in events, at which lookback_seek() may leave checkpoints. */
#define NR_DISTANCES (LOOKBACK_CHECKPOINTS - 1)
static const uint64_t distances[NR_DISTANCES] = { 128, 1024, 8192, 32768, 131072, 524288, 2097152 };

/* A copy of the model and its position in the journal: the result of all batches before batch
 * number `seq`, and of the records before index `record` of batch `seq`. */
struct checkpoint {
	struct model *model; /* NULL: not used */
	uint64_t seq;
	uint32_t record;
	uint64_t position; /* number of Trace2 events that were applied */
};

/*
 * A checkpoint can advance to any later position, but never go back. If the position is the end of
 * a batch, records after its last event may be missing until checkpoint_advance() continues with
 * the next batch.
 *
 *   base    the result of the evicted batches; only evictions advance it
 *   kept    checkpoints from the base on; an eviction drops those that still need the evicted batch
 *   cursor  result of the last lookback_seek(); model NULL: none
 *
 * kept and cursor are valid for one era of the journal; sync_era() drops them after the journal was
 * sorted.
 */
struct lookback {
	struct journal *journal;
	const struct tr2_intern *syms;
	struct model_config config;
	struct checkpoint base;
	struct checkpoint kept[LOOKBACK_CHECKPOINTS];
	struct checkpoint cursor;
	size_t live_bytes;
	ns_t time;
	uint64_t era; /* journal_era() when `kept` and `cursor` were made */
};

static void checkpoint_drop(struct checkpoint *c)
{
	model_free(c->model);
	*c = (struct checkpoint){ 0 };
}

size_t lookback_model_bytes(size_t history_bytes)
{
	size_t bytes = history_bytes / 4;

	return bytes < MIN_MODEL_BYTES   ? MIN_MODEL_BYTES
	       : bytes > MAX_MODEL_BYTES ? MAX_MODEL_BYTES
					 : bytes;
}

/* Return the bytes that copies of the model may use: at most half of the history, but at least
 * enough for base, cursor and one checkpoint. */
static size_t copies_room(const struct lookback *p)
{
	size_t base = model_bytes(p->base.model);
	size_t one = base > p->live_bytes ? base : p->live_bytes;
	size_t wanted = (LOOKBACK_CHECKPOINTS + 2) * one;
	size_t half = journal_history_bytes(p->journal) / 2;

	if (wanted > half)
		wanted = half;
	return wanted > 3 * one ? wanted : 3 * one;
}

void lookback_set_live_bytes(struct lookback *p, size_t live_bytes)
{
	p->live_bytes = live_bytes;
	journal_set_reserve(p->journal, copies_room(p));
}

static void batch_evicted(void *data, const struct batch *batch)
{
	struct lookback *p = data;

	model_apply(p->base.model, batch);
	p->base.seq = batch->seq + 1;
	p->base.position = batch->first_event + batch->nr_events;
	for (int i = 0; i < LOOKBACK_CHECKPOINTS; i++)
		if (p->kept[i].model && p->kept[i].seq <= batch->seq)
			checkpoint_drop(&p->kept[i]);
}

struct lookback *lookback_new(struct journal *journal, const struct tr2_intern *syms,
			      const struct model_config *config)
{
	struct lookback *p = xcalloc(1, sizeof(*p));

	p->journal = journal;
	p->syms = syms;
	p->config = *config;
	p->base.model = model_new(syms, config);
	p->base.seq = journal_first_seq(journal);
	p->time = NS_NONE;
	p->era = journal_era(journal);
	journal_on_evict(journal, batch_evicted, p);
	return p;
}

void lookback_leave(struct lookback *p)
{
	for (int i = 0; i < LOOKBACK_CHECKPOINTS; i++)
		checkpoint_drop(&p->kept[i]);
	checkpoint_drop(&p->cursor);
	p->time = NS_NONE;
}

void lookback_free(struct lookback *p)
{
	if (!p)
		return;
	journal_on_evict(p->journal, NULL, NULL);
	lookback_leave(p);
	model_free(p->base.model);
	free(p);
}

uint64_t lookback_first(const struct lookback *p)
{
	return p->base.position;
}

uint64_t lookback_end(const struct lookback *p)
{
	uint64_t end = journal_end_seq(p->journal);
	const struct batch *last = end ? journal_at(p->journal, end - 1) : NULL;

	return last ? last->first_event + last->nr_events : p->base.position;
}

static void sync_era(struct lookback *p)
{
	if (p->era == journal_era(p->journal))
		return;
	p->era = journal_era(p->journal);
	lookback_leave(p);
}

struct model *lookback_replay(const struct lookback *p, struct work *work)
{
	struct model *model = model_copy(p->base.model);
	uint64_t end = journal_end_seq(p->journal);

	for (uint64_t seq = p->base.seq; seq < end; seq++) {
		if (!work_goes_on(work, seq - p->base.seq, end - p->base.seq)) {
			model_free(model);
			return NULL;
		}
		model_apply(model, journal_at(p->journal, seq));
	}
	model_settle(model);
	return model;
}

static const struct checkpoint *checkpoint_find_nearest(const struct lookback *p, uint64_t position)
{
	const struct checkpoint *best = &p->base;

	for (int i = 0; i < LOOKBACK_CHECKPOINTS; i++)
		if (p->kept[i].model && p->kept[i].position <= position &&
		    p->kept[i].position >= best->position)
			best = &p->kept[i];
	/* The cursor can advance without a copy of the model, so use it if no checkpoint is
	 * nearer. */
	if (p->cursor.model && p->cursor.seq >= p->base.seq && p->cursor.position <= position &&
	    p->cursor.position >= best->position)
		best = &p->cursor;
	return best;
}

/* Return how many checkpoints are allowed, from 1 to LOOKBACK_CHECKPOINTS: if possible, as many as
 * fit into the history besides batches, base and cursor. */
static int checkpoints_allowed(const struct lookback *p)
{
	size_t one = model_bytes(p->cursor.model);
	size_t used = model_bytes(p->base.model) + one;
	size_t bound = journal_history_bytes(p->journal), room = copies_room(p);
	struct journal_stats stats;

	journal_stats(p->journal, &stats);
	bound = stats.bytes < bound ? bound - stats.bytes : 0;
	bound = bound > room ? bound : room;
	if (used + one > bound)
		return 1;
	return (bound - used) / one < LOOKBACK_CHECKPOINTS ? (int)((bound - used) / one)
							   : LOOKBACK_CHECKPOINTS;
}

/* Drop checkpoints until at most `nr` are left: first those after `target`, then those farthest
 * before it. */
static void checkpoints_trim(struct lookback *p, uint64_t target, int nr)
{
	for (;;) {
		struct checkpoint *farthest = NULL;
		uint64_t most = 0;
		int used = 0;

		for (int i = 0; i < LOOKBACK_CHECKPOINTS; i++) {
			struct checkpoint *c = &p->kept[i];
			uint64_t away = c->position > target ? UINT64_MAX : target - c->position;

			if (!c->model)
				continue;
			used++;
			if (!farthest || away > most) {
				most = away;
				farthest = c;
			}
		}
		if (used <= nr)
			return;
		checkpoint_drop(farthest);
	}
}

static void checkpoint_add(struct lookback *p, const struct checkpoint *at, uint64_t target)
{
	struct checkpoint *to = p->kept;

	for (int i = 0; i < LOOKBACK_CHECKPOINTS; i++)
		if (p->kept[i].model && p->kept[i].position == at->position)
			return;
	checkpoints_trim(p, target, checkpoints_allowed(p) - 1);
	while (to->model)
		to++;
	*to = *at;
	to->model = model_copy(at->model);
}

/* Count the records of the batch from index `record` on, up to the `events`th Trace2 event among
 * them, or to the end of the batch. */
static uint32_t count_records(const struct batch *batch, uint32_t record, uint64_t events)
{
	struct batch_cursor cursor = batch_begin(batch);
	struct event ev;
	uint32_t at = 0;

	while (events && batch_next(&cursor, &ev)) {
		at++;
		if (at > record)
			events -= event_is_trace2(&ev);
	}
	return at > record ? at - record : 0;
}

struct lookback_way {
	uint64_t from, to;
	struct work *work;
};

/* Advance checkpoint `c` to `position`. Returns false if `way->work` was cancelled. */
static bool checkpoint_advance(struct lookback *p, struct checkpoint *c, uint64_t position,
			       const struct lookback_way *way)
{
	while (c->position < position) {
		const struct batch *batch = journal_at(p->journal, c->seq);
		uint64_t end = batch ? batch->first_event + batch->nr_events : 0;
		uint32_t nr;

		if (!batch)
			break;
		if (!work_goes_on(way->work, c->position - way->from, way->to - way->from))
			return false;
		if (end <= position && !c->record) {
			model_apply(c->model, batch);
			nr = batch->nr_records;
		} else {
			nr = count_records(batch, c->record,
					   (end < position ? end : position) - c->position);
			model_apply_range(c->model, batch, c->record, c->record + nr);
		}
		c->record += nr;
		c->position = end < position ? end : position;
		if (c->record < batch->nr_records && c->position < end)
			continue;
		if (c->position == end && c->position < position) {
			/* At the end of the batch, apply the records after its last event, too. */
			model_apply_range(c->model, batch, c->record, batch->nr_records);
			c->seq++;
			c->record = 0;
		}
	}
	return true;
}

/* Return the time of the first event in the history that has one; NS_NONE: none. */
static ns_t find_first_time(const struct lookback *p)
{
	for (uint64_t seq = journal_first_seq(p->journal); seq < journal_end_seq(p->journal);
	     seq++) {
		struct batch_cursor cursor = batch_begin(journal_at(p->journal, seq));
		struct event ev;

		while (batch_next(&cursor, &ev))
			if (event_is_trace2(&ev) && event_has(&ev, TR2_F_TIME))
				return ev.v[TR2_F_TIME];
	}
	return NS_NONE;
}

const struct model *lookback_seek(struct lookback *p, uint64_t position, struct work *work)
{
	const struct checkpoint *from;
	struct lookback_way way = { .work = work };
	int nearest_distance, farthest_distance;
	bool on = true;

	sync_era(p);
	if (position < lookback_first(p))
		position = lookback_first(p);
	if (position > lookback_end(p))
		position = lookback_end(p);
	from = checkpoint_find_nearest(p, position);
	if (from != &p->cursor) {
		struct checkpoint start = *from;

		checkpoint_drop(&p->cursor);
		p->cursor = start;
		p->cursor.model = model_copy(start.model);
	}
	way.from = p->cursor.position;
	way.to = position;
	/*
	 * A large model allows few checkpoints, and copying it costs as much as applying thousands
	 * of events. So if few checkpoints are allowed, leave out those closest to the position.
	 */
	farthest_distance = checkpoints_allowed(p);
	nearest_distance = NR_DISTANCES - farthest_distance;
	nearest_distance = nearest_distance > 2 ? 2 : nearest_distance > 0 ? nearest_distance : 0;
	farthest_distance += nearest_distance - 1;
	if (farthest_distance >= NR_DISTANCES)
		farthest_distance = NR_DISTANCES - 1;
	for (int i = farthest_distance; i >= nearest_distance && on; i--) {
		if (position < distances[i] + p->cursor.position)
			continue;
		on = checkpoint_advance(p, &p->cursor, position - distances[i], &way);
		checkpoint_add(p, &p->cursor, position);
	}
	if (on)
		checkpoint_advance(p, &p->cursor, position, &way);
	model_settle(p->cursor.model);
	checkpoints_trim(p, p->cursor.position, checkpoints_allowed(p));
	p->time = model_last_time(p->cursor.model);
	if (p->time == NS_NONE && p->cursor.position == lookback_first(p))
		p->time = find_first_time(p);
	return p->cursor.model;
}

struct lookback_clock {
	ns_t arrival, latest;
	bool live;
};

/*
 * An event without a time, in content that is not live, gets the time before it, if any, because
 * the arrival of such content means nothing.
 */
static ns_t clock_event_time(struct lookback_clock *clock, const struct event *ev)
{
	if (event_has(ev, TR2_F_TIME))
		return clock->latest = ev->v[TR2_F_TIME];
	return clock->live || clock->latest == NS_NONE ? clock->arrival : clock->latest;
}

uint64_t lookback_position_of(const struct lookback *p, ns_t time)
{
	struct lookback_clock clock = { .arrival = NS_NONE, .latest = NS_NONE };

	for (uint64_t seq = journal_first_seq(p->journal); seq < journal_end_seq(p->journal);
	     seq++) {
		const struct batch *batch = journal_at(p->journal, seq);
		struct batch_cursor cursor = batch_begin(batch);
		uint64_t position = batch->first_event;
		struct event ev;

		while (batch_next(&cursor, &ev)) {
			clock.arrival = event_get(&ev, FLD_ARRIVAL, clock.arrival);
			if (ev.kind == REC_STREAM)
				clock.live = event_get(&ev, FLD_LIVE, 0);
			if (!event_is_trace2(&ev))
				continue;
			if (clock_event_time(&clock, &ev) >= time)
				return position;
			position++;
		}
	}
	return lookback_end(p);
}

uint64_t lookback_position(const struct lookback *p)
{
	return p->cursor.model && p->era == journal_era(p->journal) ? p->cursor.position
								    : lookback_end(p);
}

ns_t lookback_time(const struct lookback *p)
{
	return p->time;
}

uint64_t lookback_events_on(const struct lookback *p, int64_t events)
{
	uint64_t at = lookback_position(p);

	return events < 0 && at < -(uint64_t)events ? 0 : at + (uint64_t)events;
}

uint64_t lookback_seconds_on(const struct lookback *p, int64_t seconds, ns_t now_ns)
{
	uint64_t from = lookback_position(p), at;
	ns_t time = lookback_time(p) == NS_NONE ? now_ns : lookback_time(p), span;

	if (time == NS_NONE || __builtin_mul_overflow(seconds, NS_PER_SEC, &span) ||
	    __builtin_add_overflow(time, span, &time))
		return seconds < 0 ? 0 : lookback_end(p);
	at = lookback_position_of(p, time);
	return seconds > 0 && at <= from ? from + 1 : at;
}

size_t lookback_bytes(const struct lookback *p)
{
	size_t bytes = model_bytes(p->base.model);

	for (int i = 0; i < LOOKBACK_CHECKPOINTS; i++)
		if (p->kept[i].model)
			bytes += model_bytes(p->kept[i].model);
	return bytes + (p->cursor.model ? model_bytes(p->cursor.model) : 0);
}
