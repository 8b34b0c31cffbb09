/* SPDX-License-Identifier: MIT */
/*
 * Events from before --since that describe processes, such as their names: a process that continues
 * after that time needs them.
 *
 * They are kept in a batch of limited size. When it is full, the events of ended processes are
 * dropped; if necessary, also the older half of the others.
 */
#include "config.h"
#include "monitor/model/model_priv.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"

#define MAX_RECORDS    16384u
#define MAX_TEXT_BYTES (2u << 20)

struct since {
	struct batch *kept;
	uint8_t *ended; /* per SID in `kept`: true if its process has ended */
	uint32_t cap_ended;
};

static bool is_description(const struct event *ev)
{
	switch (ev->kind) {
	case TR2_E_VERSION:
	case TR2_E_START:
	case TR2_E_CMD_NAME:
	case TR2_E_CMD_PATH:
	case TR2_E_CMD_ANCESTRY:
	case TR2_E_CMD_MODE:
	case TR2_E_ALIAS:
	case TR2_E_DEF_REPO:
	case TR2_E_DEF_PARAM:
		return true;
	default:
		return false;
	}
}

static bool is_end_event(const struct event *ev)
{
	return ev->kind == TR2_E_EXIT || ev->kind == TR2_E_ATEXIT || ev->kind == TR2_E_SIGNAL;
}

static void since_mark_ended(struct since *since)
{
	uint32_t cap = since->cap_ended ? since->cap_ended : 64;

	while (cap < since->kept->nr_sids)
		cap *= 2;
	if (cap == since->cap_ended)
		return;
	since->ended = xreallocarray(since->ended, cap, 1);
	memset(since->ended + since->cap_ended, 0, cap - since->cap_ended);
	since->cap_ended = cap;
}

static bool since_is_full(const struct batch *batch)
{
	return batch->nr_records >= MAX_RECORDS || batch->nr_text_bytes >= MAX_TEXT_BYTES;
}

/* Return a copy of the events of processes that have not ended, without the first `skip`. */
static struct batch *since_copy_records(const struct since *since, uint32_t skip)
{
	struct batch_cursor cursor = batch_begin(since->kept);
	struct batch *copy = batch_new();
	struct event ev;

	while (batch_next(&cursor, &ev)) {
		if (since->ended && since->ended[ev.v[TR2_F_SID]])
			continue;
		if (skip)
			skip--;
		else
			batch_add_from(copy, since->kept, &ev);
	}
	return copy;
}

static void since_shrink(struct since *since)
{
	struct batch *copy = since_copy_records(since, 0);

	if (copy->nr_records > MAX_RECORDS / 2 || copy->nr_text_bytes > MAX_TEXT_BYTES / 2) {
		uint32_t half = copy->nr_records / 2 + 1;

		batch_free(copy);
		copy = since_copy_records(since, half);
	}
	batch_free(since->kept);
	since->kept = copy;
	free(since->ended);
	since->ended = NULL;
	since->cap_ended = 0;
	since_mark_ended(since);
}

static void since_set_ended(struct since *since, const struct batch *batch, uint32_t sid,
			    bool ended)
{
	size_t len;
	const char *text = batch_sid_text(batch, sid, &len);
	uint32_t index = batch_sid(since->kept, text, len, batch->sids[sid].hash);

	since_mark_ended(since);
	since->ended[index] = ended;
}

void since_pass_over(struct model *m, const struct batch *batch, const struct event *ev)
{
	struct since *since = m->since;

	if (!event_has(ev, TR2_F_SID) || (!is_description(ev) && !is_end_event(ev)))
		return;
	if (!since) {
		since = m->since = xcalloc(1, sizeof(*since));
		since->kept = batch_new();
	}
	since_set_ended(since, batch, (uint32_t)ev->v[TR2_F_SID], is_end_event(ev));
	if (is_description(ev))
		batch_add_from(since->kept, batch, ev);
	if (since_is_full(since->kept) || since->kept->nr_sids > MAX_RECORDS)
		since_shrink(since);
}

void since_describe(struct model *m, uint32_t slot)
{
	const struct batch *kept = m->since->kept;
	struct applying a = { .model = m, .batch = kept, .slot = slot };
	struct batch_cursor cursor = batch_begin(kept);
	uint64_t hash = m->processes[slot].sid_hash;
	struct event ev;
	uint32_t sid = 0;

	while (sid < kept->nr_sids && kept->sids[sid].hash != hash)
		sid++;
	if (sid == kept->nr_sids)
		return;
	a.ev = &ev;
	while (batch_next(&cursor, &ev))
		if (ev.v[TR2_F_SID] == sid)
			event_appliers[ev.kind](&a);
}

size_t since_bytes(const struct since *since)
{
	return since ? sizeof(*since) + batch_bytes(since->kept) + since->cap_ended : 0;
}

struct since *since_copy(const struct since *from)
{
	struct since *since;

	if (!from)
		return NULL;
	since = xcalloc(1, sizeof(*since));
	since->kept = since_copy_records(from, 0);
	since_mark_ended(since);
	return since;
}

void since_free(struct since *since)
{
	if (!since)
		return;
	batch_free(since->kept);
	free(since->ended);
	free(since);
}
