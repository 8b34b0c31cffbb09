/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/analysis/format_text.h"
#include "monitor/base/grow.h"

/* percentage of the wall time above which a child is replaced by its children and parts */
#define NEARLY_ALL 95
/* maximum number of levels of processes that are examined */
#define MAX_STEPS 16

/* Return the child of process `base` (SLOT_NONE: the root) that is `slot` or its ancestor;
 * SLOT_NONE if `slot` is not a descendant of `base`. */
static uint32_t process_below(const struct model *m, uint32_t base, uint32_t slot)
{
	uint32_t below = SLOT_NONE;

	for (; slot != SLOT_NONE && slot != base; slot = model_slot(m, slot)->parent)
		below = slot;
	return slot == base ? below : SLOT_NONE;
}

static uint32_t hash_of(uint32_t slot, uint32_t part)
{
	return (uint32_t)tr2_hash_pair(slot, part);
}

static uint32_t hash_of_kind(const void *blocks, uint32_t number)
{
	const struct block_kind *kind = &((const struct blocks *)blocks)->all[number];

	return hash_of(kind->slot, kind->part);
}

static uint32_t kind_of(struct blocks *blocks, uint32_t slot, uint32_t part)
{
	uint32_t hash = hash_of(slot, part);

	TR2_HASH_INDEX_EACH(&blocks->by_kind, hash, at)
	{
		uint32_t number = blocks->by_kind.at[at] - 1;

		if (blocks->all[number].slot == slot && blocks->all[number].part == part)
			return number;
	}
	GROW(blocks->all, blocks->nr_all, blocks->cap_all, 16);
	blocks->all[blocks->nr_all] = (struct block_kind){ slot, part, 0 };
	if (!tr2_hash_index_put(&blocks->by_kind, hash, blocks->nr_all, hash_of_kind, blocks))
		die_of_memory(0);
	return blocks->nr_all++;
}

static void find_kinds(struct blocks *blocks, const struct model *m, const struct parts *parts,
		       uint32_t base)
{
	uint32_t last = SLOT_NONE, below = SLOT_NONE;

	blocks->nr_all = 0;
	tr2_hash_index_release(&blocks->by_kind);
	if (!tr2_hash_index_init(&blocks->by_kind, 64))
		die_of_memory(0);
	for (uint32_t i = 0; i < parts->nr_pieces; i++) {
		const struct piece *piece = &parts->pieces[i];
		uint32_t kind;

		if (!i || piece->slot != last)
			below = process_below(m, base, piece->slot);
		last = piece->slot;
		kind = kind_of(blocks, below, below == SLOT_NONE ? piece->part : SLOT_NONE);
		blocks->all[kind].time += piece->time;
		blocks->of_piece[i] = kind;
	}
}

static uint32_t main_process(const struct blocks *blocks, ns_t wall)
{
	for (uint32_t i = 0; i < blocks->nr_all; i++)
		if (blocks->all[i].slot != SLOT_NONE &&
		    blocks->all[i].time > wall / 100 * NEARLY_ALL)
			return blocks->all[i].slot;
	return SLOT_NONE;
}

/* Fill `kinds`, and set number[i] to the index in `kinds` of item i of `all`. */
static void choose_kinds(struct blocks *blocks, uint8_t *number)
{
	memset(number, BLOCK_OTHER, blocks->nr_all);
	memset(blocks->kinds, 0, sizeof(blocks->kinds));
	blocks->kinds[BLOCK_OTHER] = (struct block_kind){ SLOT_NONE, SLOT_NONE, 0 };
	for (blocks->nr_kinds = 0; blocks->nr_kinds < BLOCK_KINDS; blocks->nr_kinds++) {
		uint32_t best = SLOT_NONE;

		for (uint32_t i = 0; i < blocks->nr_all; i++)
			if (number[i] == BLOCK_OTHER &&
			    (best == SLOT_NONE || blocks->all[i].time > blocks->all[best].time))
				best = i;
		if (best == SLOT_NONE)
			break;
		number[best] = (uint8_t)blocks->nr_kinds;
		blocks->kinds[blocks->nr_kinds] = blocks->all[best];
	}
	for (uint32_t i = 0; i < blocks->nr_all; i++)
		if (number[i] == BLOCK_OTHER)
			blocks->kinds[BLOCK_OTHER].time += blocks->all[i].time;
}

