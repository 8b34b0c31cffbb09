/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/rules.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/roots.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/humanize.h"
#include "monitor/base/platform.h"
#include "monitor/base/visible.h"

const char *const rule_units[NR_RULE_UNITS] = {
	[RULE_US] = "us",
	[RULE_NUMBER] = "count",
	[RULE_PERCENT] = "percent",
};

const char *const rule_results[NR_RULE_RESULTS] = {
	[RULE_OK] = "ok",
	[RULE_BROKEN] = "broken",
	[RULE_UNJUDGED] = "unjudged",
};

bool rules_need_regions(const struct rules *rules)
{
	for (uint32_t i = 0; i < rules->nr; i++)
		if (rules->items[i].subject == RULE_REGION && !rules->items[i].compare)
			return true;
	return false;
}

uint32_t rules_fail(const struct rules *rules)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < rules->nr; i++)
		nr += rules->items[i].result != RULE_OK;
	return nr;
}

static bool rule_holds(enum rule_op op, double value, double limit)
{
	switch (op) {
	case RULE_LT:
		return value < limit;
	case RULE_LE:
		return value <= limit;
	case RULE_GT:
		return value > limit;
	case RULE_GE:
		return value >= limit;
	case RULE_EQ:
		return value == limit;
	case RULE_NE:
		return value != limit;
	case NR_RULE_OPS:
		break;
	}
	return false;
}

__attribute__((format(printf, 3, 4))) static void
rule_set_result(struct rule *r, enum rule_result result, const char *fmt, ...)
{
	va_list ap;

	r->result = result;
	va_start(ap, fmt);
	vsnprintf(r->why, sizeof(r->why), fmt, ap);
	va_end(ap);
}

static void nothing_matched(struct rule *r)
{
	rule_set_result(r, r->or_absent ? RULE_OK : RULE_UNJUDGED, "no data matched");
}

static void rule_set_value(struct rule *r, double value)
{
	r->has_value = true;
	r->value = value;
	r->result = rule_holds(r->op, value, r->limit) ? RULE_BROKEN : RULE_OK;
}

/* context of the evaluation of all rules */
struct rule_eval {
	const struct rules_of *of;
	struct roots roots;
};

static uint32_t rule_root_slot(const struct rule_eval *j, struct handle process)
{
	uint32_t slot = model_handle_here(j->of->model, process).slot;

	return slot < j->roots.nr ? slot : SLOT_NONE;
}

static bool rule_name_matches(const struct rule *r, const char *name, size_t len)
{
	return !r->name || (len == strlen(r->name) && !memcmp(name, r->name, len));
}

static bool root_is_asked(struct rule_eval *j, const struct rule *r, uint32_t root)
{
	const struct rules_of *of = j->of;
	const struct process *p = model_slot(of->model, root);
	size_t len;
	const char *name = model_sym(of->model, p->name, &len);

	return (!of->keep || of->keep(of->keep_data, of->model, root)) &&
	       (!r->name || (p->name != SYM_NONE && rule_name_matches(r, name, len)));
}

static bool run_is_asked(const struct rules_of *of, const struct rule *r, uint32_t number)
{
	sym_t sym = of->runs->items[number].name;
	size_t len;
	const char *name = tr2_intern_text(&of->runs->texts, sym, &len);

	return !r->name || (sym != SYM_NONE && rule_name_matches(r, name, len));
}

static bool any_run_is_asked(const struct rules_of *of, const struct rule *r)
{
	for (uint32_t i = 0; i < of->runs->nr; i++)
		if (run_is_asked(of, r, i))
			return true;
	return false;
}

struct sample {
	double us;
	uint32_t root; /* slot of the root process; SLOT_NONE: the process was evicted */
};

struct samples {
	struct sample *items;
	uint32_t nr, cap;
	double self; /* for regions: sum of the times without inner regions, in us */
};

static void rule_add_sample(struct samples *samples, ns_t ns, uint32_t root)
{
	GROW(samples->items, samples->nr, samples->cap, 64);
	samples->items[samples->nr++] = (struct sample){ (double)ns / NS_PER_US, root };
}

static int sample_compare(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->us != y->us)
		return x->us < y->us ? -1 : 1;
	return (x->root > y->root) - (x->root < y->root);
}

