/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/group_regions.h"

#include <stdlib.h>

#include "engine/base/hash.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

#define GROUP_UNITS 10u /* units of work for a process's group or for a row's quantiles */

struct group_duration {
	uint32_t row;
	ns_t duration;
};

struct group_regions_work {
	struct tr2_hash_index by_group; /* by id */
	struct tr2_hash_index by_key;
	struct tr2_buf line;
	uint32_t slot;
	struct handle process; /* the process in `slot` if it is chosen, or HANDLE_NONE */
	uint32_t thread;
	uint32_t group; /* group of `process` */
	bool is_read;
	uint32_t other;
	uint32_t finished;
	struct group_duration *durations;
	uint32_t nr_durations, cap_durations;
	uint64_t sums[HIST_BUCKETS]; /* histogram of one row at a time; else all zeros */
};

static uint32_t region_group_hash(const void *data, uint32_t number)
{
	return (uint32_t)((const struct group_regions *)data)->groups[number].id;
}

static uint32_t group_region_hash(uint32_t group, sym_t category, sym_t label)
{
	return (uint32_t)tr2_hash_pair(tr2_hash_pair(category, label), group);
}

static uint32_t group_region_hash_of(const void *data, uint32_t number)
{
	const struct group_region *item = &((const struct group_regions *)data)->items[number];

	return group_region_hash(item->group, item->timing.category, item->timing.label);
}

const struct region_group *group_regions_find(const struct group_regions *g, uint64_t id)
{
	TR2_HASH_INDEX_EACH(&g->work->by_group, (uint32_t)id, at)
	if (g->groups[g->work->by_group.at[at] - 1].id == id)
		return &g->groups[g->work->by_group.at[at] - 1];
	return NULL;
}

static uint32_t region_group_of(struct group_regions *g, const struct group_regions_of *of,
				const struct process *p)
{
	struct group_regions_work *w = g->work;
	const struct model *m = of->processes.model;
	struct command_group key = { 0 };
	const struct region_group *found;

	if (of->by.nr)
		key = commands_group_of(m, p, &of->by, &w->line);
	found = group_regions_find(g, key.id);
	if (found)
		return (uint32_t)(found - g->groups);
	GROW(g->groups, g->nr_groups, g->cap_groups, 16);
	g->groups[g->nr_groups] = (struct region_group){ .id = key.id,
							 .text = g->texts.len,
							 .len = key.len,
							 .has_text = key.text != NULL,
							 .process = w->process };
	if (key.text)
		tr2_buf_add(&g->texts, key.text, key.len);
	hash_index_put(&w->by_group, (uint32_t)key.id, g->nr_groups, region_group_hash, g);
	return g->nr_groups++;
}

/* Return the index + 1 of the row of this category and label in the current group; 0: none. */
static uint32_t find_group_region(const struct group_regions *g, sym_t category, sym_t label)
{
	const struct group_regions_work *w = g->work;

	TR2_HASH_INDEX_EACH(&w->by_key, group_region_hash(w->group, category, label), at)
	{
		const struct group_region *item = &g->items[w->by_key.at[at] - 1];

		if (item->group == w->group && item->timing.category == category &&
		    item->timing.label == label)
			return w->by_key.at[at];
	}
	return 0;
}

static struct group_region *group_region_of(struct group_regions *g, uint32_t max_rows,
					    sym_t category, sym_t label)
{
	struct group_regions_work *w = g->work;
	uint32_t found = find_group_region(g, category, label);
	bool is_other = !found && max_rows && g->nr >= max_rows;

	if (is_other)
		found = w->other;
	if (found)
		return &g->items[found - 1];
	GROW(g->items, g->nr, g->cap, 64);
	g->items[g->nr] = (struct group_region){
		.timing = { .category = is_other ? SYM_NONE : category,
			    .label = is_other ? SYM_NONE : label,
			    .min = INT64_MAX },
		.group = w->group,
		.is_other = is_other,
		.p50 = NS_NONE,
		.p99 = NS_NONE,
	};
	if (is_other)
		w->other = g->nr + 1;
	else
		hash_index_put(&w->by_key, group_region_hash(w->group, category, label), g->nr,
			       group_region_hash_of, g);
	return &g->items[g->nr++];
}

