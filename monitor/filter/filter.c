/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/filter/filter_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/secrets.h"

/* short names of kinds of rows, for filter.def and attributes.def */
enum {
	PROCESS = FILTER_ROWS_PROCESS,
	TIMING = FILTER_ROWS_TIMING,
	REGION = FILTER_ROWS_REGION,
	CHILD = FILTER_ROWS_CHILD,
	EVENT = FILTER_ROWS_EVENT,
	OCCURRENCE = FILTER_ROWS_OCCURRENCE,
	COMMAND = FILTER_ROWS_COMMAND,
	GROUPED = FILTER_ROWS_COMMAND | FILTER_ROWS_TIMING,
};

const struct filter_field_desc filter_fields[NR_FILTER_FIELDS] = {
#define FILTER_FIELD(ID, name_, type_, rows_, doc_)                                                \
	[FILTER_##ID] = {                                                                          \
		.name = name_, .doc = doc_, .type = ATTRIBUTE_TYPE_##type_, .rows = (rows_)        \
	},
#define FILTER_KEYED_FIELD(ID, name_, key_, type_, rows_, doc_)                                    \
	[FILTER_##ID] = { .name = name_,                                                           \
			  .doc = doc_,                                                             \
			  .key = key_,                                                             \
			  .type = ATTRIBUTE_TYPE_##type_,                                          \
			  .rows = (rows_) },
#include "monitor/filter/filter.def"
};

const struct filter_state_desc filter_states[NR_ATTRIBUTE_STATES] = {
#define ATTRIBUTE_STATE(ID, word) { word, ATTRIBUTE_STATE_##ID },
#include "monitor/attribute/states.def"
};

bool filter_is_word_byte(char c)
{
	return c && !isspace((unsigned char)c) && !strchr("()=!~<>\"", c);
}

static enum filter_field find_field(const char *text, size_t len, bool keyed)
{
	for (int i = FILTER_NONE + 1; i < NR_FILTER_FIELDS; i++)
		if (!filter_fields[i].key != keyed && strlen(filter_fields[i].name) == len &&
		    !memcmp(filter_fields[i].name, text, len))
			return (enum filter_field)i;
	return FILTER_NONE;
}

enum filter_field filter_field_find(const char *text, size_t len)
{
	return find_field(text, len, false);
}

enum filter_field filter_keyed_field_find(const char *text, size_t len)
{
	return find_field(text, len, true);
}

bool filter_has_field(unsigned rows, enum filter_field field)
{
	return filter_fields[field].rows & rows;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (uint16_t i = 0; i < f->nr_nodes; i++) {
		free(f->nodes[i].text);
		free(f->nodes[i].key_text);
		pcre2_code_free(f->nodes[i].regex);
	}
	free(f->nodes);
	free(f->text);
	pcre2_match_data_free(f->match_data);
	pcre2_match_context_free(f->match_context);
	tr2_buf_release(&f->shown);
	free(f);
}

const char *filter_text(const struct filter *f)
{
	return f->text;
}

bool filter_uses(const struct filter *f, enum filter_field field)
{
	for (uint16_t i = 0; i < f->nr_nodes; i++)
		if (f->nodes[i].kind == NODE_TEST && f->nodes[i].field == field)
			return true;
	return false;
}

uint64_t filter_limit_hits(const struct filter *f)
{
	return f->limit_hits;
}

void filter_set_match_limit(struct filter *f, uint32_t limit)
{
	pcre2_set_match_limit(f->match_context, limit);
	pcre2_set_depth_limit(f->match_context, limit);
}

void filter_frame(struct filter *f)
{
	if (!f)
		return;
	f->has_budget = true;
	f->spent_ns = 0;
	filter_set_match_limit(f, FILTER_MATCH_LIMIT);
}

bool filter_is_spent(const struct filter *f)
{
	return f && f->has_budget && f->spent_ns > FILTER_FRAME_NS;
}

static void filter_add_time(struct filter *f, ns_t begun)
{
	f->spent_ns += tr2_clock_monotonic() - begun;
	if (f->spent_ns > FILTER_FRAME_NS)
		filter_set_match_limit(f, FILTER_SPENT_LIMIT);
}

struct matching {
	struct filter *filter;
	const struct node *node;
	bool passes; /* whether the newest value with the node's key passes the test */
};

static bool regex_matches(struct filter *f, const struct node *node, const struct value *value)
{
	ns_t begun = f->has_budget ? tr2_clock_monotonic() : 0;
	int n;

	if (f->has_budget && f->spent_ns > 4 * FILTER_FRAME_NS) {
		f->limit_hits++;
		return false;
	}
	n = pcre2_match(node->regex, (PCRE2_SPTR)(value->text ? value->text : ""), value->len, 0, 0,
			f->match_data, f->match_context);
	if (f->has_budget)
		filter_add_time(f, begun);
	if (n == PCRE2_ERROR_MATCHLIMIT || n == PCRE2_ERROR_DEPTHLIMIT ||
	    n == PCRE2_ERROR_HEAPLIMIT || n == PCRE2_ERROR_JIT_STACKLIMIT)
		f->limit_hits++;
	return n >= 0;
}

