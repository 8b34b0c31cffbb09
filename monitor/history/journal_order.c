/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/history/journal_order.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"
#include "monitor/base/lower_bound.h"

#define NONE UINT32_MAX
/* index of the stream for records that trace2top itself added (is_own_record()), such as a gap;
 * STREAM_END belongs to the stream that ended */
#define OURS 0u
/* minimum number of merged events between two checks whether the user cancelled */
#define ASK_EVERY 1000u
/* cost of merging an event divided by the cost of reading it, for the progress display */
#define MERGE_COST 4

void places_add(struct places *p, uint64_t number)
{
	GROW(p->numbers, p->nr, p->cap, 16);
	p->numbers[p->nr++] = number;
}

uint64_t places_take(struct places *p)
{
	return p->taken < p->nr ? p->numbers[p->taken++] : PLACE_NONE;
}

void places_release(struct places *p)
{
	free(p->numbers);
	*p = (struct places){ 0 };
}

/* Consecutive records of one stream within a batch. */
struct order_run {
	/* position in the batch before the run's next record to merge */
	struct batch_cursor cursor;
	uint64_t event; /* number of the next event of the run */
	/* lowest sort key of the record, if trace2top added it */
	ns_t key;
	/* number of records left in the run, without the STREAM record before them */
	uint32_t nr_left;
	/* index of the batch; index of the next run of the same stream */
	uint32_t batch, next;
	/* index of the first element of `sorted` whose number is not below the run's `event` */
	uint32_t place;
	/*
	 * is_ours: trace2top added the record; has_head: a STREAM record precedes the run's records
	 */
	bool is_ours, has_head;
	bool begun;
};

struct order_head {
	uint64_t mask;
	int64_t source, arrival, pid, uid, agent, skew, live;
};

struct order_stream {
	uint32_t number, run, last_run;
	struct order_head head;
	ns_t time;       /* latest time of the stream so far; NS_NONE: none */
	ns_t first_time; /* first time of an event of the stream */
	ns_t key;        /* sort key of the stream's next record */
};

/* an event number to translate, and its index in `places` */
struct order_place {
	uint64_t number;
	uint32_t index;
};

/*
 * Merges streams by time, in two passes over the batches before journal_old_end().
 *
 * The first pass (order_read_batch()) splits each batch into runs of consecutive records of one
 * stream. The runs of a stream form a list in the order of reading. A record of is_own_record(),
 * such as a gap, is a run by itself, in the stream OURS or in the stream whose end it reports.
 *
 * Invariants of the second pass, the merge, before each call of order_output_top():
 *
 * - `heap` contains each stream with records left. The stream with the lowest key is on top; if
 *   keys are equal, the stream whose run was read first
 * - the `run` of a stream contains its next record; earlier runs are done. A batch is freed when
 *   all of its runs are done (nr_runs), because the cursors of runs point into it
 * - `out` contains merged records that are not in done_batches yet; out_stream and out_head are of
 *   the last stream announced in `out`; out_stream is NONE if there is none
 * - the `places` of merged events have their new numbers
 *
 * If the merge is stopped, each batch whose `touched` is false is used again as it is. The records
 * left in other batches are copied in the order of reading. The journal can be sorted again later.
 */
struct journal_order {
	struct work *work;
	struct batch **batches;
	uint64_t nr_batches, nr_events, done;
	uint32_t *nr_runs; /* per batch: number of runs not completely merged */
	/* per batch: a record was merged, or the batch needs the STREAM record of an earlier one */
	bool *touched;
	struct order_run *runs;
	uint32_t nr_all, cap_runs;
	struct order_stream *streams;
	uint32_t nr_streams, cap_streams;
	struct tr2_hash_index by_number; /* finds a stream other than OURS by its number */
	uint32_t stream;                 /* index of the stream whose records are being read */
	/* highest sort keys noted so far: `live_max` of live events, `latest` of any records */
	ns_t live_max, latest;
	bool disordered;

	/* heap of indexes of streams, by the sort key of their next record */
	uint32_t *heap;
	uint32_t nr_heap;
	struct event ev;

	struct batch *out;
	uint32_t out_stream;
	struct order_head out_head;
	struct batch **done_batches;
	uint64_t nr_done, cap_done, out_event;

	struct places *places;
	struct order_place *sorted;
	uint32_t nr_sorted;
};

static bool order_continues(const struct journal_order *c)
{
	return work_goes_on(c->work, c->done, c->nr_events * (1 + MERGE_COST) + 1);
}

static uint32_t order_hash_number(uint32_t number)
{
	return (uint32_t)tr2_hash_pair(number, 0);
}