static void add_group_node(struct group_regions *g, const struct group_regions_of *of,
			   const struct region_node *node, bool is_failed)
{
	const struct timing_cell *cell = model_cell(of->processes.model, node->cell);
	struct timing *timing;

	if (!node->count)
		return;
	if (of->nesting >= 0 && cell->nesting > of->nesting) {
		g->nr_hidden++;
		return;
	}
	timing = &group_region_of(g, of->max_rows, cell->category, cell->label)->timing;
	timing->count += node->count;
	timing->failed += is_failed ? node->count : 0;
	timing->total = ns_add(timing->total, node->total);
	/* regions nested deeper than the limit are left out, so all time of regions at the limit is
	 * self time */
	timing->self =
		ns_add(timing->self, cell->nesting == of->nesting ? node->total : node->self);
	timing->min = node->min < timing->min ? node->min : timing->min;
	timing->max = node->max > timing->max ? node->max : timing->max;
}

/* Returns the number of the thread's spans. */
static uint32_t add_group_durations(struct group_regions *g, const struct group_regions_of *of,
				    const struct process *p, sym_t thread)
{
	const struct track *track = spans_track(of->spans, spans_key(p->sid_hash, thread));
	struct group_regions_work *w = g->work;

	for (uint32_t i = 0; track && i < track->nr; i++) {
		const struct span *span = &track->items[i];
		uint32_t row = find_group_region(g, span->category, span->label);

		if (!row || (of->nesting >= 0 && span->nesting > of->nesting) ||
		    (of->until != NS_NONE && span->end > of->until))
			continue;
		GROW(w->durations, w->nr_durations, w->cap_durations, 256);
		w->durations[w->nr_durations++] =
			(struct group_duration){ row - 1, span->end - span->start };
	}
	return track ? track->nr : 0;
}

/* Returns the units of work. */
static uint32_t read_group_thread(struct group_regions *g, const struct group_regions_of *of,
				  const struct process *p)
{
	const struct model *m = of->processes.model;
	const struct thread *thread = process_thread(m, p, g->work->thread++);
	bool is_failed = process_failed(p);
	uint32_t nr = 1, level = 0;

	for (uint32_t ref = thread->nodes; ref; ref = model_node_next(m, ref, &level), nr++)
		add_group_node(g, of, model_node(m, ref), is_failed);
	return of->spans ? nr + add_group_durations(g, of, p, thread->name) : nr;
}

static bool has_process(const struct group_regions_of *of, uint32_t slot)
{
	const struct commands_of *processes = &of->processes;

	return of->process.slot != SLOT_NONE ||
	       ((processes->depth < 0 ||
		 model_slot(processes->model, slot)->depth <= processes->depth) &&
		(!processes->keep ||
		 processes->keep(processes->keep_data, processes->model, slot)));
}

static bool next_group_process(struct group_regions *g, const struct group_regions_of *of)
{
	const struct model *m = of->processes.model;
	struct group_regions_work *w = g->work;

	if (of->process.slot == SLOT_NONE)
		w->slot = model_next_slot(m, w->slot);
	else
		w->slot = w->slot == SLOT_NONE && model_process(m, of->process) ? of->process.slot
										: SLOT_NONE;
	w->thread = 0;
	w->process = w->slot != SLOT_NONE && has_process(of, w->slot) ? model_handle(m, w->slot)
								      : HANDLE_NONE;
	return w->slot != SLOT_NONE;
}

/* Returns true if all processes are read. */
static bool read_group_processes(struct group_regions *g, const struct group_regions_of *of,
				 uint32_t *units)
{
	struct group_regions_work *w = g->work;
	uint32_t used = 0;

	while (used < *units) {
		/* the process may have been evicted since the last call */
		const struct process *p = model_process(of->processes.model, w->process);

		used++;
		if (p && w->thread < p->threads.nr) {
			if (!w->thread) {
				w->group = region_group_of(g, of, p);
				used += of->by.nr ? GROUP_UNITS : 0;
			}
			used += read_group_thread(g, of, p);
		} else if (!next_group_process(g, of)) {
			w->is_read = true;
			break;
		}
	}
	*units -= used < *units ? used : *units;
	return w->is_read;
}

