/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/findings_watch.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/analysis/live.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"

/*
 * Minimum time from the last step of a round until the next round, unless that is due at once:
 * REST_NS, or REST_TIMES times the time spent on the round if that is longer.
 */
#define REST_NS    NS_PER_SEC
#define REST_TIMES 50
/* a step with a budget continues until its trees have so many events, however slow the machine
 * is */
#define LEAST_EVENTS 200

/*
 * Return a hash of the state of a tree, including its numbers of events; 0 if the tree is live.
 * Adds the number of events of the tree to `*events`.
 */
static uint64_t tree_hash(const struct model *m, uint32_t root, uint64_t *events)
{
	uint64_t hash = 1;
	bool live = false;

	for (uint32_t slot = root; slot != SLOT_NONE; slot = model_tree_next(m, root, slot, NULL)) {
		const struct process *p = model_slot(m, slot);

		live |= process_is_live(p);
		*events += p->nr_events;
		hash = tr2_hash_pair(hash, p->sid_hash + p->nr_events);
		hash = tr2_hash_pair(hash, (uint64_t)p->link << 32 | p->state << 1 | p->gone);
	}
	return live ? 0 : hash ? hash : 1;
}

static void round_clear(struct watched_round *round)
{
	round->nr = 0;
	findings_clear(&round->findings);
}

static void list_roots(struct findings_watch *w, const struct findings_of *of)
{
	const struct model *m = of->what->model;

	w->nr_roots = w->at = 0;
	for (uint32_t slot = model_first_root(m); slot != SLOT_NONE;
	     slot = model_next_sibling(m, slot)) {
		if (of->keep && !of->keep(of->keep_data, m, slot))
			continue;
		GROW(w->roots, w->nr_roots, w->cap_roots, 64);
		w->roots[w->nr_roots++] = model_handle(m, slot);
	}
}

static void index_last(struct findings_watch *w)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < w->last.nr; i++)
		nr = w->last.roots[i].root.slot >= nr ? w->last.roots[i].root.slot + 1 : nr;
	if (nr > w->nr_slots) {
		w->by_slot = xreallocarray(w->by_slot, nr, sizeof(*w->by_slot));
		memset(w->by_slot + w->nr_slots, 0xff, (nr - w->nr_slots) * sizeof(*w->by_slot));
		w->nr_slots = nr;
	}
	for (uint32_t i = 0; i < w->last.nr; i++)
		w->by_slot[w->last.roots[i].root.slot] = i;
}

static const struct watched *last_state_of_root(const struct findings_watch *w, struct handle root)
{
	const struct watched *was;
	uint32_t at;

	if (root.slot >= w->nr_slots || (at = w->by_slot[root.slot]) >= w->last.nr)
		return NULL;
	was = &w->last.roots[at];
	return was->root.slot == root.slot && handle_equal(was->root, root) ? was : NULL;
}

static void round_begin(struct findings_watch *w, const struct findings_of *of, uint64_t off,
			uint64_t choice)
{
	const struct model *m = of->what->model;

	/* in another model a root may be in another slot */
	if (w->model != m || w->off != off)
		round_clear(&w->last);
	round_clear(&w->next);
	w->next.findings.off = w->shown.off = w->off = off;
	w->loops.nr = 0;
	list_roots(w, of);
	index_last(w);
	w->model = m;
	w->choice = choice;
	w->version = model_version(m);
	w->begun = true;
	w->lives = false;
	w->spent = 0;
}

/* Returns the number of events of the tree of `root`. */
static uint64_t examine_root(struct findings_watch *w, const struct findings_of *of,
			     struct handle root)
{
	const struct watched *was = last_state_of_root(w, root);
	struct watched now = { .root = root, .first = w->next.findings.nr };
	uint64_t events = 0;

	now.tree = tree_hash(of->what->model, root.slot, &events);

	if (was && was->tree && was->tree == now.tree)
		findings_add(&w->next.findings, &w->last.findings, was->first, was->nr);
	else
		findings_of_root(&w->next.findings, of, root.slot, &w->scratch);
	now.nr = w->next.findings.nr - now.first;
	finding_loops_add(&w->loops, of->what->model, root.slot);
	w->lives |= !now.tree;
	GROW(w->next.roots, w->next.nr, w->next.cap, 64);
	w->next.roots[w->next.nr++] = now;
	return events;
}

static void findings_round_end(struct findings_watch *w, const struct findings_of *of)
{
	struct watched_round was = w->last;
	struct findings_of all = *of;

	all.loops = &w->loops;
	findings_clear(&w->shown);
	findings_add(&w->shown, &w->next.findings, 0, w->next.findings.nr);
	findings_of_all(&w->shown, &all);
	findings_sort(&w->shown);
	finding_kinds_make(&w->kinds, &w->shown, of->what->model);
	w->last = w->next;
	w->next = was;
	w->begun = false;
	w->nr_rounds++;
}

static bool findings_round_is_due(const struct findings_watch *w, const struct findings_of *of,
				  uint64_t off, uint64_t choice, ns_t monotonic)
{
	const struct model *m = of->what->model;

	if (w->model != m || w->choice != choice || w->off != off)
		return true;
	/* begin at once after the last running process has ended: users wait for its findings */
	return !w->begun && (w->lives || w->version != model_version(m)) &&
	       (of->what->past || monotonic >= w->rest_until ||
		(w->lives && !model_totals(m)->by_state[STATE_RUNNING]));
}

void findings_watch(struct findings_watch *w, const struct findings_of *of, uint64_t off,
		    uint64_t choice, ns_t monotonic, ns_t budget)
{
	ns_t begun = 0, now = 0;
	uint64_t events = 0;

	if (findings_round_is_due(w, of, off, choice, monotonic))
		round_begin(w, of, off, choice);
	if (!w->begun)
		return;
	begun = tr2_clock_monotonic();
	do {
		struct handle root;

		if (w->at == w->nr_roots)
			break;
		root = model_handle_here(of->what->model, w->roots[w->at++]);
		if (model_process(of->what->model, root))
			events += examine_root(w, of, root);
		now = tr2_clock_monotonic();
	} while (now - begun < budget || (budget && events < LEAST_EVENTS));
	if (w->at == w->nr_roots)
		findings_round_end(w, of);
	w->spent += tr2_clock_monotonic() - begun;
	w->rest_until =
		monotonic + (w->spent * REST_TIMES > REST_NS ? w->spent * REST_TIMES : REST_NS);
}

void findings_watch_release(struct findings_watch *w)
{
	findings_release(&w->shown);
	finding_kinds_release(&w->kinds);
	findings_release(&w->last.findings);
	findings_release(&w->next.findings);
	parts_release(&w->scratch);
	free(w->loops.items);
	free(w->last.roots);
	free(w->next.roots);
	free(w->by_slot);
	free(w->roots);
	*w = (struct findings_watch){ .nr_rounds = 0 };
}
