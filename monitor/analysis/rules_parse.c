/* SPDX-License-Identifier: MIT */
/* Parse the words of a rule in order. Parsing stops at the first error. */
#include "config.h"
#include "monitor/analysis/rules.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/findings.h"
#include "monitor/analysis/parts.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/visible.h"
#include "monitor/base/when.h"

#define BIT(stat) (1u << RULE_##stat)
#define OF_DURATIONS                                                                               \
	(BIT(COUNT) | BIT(TOTAL) | BIT(MIN) | BIT(MEAN) | BIT(P50) | BIT(P90) | BIT(P99) | BIT(MAX))

static const struct {
	const char *word;
	unsigned stats;
	bool compared;
} subjects[NR_RULE_SUBJECTS] = {
	[RULE_WALL] = { "wall", OF_DURATIONS, true },
	[RULE_REGION] = { "region", OF_DURATIONS | BIT(SELF), true },
	[RULE_PART] = { "part", OF_DURATIONS | BIT(SHARE), true },
	[RULE_FINDING] = { "finding", BIT(COUNT), false },
	[RULE_FAILED] = { "failed", BIT(COUNT), false },
	[RULE_ERRORS] = { "errors", BIT(COUNT), false },
};

static const char *const stats[NR_RULE_STATS] = {
	[RULE_COUNT] = "count", [RULE_TOTAL] = "total", [RULE_SELF] = "self", [RULE_MIN] = "min",
	[RULE_MEAN] = "mean",   [RULE_P50] = "p50",     [RULE_P90] = "p90",   [RULE_P99] = "p99",
	[RULE_MAX] = "max",     [RULE_SHARE] = "share",
};

static const char *const ops[NR_RULE_OPS] = {
	[RULE_LT] = "<",  [RULE_LE] = "<=", [RULE_GT] = ">",
	[RULE_GE] = ">=", [RULE_EQ] = "=",  [RULE_NE] = "!=",
};

struct rule_parser {
	const char *text;
	size_t at;
	struct rule *rule;
	struct rule_error *error;
};

/* Sets the error. Returns false. */
__attribute__((format(printf, 3, 4))) static bool
rule_parse_error(struct rule_parser *p, size_t column, const char *fmt, ...)
{
	va_list ap;

	p->error->column = column;
	va_start(ap, fmt);
	vsnprintf(p->error->message, sizeof(p->error->message), fmt, ap);
	va_end(ap);
	/* hide control characters, because the message quotes the user's input */
	visible_mask(p->error->message);
	return false;
}

static void rule_skip_blanks(struct rule_parser *p)
{
	while (isspace((unsigned char)p->text[p->at]))
		p->at++;
}

static bool rule_at_end(struct rule_parser *p)
{
	rule_skip_blanks(p);
	return !p->text[p->at];
}

/* The word ends at a blank, a quote or an operator. */
static size_t rule_word_length(struct rule_parser *p)
{
	rule_skip_blanks(p);
	return strcspn(p->text + p->at, " \t\r\n\"<>=!");
}

static bool parse_rule_word(struct rule_parser *p, const char *word)
{
	size_t len = rule_word_length(p);

	if (len != strlen(word) || memcmp(p->text + p->at, word, len))
		return false;
	p->at += len;
	return true;
}

/* Returns NULL on errors. */
static char *parse_rule_name(struct rule_parser *p, const char *wanted)
{
	size_t len = rule_word_length(p), from = p->at, n = 0;
	const char *text = p->text + from;
	char *out;

	if (*text != '"') {
		if (!len) {
			rule_parse_error(p, from, "expected %s", wanted);
			return NULL;
		}
		p->at += len;
		out = xcalloc(len + 1, 1);
		memcpy(out, text, len);
		return out;
	}
	out = xcalloc(strlen(text) + 1, 1);
	for (text++; *text && *text != '"'; text++) {
		if (*text == '\\' && (text[1] == '"' || text[1] == '\\'))
			text++;
		out[n++] = *text;
	}
	p->at = (size_t)(text - p->text) + (*text == '"');
	if (*text == '"' && n)
		return out;
	if (*text == '"')
		rule_parse_error(p, from, "expected %s, not \"\"", wanted);
	else
		rule_parse_error(p, p->at, "expected a closing \"");
	free(out);
	return NULL;
}

