/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/group_regions.h"

#include <stdlib.h>

#include "engine/base/hash.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

static uint32_t group_region_hash(uint32_t row, sym_t category, sym_t label)
{
	return (uint32_t)tr2_hash_pair(tr2_hash_pair(category, label), row);
}

static uint32_t group_region_hash_of(const void *regions, uint32_t number)
{
	const struct group_region *item = &((const struct group_regions *)regions)->items[number];

	return group_region_hash(item->row, item->category, item->label);
}

static struct group_region *group_region_of(struct group_regions *g, uint32_t row, sym_t category,
					    sym_t label)
{
	uint32_t hash = group_region_hash(row, category, label);

	if (g->by_key.at)
		TR2_HASH_INDEX_EACH(&g->by_key, hash, at)
		{
			struct group_region *item = &g->items[g->by_key.at[at] - 1];

			if (item->row == row && item->category == category && item->label == label)
				return item;
		}
	GROW(g->items, g->nr, g->cap, 64);
	g->items[g->nr] = (struct group_region){
		.row = row, .category = category, .label = label, .min = NS_NONE, .max = NS_NONE
	};
	hash_index_put(&g->by_key, hash, g->nr, group_region_hash_of, g);
	return &g->items[g->nr++];
}

static void add_node(struct group_region *item, const struct region_node *node, bool failed)
{
	item->count += node->count;
	item->failed += failed ? node->count : 0;
	item->total = ns_add(item->total, node->total);
	item->self = ns_add(item->self, node->self);
	if (item->min == NS_NONE || node->min < item->min)
		item->min = node->min;
	if (node->max > item->max)
		item->max = node->max;
}

static void add_process_regions(struct group_regions *g, const struct model *m,
				const struct process *p, uint32_t row, int64_t nesting)
{
	for (uint32_t i = 0; i < p->threads.nr; i++) {
		uint32_t level = 0;

		for (uint32_t ref = process_thread(m, p, i)->nodes; ref;
		     ref = model_node_next(m, ref, &level)) {
			const struct region_node *node = model_node(m, ref);
			const struct timing_cell *cell = model_cell(m, node->cell);

			if (node->count && (nesting < 0 || cell->nesting <= nesting))
				add_node(group_region_of(g, row, cell->category, cell->label), node,
					 process_failed(p));
		}
	}
}

static int group_region_compare(const void *a, const void *b)
{
	const struct group_region *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->category != y->category)
		return x->category < y->category ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

void group_regions_make(struct group_regions *out, const struct commands *commands,
			const struct commands_of *of, int64_t nesting)
{
	const struct model *m = of->model;

	for (uint32_t slot = model_first_slot(m); slot != SLOT_NONE;
	     slot = model_next_slot(m, slot)) {
		const struct process *p = model_slot(m, slot);
		uint32_t row;

		if ((of->depth >= 0 && p->depth > of->depth) ||
		    (of->keep && !of->keep(of->keep_data, m, slot)))
			continue;
		row = commands_row_of(commands, m, p);
		if (row != SLOT_NONE)
			add_process_regions(out, m, p, row, nesting);
	}
	if (out->nr)
		qsort(out->items, out->nr, sizeof(*out->items), group_region_compare);
}

void group_regions_release(struct group_regions *regions)
{
	free(regions->items);
	tr2_hash_index_release(&regions->by_key);
	*regions = (struct group_regions){ 0 };
}
