/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/runs_of_model.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/parts.h"
#include "monitor/analysis/roots.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"

static sym_t runs_intern(struct runs *runs, const struct model *m, sym_t sym)
{
	size_t len;
	const char *text = model_sym(m, sym, &len);

	return sym == SYM_NONE ? SYM_NONE : runs_text(runs, text, len);
}

static sym_t runs_intern_known(struct runs *runs, const char *text, size_t len)
{
	return text ? runs_text(runs, text, len) : SYM_NONE;
}

struct duration {
	uint32_t root;
	sym_t hierarchy, category, label;
	/* order in which durations were read; of one region, the newest is last */
	uint32_t order;
	ns_t ns;
};

struct durations {
	struct runs *runs;
	struct roots roots;
	struct duration *items;
	uint32_t nr, cap;
};

static void duration_add(struct durations *d, uint32_t slot, sym_t category, sym_t label, ns_t ns)
{
	const struct process *p = model_slot(d->roots.model, slot);

	if (ns < 0)
		return;
	GROW(d->items, d->nr, d->cap, 256);
	d->items[d->nr] =
		(struct duration){ .root = root_of(&d->roots, slot),
				   .hierarchy = runs_intern(d->runs, d->roots.model, p->hierarchy),
				   .category = category,
				   .label = label,
				   .order = d->nr,
				   .ns = ns };
	d->nr++;
}

static void durations_of_process(struct durations *d, uint32_t slot)
{
	const struct process *p = model_slot(d->roots.model, slot);
	sym_t child = runs_text(d->runs, RUN_CHILD, strlen(RUN_CHILD));

	if (p->end_by != END_NONE)
		duration_add(d, slot, SYM_NONE, SYM_NONE, process_elapsed(p));
	for (uint32_t i = 0; i < p->children.nr; i++) {
		const struct child *c = process_child(d->roots.model, p, i);
		char text[CHILD_KEY_BYTES];

		if (c->state != CHILD_EXITED)
			continue;
		child_key_text(d->roots.model, c, text);
		duration_add(d, slot, child, runs_text(d->runs, text, strlen(text)), c->elapsed);
	}
}

static int duration_compare(const void *a, const void *b)
{
	const struct duration *x = a, *y = b;
	const uint32_t xs[] = { x->root, x->hierarchy, x->category, x->label, x->order };
	const uint32_t ys[] = { y->root, y->hierarchy, y->category, y->label, y->order };

	for (size_t i = 0; i < sizeof(xs) / sizeof(*xs); i++)
		if (xs[i] != ys[i])
			return xs[i] < ys[i] ? -1 : 1;
	return 0;
}

static void durations_make(struct durations *d, struct runs *runs, const struct model *m)
{
	*d = (struct durations){ .runs = runs };
	roots_make(&d->roots, m);
	for (uint32_t i = 0; i < model_nr_samples(m); i++) {
		const struct region_sample *s = model_sample(m, i);

		if (model_process(m, s->process))
			duration_add(d, model_handle_here(m, s->process).slot,
				     runs_intern(runs, m, s->category),
				     runs_intern(runs, m, s->label), s->duration);
	}
	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s))
		durations_of_process(d, s);
	if (d->nr)
		qsort(d->items, d->nr, sizeof(*d->items), duration_compare);
}