static double samples_quantile(const struct samples *samples, double q)
{
	uint32_t rank = (uint32_t)ceil(q * samples->nr - 1e-9);

	return samples->items[rank ? rank - 1 : 0].us;
}

static double figure_of(const struct samples *samples, enum rule_stat stat)
{
	double total = 0;

	for (uint32_t i = 0; i < samples->nr; i++)
		total += samples->items[i].us;
	switch (stat) {
	case RULE_COUNT:
		return samples->nr;
	case RULE_TOTAL:
		return total;
	case RULE_SELF:
		return samples->self;
	case RULE_MIN:
		return samples->items[0].us;
	case RULE_MEAN:
		return total / samples->nr;
	case RULE_P50:
		return samples_quantile(samples, 0.50);
	case RULE_P90:
		return samples_quantile(samples, 0.90);
	case RULE_P99:
		return samples_quantile(samples, 0.99);
	case RULE_MAX:
		return samples->items[samples->nr - 1].us;
	case RULE_SHARE:
	case NR_RULE_STATS:
		break;
	}
	return 0;
}

static void rule_set_worst(struct rule *r, const struct rules_of *of, const struct samples *samples)
{
	bool least = r->op == RULE_LT || r->op == RULE_LE;
	uint32_t root = samples->items[least ? 0 : samples->nr - 1].root;

	if (root != SLOT_NONE)
		r->worst = model_handle(of->model, root);
}

static void eval_samples(struct rule *r, const struct rules_of *of, struct samples *samples)
{
	r->samples = samples->nr;
	if (samples->nr) {
		qsort(samples->items, samples->nr, sizeof(*samples->items), sample_compare);
		rule_set_value(r, figure_of(samples, r->stat));
		rule_set_worst(r, of, samples);
		snprintf(r->why, sizeof(r->why), "%" PRIu32 " sample%s", samples->nr,
			 samples->nr == 1 ? "" : "s");
	} else {
		nothing_matched(r);
	}
	free(samples->items);
}

static int run_compare_name(const void *a, const void *b, void *data)
{
	const struct run *runs = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (runs[x].name != runs[y].name)
		return runs[x].name < runs[y].name ? -1 : 1;
	return x < y ? -1 : x > y;
}

/*
 * True if the result of `r` is worse than that of `than`. A broken rule is worse. If both results
 * are equal, the worse value is closer to the limit, or further beyond it; with = and != neither is
 * worse.
 */
static bool rule_is_worse(const struct rule *r, const struct rule *than)
{
	if (r->result != than->result)
		return r->result == RULE_BROKEN;
	if (r->op == RULE_LT || r->op == RULE_LE)
		return r->value < than->value;
	return (r->op == RULE_GT || r->op == RULE_GE) && r->value > than->value;
}

static void eval_wall_of(struct rule *r, struct rule_eval *j, const uint32_t *order, uint32_t nr)
{
	struct samples samples = { .nr = 0 };

	for (uint32_t i = 0; i < nr; i++)
		rule_add_sample(&samples, j->of->runs->items[order[i]].wall,
				rule_root_slot(j, j->of->roots[order[i]]));
	eval_samples(r, j->of, &samples);
}

static void rule_add_name(struct rule *r, const struct runs *runs, sym_t name)
{
	struct tr2_buf line;
	size_t len, at = strlen(r->why);
	const char *text = tr2_intern_text(&runs->texts, name, &len);

	tr2_buf_init(&line, 1 << 12);
	text_visible_cut(&line, text, len, 100);
	snprintf(r->why + at, sizeof(r->why) - at, " of %s", tr2_buf_cstr(&line));
	tr2_buf_release(&line);
}

/*
 * Evaluate the wall time per name of a command; the worst name counts, because a median over a slow
 * pull and many fast commands would be meaningless. Count and total are over all runs.
 */
