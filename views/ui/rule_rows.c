/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/rule_rows.h"
#include "engine/base/hash.h"

#include <string.h>

/* Age from which results are usually computed again: one second, plus one second per MANY_RUNS
 * runs. */
#define EVERY_NS  NS_PER_SEC
#define MANY_RUNS 500

static bool verdict_rows_is_chosen(void *data, const struct model *model, uint32_t root)
{
	return filter_process(data, model, root);
}

static uint64_t nr_found(void *data, uint32_t root, const char *id, const char *name)
{
	const struct view_ctx *ctx = data;
	struct handle of = root == SLOT_NONE ? HANDLE_NONE : model_handle(ctx->model, root);

	return findings_nr_of(&ctx->found->shown, ctx->model, of, id, name);
}

const struct rule_results *view_verdicts(struct view_ctx *ctx)
{
	struct rule_results *v = ctx->in->verdicts;
	struct filter *filter = ctx->what.filter;
	const char *text = filter ? filter_text(filter) : "";
	struct runs_choice choice = { .keep = filter ? verdict_rows_is_chosen : NULL,
				      .keep_data = filter };
	uint64_t id = tr2_hash(text, strlen(text));
	bool is_due, changed;
	ns_t every;

	if (!v || !rule_results_asked(v))
		return NULL;
	every = EVERY_NS * (1 + (v->base.nr + v->runs.nr) / MANY_RUNS);
	is_due = !v->made || !v->rounds || v->past || ctx->what.past || v->choice != id ||
		 ctx->in->monotonic_ns - v->made_ns >= every;
	changed = v->version != model_version(ctx->model) || v->rounds != ctx->found->nr_rounds;
	if (is_due && (!v->made || changed || v->choice != id)) {
		rule_results_make(v, &ctx->what, &choice, id, nr_found, ctx);
		v->version = model_version(ctx->model);
		v->rounds = ctx->found->nr_rounds;
		v->made_ns = ctx->in->monotonic_ns;
	}
	return v;
}

const struct rule *view_rule(const struct rule_results *v, uint32_t number)
{
	static const enum rule_result worst_first[] = { RULE_BROKEN, RULE_UNJUDGED, RULE_OK };

	for (size_t k = 0; v && k < sizeof(worst_first) / sizeof(*worst_first); k++)
		for (uint32_t i = 0; i < v->rules.nr; i++)
			if (v->rules.items[i].result == worst_first[k] && !number--)
				return &v->rules.items[i];
	return NULL;
}

enum style view_rule_style(const struct rule *rule)
{
	return rule->result == RULE_OK ? STYLE_OK : STYLE_ALERT;
}

void view_rule_format(const struct rule *rule, struct tr2_buf *out)
{
	tr2_buf_addf(out, "%-8s  ", rule_results[rule->result]);
	rule_format_value(rule, out);
	tr2_buf_addf(out, "  %s", rule->text);
	if (*rule->why)
		tr2_buf_addf(out, "  (%s)", rule->why);
}