static bool order_compares(enum op op, bool is_less, bool is_equal)
{
	switch (op) {
	case OP_EQ:
		return is_equal;
	case OP_NE:
		return !is_equal;
	case OP_LT:
		return is_less;
	case OP_LE:
		return is_less || is_equal;
	case OP_GT:
		return !is_less && !is_equal;
	default:
		return !is_less;
	}
}

static bool number_compares(enum op op, int64_t a, int64_t b)
{
	return order_compares(op, a < b, a == b);
}

/* A value that is not the text of a number does not match. */
static bool real_compares(const struct node *node, const struct value *value)
{
	double number;

	return attribute_number(value->text, value->len, &number) &&
	       order_compares(node->op, number < node->real, number == node->real);
}

/* Return the value with its passwords hidden, so that a filter cannot find them. */
static struct value as_shown(struct filter *f, const struct value *value)
{
	struct value shown = *value;

	if (shown.len)
		shown.text = secrets_hide(&f->shown, shown.text, &shown.len);
	return shown;
}

/* Callback: true if the value passes the node's test, in which != counts as = and !~ as ~;
 * node_matches() negates the result. */
static bool value_passes(void *data, const struct value *value)
{
	struct matching *m = data;
	const struct node *node = m->node;
	enum op op = node->op;
	struct value shown;

	switch (filter_fields[node->field].type) {
	case ATTRIBUTE_TYPE_VALUE:
		if (node->is_real)
			return real_compares(node, value);
		/* fallthrough */
	case ATTRIBUTE_TYPE_TEXT:
		shown = as_shown(m->filter, value);
		if (op == OP_MATCH || op == OP_NO_MATCH)
			return regex_matches(m->filter, node, &shown);
		return shown.len == node->len && !memcmp(shown.text, node->text, node->len);
	case ATTRIBUTE_TYPE_STATE:
		return value->number & node->number;
	case ATTRIBUTE_TYPE_FLAG:
		return value->number != 0;
	default:
		return number_compares(op == OP_NE ? OP_EQ : op, value->number, node->number);
	}
}

/* Callback: test the newest value with the node's key, and end the visit by returning true. */
static bool keyed_value_passes(void *data, const struct value *value)
{
	struct matching *m = data;

	if (!attribute_is_key(&m->node->ref, value))
		return false;
	m->passes = value_passes(data, value);
	return true;
}

static bool contains_word(void *data, const struct value *given)
{
	struct matching *m = data;
	const struct node *node = m->node;
	struct value shown = as_shown(m->filter, given), *value = &shown;

	if (node->len > value->len)
		return false;
	for (size_t at = 0; at + node->len <= value->len; at++) {
		size_t i = 0;

		while (i < node->len &&
		       (node->fold_case ? (char)tolower((unsigned char)value->text[at + i])
					: value->text[at + i]) == node->text[i])
			i++;
		if (i == node->len)
			return true;
	}
	return false;
}

static bool node_matches(struct filter *f, uint16_t at, const void *subject, filter_values *values)
{
	const struct node *node = &f->nodes[at];
	struct matching m = { .filter = f, .node = node };
	bool negated, passes;

	switch (node->kind) {
	case NODE_ALL:
		return true;
	case NODE_AND:
		return node_matches(f, node->left, subject, values) &&
		       node_matches(f, node->right, subject, values);
	case NODE_OR:
		return node_matches(f, node->left, subject, values) ||
		       node_matches(f, node->right, subject, values);
	case NODE_NOT:
		return !node_matches(f, node->left, subject, values);
	case NODE_WORD:
		return values(subject, FILTER_WORD, contains_word, &m);
	default:
		negated = filter_fields[node->field].type != ATTRIBUTE_TYPE_FLAG &&
			  (node->op == OP_NE || node->op == OP_NO_MATCH);
		if (node->key_text)
			passes = values(subject, node->field, keyed_value_passes, &m) && m.passes;
		else
			passes = values(subject, node->field, value_passes, &m);
		return passes != negated;
	}
}

bool filter_match(struct filter *filter, const void *subject, filter_values *values)
{
	return !filter || node_matches(filter, filter->root, subject, values);
}

void filter_library(char out[FILTER_LIBRARY_BYTES])
{
	static const char name[] = "PCRE2 ";
	int bytes = pcre2_config(PCRE2_CONFIG_VERSION, NULL);

	memcpy(out, name, sizeof(name));
	if (bytes > 0 && (size_t)bytes <= FILTER_LIBRARY_BYTES - sizeof(name))
		pcre2_config(PCRE2_CONFIG_VERSION, out + sizeof(name) - 1);
}
