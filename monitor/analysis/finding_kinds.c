/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/finding_kinds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/format_text.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/humanize.h"

/* maximum number of command names per kind of finding; further ones count as others */
#define MAX_NAMES 32

static int finding_run_compare(const void *va, const void *vb)
{
	const struct finding_run *a = va, *b = vb;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->root.sid_hash != b->root.sid_hash)
		return a->root.sid_hash < b->root.sid_hash ? -1 : 1;
	if (a->root.slot != b->root.slot)
		return a->root.slot < b->root.slot ? -1 : 1;
	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	return (a->finding > b->finding) - (a->finding < b->finding);
}

static int finding_run_worse(const void *va, const void *vb)
{
	const struct finding_run *a = va, *b = vb;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	if (a->start != b->start)
		return a->start > b->start ? -1 : 1;
	return (a->finding > b->finding) - (a->finding < b->finding);
}

static int finding_run_by_root(const void *va, const void *vb)
{
	const struct finding_run *a = va, *b = vb;

	if (a->root.sid_hash != b->root.sid_hash)
		return a->root.sid_hash < b->root.sid_hash ? -1 : 1;
	return (a->root.slot > b->root.slot) - (a->root.slot < b->root.slot);
}

static int finding_level_place(uint8_t id)
{
	uint8_t level = finding_rows[id].level;

	return level <= LEVEL_TROUBLE ? 0 : level;
}

static int finding_kind_compare(const void *va, const void *vb)
{
	const struct finding_kind *a = va, *b = vb;
	int place_a = finding_level_place(a->id), place_b = finding_level_place(b->id);

	if (place_a != place_b)
		return place_a - place_b;
	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	return (int)a->id - (int)b->id;
}

static void merge_finding_runs(struct finding_kinds *kinds)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < kinds->nr_runs; i++) {
		const struct finding_run *run = &kinds->runs[i];
		struct finding_run *last = nr ? &kinds->runs[nr - 1] : NULL;

		if (!last || last->id != run->id || !handle_equal(last->root, run->root))
			kinds->runs[nr++] = *run;
		else
			last->cost += run->cost;
	}
	kinds->nr_runs = nr;
	for (uint32_t i = 0; i < nr; i++)
		if (kinds->runs[i].wall && kinds->runs[i].cost > kinds->runs[i].wall)
			kinds->runs[i].cost = kinds->runs[i].wall;
}

static void sum_finding_roots(struct finding_kinds *kinds)
{
	ns_t largest = 0;

	qsort(kinds->runs, kinds->nr_runs, sizeof(*kinds->runs), finding_run_by_root);
	for (uint32_t i = 0; i < kinds->nr_runs; i++) {
		const struct finding_run *run = &kinds->runs[i];

		if (!i || finding_run_by_root(run - 1, run)) {
			kinds->could_save += largest;
			kinds->nr_finding_roots += run->root.slot != SLOT_NONE;
			largest = 0;
		}
		if (finding_rows[run->id].level == LEVEL_COST && run->cost > largest)
			largest = run->cost;
	}
	kinds->could_save += largest;
}

static void sum_finding_kinds(struct finding_kinds *kinds)
{
	qsort(kinds->runs, kinds->nr_runs, sizeof(*kinds->runs), finding_run_worse);
	for (uint32_t i = 0; i < kinds->nr_runs; i++) {
		const struct finding_run *run = &kinds->runs[i];
		struct finding_kind *kind;

		if (!kinds->nr || kinds->items[kinds->nr - 1].id != run->id)
			kinds->items[kinds->nr++] =
				(struct finding_kind){ .id = run->id, .first = i, .last = NS_NONE };
		kind = &kinds->items[kinds->nr - 1];
		kind->nr++;
		kind->cost = ns_add(kind->cost, run->cost);
		kind->wall = ns_add(kind->wall, run->wall);
		kind->last = run->start > kind->last ? run->start : kind->last;
	}
	qsort(kinds->items, kinds->nr, sizeof(*kinds->items), finding_kind_compare);
	for (uint32_t i = 0; i < kinds->nr; i++)
		kinds->nr_urgent += finding_rows[kinds->items[i].id].level <= LEVEL_TROUBLE;
}

