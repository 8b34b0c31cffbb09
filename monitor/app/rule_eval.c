/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/rule_eval.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/app/runs_file.h"
#include "monitor/app/session.h"
#include "monitor/analysis/findings.h"
#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/visible.h"

#define RULES_MAX_BYTES (1u << 20)

static bool bad_rule(const char *from, const char *text, const struct rule_error *error, char *why,
		     size_t why_bytes)
{
	snprintf(why, why_bytes, "%s: column %zu of '%s': %s", from, error->column + 1, text,
		 error->message);
	return false;
}

static bool line_is_rule(const char *line)
{
	line += strspn(line, " \t\r");
	return *line && *line != '#';
}

static bool rules_of_lines(struct rules *rules, const char *path, char *text, char *why,
			   size_t why_bytes)
{
	struct rule_error error;
	unsigned number = 0;
	char *rest = text;

	while (rest) {
		char *line = rest, *end = strchr(line, '\n'), from[300];

		rest = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		number++;
		if (!line_is_rule(line) || rules_add(rules, line, &error))
			continue;
		snprintf(from, sizeof(from), "%s:%u", path, number);
		return bad_rule(from, line, &error, why, why_bytes);
	}
	return true;
}

static bool rules_file(struct rules *rules, const char *path, char *why, size_t why_bytes)
{
	FILE *from = fopen(path, "re");
	char *text = xmalloc(RULES_MAX_BYTES + 2);
	size_t len = from ? fread(text, 1, RULES_MAX_BYTES + 1, from) : 0;
	bool ok = false;

	text[len] = '\0';
	if (!from || ferror(from))
		snprintf(why, why_bytes, "--rules: %s: %s", path, strerror(errno));
	else if (len > RULES_MAX_BYTES)
		snprintf(why, why_bytes, "--rules: %s is larger than 1 MiB, so not a file of rules",
			 path);
	else if (strlen(text) != len)
		snprintf(why, why_bytes,
			 "--rules: %s contains a NUL byte, so it is not a text file", path);
	else
		ok = rules_of_lines(rules, path, text, why, why_bytes);
	if (from)
		fclose(from);
	free(text);
	return ok;
}

static bool rules_open(struct rules *rules, const struct options *o, char *why, size_t why_bytes)
{
	struct rule_error error;

	for (int i = 0; i < o->rules.nr; i++)
		if (!rules_file(rules, o->rules.items[i], why, why_bytes))
			return false;
	for (int i = 0; i < o->fail_if.nr; i++)
		if (!rules_add(rules, o->fail_if.items[i], &error))
			return bad_rule("--fail-if", o->fail_if.items[i], &error, why, why_bytes);
	for (uint32_t i = 0; i < rules->nr && !o->compare.nr; i++)
		if (rules->items[i].compare) {
			snprintf(why, why_bytes,
				 "'%s' compares with earlier runs; add --compare=BASE",
				 rules->items[i].text);
			return false;
		}
	return true;
}

/* List the models of the base's traces. Fails if --difference-base needs one and there is none. */
static bool base_models_open(struct rule_results *v, const struct options *o,
			     const struct base_trace *traces, char *why, size_t why_bytes)
{
	for (const struct base_trace *t = traces; t; t = base_trace_next(t)) {
		GROW(v->base_models, v->nr_base_models, v->cap_base_models, 4);
		v->base_models[v->nr_base_models++] = base_trace_model(t);
	}
	v->attributes_of_base = o->difference_base;
	if (!o->difference_base || v->nr_base_models)
		return true;
	snprintf(why, why_bytes,
		 "--difference-base: the base has no attributes, because it is a baseline file or "
		 "too large; use a trace");
	return false;
}

static bool difference_base_check(const struct options *o, char *why, size_t why_bytes)
{
	if (o->difference_base && !o->compare.nr)
		snprintf(why, why_bytes, "--difference-base needs a base; add --compare=TRACE");
	else if (o->difference_base && o->once && !o->difference)
		snprintf(why, why_bytes,
			 "--difference-base needs the runs to compare; add --difference=EXPR");
	else
		return true;
	return false;
}

bool rule_eval_open(struct rule_results *v, const struct options *o, struct base_trace **traces,
		    char *why, size_t why_bytes)
{
	bool keep = o->difference_base || !o->once || o->keys || o->dump, ok;

	if (!difference_base_check(o, why, why_bytes))
		return false;
	if (!o->compare.nr && !o->rules.nr && !o->fail_if.nr)
		return true;
	rule_results_init(v);
	v->compares = o->compare.nr > 0;
	ok = rules_open(&v->rules, o, why, why_bytes);
	for (int i = 0; ok && i < o->compare.nr; i++)
		ok = runs_file_read(&v->base, o->compare.items[i], o, keep ? traces : NULL, why,
				    why_bytes);
	ok = ok && base_models_open(v, o, *traces, why, why_bytes);
	/* The message may have control characters. */
	if (!ok)
		visible_mask(why);
	return ok;
}

/* variable for start_compare(), because qsort() passes no context; used by one thread */
static const struct runs *sorted_runs;