static uint32_t durations_first(const struct durations *d, uint32_t root)
{
	uint32_t low = 0, high = d->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (d->items[middle].root < root)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_same_thing(const struct duration *a, const struct duration *b)
{
	return a->root == b->root && a->hierarchy == b->hierarchy && a->category == b->category &&
	       a->label == b->label;
}

static void durations_add(const struct durations *d, uint32_t root)
{
	uint32_t end;

	for (uint32_t from = durations_first(d, root); from < d->nr && d->items[from].root == root;
	     from = end) {
		const struct duration *thing = &d->items[from];
		ns_t newest[RUN_MAX_DURATIONS];
		uint32_t nr = 0, begin;

		for (end = from + 1; end < d->nr && is_same_thing(thing, &d->items[end]);)
			end++;
		begin = end - from > RUN_MAX_DURATIONS ? end - RUN_MAX_DURATIONS : from;
		while (begin < end)
			newest[nr++] = d->items[begin++].ns;
		runs_add_durations(d->runs,
				   &(struct run_durations){ .hierarchy = thing->hierarchy,
							    .category = thing->category,
							    .label = thing->label },
				   newest, nr);
	}
}

static void runs_copy_argv(struct runs *runs, const struct model *m, const struct process *p,
			   struct run *run)
{
	struct strings_cursor cursor = strings_begin(m, &p->argv);
	const char *item;
	size_t len;

	for (int i = 0; i < 2 && (item = strings_next(&cursor, &len)); i++)
		run->argv[i] = runs_text(runs, item, len);
}

static void runs_copy_parts(struct runs *runs, const struct model *m, const struct parts *parts)
{
	for (uint32_t i = 0; i < parts->nr; i++) {
		const struct part *part = &parts->items[i];
		const char *kind = part_kind_names[part->kind];
		size_t category_len, label_len, name_len;
		const char *category = part_category(parts, m, part, &category_len);
		const char *label = part_label(parts, m, part, &label_len);
		const char *name = part_name(parts, part, &name_len);

		runs_add_part(runs,
			      &(struct run_part){
				      .kind = runs_text(runs, kind, strlen(kind)),
				      .category = runs_intern_known(runs, category, category_len),
				      .label = runs_intern_known(runs, label, label_len),
				      .name = runs_intern_known(runs, name, name_len),
				      .time = part->time,
			      });
	}
}

static void runs_add_root(struct runs *runs, const struct model *m, uint32_t root,
			  const struct parts *parts)
{
	const struct process *p = model_slot(m, root);
	struct run run = { .sid = runs_text(runs, model_text(m, p->sid), p->sid.len),
			   .start = parts->begun,
			   .wall = parts->wall,
			   .name = runs_intern(runs, m, p->name),
			   .hierarchy = runs_intern(runs, m, p->hierarchy),
			   .worktree = SYM_NONE,
			   .exe = runs_intern(runs, m, p->exe),
			   .argv = { SYM_NONE, SYM_NONE },
			   .failed = process_failed(p) || p->state == STATE_SIGNALED };

	if (p->worktrees.nr)
		run.worktree = runs_intern(
			runs, m,
			PROCESS_ITEM(m, &p->worktrees, worktree_item, p->worktrees.nr - 1)
				->worktree);
	runs_copy_argv(runs, m, p, &run);
	runs_copy_parts(runs, m, parts);
	runs_add(runs, &run);
}

static bool root_is_new(struct runs *runs, const struct model *m, uint32_t root)
{
	const struct process *p = model_slot(m, root);

	if (p->end_by == END_NONE && p->state != STATE_REPLACED)
		return false;
	if (!runs_has(runs, runs_text(runs, model_text(m, p->sid), p->sid.len)))
		return true;
	runs->nr_repeated++;
	return false;
}

void runs_add_model(struct runs *runs, struct run_roots *roots, const struct analysis *what,
		    const struct runs_choice *choice)
{
	const struct model *m = what->model;
	struct durations durations = { .nr = 0 };
	struct parts parts = { .nr = 0 };

	if (choice->durations)
		durations_make(&durations, runs, m);
	for (uint32_t s = model_first_root(m); s != SLOT_NONE; s = model_next_sibling(m, s)) {
		const struct parts_of of = {
			.slot = s, .begun = NS_NONE, .wall = NS_NONE, .all_over = choice->all_over
		};

		if (!root_is_new(runs, m, s) ||
		    (choice->keep && !choice->keep(choice->keep_data, m, s)))
			continue;
		parts_make(&parts, what, &of);
		/* a run without a start time cannot be paired with other runs */
		if (!parts.ended || parts.begun == NS_NONE)
			continue;
		if (choice->durations)
			durations_add(&durations, s);
		runs_add_root(runs, m, s, &parts);
		if (!roots)
			continue;
		GROW(roots->items, roots->nr, roots->cap, 64);
		roots->items[roots->nr++] = model_handle(m, s);
	}
	parts_release(&parts);
	roots_release(&durations.roots);
	free(durations.items);
}
