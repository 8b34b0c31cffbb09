/* SPDX-License-Identifier: MIT */
/* Past durations of regions, children and commands. At most MAX_USUAL_KEYS of these have past
 * durations, even in an unbounded model. Those not used lately are evicted. */
#include "config.h"
#include "monitor/model/model_priv.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

/* Flag of a packed duration of 32 bits: the unit is ms, not us. */
#define IN_MS (1u << 31)

static uint32_t pack_duration(ns_t duration)
{
	uint64_t us = (uint64_t)duration / NS_PER_US;

	if (us < IN_MS)
		return (uint32_t)us;
	us /= 1000;
	return IN_MS | (uint32_t)(us < IN_MS ? us : IN_MS - 1);
}

static ns_t unpack_duration(uint32_t packed)
{
	return packed & IN_MS ? (packed & ~IN_MS) * NS_PER_MS : packed * NS_PER_US;
}

static uint64_t usual_key_hash(uint64_t of, uint64_t what)
{
	return tr2_hash_pair(of, what);
}

static uint32_t usual_entry_hash(const void *model, uint32_t nr)
{
	const struct usual_entry *e = &((const struct model *)model)->usual[nr];

	return (uint32_t)usual_key_hash(e->of, e->what);
}

static uint32_t usual_entry_find(const struct model *m, uint64_t of, uint64_t what)
{
	if (!m->by_usual.at)
		return SLOT_NONE;
	TR2_HASH_INDEX_EACH(&m->by_usual, usual_key_hash(of, what), at)
	{
		const struct usual_entry *e = &m->usual[m->by_usual.at[at] - 1];

		if (e->of == of && e->what == what)
			return m->by_usual.at[at] - 1;
	}
	return SLOT_NONE;
}

/* Evict an entry and return its index: from `usual_hand` on, the first one whose `used` is not set
 * (clock algorithm). */
static uint32_t usual_entry_evict(struct model *m)
{
	uint32_t nr;

	while (m->usual[m->usual_hand].used) {
		m->usual[m->usual_hand].used = false;
		m->usual_hand = (m->usual_hand + 1) % MAX_USUAL_KEYS;
	}
	nr = m->usual_hand;
	m->usual_hand = (nr + 1) % MAX_USUAL_KEYS;
	tr2_hash_index_remove(&m->by_usual,
			      tr2_hash_index_place(&m->by_usual, usual_entry_hash(m, nr), nr),
			      usual_entry_hash, m);
	m->dropped.usual++;
	return nr;
}

static uint32_t usual_entry_new(struct model *m, uint64_t of, uint64_t what)
{
	uint32_t nr = m->nr_usual;

	if (nr < MAX_USUAL_KEYS) {
		GROW(m->usual, m->nr_usual, m->cap_usual, 64);
		m->nr_usual++;
	} else {
		nr = usual_entry_evict(m);
	}
	memset(&m->usual[nr], 0, sizeof(m->usual[nr]));
	m->usual[nr].of = of;
	m->usual[nr].what = what;
	hash_index_put(&m->by_usual, (uint32_t)usual_key_hash(of, what), nr, usual_entry_hash, m);
	return nr;
}

static __attribute__((noinline)) uint32_t usual_entry_lookup(struct model *m, uint64_t of,
							     uint64_t what)
{
	uint32_t nr = usual_entry_find(m, of, what);

	return nr == SLOT_NONE ? usual_entry_new(m, of, what) : nr;
}

static inline uint32_t usual_entry_get(struct model *m, uint64_t of, uint64_t what)
{
	uint32_t *recent = &m->usual_recent[(of + what) * 0x9e3779b97f4a7c15 >> 56], nr = *recent;

	if (nr < m->nr_usual && m->usual[nr].of == of && m->usual[nr].what == what)
		return nr;
	return *recent = usual_entry_lookup(m, of, what);
}

static inline void usual_entry_add(struct usual_entry *e, ns_t duration)
{
	/* A first use does not protect the entry from eviction: most regions and commands occur
	 * only once. */
	e->used = e->nr;
	e->durations[e->nr % PAST_MEDIAN_DURATIONS] = pack_duration(duration > 0 ? duration : 0);
	/* Wrap around; nr >= PAST_MEDIAN_DURATIONS: all durations are set. */
	if (++e->nr == 2 * PAST_MEDIAN_DURATIONS)
		e->nr = PAST_MEDIAN_DURATIONS;
}

static void usual_add(struct model *m, uint64_t of, uint64_t what, ns_t duration)
{
	uint32_t nr = duration == NS_NONE ? SLOT_NONE : usual_entry_get(m, of, what);

	if (nr != SLOT_NONE)
		usual_entry_add(&m->usual[nr], duration);
}

static uint64_t of_key(sym_t worktree, sym_t hierarchy)
{
	return (uint64_t)worktree << 32 | hierarchy;
}

void usual_named(struct model *m, struct process *p)
{
	sym_t worktree = SYM_NONE;

	if (p->worktrees.nr)
		worktree = ((struct worktree_item *)vec_at(&m->heap, &p->worktrees,
							   p->worktrees.nr - 1,
							   sizeof(struct worktree_item)))
				   ->worktree;
	p->usual = of_key(worktree, p->hierarchy);
}

