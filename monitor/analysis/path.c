/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/path.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/grow.h"

/* Maximum number of levels of processes. Deeper processes have no line; their pieces are at this
 * level. */
#define MAX_LEVELS 256u

static int path_longest_first(const void *a, const void *b)
{
	ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;

	return x > y ? -1 : x < y;
}

/* Return the minimum duration of a piece with which at most `max` pieces are shown. */
static ns_t path_shortest_shown(const struct parts *parts, uint32_t max)
{
	ns_t *times, found;

	if (parts->nr_pieces <= max)
		return 0;
	times = xreallocarray(NULL, parts->nr_pieces, sizeof(*times));
	for (uint32_t i = 0; i < parts->nr_pieces; i++)
		times[i] = parts->pieces[i].time;
	qsort(times, parts->nr_pieces, sizeof(*times), path_longest_first);
	found = times[max];
	free(times);
	return found + 1;
}

/* Store the processes below `root` down to `slot`. Returns their number, at most MAX_LEVELS. */
static uint32_t chain_make(struct path *path, const struct model *m, uint32_t root, uint32_t slot)
{
	uint32_t nr = 0;

	for (; slot != SLOT_NONE && slot != root; slot = model_slot(m, slot)->parent) {
		GROW(path->chain, nr, path->cap_chain, 16);
		path->chain[nr++] = slot;
	}
	for (uint32_t i = 0; i + 1 < nr - i; i++) {
		uint32_t other = path->chain[nr - 1 - i];

		path->chain[nr - 1 - i] = path->chain[i];
		path->chain[i] = other;
	}
	return nr < MAX_LEVELS ? nr : MAX_LEVELS;
}

static struct path_line *path_add_line(struct path *path, uint32_t level, uint32_t piece,
				       uint32_t slot, const struct piece *from)
{
	GROW(path->lines, path->nr, path->cap, 64);
	path->lines[path->nr] = (struct path_line){ level, piece, slot, from->begin, from->time };
	return &path->lines[path->nr++];
}

void path_make(struct path *path, const struct model *m, const struct parts *parts, uint32_t slot,
	       uint32_t max)
{
	ns_t least = path_shortest_shown(parts, max);
	uint32_t levels = 0, last = SLOT_NONE;

	path->nr = path->nr_left_out = 0;
	path->left_out = 0;
	for (uint32_t i = 0; i < parts->nr_pieces; i++) {
		const struct piece *piece = &parts->pieces[i];
		uint32_t nr = levels, same = levels;

		if (piece->time < least) {
			path->nr_left_out++;
			path->left_out += piece->time;
			continue;
		}
		if (!path->nr || piece->slot != last) {
			nr = chain_make(path, m, slot, piece->slot);
			for (same = 0; same < nr && same < levels; same++)
				if (path->lines[path->stack[same]].slot != path->chain[same])
					break;
		}
		last = piece->slot;
		for (uint32_t level = 0; level < same; level++)
			path->lines[path->stack[level]].time += piece->time;
		for (levels = same; levels < nr;) {
			path_add_line(path, levels, SLOT_NONE, path->chain[levels], piece);
			GROW(path->stack, levels, path->cap_stack, 16);
			path->stack[levels++] = path->nr - 1;
		}
		path_add_line(path, nr, i, piece->slot, piece);
	}
}

void path_release(struct path *path)
{
	free(path->lines);
	free(path->stack);
	free(path->chain);
	memset(path, 0, sizeof(*path));
}

/* size of the hash table, with linear probing, of children by parent and index */
#define PLACES 512u

static uint32_t place_of(uint32_t slot, uint32_t index)
{
	return (uint32_t)tr2_hash_pair(slot, index) % PLACES;
}

static void credit(struct path_child *children, const uint16_t *places, uint32_t slot,
		   uint32_t index, ns_t time)
{
	for (uint32_t at = place_of(slot, index); places[at]; at = (at + 1) % PLACES) {
		struct path_child *child = &children[places[at] - 1];

		if (child->slot == slot && child->index == index)
			child->held += time;
	}
}

void path_children(struct path_child *children, uint32_t nr, const struct model *m,
		   const struct parts *parts, uint32_t root)
{
	uint16_t places[PLACES] = { 0 };

	for (uint32_t i = 0; i < nr && i < PATH_MAX_CHILDREN; i++) {
		uint32_t at = place_of(children[i].slot, children[i].index);

		while (places[at])
			at = (at + 1) % PLACES;
		places[at] = (uint16_t)(i + 1);
	}
	for (uint32_t i = 0; i < parts->nr_pieces; i++) {
		const struct piece *piece = &parts->pieces[i];
		uint32_t at = piece->slot, level = 0;

		if (at != SLOT_NONE && piece->child != SLOT_NONE)
			credit(children, places, at, piece->child, piece->time);
		for (; at != SLOT_NONE && at != root && level < MAX_LEVELS;
		     at = model_slot(m, at)->parent, level++)
			if (model_slot(m, at)->parent != SLOT_NONE)
				credit(children, places, model_slot(m, at)->parent,
				       model_slot(m, at)->link, piece->time);
	}
}

uint64_t path_event(const struct analysis *what, uint64_t sid_hash, ns_t wall)
{
	struct journal *journal = what->journal;

	if (!journal)
		return UINT64_MAX;
	for (uint64_t seq = journal_first_seq(journal); seq < journal_end_seq(journal); seq++) {
		const struct batch *batch = journal_at(journal, seq);
		struct batch_cursor cursor = batch_begin(batch);
		uint64_t number = batch->first_event;
		bool is_here = false;
		struct event ev;

		for (uint32_t i = 0; i < batch->nr_sids && !is_here; i++)
			is_here = batch->sids[i].hash == sid_hash;
		while (is_here && batch_next(&cursor, &ev)) {
			if (!event_is_trace2(&ev))
				continue;
			if (event_has(&ev, TR2_F_SID) &&
			    event_get(&ev, TR2_F_TIME, INT64_MIN) >= wall &&
			    batch->sids[ev.v[TR2_F_SID]].hash == sid_hash)
				return number;
			number++;
		}
	}
	return UINT64_MAX;
}
