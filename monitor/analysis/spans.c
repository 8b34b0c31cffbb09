/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/spans.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"
#include "monitor/event/sid.h"

/* region events that are read per frame, in about 3 ms; OTHER_EVENTS other events take as long as
 * one of them */
#define EVENTS_A_FRAME 6000u
#define OTHER_EVENTS   16u

static uint32_t key_hash_of(const void *spans, uint32_t track)
{
	return (uint32_t)((const struct spans *)spans)->tracks[track]->key;
}

static struct track *spans_find(const struct spans *spans, uint64_t key)
{
	if (!spans->nr_tracks)
		return NULL;
	TR2_HASH_INDEX_EACH(&spans->by_key, key, at)
	if (spans->tracks[spans->by_key.at[at] - 1]->key == key)
		return spans->tracks[spans->by_key.at[at] - 1];
	return NULL;
}

const struct track *spans_track(const struct spans *spans, uint64_t key)
{
	return spans_find(spans, key);
}

static struct track *track_of(struct spans *spans, uint64_t key)
{
	struct track *track = spans_find(spans, key);

	if (track)
		return track;
	GROW(spans->tracks, spans->nr_tracks, spans->cap_tracks, 64);
	track = xcalloc(1, sizeof(*track));
	track->key = key;
	spans->tracks[spans->nr_tracks] = track;
	hash_index_put(&spans->by_key, (uint32_t)key, spans->nr_tracks++, key_hash_of, spans);
	return track;
}

static void spans_drop_old(struct spans *spans)
{
	for (uint32_t i = 0; i < spans->nr_tracks; i++) {
		struct track *track = spans->tracks[i];
		uint32_t old = (track->nr + 1) / 2;

		if (!old)
			continue;
		track->nr -= old;
		memmove(track->items, track->items + old, track->nr * sizeof(*track->items));
		spans->nr -= old;
		spans->nr_old += old;
	}
}

static void spans_add_region(void *data, const struct span_region *region)
{
	struct spans *spans = data;
	const struct span_process *process = span_stream_process(&spans->stream, region->process);
	struct track *track;

	if (region->start == NS_NONE) {
		spans->nr_timeless++;
		return;
	}
	if (spans->nr == SPANS_MAX)
		spans_drop_old(spans);
	track = track_of(
		spans,
		spans_key(process->hash, span_stream_thread(&spans->stream, region->thread)->name));
	GROW(track->items, track->nr, track->cap, 16);
	/* keep the reported duration, even if the position of the region was shortened */
	track->items[track->nr++] = (struct span){
		.start = region->elapsed <= region->end && region->elapsed != NS_NONE
				 ? region->end - region->elapsed
				 : region->start,
		.end = region->end,
		.category = region->category,
		.label = region->label,
		.nesting = (int32_t)region->nesting,
	};
	spans->nr++;
}

static bool spans_want_sid(const struct spans *spans, const char *sid, size_t len)
{
	if (!spans->root)
		return true;
	if (spans->alone && len != spans->root_len)
		return false;
	return sid_is_within(sid, len, spans->root, spans->root_len);
}

/* Returns the number of region events of the selected processes. */
static uint32_t spans_read_batch(struct spans *spans, const struct batch *batch)
{
	struct batch_cursor cursor = batch_begin(batch);
	bool *wanted = xcalloc(batch->nr_sids + 1, sizeof(*wanted));
	struct event ev;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < batch->nr_sids; i++) {
		size_t len;
		const char *sid = batch_sid_text(batch, i, &len);

		wanted[i] = spans_want_sid(spans, sid, len);
	}
	span_stream_batch(&spans->stream, batch);
	while (batch_next(&cursor, &ev))
		if ((ev.kind == TR2_E_REGION_ENTER || ev.kind == TR2_E_REGION_LEAVE) &&
		    event_has(&ev, TR2_F_SID) && wanted[ev.v[TR2_F_SID]]) {
			span_stream_event(&spans->stream, batch, &ev);
			nr++;
		}
	free(wanted);
	return nr;
}

void spans_release(struct spans *spans)
{
	for (uint32_t i = 0; i < spans->nr_tracks; i++) {
		free(spans->tracks[i]->items);
		free(spans->tracks[i]);
	}
	free(spans->tracks);
	tr2_hash_index_release(&spans->by_key);
	span_stream_release(&spans->stream);
	free(spans->root);
	memset(spans, 0, sizeof(*spans));
}

static void spans_forget(struct spans *spans)
{
	struct spans fresh = { .root = spans->root,
			       .root_len = spans->root_len,
			       .alone = spans->alone };

	spans->root = NULL;
	spans_release(spans);
	*spans = fresh;
}

int spans_read(struct spans *spans, struct journal *journal)
{
	uint64_t first, end, passed;

	if (!journal)
		return 100;
	first = journal_first_seq(journal);
	end = journal_end_seq(journal);
	if (spans->begun && spans->era != journal_era(journal))
		spans_forget(spans);
	if (!spans->begun)
		span_stream_init(&spans->stream,
				 &(struct span_stream_config){ .region = spans_add_region,
							       .data = spans,
							       .max_threads = SPANS_MAX_TRACKS,
							       .max_open = SPANS_MAX_OPEN });
	/* `spans` may have been moved since the last call */
	spans->stream.config.data = spans;
	if (!spans->begun || spans->next_seq < first)
		spans->next_seq = first;
	spans->begun = true;
	spans->era = journal_era(journal);
	for (uint32_t nr = 0; nr < EVENTS_A_FRAME;) {
		const struct batch *batch = journal_at(journal, spans->next_seq);

		if (!batch)
			break;
		nr += spans_read_batch(spans, batch) + batch->nr_events / OTHER_EVENTS + 1;
		spans->next_seq++;
	}
	/* include the ended regions that wait in the stream for the next event */
	span_stream_flush(&spans->stream);
	passed = spans->stream.nr_passed - spans->nr_passed;
	spans->nr_old += passed;
	spans->nr_passed += passed;
	return spans->next_seq >= end ? 100
				      : (int)((spans->next_seq - first) * 100 / (end - first));
}

void spans_reset(struct spans *spans, const char *root, size_t len)
{
	spans_release(spans);
	if (!root)
		return;
	spans->root = xmalloc(len + 1);
	memcpy(spans->root, root, len);
	spans->root_len = len;
}

bool spans_is_of(const struct spans *spans, const char *root, size_t len)
{
	if (!root || !spans->root)
		return !root && !spans->root;
	return len == spans->root_len && !memcmp(root, spans->root, len);
}
