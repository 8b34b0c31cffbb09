/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/history/lookback.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/model/limits.h"

/* Number of distances from the cursor, in events, at which checkpoints are left. */
#define NR_DISTANCES (LOOKBACK_CHECKPOINTS - 1)
static const uint64_t distances[NR_DISTANCES] = { 128, 1024, 8192, 32768, 131072, 524288, 2097152 };

/*
 * A copy of the model and its position in the journal: all records before batch `seq`, record
 * `record` are applied.
 */
struct checkpoint {
	struct model *model; /* NULL: this checkpoint is unused */
	uint64_t seq;
	uint32_t record;   /* index of the record in the batch */
	uint64_t position; /* number of events before the checkpoint */
};

/*
 * A checkpoint's model is exactly the result of the records before (seq, record), and `position`
 * counts their Trace2 events. So a checkpoint can advance to any later position, never go back.
 * `record` may be in the middle of a batch. If the position is the end of a batch, the records
 * after
 * its last event are applied only when checkpoint_advance() continues with the next batch.
 *
 *   base    the evicted batches only; advanced only by evictions
 *   kept    copies, all after the base: an eviction drops those that begin in an evicted batch
 *   cursor  result of the last lookback_seek(); no model before the first seek
 *
 * kept and cursor belong to one era of the journal; sync_era() drops them if it changes. The base
 * stays valid, because sorting does not move evicted batches.
 */
struct lookback {
	struct journal *journal;
	const struct tr2_intern *syms;
	struct model_config config;
	struct checkpoint base; /* the state after the evicted batches */
	struct checkpoint kept[LOOKBACK_CHECKPOINTS];
	struct checkpoint cursor;
	size_t live_bytes; /* size of the live model; see lookback_set_live_bytes() */
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

/* Return the history's bytes that copies of the model may use: half of them at most, but enough
 * for base, cursor and one checkpoint. */
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

/* Callback before a batch is evicted: apply it to the base and drop the checkpoints before its
 * end. */
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

/* ---- going to a position ---- */

static const struct checkpoint *checkpoint_find_nearest(const struct lookback *p, uint64_t position)
{
	const struct checkpoint *best = &p->base;

	for (int i = 0; i < LOOKBACK_CHECKPOINTS; i++)
		if (p->kept[i].model && p->kept[i].position <= position &&
		    p->kept[i].position >= best->position)
			best = &p->kept[i];
	/* If the position is after the cursor, continue from the cursor: no copy of the model is
	 * needed. */
	if (p->cursor.model && p->cursor.seq >= p->base.seq && p->cursor.position <= position &&
	    p->cursor.position >= best->position)
		best = &p->cursor;
	return best;
}

/* Return how many checkpoints fit into the history's memory besides batches, base and cursor, at
 * least 1. */
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

/* Drop the checkpoints farthest from `target` until at most `nr` are left. */
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

/* Return how many records of the batch, from `record` on, contain `events` more events; if it
 * has fewer, the number of all. */
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

/* Start and end of a seek, for progress reports. */
struct lookback_way {
	uint64_t from, to;
	struct work *work;
};

/* Apply the records between checkpoint `c` and `position`. Returns false if the user stopped it. */
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
			/* Records after the last event of a batch belong to that batch. */
			model_apply_range(c->model, batch, c->record, batch->nr_records);
			c->seq++;
			c->record = 0;
		}
	}
	return true;
}

/* Return the time of the first event that has one: it is the time before the first event. */
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
	 * If the model is so large that a copy costs more than some thousand events, few
	 * checkpoints are allowed. Then leave out the ones closest to the cursor.
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

/* State of computing times of events while iterating over the journal. */
struct lookback_clock {
	ns_t arrival, latest;
	bool live;
};

/*
 * Return the time of an event: its own, or else its arrival. For content from before the start of
 * trace2top the arrival is meaningless, so use the time of the event before.
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