static bool parse_rule_subject(struct rule_parser *p)
{
	size_t from;
	struct rule *r = p->rule;

	r->compare = parse_rule_word(p, "compare");
	rule_skip_blanks(p);
	from = p->at;
	for (int i = 0; i < NR_RULE_SUBJECTS; i++) {
		if (!parse_rule_word(p, subjects[i].word))
			continue;
		r->subject = (enum rule_subject)i;
		if (r->compare && !subjects[i].compared)
			return rule_parse_error(p, from,
						"'%s' cannot be compared; use wall, region or part",
						subjects[i].word);
		return true;
	}
	return rule_parse_error(p, from, "expected wall, region, part, finding, failed or errors%s",
				r->compare ? " after compare" : "");
}

/* "?" in place of a name means that the name is absent. */
static char *name_part(const char *text, size_t len)
{
	char *out;

	if (len == 1 && *text == '?')
		return NULL;
	out = xcalloc(len + 1, 1);
	memcpy(out, text, len);
	return out;
}

static bool parse_rule_region(struct rule_parser *p)
{
	size_t from = (rule_skip_blanks(p), p->at);
	char *both = parse_rule_name(p, "CATEGORY/LABEL");
	const char *slash;

	if (!both)
		return false;
	slash = strchr(both, '/');
	if (!slash || slash == both || !slash[1]) {
		free(both);
		return rule_parse_error(p, from, "expected CATEGORY/LABEL, such as index/refresh");
	}
	p->rule->category = name_part(both, (size_t)(slash - both));
	p->rule->label = name_part(slash + 1, strlen(slash + 1));
	p->rule->what = both;
	return true;
}

static bool parse_part_kind(struct rule_parser *p)
{
	size_t from = (rule_skip_blanks(p), p->at);
	char kinds[120] = "";

	p->rule->what = parse_rule_name(p, "a kind of part");
	if (!p->rule->what)
		return false;
	for (int i = 0; i < NR_PART_KINDS; i++) {
		size_t used = strlen(kinds);

		if (i == PART_COMMAND)
			continue; /* no run has a part of kind PART_COMMAND */
		if (!strcmp(p->rule->what, part_kind_names[i]))
			return true;
		snprintf(kinds + used, sizeof(kinds) - used, "%s%s", i ? ", " : "",
			 part_kind_names[i]);
	}
	return rule_parse_error(p, from, "unknown kind of part; expected one of %s", kinds);
}

static bool is_stat(struct rule_parser *p)
{
	size_t at = p->at;
	bool is = false;

	for (int i = 0; i < NR_RULE_STATS && !is; i++)
		is = parse_rule_word(p, stats[i]);
	p->at = at;
	return is;
}

static bool parse_finding(struct rule_parser *p)
{
	size_t from = (rule_skip_blanks(p), p->at);

	if (!rule_word_length(p) || is_stat(p))
		return true;
	p->rule->what = parse_rule_name(p, "the id of a finding");
	if (!p->rule->what || finding_find(p->rule->what, strlen(p->rule->what)) >= 0)
		return true;
	return rule_parse_error(p, from, "unknown finding '%.60s'; see man trace2top-findings",
				p->rule->what);
}

static bool parse_what(struct rule_parser *p)
{
	switch (p->rule->subject) {
	case RULE_REGION:
		return parse_rule_region(p);
	case RULE_PART:
		return parse_part_kind(p);
	case RULE_FINDING:
		return parse_finding(p);
	case RULE_WALL:
	case RULE_FAILED:
	case RULE_ERRORS:
	case NR_RULE_SUBJECTS:
		break;
	}
	return true;
}

static bool parse_stat(struct rule_parser *p)
{
	const char *subject = subjects[p->rule->subject].word;
	size_t from = (rule_skip_blanks(p), p->at);

	p->rule->stat = subjects[p->rule->subject].stats & BIT(P50) ? RULE_P50 : RULE_COUNT;
	for (int i = 0; i < NR_RULE_STATS; i++) {
		if (!parse_rule_word(p, stats[i]))
			continue;
		if (p->rule->compare)
			return rule_parse_error(p, from, "compare uses the shift; remove '%s'",
						stats[i]);
		if (!(subjects[p->rule->subject].stats >> i & 1))
			return rule_parse_error(p, from, "'%s' has no '%s'", subject, stats[i]);
		p->rule->stat = (enum rule_stat)i;
		return true;
	}
	return true;
}

static bool parse_rule_op(struct rule_parser *p)
{
	size_t len = (rule_skip_blanks(p), strspn(p->text + p->at, "<>=!"));

	for (int i = 0; i < NR_RULE_OPS; i++)
		if (len == strlen(ops[i]) && !memcmp(p->text + p->at, ops[i], len)) {
			p->rule->op = (enum rule_op)i;
			p->at += len;
			return true;
		}
	return rule_parse_error(p, p->at, "expected one of < <= > >= = !=");
}

