/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/occurrences.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hist.h"
#include "monitor/event/sid.h"

#define BATCHES_A_FRAME 64
#define MAX_TEXT_BYTES  200u
/* Number of threads that may be inside the region at once; on a hash collision the message of an
 * occurrence is lost. */
#define MAX_PENDING 4096u

/* A region_enter whose region_leave was not read yet. */
struct pending {
	uint64_t key; /* hash of process and thread; 0: a free slot */
	uint64_t event;
	char *message;
	uint32_t len;
	ns_t time;
};

static char *occurrence_copy_message(const struct batch *batch, const struct event *ev,
				     unsigned field, uint32_t *len)
{
	size_t bytes;
	const char *text;
	char *copy;

	if (!event_has(ev, field))
		return NULL;
	text = batch_text(batch, ev->v[field], &bytes);
	*len = bytes < MAX_TEXT_BYTES ? (uint32_t)bytes : MAX_TEXT_BYTES;
	copy = xmalloc(*len + 1u);
	memcpy(copy, text, *len);
	return copy;
}

/* ---- the slowest occurrences: a heap, fastest at the top ---- */

static void occurrences_sift_down(struct occurrences *found, uint32_t at)
{
	struct occurrence *items = found->items, moved = items[at];

	for (uint32_t child; (child = at * 2 + 1) < found->nr; at = child) {
		if (child + 1 < found->nr && items[child + 1].duration < items[child].duration)
			child++;
		if (items[child].duration >= moved.duration)
			break;
		items[at] = items[child];
	}
	items[at] = moved;
}

static void keep_occurrence(struct occurrences *found, const struct occurrence *item)
{
	if (found->nr == OCCURRENCES_MAX) {
		if (item->duration <= found->items[0].duration) {
			free(item->message);
			return;
		}
		free(found->items[0].message);
		found->items[0] = *item;
		occurrences_sift_down(found, 0);
		return;
	}
	GROW(found->items, found->nr, found->cap, 64);
	found->items[found->nr++] = *item;
	if (found->nr == OCCURRENCES_MAX)
		for (uint32_t at = found->nr / 2; at-- > 0;)
			occurrences_sift_down(found, at);
}

/* State of reading the occurrences in a batch. */
struct occurrence_reading {
	const struct analysis *what;
	const struct batch *batch;
	const struct event *ev;
	uint64_t event, key;
	struct handle process;
};

static struct pending *pending_of(struct occurrences *found, uint64_t key)
{
	return &found->pending[key % MAX_PENDING];
}

static void note_enter(struct occurrences *found, const struct occurrence_reading *r)
{
	struct pending *pending = pending_of(found, r->key);

	free(pending->message);
	*pending = (struct pending){ .key = r->key,
				     .event = r->event,
				     .time = event_get(r->ev, TR2_F_TIME, NS_NONE) };
	pending->message = occurrence_copy_message(r->batch, r->ev, TR2_F_MSG, &pending->len);
}

static ns_t occurrence_duration(const struct event *ev, const struct pending *pending)
{
	ns_t time = event_get(ev, TR2_F_TIME, NS_NONE);
	ns_t duration = event_get(ev, TR2_F_T_REL, NS_NONE);

	if (duration == NS_NONE && pending && pending->time != NS_NONE && time != NS_NONE)
		duration = ns_sub(time, pending->time);
	return duration == NS_NONE ? NS_NONE : duration < 0 ? 0 : duration;
}

static void note_leave(struct occurrences *found, const struct occurrence_reading *r)
{
	struct pending *slot = pending_of(found, r->key);
	struct pending *pending = slot->key == r->key ? slot : NULL;
	ns_t time = event_get(r->ev, TR2_F_TIME, NS_NONE);
	struct occurrence item = { .process = r->process,
				   .thread = event_sym(r->ev, TR2_F_THREAD),
				   .nr = found->nr_ended++,
				   .event = pending ? pending->event : r->event };

	item.duration = occurrence_duration(r->ev, pending);
	item.start =
		time == NS_NONE || item.duration == NS_NONE ? time : ns_sub(time, item.duration);
	item.message = occurrence_copy_message(r->batch, r->ev, TR2_F_MSG, &item.message_len);
	if (pending) {
		if (!item.message) {
			item.message = pending->message;
			item.message_len = pending->len;
			pending->message = NULL;
		}
		free(pending->message);
		*pending = (struct pending){ 0 };
	}
	if (item.duration != NS_NONE) {
		found->sums[hist_bucket(item.duration)]++;
		found->total = ns_add(found->total, item.duration);
		found->min = item.duration < found->min ? item.duration : found->min;
		found->max = item.duration > found->max ? item.duration : found->max;
	}
	keep_occurrence(found, &item);
}

static void note_data(struct occurrences *found, const struct occurrence_reading *r)
{
	sym_t category = event_sym(r->ev, TR2_F_CATEGORY), key = event_sym(r->ev, TR2_F_KEY);
	struct note *note = NULL;

	if (pending_of(found, r->key)->key != r->key)
		return;
	for (uint32_t i = 0; i < found->nr_notes && !note; i++)
		if (found->notes[i].category == category && found->notes[i].key == key)
			note = &found->notes[i];
	if (!note && found->nr_notes == OCCURRENCES_MAX_NOTES)
		return;
	if (!note) {
		GROW(found->notes, found->nr_notes, found->cap_notes, 16);
		note = &found->notes[found->nr_notes++];
		*note = (struct note){ .category = category, .key = key };
	}
	free(note->value);
	note->count++;
	note->event = r->event;
	note->process = r->process;
	note->value = occurrence_copy_message(r->batch, r->ev, TR2_F_VALUE, &note->value_len);
}

