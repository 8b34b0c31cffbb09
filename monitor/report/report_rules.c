/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/report_rules.h"

#include <math.h>

#include "monitor/analysis/parts.h"
#include "monitor/base/json_write.h"
#include "monitor/report/text_cells.h"

/* ---- text ---- */

static void put_label(struct out *o, const struct comparison *c, sym_t label)
{
	size_t len;
	const char *text = compare_text(c, label, &len);

	tr2_buf_clear(&o->line);
	part_format_label(text, len, &o->line);
	put_visible(o, o->line.data, o->line.len);
}

static void put_percent(struct out *o, double share, size_t width)
{
	struct tr2_buf text;

	tr2_buf_init(&text, 64);
	compare_format_percent(&text, share);
	put_right(o, tr2_buf_cstr(&text), width);
	tr2_buf_release(&text);
}

static void put_name(struct out *o, const struct comparison *c, sym_t name, bool failed)
{
	tr2_buf_clear(&o->line);
	compare_format_name(c, name, failed, &o->line);
	put_visible(o, o->line.data, o->line.len);
}

static void put_difference(struct out *o, double ns, size_t width)
{
	char text[HUMAN_BYTES + 1];

	snprintf(text, sizeof(text), "%s%s", ns > 0 ? "+" : "",
		 human_duration((ns_t)llround(ns)).text);
	put_right(o, text, width);
}

static void part_row(struct out *o, const struct comparison *c, const struct compare_part *part)
{
	size_t start = o->buf.len;

	put_string(o, "    ");
	put_label(o, c, part->label);
	pad(o, start, 54);
	put_difference(o, part->mean, 11);
	put_string(o, part->differs ? "  significant\n" : "  not significant\n");
	text_drain(o, DRAIN_BYTES);
}

static void group_rows(struct out *o, const struct comparison *c, const struct compare_group *g)
{
	size_t start = o->buf.len, from;

	put_string(o, "  ");
	put_name(o, c, g->name, g->failed);
	pad(o, start, 24);
	put_right(o, human_duration((ns_t)llround(g->a.p50)).text, 10);
	put_right(o, human_duration((ns_t)llround(g->b.p50)).text, 10);
	if (g->verdict == COMPARE_APART) {
		pad(o, start, 73);
	} else {
		put_percent(o, g->shift, 9);
		put_string(o, " % ");
		from = o->buf.len;
		put_percent(o, g->low, 7);
		put_string(o, " .. ");
		put_percent(o, g->high, 0);
		pad(o, from, 19);
	}
	compare_format_verdict(g, &o->buf);
	put_string(o, "\n");
	from = o->buf.len;
	put_string(o, "    ");
	compare_format_why(g, &o->buf);
	if (o->buf.len > from + 4)
		put_string(o, ".\n");
	else
		o->buf.len = from;
	for (uint32_t i = 0; i < g->nr_parts; i++)
		part_row(o, c, &c->parts[g->first_part + i]);
	if (g->verdict == COMPARE_APART)
		return;
	start = o->buf.len;
	put_string(o, "    other");
	pad(o, start, 54);
	put_difference(o, g->other, 11);
	put_string(o, "\n");
}

static void compared(struct out *o, const struct rule_results *v)
{
	const struct comparison *c = &v->comparison;

	put(o, "\nComparison: base %" PRIu32 " runs, new %" PRIu32 " runs\n", v->base.nr,
	    v->runs.nr);
	put(o, "  %-22s%10s%10s%11s %18s  RESULT\n", "NAME", "BASE", "NEW", "CHANGE", "99 % CI");
	for (uint32_t i = 0; i < c->nr_groups; i++)
		group_rows(o, c, &c->groups[i]);
	for (uint32_t i = 0; i < c->nr_only; i++) {
		size_t start = o->buf.len;

		put_string(o, "  ");
		put_name(o, c, c->only[i].name, c->only[i].failed);
		pad(o, start, 24);
		put(o, "only in %s: %" PRIu32 " run%s\n", c->only[i].in_b ? "new" : "base",
		    c->only[i].runs, c->only[i].runs == 1 ? "" : "s");
	}
}

static void rule_row(struct out *o, const struct rule *r)
{
	static const char *const words[NR_RULE_RESULTS] = {
		[RULE_OK] = "passed", [RULE_BROKEN] = "failed", [RULE_UNJUDGED] = "not evaluated"
	};
	size_t start = o->buf.len;

	put_string(o, "  ");
	put_string(o, words[r->result]);
	pad(o, start, 17);
	tr2_buf_clear(&o->line);
	rule_format_value(r, &o->line);
	put_right(o, tr2_buf_cstr(&o->line), 9);
	put_string(o, "  ");
	put_visible(o, r->text, strlen(r->text));
	if (*r->why) {
		put_string(o, "  (");
		put_visible(o, r->why, strlen(r->why));
		put_string(o, ")");
	}
	put_string(o, "\n");
}