static enum rule_unit rule_unit_of(const struct rule *r)
{
	if (r->compare || r->stat == RULE_SHARE)
		return RULE_PERCENT;
	return r->stat == RULE_COUNT ? RULE_NUMBER : RULE_US;
}

/* Parse an optional sign and 1 to 15 digits with at most one point, in any locale. Returns false
 * for other texts. */
static bool rule_parse_number(const char *text, size_t len, double *out)
{
	size_t at = 0, digits = 0;
	double value = 0, scale = 1;
	bool negative = len && *text == '-';

	if (len && (*text == '-' || *text == '+'))
		at++;
	for (; at < len && isdigit((unsigned char)text[at]); at++, digits++)
		value = value * 10 + (text[at] - '0');
	if (at < len && text[at] == '.')
		for (at++; at < len && isdigit((unsigned char)text[at]); at++, digits++)
			value += (text[at] - '0') * (scale /= 10);
	*out = negative ? -value : value;
	return digits && digits <= 15 && at == len;
}

static bool parse_rule_value(struct rule_parser *p)
{
	static const char *const wanted[NR_RULE_UNITS] = {
		[RULE_US] = "a duration, such as 100ms or 2s",
		[RULE_NUMBER] = "a number",
		[RULE_PERCENT] = "a percentage, such as 5% or +5%",
	};
	struct rule *r = p->rule;
	size_t len = rule_word_length(p), from = p->at;
	char text[40];
	ns_t ns;

	r->unit = rule_unit_of(r);
	if (len && len < sizeof(text)) {
		memcpy(text, p->text + from, len);
		text[len] = '\0';
		p->at += len;
		if (r->unit == RULE_US && isdigit((unsigned char)*text) &&
		    duration_parse(text, &ns)) {
			r->limit = (double)ns / NS_PER_US;
			return true;
		}
		if (r->unit == RULE_NUMBER && isdigit((unsigned char)*text) &&
		    rule_parse_number(text, len, &r->limit))
			return true;
		if (r->unit == RULE_PERCENT && text[len - 1] == '%' &&
		    rule_parse_number(text, len - 1, &r->limit))
			return true;
	}
	return rule_parse_error(p, from, "expected %s", wanted[r->unit]);
}

static bool parse_where(struct rule_parser *p)
{
	if (!parse_rule_word(p, "where"))
		return true;
	if (!parse_rule_word(p, "name"))
		return rule_parse_error(p, p->at, "expected name: where name = NAME");
	rule_skip_blanks(p);
	if (p->text[p->at] != '=' || strspn(p->text + p->at, "<>=!") != 1)
		return rule_parse_error(p, p->at, "expected =: where name = NAME");
	p->at++;
	p->rule->name = parse_rule_name(p, "the name of a command");
	return p->rule->name != NULL;
}

static bool parse_absent(struct rule_parser *p)
{
	if (!parse_rule_word(p, "or"))
		return true;
	if (!parse_rule_word(p, "absent"))
		return rule_parse_error(p, p->at, "expected absent: or absent");
	p->rule->or_absent = true;
	return true;
}

static bool parse_rule_end(struct rule_parser *p)
{
	if (rule_at_end(p))
		return true;
	return rule_parse_error(p, p->at, "expected %s",
				p->rule->or_absent ? "the end of the rule"
				: p->rule->name
					? "or absent, or the end of the rule"
					: "where name = NAME, or absent, or the end of the rule");
}

static void rule_release(struct rule *r)
{
	free(r->text);
	free(r->category);
	free(r->label);
	free(r->what);
	free(r->name);
}

bool rules_add(struct rules *rules, const char *text, struct rule_error *error)
{
	struct rule rule = { .worst = HANDLE_NONE };
	struct rule_parser p = { .text = text, .rule = &rule, .error = error };
	size_t from = (rule_skip_blanks(&p), p.at), len = strlen(text);

	if (!(parse_rule_subject(&p) && parse_what(&p) && parse_stat(&p) && parse_rule_op(&p) &&
	      parse_rule_value(&p) && parse_where(&p) && parse_absent(&p) && parse_rule_end(&p))) {
		rule_release(&rule);
		return false;
	}
	while (len > from && isspace((unsigned char)text[len - 1]))
		len--;
	rule.text = xcalloc(len - from + 1, 1);
	memcpy(rule.text, text + from, len - from);
	GROW(rules->items, rules->nr, rules->cap, 8);
	rules->items[rules->nr++] = rule;
	return true;
}

void rules_release(struct rules *rules)
{
	for (uint32_t i = 0; i < rules->nr; i++)
		rule_release(&rules->items[i]);
	free(rules->items);
	*rules = (struct rules){ .nr = 0 };
}