static void place_group_durations(struct group_regions *g)
{
	struct group_regions_work *w = g->work;
	uint32_t sum = 0;

	g->nr_durations = w->nr_durations;
	g->durations =
		xreallocarray(g->durations, (size_t)w->nr_durations + 1, sizeof(*g->durations));
	for (uint32_t i = 0; i < w->nr_durations; i++)
		g->items[w->durations[i].row].nr_durations++;
	for (uint32_t i = 0; i < g->nr; i++) {
		g->items[i].first = sum;
		sum += g->items[i].nr_durations;
		g->items[i].nr_durations = 0;
	}
	for (uint32_t i = 0; i < w->nr_durations; i++) {
		struct group_region *item = &g->items[w->durations[i].row];

		g->durations[item->first + item->nr_durations++] = w->durations[i].duration;
	}
}

void group_regions_sums(const struct group_regions *g, uint32_t row, uint64_t *sums)
{
	const struct group_region *item = &g->items[row];

	for (uint32_t i = 0; i < item->nr_durations; i++)
		sums[hist_bucket(g->durations[item->first + i])]++;
}

/* Returns the units of work. */
static uint32_t finish_group_region(struct group_regions *g, uint32_t row)
{
	struct group_region *item = &g->items[row];
	struct group_regions_work *w = g->work;

	if (!item->nr_durations)
		return 1;
	group_regions_sums(g, row, w->sums);
	item->p50 = hist_quantile(w->sums, 0.50, item->timing.min, item->timing.max);
	item->p99 = hist_quantile(w->sums, 0.99, item->timing.min, item->timing.max);
	for (uint32_t i = 0; i < item->nr_durations; i++)
		w->sums[hist_bucket(g->durations[item->first + i])] = 0;
	return GROUP_UNITS + item->nr_durations;
}

static int group_region_compare(const void *a, const void *b)
{
	const struct group_region *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->timing.total != y->timing.total)
		return x->timing.total > y->timing.total ? -1 : 1;
	if (x->timing.category != y->timing.category)
		return x->timing.category < y->timing.category ? -1 : 1;
	return (x->timing.label > y->timing.label) - (x->timing.label < y->timing.label);
}

static void sort_group_regions(struct group_regions *g)
{
	if (g->nr)
		qsort(g->items, g->nr, sizeof(*g->items), group_region_compare);
	for (uint32_t i = 0; i < g->nr; i++) {
		struct region_group *group = &g->groups[g->items[i].group];

		if (!group->nr_regions++)
			group->first = i;
	}
}

static void group_regions_work_release(struct group_regions_work *w)
{
	if (!w)
		return;
	tr2_hash_index_release(&w->by_group);
	tr2_hash_index_release(&w->by_key);
	tr2_buf_release(&w->line);
	free(w->durations);
	free(w);
}

void group_regions_begin(struct group_regions *g)
{
	struct group_regions_work *w = xcalloc(1, sizeof(*w));

	group_regions_work_release(g->work);
	g->work = w;
	hash_index_init(&w->by_group, 16);
	hash_index_init(&w->by_key, 64);
	tr2_buf_init(&w->line, SIZE_MAX / 2);
	w->slot = SLOT_NONE;
	w->process = HANDLE_NONE;
	if (!g->texts.max)
		tr2_buf_init(&g->texts, SIZE_MAX / 2);
	tr2_buf_clear(&g->texts);
	g->nr = g->nr_groups = 0;
	g->nr_hidden = g->nr_durations = 0;
}

bool group_regions_continue(struct group_regions *g, const struct group_regions_of *of,
			    uint32_t units)
{
	struct group_regions_work *w = g->work;

	if (!w->is_read) {
		if (!read_group_processes(g, of, &units))
			return false;
		place_group_durations(g);
	}
	while (w->finished < g->nr && units) {
		uint32_t used = finish_group_region(g, w->finished++);

		units -= used < units ? used : units;
	}
	if (w->finished < g->nr)
		return false;
	sort_group_regions(g);
	return true;
}

void group_regions_make(struct group_regions *g, const struct group_regions_of *of)
{
	group_regions_begin(g);
	while (!group_regions_continue(g, of, UINT32_MAX))
		;
}

void group_regions_release(struct group_regions *g)
{
	group_regions_work_release(g->work);
	tr2_buf_release(&g->texts);
	free(g->items);
	free(g->groups);
	free(g->durations);
	*g = (struct group_regions){ 0 };
}