/* Failed rules come last, so that they are at the end of a log. */
static void judged(struct out *o, const struct rules *rules)
{
	static const enum rule_result shown[] = { RULE_OK, RULE_UNJUDGED, RULE_BROKEN };

	put(o, "\nRules\n  %-15s%9s  RULE\n", "RESULT", "VALUE");
	for (size_t k = 0; k < sizeof(shown) / sizeof(*shown); k++)
		for (uint32_t i = 0; i < rules->nr; i++)
			if (rules->items[i].result == shown[k])
				rule_row(o, &rules->items[i]);
}

void verdicts_text(struct out *o, const struct rule_results *v)
{
	if (v && v->compares)
		compared(o, v);
	if (v && v->rules.nr)
		judged(o, &v->rules);
}

/* ---- JSON ---- */

static void key_ns(struct tr2_jw *jw, const char *key, double ns)
{
	json_write_seconds(jw, key, (ns_t)llround(ns));
}

static void verdicts_key_sym(struct tr2_jw *jw, const struct comparison *c, const char *key,
			     sym_t sym)
{
	size_t len;
	const char *text = compare_text(c, sym, &len);

	json_write_text(jw, key, sym != SYM_NONE ? text : NULL, len);
}

static void side_json(struct tr2_jw *jw, const char *key, const struct compare_side *side)
{
	tr2_jw_key(jw, key);
	tr2_jw_object(jw);
	json_write_count(jw, "runs", side->runs);
	key_ns(jw, "p50", side->p50);
	key_ns(jw, "mean", side->mean);
	tr2_jw_end_object(jw);
}

static void verdicts_parts_json(struct tr2_jw *jw, const struct comparison *c,
				const struct compare_group *g)
{
	tr2_jw_key(jw, "parts");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < g->nr_parts; i++) {
		const struct compare_part *part = &c->parts[g->first_part + i];

		tr2_jw_object(jw);
		verdicts_key_sym(jw, c, "kind", part->kind);
		verdicts_key_sym(jw, c, "label", part->label);
		key_ns(jw, "mean", part->mean);
		key_ns(jw, "shift", part->shift);
		json_write_real(jw, "p", part->p);
		json_write_bool(jw, "differs", part->differs);
		tr2_jw_end_object(jw);
	}
	tr2_jw_end_array(jw);
}

static void group_json(struct tr2_jw *jw, const struct comparison *c, const struct compare_group *g)
{
	static const char *const figures[] = { "shift", "low", "high", "p" };
	const double values[] = { g->shift, g->low, g->high, g->p };

	tr2_jw_object(jw);
	verdicts_key_sym(jw, c, "name", g->name);
	json_write_bool(jw, "failed", g->failed);
	side_json(jw, "a", &g->a);
	side_json(jw, "b", &g->b);
	json_write_count(jw, "pairs", g->nr_pairs);
	json_write_cstring(jw, "verdict", compare_verdicts[g->verdict]);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		json_write_real(jw, figures[i], g->verdict == COMPARE_APART ? NAN : values[i]);
	verdicts_parts_json(jw, c, g);
	if (g->verdict != COMPARE_APART)
		key_ns(jw, "other", g->other);
	tr2_jw_end_object(jw);
}

static void only_json(struct tr2_jw *jw, const struct comparison *c, const char *key, bool in_b)
{
	tr2_jw_key(jw, key);
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < c->nr_only; i++) {
		const struct compare_only *only = &c->only[i];

		if (only->in_b != in_b)
			continue;
		tr2_jw_object(jw);
		verdicts_key_sym(jw, c, "name", only->name);
		json_write_bool(jw, "failed", only->failed);
		json_write_count(jw, "runs", only->runs);
		tr2_jw_end_object(jw);
	}
	tr2_jw_end_array(jw);
}

static void compare_json(struct tr2_jw *jw, const struct comparison *c)
{
	tr2_jw_key(jw, "compare");
	tr2_jw_object(jw);
	tr2_jw_key(jw, "groups");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < c->nr_groups; i++)
		group_json(jw, c, &c->groups[i]);
	tr2_jw_end_array(jw);
	only_json(jw, c, "only_a", false);
	only_json(jw, c, "only_b", true);
	tr2_jw_end_object(jw);
}

static void rule_json(struct tr2_jw *jw, const struct model *m, const struct rule *r)
{
	const struct process *worst = model_process(m, r->worst);

	tr2_jw_object(jw);
	json_write_cstring(jw, "rule", r->text);
	json_write_cstring(jw, "result", rule_results[r->result]);
	json_write_real(jw, "value", r->has_value ? r->value : NAN);
	json_write_cstring(jw, "unit", rule_units[r->unit]);
	json_write_count(jw, "samples", r->samples);
	json_write_cstring(jw, "why", r->why);
	json_write_text(jw, "worst", worst ? model_text(m, worst->sid) : NULL,
			worst ? worst->sid.len : 0);
	tr2_jw_end_object(jw);
}

void verdicts_json(struct tr2_jw *jw, const struct model *m, const struct rule_results *v)
{
	if (v && v->compares)
		compare_json(jw, &v->comparison);
	if (!v || !v->rules.nr)
		return;
	tr2_jw_key(jw, "rules");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < v->rules.nr; i++)
		rule_json(jw, m, &v->rules.items[i]);
	tr2_jw_end_array(jw);
}
