/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/set_difference_sets.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/grow.h"

#define TENTH      10u
#define THIRD      3u
#define SLOW_LEAST 100u

struct run_choice {
	struct set_difference_run_choice {
		uint32_t slot;
		sym_t name;
		bool in;
		ns_t elapsed;
	} * items;
	uint32_t nr, cap;
};

static bool is_run_within(const struct set_difference_choice *c, const struct model *m,
			  uint32_t slot)
{
	const struct process *p = model_slot(m, slot);

	return p->state != STATE_RUNNING && (c->depth < 0 || p->depth <= c->depth) &&
	       (!c->keep || c->keep(c->keep_data, m, slot));
}

static void collect_runs(const struct set_difference_choice *c, struct run_choice *runs)
{
	const struct model *m = c->model;

	for (uint32_t slot = model_first_slot(m); slot != SLOT_NONE;
	     slot = model_next_slot(m, slot)) {
		const struct process *p = model_slot(m, slot);

		if (!is_run_within(c, m, slot))
			continue;
		GROW(runs->items, runs->nr, runs->cap, 256);
		runs->items[runs->nr++] = (struct set_difference_run_choice){
			.slot = slot,
			.name = p->name,
			.in = c->in(c->data, m, slot),
			.elapsed = c->measure ? c->measure(c->data, m, p) : process_elapsed(p),
		};
	}
}

static int compare_durations_down(const void *a, const void *b)
{
	ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;

	return (x < y) - (x > y);
}

static uint32_t rounded_up(uint32_t nr, uint32_t part)
{
	return nr / part + (nr % part > 0);
}

/* Return how many of `nr` runs are slow, not counting ties with the fastest of them. */
static uint32_t nr_slow(uint32_t nr, enum set_difference_which which)
{
	uint32_t tenth = rounded_up(nr, TENTH), third = rounded_up(nr, THIRD);
	uint32_t least = which == SETS_SLOW ? SLOW_LEAST : SET_DIFFERENCE_RUNS;

	tenth = tenth > least ? tenth : least;
	return tenth < third ? tenth : third;
}

static ns_t find_threshold(const struct run_choice *runs, enum set_difference_which which)
{
	ns_t *durations = xreallocarray(NULL, (size_t)runs->nr + 1, sizeof(*durations));
	ns_t threshold = NS_NONE;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < runs->nr; i++)
		if (runs->items[i].in && runs->items[i].elapsed != NS_NONE)
			durations[nr++] = runs->items[i].elapsed;
	qsort(durations, nr, sizeof(*durations), compare_durations_down);
	if (nr)
		threshold = durations[nr_slow(nr, which) - 1];
	free(durations);
	return threshold;
}

static int compare_syms(const void *a, const void *b)
{
	sym_t x = *(const sym_t *)a, y = *(const sym_t *)b;

	return (x > y) - (x < y);
}

/* The names are sorted by symbol, without duplicates; the caller frees them. */
static sym_t *chosen_names(const struct run_choice *runs, uint32_t *nr)
{
	sym_t *names = xreallocarray(NULL, (size_t)runs->nr + 1, sizeof(*names));
	uint32_t nr_once = 0;

	*nr = 0;
	for (uint32_t i = 0; i < runs->nr; i++)
		if (runs->items[i].in)
			names[(*nr)++] = runs->items[i].name;
	qsort(names, *nr, sizeof(*names), compare_syms);
	for (uint32_t i = 0; i < *nr; i++)
		if (!i || names[i] != names[nr_once - 1])
			names[nr_once++] = names[i];
	*nr = nr_once;
	return names;
}

static void add_chosen(struct set_difference *d, const struct model *m,
		       const struct run_choice *runs)
{
	uint32_t nr;
	sym_t *names = chosen_names(runs, &nr);

	for (uint32_t i = 0; i < runs->nr; i++)
		if (bsearch(&runs->items[i].name, names, nr, sizeof(*names), compare_syms))
			set_difference_add(d, model_handle(m, runs->items[i].slot),
					   runs->items[i].in);
	free(names);
}

