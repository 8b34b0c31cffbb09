/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/occurrences.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hist.h"
#include "monitor/event/sid.h"

#define BATCHES_A_FRAME 64
#define MAX_TEXT_BYTES  200u
/* maximum memory for open occurrences; if they need more, all of them are forgotten */
#define MAX_INSIDE_BYTES (16u << 20)

static char *occurrence_copy_text(const char *text, size_t bytes, uint32_t *len)
{
	char *copy;

	*len = bytes < MAX_TEXT_BYTES ? (uint32_t)bytes : MAX_TEXT_BYTES;
	copy = xmalloc(*len + 1u);
	memcpy(copy, text, *len);
	return copy;
}

static char *occurrence_copy_field(const struct batch *batch, const struct event *ev,
				   unsigned field, uint32_t *len)
{
	size_t bytes;
	const char *text;

	if (!event_has(ev, field))
		return NULL;
	text = batch_text(batch, ev->v[field], &bytes);
	return occurrence_copy_text(text, bytes, len);
}

/* If OCCURRENCES_MAX occurrences are kept, they are a heap with the fastest at the top. */

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

struct occurrence_reading {
	const struct analysis *what;
	const struct batch *batch;
	const struct event *ev;
	uint64_t event;
	struct handle process;
};

/* Callback: the event that is being read left the region. */
static void note_leave(void *data, const struct span_region *region)
{
	struct occurrences *found = data;
	const struct occurrence_reading *r = found->reading;
	ns_t time = event_get(r->ev, TR2_F_TIME, NS_NONE);
	struct occurrence item = { .process = r->process,
				   .thread = event_sym(r->ev, TR2_F_THREAD),
				   .nr = found->nr_ended++,
				   .event = region->event };

	item.duration = event_region_time(r->ev, region->begun);
	item.start =
		time == NS_NONE || item.duration == NS_NONE ? time : ns_sub(time, item.duration);
	item.message = occurrence_copy_field(r->batch, r->ev, TR2_F_MSG, &item.message_len);
	if (!item.message && region->msg)
		item.message =
			occurrence_copy_text(region->msg, region->msg_len, &item.message_len);
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
	note->value = occurrence_copy_field(r->batch, r->ev, TR2_F_VALUE, &note->value_len);
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
	bool is_data = r->ev->kind == TR2_E_DATA || r->ev->kind == TR2_E_DATA_JSON;
	struct handle only = r->what->process;
	size_t len;
	const char *sid = batch_sid_text(r->batch, (uint32_t)r->ev->v[TR2_F_SID], &len);
	uint32_t slot;

	/* most data is outside the region, so its process is not looked up */
	if (is_data && !span_stream_is_inside(&found->stream, r->batch, r->ev))
		return;
	slot = model_find_sid(r->what->model, sid, len);
	r->process = slot == SLOT_NONE ? HANDLE_NONE : model_handle(r->what->model, slot);
	if ((only.slot != SLOT_NONE && !handle_equal(r->process, only)) ||
	    is_too_deep(r->what, sid, len))
		return;
	if (is_data) {
		note_data(found, r);
		return;
	}
	found->stream.event = r->event;
	span_stream_event(&found->stream, r->batch, r->ev);
	span_stream_flush(&found->stream);
}

static void occurrences_restart_stream(struct occurrences *found)
{
	span_stream_release(&found->stream);
	span_stream_init(&found->stream, &(struct span_stream_config){ .region = note_leave,
								       .data = found,
								       .messages = true });
}

static void occurrences_read_batch(struct occurrences *found, const struct analysis *what,
				   const struct batch *batch, uint64_t end)
{
	struct batch_cursor cursor = batch_begin(batch);
	uint64_t number = batch->first_event;
	struct event ev;
	struct occurrence_reading r = { .what = what, .batch = batch, .ev = &ev };

	found->reading = &r;
	span_stream_batch(&found->stream, batch);
	while (number < end && batch_next(&cursor, &ev)) {
		if (!event_is_trace2(&ev))
			continue;
		r.event = number++;
		if (r.event >= found->next_event && occurrences_want_event(what, &ev))
			occurrences_read_event(found, &r);
	}
	if (number > found->next_event)
		found->next_event = number;
	span_stream_forget_idle(&found->stream);
	if (found->stream.bytes > MAX_INSIDE_BYTES)
		occurrences_restart_stream(found);
}

static void occurrences_restart(struct occurrences *found, const struct analysis *what)
{
	struct journal *journal = what->journal;
	uint64_t nr_begun = found->nr_begun + 1;

	occurrences_release(found);
	found->nr_begun = nr_begun;
	found->sums = xcalloc(HIST_BUCKETS, sizeof(*found->sums));
	occurrences_restart_stream(found);
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
	free(found->items);
	free(found->notes);
	free(found->sums);
	span_stream_release(&found->stream);
	memset(found, 0, sizeof(*found));
}
