/* SPDX-License-Identifier: MIT */
/* What is compared and judged, for the views that show it: kept up to date, and rules as rows. */
#include "config.h"

#include "views/ui/view.h"

#include <string.h>

#include "monitor/analysis/findings.h"

/* So often are runs looked for, while a view shows what becomes of them: a second, and one more for
 * so many that are compared, since that takes 20 us each. */
#define EVERY_NS  NS_PER_SEC
#define MANY_RUNS 500

static bool is_chosen(void *data, const struct model *model, uint32_t root)
{
	return filter_process(data, model, root);
}

const struct verdicts *view_verdicts(struct view_ctx *ctx)
{
	struct verdicts *v = ctx->in->verdicts;
	struct filter *filter = ctx->what.filter;
	const char *text = filter ? filter_text(filter) : "";
	struct runs_choice choice = { .keep = filter ? is_chosen : NULL, .keep_data = filter };
	uint64_t id = tr2_hash(text, strlen(text));
	ns_t every;
	struct findings_counter counter = { .root = SLOT_NONE };
	bool is_due;

	if (!v || !verdicts_asked(v))
		return NULL;
	every = EVERY_NS * (1 + (v->base.nr + v->runs.nr) / MANY_RUNS);
	is_due = !v->made || v->past || ctx->what.past || v->choice != id ||
		 ctx->in->monotonic_ns - v->made_ns >= every;
	if (is_due && (!v->made || v->version != model_version(ctx->model) || v->choice != id)) {
		counter.what = &ctx->what;
		counter.findings.off = ctx->in->findings_off;
		counter.own_command = ctx->in->command_line != NULL;
		verdicts_make(v, &ctx->what, &choice, id, findings_count, &counter);
		findings_count_release(&counter);
		v->version = model_version(ctx->model);
		v->made_ns = ctx->in->monotonic_ns;
	}
	ctx->view->ticks = true;
	return v;
}

/* What is broken first: it is what the page is opened for. */
const struct rule *view_rule(const struct verdicts *v, uint32_t number)
{
	static const enum rule_result order[] = { RULE_BROKEN, RULE_UNJUDGED, RULE_OK };

	for (size_t k = 0; v && k < sizeof(order) / sizeof(*order); k++)
		for (uint32_t i = 0; i < v->rules.nr; i++)
			if (v->rules.items[i].result == order[k] && !number--)
				return &v->rules.items[i];
	return NULL;
}

enum style view_rule_style(const struct rule *rule)
{
	return rule->result == RULE_OK ? STYLE_OK : STYLE_ALERT;
}

void view_rule_say(const struct rule *rule, struct tr2_buf *out)
{
	tr2_buf_addf(out, "%-8s  ", rule_results[rule->result]);
	rule_say_value(rule, out);
	tr2_buf_addf(out, "  %s", rule->text);
	if (*rule->why)
		tr2_buf_addf(out, "  (%s)", rule->why);
}