void finding_kinds_make(struct finding_kinds *kinds, const struct findings *findings,
			const struct model *model)
{
	struct finding_kinds next = { .items = kinds->items,
				      .runs = kinds->runs,
				      .cap_runs = kinds->cap_runs };

	*kinds = next;
	if (!kinds->items)
		kinds->items = xcalloc(NR_FINDING_IDS, sizeof(*kinds->items));
	for (uint32_t i = 0; i < findings->nr; i++) {
		const struct finding *finding = &findings->items[i];
		const struct process *root = model_process(model, finding->root);

		GROW(kinds->runs, kinds->nr_runs, kinds->cap_runs, 16);
		kinds->runs[kinds->nr_runs++] =
			(struct finding_run){ .id = finding->id,
					      .finding = i,
					      .root = finding->root,
					      .cost = finding->held,
					      .wall = finding->wall,
					      .start = root ? root->start : NS_NONE };
	}
	if (!kinds->nr_runs)
		return;
	qsort(kinds->runs, kinds->nr_runs, sizeof(*kinds->runs), finding_run_compare);
	merge_finding_runs(kinds);
	sum_finding_roots(kinds);
	sum_finding_kinds(kinds);
}

void finding_kinds_release(struct finding_kinds *kinds)
{
	free(kinds->items);
	free(kinds->runs);
	*kinds = (struct finding_kinds){ .nr = 0 };
}

const struct finding_kind *finding_kinds_find(const struct finding_kinds *kinds, uint8_t id)
{
	for (uint32_t i = 0; i < kinds->nr; i++)
		if (kinds->items[i].id == id)
			return &kinds->items[i];
	return NULL;
}

struct name_count {
	const char *name;
	size_t len;
	uint64_t count;
};

static int name_count_compare(const void *va, const void *vb)
{
	const struct name_count *a = va, *b = vb;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->name, b->name, a->len);
}

static bool same_name(const struct name_count *count, const char *name, size_t len)
{
	return count->len == len && !memcmp(count->name, name, len);
}

static bool count_name(struct name_count *counts, int *nr, const char *name, size_t len)
{
	for (int i = 0; i < *nr; i++)
		if (same_name(&counts[i], name, len)) {
			counts[i].count++;
			return true;
		}
	if (*nr == MAX_NAMES)
		return false;
	counts[(*nr)++] = (struct name_count){ name, len, 1 };
	return true;
}

void finding_kind_format_where(const struct finding_kinds *kinds, const struct finding_kind *kind,
			       const struct model *model, int max, struct tr2_buf *out)
{
	struct name_count counts[MAX_NAMES], first = { NULL, 0, 0 };
	uint64_t others = 0;
	bool several = false;
	int nr = 0;

	for (uint32_t i = kind->first; i < kind->first + kind->nr; i++) {
		const struct process *root = model_process(model, kinds->runs[i].root);
		size_t len;
		const char *name;

		if (!root)
			continue;
		name = command_name(model, root, &len);
		others += !count_name(counts, &nr, name, len);
		name = process_worktree(model, root, &len);
		if (!name)
			continue;
		several |= first.name && !same_name(&first, name, len);
		if (!first.name)
			first = (struct name_count){ name, len, 1 };
	}
	qsort(counts, (size_t)nr, sizeof(*counts), name_count_compare);
	for (int i = max; i < nr; i++)
		others += counts[i].count;
	for (int i = 0; i < nr && i < max; i++) {
		tr2_buf_addstr(out, i ? ", " : "");
		tr2_buf_add(out, counts[i].name, counts[i].len);
		tr2_buf_addf(out, " %" PRIu64 "x", counts[i].count);
	}
	if (others)
		tr2_buf_addf(out, ", %" PRIu64 " others", others);
	if (several) {
		tr2_buf_addstr(out, "; in several worktrees");
	} else if (first.name) {
		tr2_buf_addstr(out, "; in ");
		tr2_buf_add(out, first.name, first.len);
	}
}

void finding_kinds_format_sum(const struct finding_kinds *kinds, struct tr2_buf *out)
{
	tr2_buf_addf(out, "%" PRIu32 " %s", kinds->nr_urgent,
		     kinds->nr_urgent == 1 ? "finding" : "findings");
	if (kinds->could_save)
		tr2_buf_addf(out, " could save %s", human_duration(kinds->could_save).text);
}