static uint32_t order_stream_hash(const void *data, uint32_t stream)
{
	const struct journal_order *order = data;

	return order_hash_number(order->streams[stream].number);
}

static uint32_t order_add_stream(struct journal_order *c, uint32_t number)
{
	GROW(c->streams, c->nr_streams, c->cap_streams, 64);
	c->streams[c->nr_streams] = (struct order_stream){ .number = number,
							   .run = NONE,
							   .last_run = NONE,
							   .head.arrival = NS_NONE,
							   .time = NS_NONE,
							   .first_time = NS_NONE };
	return c->nr_streams++;
}

static uint32_t order_find_stream(struct journal_order *c, uint32_t number)
{
	uint32_t stream;

	TR2_HASH_INDEX_EACH(&c->by_number, order_hash_number(number), at)
	if (c->streams[c->by_number.at[at] - 1].number == number)
		return c->by_number.at[at] - 1;
	stream = order_add_stream(c, number);
	hash_index_put(&c->by_number, order_hash_number(number), stream, order_stream_hash, c);
	return stream;
}

static struct order_head order_stream_head(const struct event *ev)
{
	return (struct order_head){ .mask = ev->mask,
				    .source = event_get(ev, FLD_SOURCE, 0),
				    .arrival = event_get(ev, FLD_ARRIVAL, NS_NONE),
				    .pid = event_get(ev, TR2_F_PID, 0),
				    .uid = event_get(ev, FLD_UID, NUM_NONE),
				    .agent = event_get(ev, FLD_AGENT, SYM_NONE),
				    .skew = event_get(ev, FLD_T_GAP, 0),
				    .live = event_get(ev, FLD_LIVE, 0) };
}

static struct order_run *order_add_run(struct journal_order *c, uint32_t stream,
				       struct order_run run)
{
	struct order_stream *s = &c->streams[stream];

	GROW(c->runs, c->nr_all, c->cap_runs, 256);
	run.next = NONE;
	c->runs[c->nr_all] = run;
	if (s->last_run == NONE)
		s->run = c->nr_all;
	else
		c->runs[s->last_run].next = c->nr_all;
	s->last_run = c->nr_all;
	c->nr_runs[run.batch]++;
	return &c->runs[c->nr_all++];
}

static bool is_own_record(const struct event *ev)
{
	return !event_is_trace2(ev) && ev->kind != REC_STREAM && ev->kind != REC_ABOUT;
}

/* True if events with this head are sorted by its arrival: an agent sent them, and hosts have
 * different clocks. */
static bool is_stamped(const struct order_head *head)
{
	return head->agent != SYM_NONE && head->arrival != NS_NONE;
}

/* Return the sort key of an event, and update the latest time of its stream. */
static ns_t event_key(struct order_stream *s, const struct event *ev)
{
	ns_t time = is_stamped(&s->head) ? s->head.arrival : event_get(ev, TR2_F_TIME, NS_NONE);

	if (s->head.live && s->head.arrival != NS_NONE &&
	    time > ns_add(s->head.arrival, JOURNAL_ORDER_SLACK_NS))
		time = ns_add(s->head.arrival, JOURNAL_ORDER_SLACK_NS);
	if (time > s->time)
		s->time = time;
	if (s->time != NS_NONE)
		return s->time;
	return s->first_time != NS_NONE ? s->first_time : s->head.arrival;
}

static void key_note(struct journal_order *c, ns_t key)
{
	c->disordered |= key < c->latest;
	if (key > c->latest)
		c->latest = key;
}

/* Note the key of an event. An event before the first time in its stream is skipped: its key will
 * be that time, which is not known yet. */
static void order_count_event(struct journal_order *c, struct order_stream *s,
			      const struct event *ev)
{
	ns_t key = event_key(s, ev);

	if (s->time == NS_NONE)
		return;
	if (s->first_time == NS_NONE)
		s->first_time = s->time;
	key_note(c, key);
	if (s->head.live && key > c->live_max)
		c->live_max = key;
}

static ns_t ours_note(struct journal_order *c, uint32_t stream, const struct event *ev)
{
	struct order_stream *s = &c->streams[stream];
	ns_t key = event_get(ev, FLD_ARRIVAL, c->latest);

	if (key < c->live_max)
		key = c->live_max;
	if (key < s->time)
		key = s->time;
	if (stream == OURS)
		s->time = key;
	key_note(c, key);
	return key;
}

/* Add a run for a record that trace2top added: to the stream whose end it reports, otherwise to the
 * stream OURS. */