static int start_compare(const void *a, const void *b)
{
	const struct run *x = &sorted_runs->items[*(const uint32_t *)a];
	const struct run *y = &sorted_runs->items[*(const uint32_t *)b];

	return (x->start > y->start) - (x->start < y->start);
}

static sym_t rule_eval_sym_of(const struct runs *base, sym_t text, struct tr2_intern *syms)
{
	size_t len;
	const char *bytes = tr2_intern_text(&base->texts, text, &len);

	return text == SYM_NONE ? SYM_NONE : tr2_intern(syms, bytes, len);
}

static struct past_durations past_of(const struct runs *base, const struct run *run,
				     const struct run_durations *thing, struct tr2_intern *syms)
{
	size_t len;
	const char *category = tr2_intern_text(&base->texts, thing->category, &len);

	return (struct past_durations){
		.worktree = rule_eval_sym_of(base, run->worktree, syms),
		.hierarchy = rule_eval_sym_of(base, thing->hierarchy, syms),
		.category = rule_eval_sym_of(base, thing->category, syms),
		.label = rule_eval_sym_of(base, thing->label, syms),
		.is_child = len == strlen(RUN_CHILD) && !memcmp(category, RUN_CHILD, len),
		.durations = base->durations + thing->first,
		.nr = thing->nr,
	};
}

struct past_durations *rule_eval_past(const struct runs *base, struct tr2_intern *syms,
				      uint32_t *nr)
{
	uint32_t *order = xreallocarray(NULL, (size_t)base->nr + 1, sizeof(*order));
	struct past_durations *past =
		xreallocarray(NULL, (size_t)base->nr_things + 1, sizeof(*past));

	*nr = 0;
	for (uint32_t i = 0; i < base->nr; i++)
		order[i] = i;
	sorted_runs = base;
	qsort(order, base->nr, sizeof(*order), start_compare);
	for (uint32_t i = 0; i < base->nr; i++) {
		const struct run *run = &base->items[order[i]];

		for (uint32_t k = 0; k < run->nr_durations; k++)
			past[(*nr)++] =
				past_of(base, run, &base->things[run->first_durations + k], syms);
	}
	free(order);
	return past;
}

static bool is_chosen_root(void *data, const struct model *model, uint32_t root)
{
	const struct session *s = data;

	return filter_process(s->filter, model, root);
}

static struct runs_choice choice_of(struct session *s)
{
	return (struct runs_choice){ .keep = s->filter ? is_chosen_root : NULL,
				     .keep_data = s,
				     .all_over = s->options->once };
}

static struct analysis what_of(const struct session *s)
{
	return (struct analysis){ .model = s->model,
				  .limits = { s->options->nesting, s->options->depth },
				  .now = s->options->once ? model_last_time(s->model)
							  : session_now(s),
				  .filter = s->filter,
				  .process = HANDLE_NONE,
				  .category = SYM_NONE,
				  .label = SYM_NONE };
}

bool session_save_runs(struct session *s)
{
	struct runs_choice choice = choice_of(s);
	struct analysis what;
	struct runs runs;
	bool ok;

	if (!s->options->save_runs || !s->model || s->saved)
		return true;
	s->saved = true;
	model_settle(s->model);
	what = what_of(s);
	choice.durations = true;
	runs_init(&runs);
	runs_add_model(&runs, NULL, &what, &choice);
	ok = runs_file_append(&runs, s->options->save_runs);
	if (!ok)
		complain_print_error("cannot write the runs to %s: %s", s->options->save_runs,
				     strerror(errno));
	runs_release(&runs);
	return ok;
}

void session_evaluate(struct session *s)
{
	struct runs_choice choice = choice_of(s);
	struct findings_counter of = { .root = SLOT_NONE };
	struct analysis what;

	if (!rule_results_asked(&s->verdicts))
		return;
	model_settle(s->model);
	what = what_of(s);
	of.of = (struct findings_of){ .what = &what,
				      .own_command = session_is_own_command(s),
				      .all_over = s->options->once,
				      .look = repository_look,
				      .keep = choice.keep,
				      .keep_data = choice.keep_data };
	of.findings.off = s->options->findings_off;
	rule_results_make(&s->verdicts, &what, &choice, 0, findings_count, &of);
	findings_count_release(&of);
}

bool rule_eval_asks_why(const struct options *o)
{
	return !o->once || o->lines || o->dump || o->keys || o->format != EXPORTER_TEXT ||
	       o->parts || o->findings || o->save_runs || o->keep_durations || o->compare.nr ||
	       o->fail_if.nr || o->rules.nr;
}

bool rule_eval_report(const struct rule_results *verdicts)
{
	uint32_t nr = verdicts->made ? rules_fail(&verdicts->rules) : 0;

	if (nr)
		complain_print_error("%" PRIu32 " of %" PRIu32
				     " rule%s failed or could not be evaluated",
				     nr, verdicts->rules.nr, verdicts->rules.nr == 1 ? "" : "s");
	return nr > 0;
}