static void eval_wall(struct rule *r, struct rule_eval *j)
{
	const struct runs *runs = j->of->runs;
	uint32_t *order = xreallocarray(NULL, (size_t)runs->nr + 1, sizeof(*order)), nr = 0,
		 of_name;
	bool by_name = r->stat != RULE_COUNT && r->stat != RULE_TOTAL, has_worst = false;
	const struct rule unset = *r;
	struct rule worst = *r;

	for (uint32_t i = 0; i < runs->nr; i++)
		if (run_is_asked(j->of, r, i))
			order[nr++] = i;
	if (by_name)
		platform_sort(order, nr, sizeof(*order), run_compare_name, runs->items);
	for (uint32_t i = 0; i < nr; i += of_name) {
		sym_t name = runs->items[order[i]].name;
		struct rule one = unset;

		for (of_name = 1; i + of_name < nr; of_name++)
			if (by_name && runs->items[order[i + of_name]].name != name)
				break;
		eval_wall_of(&one, j, order + i, of_name);
		if (of_name < nr && name != SYM_NONE)
			rule_add_name(&one, runs, name);
		if (!has_worst || rule_is_worse(&one, &worst))
			worst = one;
		has_worst = true;
	}
	free(order);
	if (has_worst)
		*r = worst;
	else
		nothing_matched(r);
}

/* Get the symbol of `text`; SYM_NONE for NULL. Returns false if the model does not have the
 * text. */
static bool rule_find_symbol(const struct model *m, const char *text, sym_t *out)
{
	const struct tr2_intern *syms = model_syms(m);
	size_t len = text ? strlen(text) : 0;

	*out = SYM_NONE;
	for (sym_t s = 0; text && s < syms->nr_syms; s++) {
		size_t other;
		const char *bytes = tr2_intern_text(syms, s, &other);

		if (other == len && !memcmp(bytes, text, len)) {
			*out = s;
			return true;
		}
	}
	return !text;
}

static void eval_region(struct rule *r, struct rule_eval *j)
{
	const struct rules_of *of = j->of;
	const struct model *m = of->model;
	struct samples samples = { .nr = 0 };
	sym_t category, label;
	bool is_said = rule_find_symbol(m, r->category, &category) &&
		       rule_find_symbol(m, r->label, &label);

	for (uint32_t i = 0; is_said && i < model_nr_samples(m); i++) {
		const struct region_sample *s = model_sample(m, i);
		uint32_t root;

		if (s->category != category || s->label != label)
			continue;
		root = rule_root_slot(j, s->process);
		root = root == SLOT_NONE ? SLOT_NONE : root_of(&j->roots, root);
		if (root == SLOT_NONE ? r->name || of->keep : !root_is_asked(j, r, root))
			continue;
		rule_add_sample(&samples, s->duration, root);
		samples.self += (double)s->self / NS_PER_US;
	}
	eval_samples(r, of, &samples);
	if (r->samples && model_dropped(m)->samples)
		snprintf(r->why, sizeof(r->why), "the newest %" PRIu64 " samples", r->samples);
}

static bool rule_kind_is(const struct runs *runs, const struct run_part *part, const char *kind)
{
	return tr2_intern_is(&runs->texts, part->kind, kind);
}

static void eval_part(struct rule *r, struct rule_eval *j)
{
	const struct rules_of *of = j->of;
	struct samples samples = { .nr = 0 };
	double wall = 0, held = 0;
	uint32_t having = 0;

	for (uint32_t i = 0; i < of->runs->nr; i++) {
		const struct run *run = &of->runs->items[i];
		ns_t time = 0;

		if (!run_is_asked(of, r, i))
			continue;
		for (uint32_t k = 0; k < run->nr_parts; k++) {
			const struct run_part *part = &of->runs->parts[run->first_part + k];

			time += rule_kind_is(of->runs, part, r->what) ? part->time : 0;
		}
		rule_add_sample(&samples, time, rule_root_slot(j, of->roots[i]));
		wall += (double)run->wall;
		held += (double)time;
		having += time > 0;
	}
	eval_samples(r, of, &samples);
	if (!r->samples)
		return;
	if (r->stat == RULE_COUNT)
		rule_set_value(r, having);
	if (r->stat == RULE_SHARE && wall > 0)
		rule_set_value(r, held / wall * 100);
	else if (r->stat == RULE_SHARE)
		nothing_matched(r);
}