/* True if one of the `nr` symbols `names` of model `m` has the text of `name` in model `base`, or
 * both are absent. */
static bool is_name_of(const struct model *base, sym_t name, const struct model *m,
		       const sym_t *names, uint32_t nr)
{
	size_t len, other_len;
	const char *text = model_sym(base, name, &len), *other;

	for (uint32_t i = 0; i < nr; i++) {
		other = model_sym(m, names[i], &other_len);
		if ((name == SYM_NONE) == (names[i] == SYM_NONE) && len == other_len &&
		    !memcmp(text, other, len))
			return true;
	}
	return false;
}

/* True if an earlier base has the process: a process in two bases counts once. */
static bool is_in_earlier_base(const struct set_difference_choice *c, uint32_t number,
			       const struct process *p)
{
	const char *sid = model_text(c->bases[number], p->sid);

	for (uint32_t i = 0; i < number; i++)
		if (model_find_sid(c->bases[i], sid, p->sid.len) != SLOT_NONE)
			return true;
	return false;
}

static void add_base(struct set_difference *d, const struct set_difference_choice *c,
		     uint32_t number, const sym_t *names, uint32_t nr)
{
	const struct model *base = c->bases[number];
	sym_t last = SYM_NONE;
	bool is_last = is_name_of(base, last, c->model, names, nr);

	for (uint32_t slot = model_first_slot(base); slot != SLOT_NONE;
	     slot = model_next_slot(base, slot)) {
		const struct process *p = model_slot(base, slot);

		/* successive runs often have the same name */
		if (p->name != last)
			is_last = is_name_of(base, p->name, c->model, names, nr);
		last = p->name;
		if (is_last && is_run_within(c, base, slot) && !is_in_earlier_base(c, number, p))
			set_difference_add_base(d, base, model_handle(base, slot));
	}
}

static void add_against_base(struct set_difference *d, const struct set_difference_choice *c,
			     const struct run_choice *runs)
{
	uint32_t nr;
	sym_t *names = chosen_names(runs, &nr);

	for (uint32_t i = 0; i < runs->nr; i++)
		if (runs->items[i].in)
			set_difference_add(d, model_handle(c->model, runs->items[i].slot), true);
	for (uint32_t i = 0; i < c->nr_bases; i++)
		add_base(d, c, i, names, nr);
	free(names);
}

ns_t set_difference_choose(struct set_difference *d, const struct set_difference_choice *c)
{
	struct run_choice runs = { 0 };
	ns_t threshold = NS_NONE;

	set_difference_clear(d, c->by_success || c->by_error || c->which == SETS_FAILED);
	d->by_error = c->by_error;
	collect_runs(c, &runs);
	if (c->which == SETS_SLOW || c->which == SETS_TENTH)
		threshold = find_threshold(&runs, c->which);
	if (c->which == SETS_CHOSEN)
		add_chosen(d, c->model, &runs);
	else if (c->which == SETS_BASE)
		add_against_base(d, c, &runs);
	else
		for (uint32_t i = 0; i < runs.nr; i++) {
			const struct set_difference_run_choice *run = &runs.items[i];
			bool failed = process_failed(model_slot(c->model, run->slot));

			if (run->in && (c->which == SETS_FAILED || run->elapsed != NS_NONE))
				set_difference_add(d, model_handle(c->model, run->slot),
						   c->which == SETS_FAILED
							   ? failed
							   : run->elapsed >= threshold);
		}
	free(runs.items);
	return threshold;
}

bool set_difference_is_by_success(const struct filter *filter)
{
	return filter_uses(filter, FILTER_STATE) || filter_uses(filter, FILTER_CODE) ||
	       filter_uses(filter, FILTER_SIGNO) || filter_uses(filter, FILTER_FAILED);
}