static void add_blocks(struct blocks *blocks, const struct parts *parts, const uint8_t *number)
{
	blocks->nr = 0;
	for (uint32_t i = 0; i < parts->nr_pieces; i++) {
		const struct piece *piece = &parts->pieces[i];
		uint8_t kind = number[blocks->of_piece[i]];

		if (blocks->nr && blocks->items[blocks->nr - 1].kind == kind) {
			blocks->items[blocks->nr - 1].time += piece->time;
			continue;
		}
		GROW(blocks->items, blocks->nr, blocks->cap, 64);
		blocks->items[blocks->nr++] = (struct block){ piece->begin, piece->time, kind };
	}
}

void blocks_make(struct blocks *blocks, const struct model *m, const struct parts *parts,
		 uint32_t slot)
{
	uint32_t below = slot;
	uint8_t *number;

	if (blocks->cap_of_piece < parts->nr_pieces) {
		blocks->cap_of_piece = parts->nr_pieces;
		blocks->of_piece = xreallocarray(blocks->of_piece, parts->nr_pieces,
						 sizeof(*blocks->of_piece));
	}
	for (int step = 0; step < MAX_STEPS; step++) {
		find_kinds(blocks, m, parts, below);
		slot = below;
		below = main_process(blocks, parts->wall);
		if (below == SLOT_NONE)
			break;
	}
	number = xreallocarray(NULL, blocks->nr_all ? blocks->nr_all : 1, 1);
	choose_kinds(blocks, number);
	add_blocks(blocks, parts, number);
	free(number);
}

void blocks_release(struct blocks *blocks)
{
	free(blocks->items);
	free(blocks->of_piece);
	free(blocks->all);
	tr2_hash_index_release(&blocks->by_kind);
	memset(blocks, 0, sizeof(*blocks));
}

static ns_t overlap(const struct block *block, ns_t begin, ns_t end)
{
	ns_t from = block->begin > begin ? block->begin : begin;
	ns_t to = block->begin + block->time < end ? block->begin + block->time : end;

	return to > from ? to - from : 0;
}

void blocks_cells(const struct blocks *blocks, ns_t wall, uint8_t *cells, int nr)
{
	uint32_t at = 0;

	for (int x = 0; x < nr; x++) {
		ns_t begin = (ns_t)((double)wall / nr * x);
		ns_t end = x + 1 < nr ? (ns_t)((double)wall / nr * (x + 1)) : wall;
		ns_t sums[BLOCK_KINDS + 1] = { 0 };

		while (at < blocks->nr && blocks->items[at].begin + blocks->items[at].time <= begin)
			at++;
		for (uint32_t i = at; i < blocks->nr && blocks->items[i].begin < end; i++)
			sums[blocks->items[i].kind] += overlap(&blocks->items[i], begin, end);
		cells[x] = 0;
		for (uint8_t kind = 1; kind <= BLOCK_OTHER; kind++)
			if (sums[kind] > sums[cells[x]])
				cells[x] = kind;
	}
}

void block_format(const struct model *m, const struct parts *parts, const struct blocks *blocks,
		  uint32_t kind, struct tr2_buf *out)
{
	const struct block_kind *it = &blocks->kinds[kind];

	if (it->slot != SLOT_NONE)
		format_command_name(m, model_slot(m, it->slot), out);
	else if (it->part != SLOT_NONE)
		part_format_within(parts, m, &parts->items[it->part], out);
	else
		tr2_buf_addf(out, "%" PRIu32 " others", blocks->nr_all - blocks->nr_kinds);
}