static void eval_finding(struct rule *r, struct rule_eval *j)
{
	const struct rules_of *of = j->of;
	uint64_t nr = 0;

	if (!of->findings) {
		rule_set_result(r, RULE_UNJUDGED, "findings are disabled");
		return;
	}
	for (uint32_t i = 0; i < of->runs->nr; i++) {
		uint32_t root = rule_root_slot(j, of->roots[i]);

		if (root != SLOT_NONE && run_is_asked(of, r, i))
			nr += of->findings(of->findings_data, root, r->what, NULL);
	}
	nr += of->findings(of->findings_data, SLOT_NONE, r->what, r->name);
	if (nr || any_run_is_asked(of, r))
		rule_set_value(r, (double)nr);
	else
		nothing_matched(r);
}

static void eval_count(struct rule *r, struct rule_eval *j)
{
	const struct rules_of *of = j->of;
	const struct model *m = of->model;
	const struct model_totals *totals = model_totals(m);
	bool errors = r->subject == RULE_ERRORS;
	uint64_t nr = 0, most = 0;

	if (!any_run_is_asked(of, r)) {
		nothing_matched(r);
		return;
	}
	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s)) {
		const struct process *p = model_slot(m, s);
		uint64_t here = errors ? p->nr_errors : process_failed(p);
		uint32_t root;

		if (!here || !root_is_asked(j, r, root = root_of(&j->roots, s)))
			continue;
		nr += here;
		if (here > most) {
			most = here;
			r->worst = model_handle(m, root);
		}
	}
	/* use the model's totals if all processes count, because they include evicted processes */
	if (!r->name && !of->keep)
		nr = errors ? totals->errors : totals->failed;
	rule_set_value(r, (double)nr);
}

struct asked {
	const struct rule *rule;
	struct tr2_buf line;
};

static bool part_is_asked(void *data, const struct runs *runs, const struct run_part *part)
{
	struct asked *asked = data;
	const struct rule *r = asked->rule;

	if (r->subject == RULE_PART)
		return rule_kind_is(runs, part, r->what);
	if (!rule_kind_is(runs, part, "region"))
		return false;
	tr2_buf_clear(&asked->line);
	run_part_format(runs, part, &asked->line);
	return !strcmp(tr2_buf_cstr(&asked->line), r->what);
}

static bool symbol_matches(const struct comparison *c, sym_t sym, const char *text)
{
	size_t len;
	const char *bytes = compare_text(c, sym, &len);

	return len == strlen(text) && !memcmp(bytes, text, len);
}

/* Return the rule's region in a group, with p adjusted over all parts of the group; NULL: none. */
static const struct compare_part *region_part(const struct comparison *c,
					      const struct compare_group *g, const struct rule *r)
{
	for (uint32_t i = 0; i < g->nr_parts; i++) {
		const struct compare_part *part = &c->parts[g->first_part + i];

		if (symbol_matches(c, part->kind, "region") &&
		    symbol_matches(c, part->label, r->what))
			return part;
	}
	return NULL;
}

struct group_result {
	bool is_there, is_small, differs;
	double percent;
};

static struct group_result group_has_value(const struct comparison *c,
					   const struct compare_group *g, const struct rule *r)
{
	struct asked asked = { .rule = r };
	struct compare_part sum;
	const struct compare_part *part = &sum;
	struct group_result said = { .is_there = true };
	double share;

	if (r->subject == RULE_WALL) {
		said.differs = g->verdict == COMPARE_SLOWER || g->verdict == COMPARE_FASTER;
		said.percent = g->shift * 100;
		return said;
	}
	tr2_buf_init(&asked.line, SIZE_MAX / 2);
	said.is_there = compare_sum(c, g, part_is_asked, &asked, &sum, &share);
	tr2_buf_release(&asked.line);
	said.is_small = share < COMPARE_PART;
	if (!said.is_there || said.is_small)
		return said;
	if (r->subject == RULE_REGION && !(part = region_part(c, g, r)))
		part = &sum;
	said.differs = part->differs;
	said.percent = part->shift / g->a.p50 * 100;
	return said;
}

/*
 * True if, of two groups that both fail or both pass, the report names that with `percent` rather
 * than that with `than`: the lower percentage if the rule is `<` or `<=`, otherwise the higher.
 */
static bool is_nearer(const struct rule *r, double percent, double than)
{
	return r->op == RULE_LT || r->op == RULE_LE ? percent < than : percent > than;
}