static void order_read_own(struct journal_order *c, struct order_run *run, const struct event *ev)
{
	uint32_t stream = OURS;

	if (ev->kind == REC_STREAM_END && event_has(ev, FLD_STREAM))
		stream = order_find_stream(c, (uint32_t)ev->v[FLD_STREAM]);
	run->key = ours_note(c, stream, ev);
	order_add_run(c, stream, *run)->nr_left = 1;
}

static void order_read_batch(struct journal_order *c, uint32_t index)
{
	const struct batch *batch = c->batches[index];
	struct batch_cursor cursor = batch_begin(batch), before = cursor;
	struct order_run *run = NULL, fresh = { .batch = index };
	uint64_t event = batch->first_event;
	bool has_head = false;
	struct event *ev = &c->ev;

	for (; batch_next(&cursor, ev); before = cursor) {
		fresh.cursor = before;
		fresh.event = event;
		fresh.has_head = ev->kind == REC_STREAM;
		fresh.is_ours = is_own_record(ev);
		if (fresh.has_head) {
			has_head = true;
			c->stream = order_find_stream(c, (uint32_t)event_get(ev, FLD_STREAM, NONE));
			c->streams[c->stream].head = order_stream_head(ev);
			run = order_add_run(c, c->stream, fresh);
		} else if (fresh.is_ours) {
			order_read_own(c, &fresh, ev);
			run = NULL;
		} else {
			/*
			 * Without a STREAM record before these records, this batch needs that of an
			 * earlier batch, so it cannot be used again as it is.
			 */
			c->touched[index] |= !has_head;
			if (!run)
				run = order_add_run(c, c->stream, fresh);
			run->nr_left++;
			event += event_is_trace2(ev);
			order_count_event(c, &c->streams[c->stream], ev);
		}
	}
}

static uint32_t place_from(const struct journal_order *c, uint64_t number)
{
	uint32_t at;

	LOWER_BOUND(at, c->nr_sorted, c->sorted[at].number < number);
	return at;
}

static void order_begin_run(struct journal_order *c, struct order_stream *s, struct order_run *run)
{
	run->begun = true;
	run->place = place_from(c, run->event);
	if (!run->has_head)
		return;
	batch_next(&run->cursor, &c->ev);
	s->head = order_stream_head(&c->ev);
}

static void order_end_run(struct journal_order *c, const struct order_run *run)
{
	if (--c->nr_runs[run->batch])
		return;
	batch_free(c->batches[run->batch]);
	c->batches[run->batch] = NULL;
}

/* Decode the next record of a stream into c->ev and set the stream's sort key. `*after` is the
 * position after the record. Returns false at the end of the stream. */
static bool stream_peek(struct journal_order *c, struct order_stream *s, struct batch_cursor *after)
{
	struct order_run *run = NULL;

	while (s->run != NONE) {
		run = &c->runs[s->run];
		if (!run->begun)
			order_begin_run(c, s, run);
		if (run->nr_left)
			break;
		order_end_run(c, run);
		s->run = run->next;
	}
	if (s->run == NONE)
		return false;
	*after = run->cursor;
	batch_next(after, &c->ev);
	if (run->is_ours)
		s->key = run->key > s->time ? run->key : s->time;
	else
		s->key = event_key(s, &c->ev);
	return true;
}

static void order_append_batch(struct journal_order *c, struct batch *batch)
{
	GROW(c->done_batches, c->nr_done, c->cap_done, 64);
	c->done_batches[c->nr_done++] = batch;
}

static void order_finish_batch(struct journal_order *c)
{
	if (!batch_is_empty(c->out))
		order_append_batch(c, batch_compact(c->out));
	batch_clear(c->out);
	c->out_stream = NONE;
}

/*
 * True if records of this stream with the head `head` may follow in `out` without another STREAM
 * record. The arrivals of the two heads may differ for content that is not live, unless an agent
 * sent it.
 */
static bool order_is_announced(const struct journal_order *c, uint32_t stream,
			       const struct order_head *head)
{
	return c->out_stream == stream && c->out_head.live == head->live &&
	       c->out_head.pid == head->pid && c->out_head.uid == head->uid &&
	       c->out_head.agent == head->agent && c->out_head.skew == head->skew &&
	       ((!head->live && !is_stamped(head)) || c->out_head.arrival == head->arrival);
}

