/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/rule_results.h"

#include <stdlib.h>

void rule_results_init(struct rule_results *v)
{
	*v = (struct rule_results){ .made = false };
	runs_init(&v->base);
}

static void results_release(struct rule_results *v)
{
	compare_release(&v->comparison);
	runs_release(&v->runs);
	free(v->roots.items);
	v->roots = (struct run_roots){ .nr = 0 };
	v->made = false;
}

void rule_results_release(struct rule_results *v)
{
	results_release(v);
	rules_release(&v->rules);
	runs_release(&v->base);
	free(v->base_models);
	v->base_models = NULL;
	v->nr_base_models = v->cap_base_models = 0;
}

/* Begin a new set if the selection changed, or if the user looks back now or did so at the last
 * call. Returns false if no run was added to an earlier set. */
static bool runs_take(struct rule_results *v, const struct analysis *what,
		      const struct runs_choice *choice, uint64_t choice_id)
{
	bool goes_on = v->made && !v->past && !what->past && v->choice == choice_id;
	uint32_t before = goes_on ? v->runs.nr : 0;

	if (!goes_on) {
		results_release(v);
		runs_init(&v->runs);
	}
	runs_add_model(&v->runs, &v->roots, what, choice);
	v->made = true;
	v->past = what->past;
	v->choice = choice_id;
	return !goes_on || v->runs.nr > before;
}

void rule_results_make(struct rule_results *v, const struct analysis *what,
		       const struct runs_choice *choice, uint64_t choice_id,
		       uint64_t (*find)(void *data, uint32_t root, const char *id,
					const char *name),
		       void *find_data)
{
	struct rules_of of = { .model = what->model,
			       .keep = choice->keep,
			       .keep_data = choice->keep_data,
			       .findings = find,
			       .findings_data = find_data };

	if (runs_take(v, what, choice, choice_id) && v->compares) {
		compare_release(&v->comparison);
		compare_make(&v->comparison, &v->base, &v->runs);
	}
	of.runs = &v->runs;
	of.roots = v->roots.items;
	of.comparison = v->compares ? &v->comparison : NULL;
	rules_evaluate(&v->rules, &of);
}