static bool occurrences_want_event(const struct analysis *what, const struct event *ev)
{
	if (ev->kind == TR2_E_DATA || ev->kind == TR2_E_DATA_JSON)
		return event_has(ev, TR2_F_SID);
	return (ev->kind == TR2_E_REGION_ENTER || ev->kind == TR2_E_REGION_LEAVE) &&
	       event_has(ev, TR2_F_SID) && event_sym(ev, TR2_F_CATEGORY) == what->category &&
	       event_sym(ev, TR2_F_LABEL) == what->label &&
	       (what->limits.nesting < 0 ||
		event_get(ev, TR2_F_NESTING, 0) <= what->limits.nesting);
}

static bool is_too_deep(const struct analysis *what, const char *sid, size_t len)
{
	return what->limits.depth >= 0 && sid_depth(sid, len) > what->limits.depth;
}

static void occurrences_read_event(struct occurrences *found, struct occurrence_reading *r)
{
	struct handle only = r->what->process;
	size_t len;
	const char *sid = batch_sid_text(r->batch, (uint32_t)r->ev->v[TR2_F_SID], &len);
	uint32_t slot;

	r->key = tr2_hash_pair(r->batch->sids[r->ev->v[TR2_F_SID]].hash,
			       event_sym(r->ev, TR2_F_THREAD)) |
		 1;
	/* Most data is not logged inside the region, so its process need not be looked up. */
	if (r->ev->kind != TR2_E_REGION_ENTER && r->ev->kind != TR2_E_REGION_LEAVE &&
	    pending_of(found, r->key)->key != r->key)
		return;
	slot = model_find_sid(r->what->model, sid, len);
	r->process = slot == SLOT_NONE ? HANDLE_NONE : model_handle(r->what->model, slot);
	if ((only.slot != SLOT_NONE && !handle_equal(r->process, only)) ||
	    is_too_deep(r->what, sid, len))
		return;
	if (r->ev->kind == TR2_E_REGION_ENTER)
		note_enter(found, r);
	else if (r->ev->kind == TR2_E_REGION_LEAVE)
		note_leave(found, r);
	else
		note_data(found, r);
}

/* Read the batch from the next event up to, not including, event number `end`. */
static void occurrences_read_batch(struct occurrences *found, const struct analysis *what,
				   const struct batch *batch, uint64_t end)
{
	struct batch_cursor cursor = batch_begin(batch);
	uint64_t number = batch->first_event;
	struct event ev;
	struct occurrence_reading r = { .what = what, .batch = batch, .ev = &ev };

	while (number < end && batch_next(&cursor, &ev)) {
		if (!event_is_trace2(&ev))
			continue;
		r.event = number++;
		if (r.event >= found->next_event && occurrences_want_event(what, &ev))
			occurrences_read_event(found, &r);
	}
	if (number > found->next_event)
		found->next_event = number;
}

static void occurrences_restart(struct occurrences *found, const struct analysis *what)
{
	struct journal *journal = what->journal;
	uint64_t nr_begun = found->nr_begun + 1;

	occurrences_release(found);
	found->nr_begun = nr_begun;
	found->sums = xcalloc(HIST_BUCKETS, sizeof(*found->sums));
	found->pending = xcalloc(MAX_PENDING, sizeof(*found->pending));
	found->min = INT64_MAX;
	found->nesting = what->limits.nesting;
	found->depth = what->limits.depth;
	found->era = journal ? journal_era(journal) : 0;
	found->next_seq = journal ? journal_first_seq(journal) : 0;
}

void occurrences_read(struct occurrences *found, const struct analysis *what)
{
	struct journal *journal = what->journal;
	uint64_t limit = what->past ? what->lookback_position : UINT64_MAX, first, end;

	if (!found->sums || found->nesting != what->limits.nesting ||
	    found->depth != what->limits.depth || found->next_event > limit ||
	    (journal && found->era != journal_era(journal)))
		occurrences_restart(found, what);
	found->percent = 100;
	if (!journal)
		return;
	first = journal_first_seq(journal);
	end = journal_end_seq(journal);
	found->next_seq = found->next_seq < first ? first : found->next_seq;
	for (int i = 0; i < BATCHES_A_FRAME && found->next_seq < end; i++) {
		const struct batch *batch = journal_at(journal, found->next_seq);

		if (batch->first_event >= limit)
			return;
		occurrences_read_batch(found, what, batch, limit);
		if (batch->first_event + batch->nr_events > limit)
			return;
		found->next_seq++;
	}
	if (found->next_seq < end)
		found->percent = (int)((found->next_seq - first) * 100 / (end - first));
}

void occurrences_release(struct occurrences *found)
{
	for (uint32_t i = 0; i < found->nr; i++)
		free(found->items[i].message);
	for (uint32_t i = 0; i < found->nr_notes; i++)
		free(found->notes[i].value);
	for (uint32_t i = 0; found->pending && i < MAX_PENDING; i++)
		free(found->pending[i].message);
	free(found->items);
	free(found->notes);
	free(found->sums);
	free(found->pending);
	memset(found, 0, sizeof(*found));
}