static void order_announce(struct journal_order *c, uint32_t stream)
{
	const struct order_stream *s = &c->streams[stream];
	struct event ev = { .kind = REC_STREAM };

	c->out_stream = stream;
	c->out_head = s->head;
	if (!s->head.mask)
		return;
	event_set(&ev, FLD_STREAM, s->number);
	event_set(&ev, FLD_SOURCE, s->head.source);
	event_set(&ev, FLD_ARRIVAL, s->head.arrival);
	event_set(&ev, FLD_LIVE, s->head.live);
	event_set(&ev, TR2_F_PID, s->head.pid);
	event_set(&ev, FLD_UID, s->head.uid);
	event_set(&ev, FLD_AGENT, s->head.agent);
	event_set(&ev, FLD_T_GAP, s->head.skew);
	ev.mask &= s->head.mask;
	/*
	 * Leave out the arrival of events that are not live and whose stream has times, unless an
	 * agent sent them: its distance from those times would cost bytes.
	 */
	if (!s->head.live && !is_stamped(&s->head) && s->first_time != NS_NONE)
		ev.mask &= ~FIELD_BIT(FLD_ARRIVAL);
	batch_add(c->out, &ev);
}

static void order_output_record(struct journal_order *c, uint32_t stream,
				const struct batch_cursor *after)
{
	struct order_run *run = &c->runs[c->streams[stream].run];

	if (batch_is_full(c->out))
		order_finish_batch(c);
	if (!run->is_ours && !order_is_announced(c, stream, &c->streams[stream].head))
		order_announce(c, stream);
	batch_add_from(c->out, run->cursor.batch, &c->ev);
	c->touched[run->batch] = true;
	run->cursor = *after;
	run->nr_left--;
	if (!event_is_trace2(&c->ev))
		return;
	for (; run->place < c->nr_sorted && c->sorted[run->place].number == run->event;
	     run->place++)
		c->places->numbers[c->sorted[run->place].index] = c->out_event;
	run->event++;
	c->out_event++;
	c->done += MERGE_COST;
}

static bool order_is_before(const struct journal_order *c, uint32_t a, uint32_t b)
{
	const struct order_stream *x = &c->streams[a], *y = &c->streams[b];

	return x->key != y->key ? x->key < y->key : x->run < y->run;
}

static void order_sift_down(struct journal_order *c, uint32_t at)
{
	uint32_t moved = c->heap[at];

	for (;;) {
		uint32_t child = at * 2 + 1;

		if (child + 1 < c->nr_heap &&
		    order_is_before(c, c->heap[child + 1], c->heap[child]))
			child++;
		if (child >= c->nr_heap || !order_is_before(c, c->heap[child], moved))
			break;
		c->heap[at] = c->heap[child];
		at = child;
	}
	c->heap[at] = moved;
}

static void order_build_heap(struct journal_order *c)
{
	struct batch_cursor after;

	c->heap = xcalloc(c->nr_streams, sizeof(*c->heap));
	for (uint32_t i = 0; i < c->nr_streams; i++) {
		c->streams[i].time = NS_NONE;
		if (stream_peek(c, &c->streams[i], &after))
			c->heap[c->nr_heap++] = i;
	}
	for (uint32_t i = c->nr_heap / 2; i-- > 0;)
		order_sift_down(c, i);
}

/* Output records of the stream on top of the heap until another stream comes first, or ASK_EVERY
 * records were output. Returns false at the end of the stream. */
static bool order_output_top(struct journal_order *c)
{
	uint32_t top = c->heap[0], second = c->nr_heap > 1 ? c->heap[1] : NONE;
	struct batch_cursor after;

	if (c->nr_heap > 2 && order_is_before(c, c->heap[2], second))
		second = c->heap[2];
	for (unsigned i = 0; stream_peek(c, &c->streams[top], &after); i++) {
		if (i == ASK_EVERY || (second != NONE && !order_is_before(c, top, second)))
			return true;
		order_output_record(c, top, &after);
	}
	return false;
}

static bool order_merge(struct journal_order *c)
{
	uint64_t ask_at = c->out_event + ASK_EVERY;

	order_build_heap(c);
	while (c->nr_heap) {
		if (c->out_event >= ask_at) {
			if (!order_continues(c))
				return false;
			ask_at = c->out_event + ASK_EVERY;
		}
		if (!order_output_top(c))
			c->heap[0] = c->heap[--c->nr_heap];
		if (c->nr_heap)
			order_sift_down(c, 0);
	}
	order_finish_batch(c);
	return true;
}

static void order_reuse_batch(struct journal_order *c, uint32_t index)
{
	struct batch *batch = c->batches[index];
	uint64_t end = batch->first_event + batch->nr_events;

	order_finish_batch(c);
	for (uint32_t i = place_from(c, batch->first_event);
	     i < c->nr_sorted && c->sorted[i].number < end; i++)
		c->places->numbers[c->sorted[i].index] =
			c->out_event + (c->sorted[i].number - batch->first_event);
	c->out_event += batch->nr_events;
	order_append_batch(c, batch);
	c->batches[index] = NULL;
}