static void set_group_result(struct rule *r, const struct comparison *c,
			     const struct compare_group *g, const struct group_result *said,
			     bool several)
{
	struct tr2_buf why;
	bool broken = said->differs && rule_holds(r->op, said->percent, r->limit);
	bool was = r->has_value && r->result == RULE_BROKEN;

	if (r->has_value &&
	    (was > broken || (was == broken && !is_nearer(r, said->percent, r->value))))
		return;
	r->has_value = true;
	r->value = said->percent;
	r->samples = g->nr_pairs;
	r->result = broken ? RULE_BROKEN : RULE_OK;
	tr2_buf_init(&why, sizeof(r->why));
	if (several) {
		compare_format_name(c, g->name, g->failed, &why);
		tr2_buf_addstr(&why, ": ");
	}
	compare_format_percent(&why, said->percent / 100);
	tr2_buf_addstr(&why, said->differs ? " %" : " %, which is noise");
	snprintf(r->why, sizeof(r->why), "%s", tr2_buf_cstr(&why));
	tr2_buf_release(&why);
}

static bool group_is_asked(const struct comparison *c, const struct compare_group *g,
			   const struct rule *r)
{
	size_t len;
	const char *name = compare_text(c, g->name, &len);

	return !r->name || (g->name != SYM_NONE && rule_name_matches(r, name, len));
}

static void eval_compare(struct rule *r, const struct comparison *c)
{
	uint32_t asked = 0, apart = 0, small = 0, there = 0;

	if (!c) {
		rule_set_result(r, RULE_UNJUDGED, "no base runs: pass --compare");
		return;
	}
	for (uint32_t i = 0; i < c->nr_groups; i++)
		asked += group_is_asked(c, &c->groups[i], r);
	for (uint32_t i = 0; i < c->nr_groups; i++) {
		const struct compare_group *g = &c->groups[i];
		struct group_result said;

		if (!group_is_asked(c, g, r))
			continue;
		if (g->verdict == COMPARE_APART) {
			apart++;
			continue;
		}
		said = group_has_value(c, g, r);
		there += said.is_there;
		small += said.is_there && said.is_small;
		if (said.is_there && !said.is_small)
			set_group_result(r, c, g, &said, asked > 1);
	}
	if (r->has_value && r->result == RULE_BROKEN)
		return;
	if (apart)
		rule_set_result(r, RULE_UNJUDGED, "recorded one after the other, or too few pairs");
	else if (!there)
		nothing_matched(r);
	else if (small == there)
		rule_set_result(r, RULE_OK, "below 1 %% of the wall time");
}

void rules_evaluate(struct rules *rules, const struct rules_of *of)
{
	static void (*const judges[NR_RULE_SUBJECTS])(struct rule *, struct rule_eval *) = {
		[RULE_WALL] = eval_wall,    [RULE_REGION] = eval_region,
		[RULE_PART] = eval_part,    [RULE_FINDING] = eval_finding,
		[RULE_FAILED] = eval_count, [RULE_ERRORS] = eval_count,
	};
	struct rule_eval j = { .of = of };

	roots_make(&j.roots, of->model);
	for (uint32_t i = 0; i < rules->nr; i++) {
		struct rule *r = &rules->items[i];

		r->result = RULE_OK;
		r->has_value = false;
		r->samples = 0;
		r->worst = HANDLE_NONE;
		*r->why = '\0';
		if (r->compare)
			eval_compare(r, of->comparison);
		else
			judges[r->subject](r, &j);
	}
	roots_release(&j.roots);
}

void rule_format_value(const struct rule *r, struct tr2_buf *out)
{
	if (!r->has_value) {
		tr2_buf_addch(out, '-');
	} else if (r->unit == RULE_US) {
		/* a sum of durations may be longer than the longest ns_t */
		bool fits = r->value < (double)(INT64_MAX / NS_PER_US);

		tr2_buf_addstr(
			out, human_duration(fits ? (ns_t)(r->value * NS_PER_US) : INT64_MAX).text);
	} else if (r->unit == RULE_NUMBER) {
		tr2_buf_addu(out, (uint64_t)r->value, 1);
	} else {
		size_t at = out->len;

		compare_format_percent(out, r->value / 100);
		/* a share of the wall time is not a change, so print no sign */
		if (!r->compare && out->data[at] == '+')
			memmove(out->data + at, out->data + at + 1, --out->len - at);
		tr2_buf_addstr(out, " %");
	}
}
