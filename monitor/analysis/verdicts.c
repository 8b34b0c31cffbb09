/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/verdicts.h"

#include <stdlib.h>

void verdicts_init(struct verdicts *v)
{
	*v = (struct verdicts){ .made = false };
	runs_init(&v->base);
}

static void results_release(struct verdicts *v)
{
	compare_release(&v->comparison);
	runs_release(&v->runs);
	free(v->roots);
	v->roots = NULL;
	v->made = false;
}

void verdicts_release(struct verdicts *v)
{
	results_release(v);
	rules_release(&v->rules);
	runs_release(&v->base);
}

void verdicts_make(struct verdicts *v, const struct analysis *what,
		   const struct runs_choice *choice,
		   uint64_t (*find)(void *data, uint32_t root, const char *id), void *find_data)
{
	struct rules_of of = { .model = what->model,
			       .keep = choice->keep,
			       .keep_data = choice->keep_data,
			       .findings = find,
			       .findings_data = find_data };

	results_release(v);
	runs_init(&v->runs);
	v->roots = runs_add_model(&v->runs, what, choice);
	v->version = model_version(what->model);
	v->made = true;
	if (v->compares)
		compare_make(&v->comparison, &v->base, &v->runs);
	of.runs = &v->runs;
	of.roots = v->roots;
	of.comparison = v->compares ? &v->comparison : NULL;
	rules_judge(&v->rules, &of);
}