/* Call when all earlier runs of the stream are done. */
static void order_copy_run(struct journal_order *c, uint32_t stream, uint32_t run)
{
	struct batch_cursor after;

	while (c->streams[stream].run == run && stream_peek(c, &c->streams[stream], &after) &&
	       c->streams[stream].run == run)
		order_output_record(c, stream, &after);
}

static void order_copy_rest(struct journal_order *c)
{
	uint32_t *stream_of_run = xcalloc((size_t)c->nr_all + 1, sizeof(*stream_of_run));
	uint32_t run = 0;

	for (uint32_t i = 0; i < c->nr_streams; i++)
		for (uint32_t r = c->streams[i].run; r != NONE; r = c->runs[r].next)
			stream_of_run[r] = i + 1;
	for (uint32_t index = 0; index < c->nr_batches; index++) {
		bool keep = c->batches[index] && !c->touched[index];

		if (keep)
			order_reuse_batch(c, index);
		for (; run < c->nr_all && c->runs[run].batch == index; run++) {
			uint32_t stream = stream_of_run[run] ? stream_of_run[run] - 1 : NONE;

			/* The run is done: it was merged, or it was empty and stream_peek() skipped
			 * it. */
			if (stream == NONE || c->streams[stream].run != run)
				continue;
			if (keep)
				c->streams[stream].run = c->runs[run].next;
			else
				order_copy_run(c, stream, run);
		}
	}
	order_finish_batch(c);
	free(stream_of_run);
}

static int compare_places(const void *a, const void *b)
{
	const struct order_place *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void places_sort(struct journal_order *c)
{
	if (!c->places || !c->places->nr)
		return;
	c->nr_sorted = c->places->nr;
	c->sorted = xcalloc(c->nr_sorted, sizeof(*c->sorted));
	for (uint32_t i = 0; i < c->nr_sorted; i++)
		c->sorted[i] = (struct order_place){ c->places->numbers[i], i };
	qsort(c->sorted, c->nr_sorted, sizeof(*c->sorted), compare_places);
}

static void journal_order_init(struct journal_order *c, const struct journal *journal)
{
	uint64_t first = journal_first_seq(journal);

	c->nr_batches = journal_old_end(journal) - first;
	c->batches = xcalloc(c->nr_batches, sizeof(struct batch *));
	c->nr_runs = xcalloc(c->nr_batches, sizeof(*c->nr_runs));
	c->touched = xcalloc(c->nr_batches, sizeof(*c->touched));
	for (uint64_t i = 0; i < c->nr_batches; i++) {
		/* Casts const away: the sort changes batches only after journal_take_out(). */
		c->batches[i] = (struct batch *)(uintptr_t)journal_at(journal, first + i);
		c->nr_events += c->batches[i]->nr_events;
	}
	c->out_event = c->batches[0]->first_event;
	hash_index_init(&c->by_number, 64);
	c->live_max = c->latest = NS_NONE;
	order_add_stream(c, NONE);
	/* before the first STREAM record, records belong to a stream without number */
	c->stream = order_find_stream(c, NONE);
}

static void journal_order_release(struct journal_order *c)
{
	batch_free(c->out);
	free(c->batches);
	free(c->nr_runs);
	free(c->touched);
	free(c->runs);
	free(c->streams);
	tr2_hash_index_release(&c->by_number);
	free(c->heap);
	free(c->done_batches);
	free(c->sorted);
}

static bool all_read(struct journal_order *c)
{
	for (uint32_t i = 0; i < c->nr_batches; i++) {
		if (!order_continues(c))
			return false;
		order_read_batch(c, i);
		c->done += c->batches[i]->nr_events;
	}
	return true;
}

bool journal_order_sort(struct journal *journal, struct places *places, struct work *work)
{
	struct journal_order c = { .work = work, .places = places };
	bool on;

	if (!journal_is_disordered(journal))
		return true;
	journal_order_init(&c, journal);
	on = all_read(&c);
	if (on && !c.disordered)
		journal_set_ordered(journal);
	if (on && c.disordered) {
		c.out = batch_new();
		c.out_stream = NONE;
		places_sort(&c);
		journal_take_out(journal, c.batches, c.nr_batches);
		on = order_merge(&c);
		if (!on)
			order_copy_rest(&c);
		journal_put_back(journal, c.done_batches, c.nr_done, on);
	}
	journal_order_release(&c);
	return on;
}