static uint64_t region_key(sym_t category, sym_t label)
{
	return (uint64_t)category << 32 | label;
}

#define CHILD_KEY_WORDS 2

/* Append words of `text` to `out`, which gets at most CHILD_KEY_WORDS. `words`, `used`: numbers of
 * words and bytes in `out`. */
static void words_add(const char *text, size_t len, char *out, int *words, size_t *used)
{
	bool is_inside = false;

	for (size_t i = 0; i < len; i++) {
		bool is_blank = text[i] == ' ' || text[i] == '\t' || text[i] == '\n';
		size_t need = is_inside || !*words ? 1 : 2;

		if (is_blank) {
			is_inside = false;
			continue;
		}
		if ((!is_inside && *words == CHILD_KEY_WORDS) || *used + need >= CHILD_KEY_BYTES)
			return;
		if (need == 2)
			out[(*used)++] = ' ';
		*words += !is_inside;
		is_inside = true;
		out[(*used)++] = text[i];
	}
}

void child_key_text(const struct model *m, const struct child *c, char *out)
{
	struct strings_cursor cursor = strings_begin(m, &c->argv);
	size_t len, used = 0;
	const char *text;
	int words = 0;

	if (c->hook != SYM_NONE) {
		text = model_sym(m, c->hook, &len);
		snprintf(out, CHILD_KEY_BYTES, "hook %.*s", (int)len, text);
		return;
	}
	while (words < CHILD_KEY_WORDS && (text = strings_next(&cursor, &len)))
		words_add(text, len, out, &words, &used);
	out[used] = '\0';
}

static uint64_t child_key_of(const char *text, size_t len)
{
	/* the constant makes collisions with keys of processes and regions unlikely */
	return tr2_hash_pair(0x6368696c64, tr2_hash(text, len));
}

static uint64_t child_key(const struct model *m, const struct child *c)
{
	char text[CHILD_KEY_BYTES];

	child_key_text(m, c, text);
	return child_key_of(text, strlen(text));
}

#define PROCESS_KEY UINT64_MAX

static uint64_t past_key(const struct model *m, const struct past_durations *past)
{
	size_t len;
	const char *text = model_sym(m, past->label, &len);

	if (past->is_child)
		return child_key_of(text, len);
	if (past->category == SYM_NONE && past->label == SYM_NONE)
		return PROCESS_KEY;
	return region_key(past->category, past->label);
}

void usual_begin(struct model *m)
{
	for (uint32_t i = 0; i < m->config.nr_past; i++) {
		const struct past_durations *past = &m->config.past[i];

		for (uint32_t k = 0; k < past->nr; k++)
			usual_add(m, of_key(past->worktree, past->hierarchy), past_key(m, past),
				  past->durations[k]);
	}
	/* Durations from the configuration that did not fit do not count as evicted. */
	m->dropped.usual = 0;
}

void usual_region(struct applying *a, const struct process *p, struct timing_cell *cell,
		  ns_t duration)
{
	struct model *m = a->model;
	uint64_t what = region_key(cell->category, cell->label);
	uint32_t nr = cell->usual;

	/* The cell "(other)" counts regions of many names: use those in the event. */
	if (__builtin_expect(cell->label == m->syms->sym_other, 0))
		what = region_key(event_sym(a->ev, TR2_F_CATEGORY), event_sym(a->ev, TR2_F_LABEL));

	/* Try the entry of the cell's last region first: regions of a cell mostly have the same
	 * worktree and hierarchy. */
	if (nr >= m->nr_usual || m->usual[nr].of != p->usual || m->usual[nr].what != what)
		nr = cell->usual = usual_entry_lookup(m, p->usual, what);
	usual_entry_add(&m->usual[nr], duration);
}

void usual_child(struct applying *a, const struct child *c)
{
	if (a->model->config.no_why)
		return;
	usual_add(a->model, a->model->processes[a->slot].usual, child_key(a->model, c), c->elapsed);
}

void usual_process(struct applying *a)
{
	if (a->model->config.no_why)
		return;
	usual_add(a->model, a->model->processes[a->slot].usual, PROCESS_KEY,
		  event_get(a->ev, TR2_F_T_ABS, NS_NONE));
}

static uint32_t copy_durations(const struct model *m, uint64_t of, uint64_t what, ns_t *out)
{
	uint32_t nr = usual_entry_find(m, of, what), kept;

	if (nr == SLOT_NONE)
		return 0;
	kept = m->usual[nr].nr < PAST_MEDIAN_DURATIONS ? m->usual[nr].nr : PAST_MEDIAN_DURATIONS;
	for (uint32_t i = 0; i < kept; i++)
		out[i] = unpack_duration(m->usual[nr].durations[i]);
	return kept;
}

uint32_t model_past_region(const struct model *m, const struct process *p, sym_t category,
			   sym_t label, ns_t *out)
{
	return copy_durations(m, p->usual, region_key(category, label), out);
}

uint32_t model_past_child(const struct model *m, const struct process *p, const struct child *c,
			  ns_t *out)
{
	return copy_durations(m, p->usual, child_key(m, c), out);
}

uint32_t model_past_process(const struct model *m, const struct process *p, ns_t *out)
{
	return copy_durations(m, p->usual, PROCESS_KEY, out);
}
