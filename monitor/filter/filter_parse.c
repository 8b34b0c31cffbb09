/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/filter/filter_priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/visible.h"
#include "monitor/base/when.h"

#define FILTER_MAX_NODES   512u
#define FILTER_MAX_NESTING 64

/* operators of the language, longest first, so that "<=" is not parsed as "<" */
static const struct {
	const char *text;
	enum op op;
} ops[] = {
	{ "!=", OP_NE }, { "!~", OP_NO_MATCH }, { "<=", OP_LE }, { ">=", OP_GE }, { "==", OP_EQ },
	{ "=", OP_EQ },  { "~", OP_MATCH },     { "<", OP_LT },  { ">", OP_GT },
};

#define NR_OPS (sizeof(ops) / sizeof(ops[0]))

struct parser {
	struct filter *filter;
	const char *text;
	unsigned rows;
	size_t at;
	int nesting;
	ns_t now;
	struct filter_error *error;
	bool failed;
};

static uint16_t parse_fail(struct parser *p, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static uint16_t parse_fail(struct parser *p, size_t column, const char *fmt, ...)
{
	va_list ap;

	if (p->failed)
		return 0;
	p->failed = true;
	p->error->column = column;
	va_start(ap, fmt);
	vsnprintf(p->error->message, sizeof(p->error->message), fmt, ap);
	va_end(ap);
	visible_mask(p->error->message);
	return 0;
}

static uint16_t node_new(struct parser *p, enum node_kind kind)
{
	struct filter *f = p->filter;

	if (f->nr_nodes == FILTER_MAX_NODES)
		return parse_fail(p, p->at, "expected a shorter filter: more than %u terms",
				  FILTER_MAX_NODES);
	f->nodes = xreallocarray(f->nodes, (size_t)f->nr_nodes + 1, sizeof(*f->nodes));
	f->nodes[f->nr_nodes] = (struct node){ .kind = (uint8_t)kind };
	return f->nr_nodes++;
}

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)p->text[p->at]))
		p->at++;
}

static size_t word_length(const char *text, size_t at)
{
	size_t len = 0;

	while (filter_is_word_byte(text[at + len]))
		len++;
	return len;
}

static bool next_word_is(const struct parser *p, const char *word)
{
	size_t len = word_length(p->text, p->at);

	return len == strlen(word) && !memcmp(p->text + p->at, word, len);
}

static bool take_word(struct parser *p, const char *word)
{
	skip_blanks(p);
	if (!next_word_is(p, word))
		return false;
	p->at += strlen(word);
	return true;
}

/* An unquoted value (`is_value`), unlike an unquoted word, may contain operators. The caller frees
 * the result. */
static char *take_text(struct parser *p, bool is_value, size_t *len)
{
	size_t from = p->at;
	char *out = xmalloc(strlen(p->text + from) + 1);
	size_t n = 0;

	if (p->text[p->at] != '"') {
		const char *end = is_value ? "() \t\n" : "()=!~<>\" \t\n";

		n = strcspn(p->text + from, end);
		memcpy(out, p->text + from, n);
		p->at += n;
	} else {
		for (p->at++; p->text[p->at] && p->text[p->at] != '"'; p->at++) {
			char next = p->text[p->at + 1];

			if (p->text[p->at] == '\\' && (next == '"' || next == '\\'))
				p->at++;
			out[n++] = p->text[p->at];
		}
		if (p->text[p->at] == '"')
			p->at++;
		else
			parse_fail(p, p->at, "expected a closing \"");
	}
	out[n] = '\0';
	*len = n;
	return out;
}

static bool real_value(const char *text, double *out)
{
	size_t len = strlen(text);
	const char *suffix = len ? strchr("kMG", text[len - 1] == 'K' ? 'k' : text[len - 1]) : NULL;
	double scale = !suffix ? 1 : *suffix == 'k' ? 1e3 : *suffix == 'M' ? 1e6 : 1e9;

	if (!attribute_number(text, len - (suffix != NULL), out))
		return false;
	*out *= scale;
	return true;
}

static bool number_value(const char *text, int64_t *out)
{
	static const char suffixes[] = "kMG";
	char *end;
	long long v;
	int64_t scale = 1;

	errno = 0;
	v = strtoll(text, &end, 10);
	if (end == text || errno)
		return false;
	if (*end) {
		const char *at = strchr(suffixes, *end == 'K' ? 'k' : *end);

		if (!at || end[1])
			return false;
		for (const char *s = suffixes; s <= at; s++)
			scale *= 1000;
	}
	*out = v;
	return !__builtin_mul_overflow(v, scale, out);
}

static bool duration_value(const char *text, int64_t *out)
{
	char with_unit[64];

	if (duration_parse(text, out))
		return true;
	if (strlen(text) > 40)
		return false;
	snprintf(with_unit, sizeof(with_unit), "%ss", text);
	return duration_parse(with_unit, out);
}

static void state_value(struct parser *p, struct node *node, size_t column)
{
	char words[100] = "";

	for (size_t i = 0; i < NR_ATTRIBUTE_STATES; i++) {
		size_t used = strlen(words);

		if (!strcmp(node->text, filter_states[i].word)) {
			node->number = filter_states[i].state;
			return;
		}
		snprintf(words + used, sizeof(words) - used, "%s%s",
			 !i                             ? ""
			 : i + 1 == NR_ATTRIBUTE_STATES ? " or "
							: ", ",
			 filter_states[i].word);
	}
	parse_fail(p, column, "expected %s", words);
}

static void regex_compile(struct parser *p, struct node *node, size_t column)
{
	PCRE2_SIZE offset;
	int code;

	node->regex = pcre2_compile((PCRE2_SPTR)node->text, node->len,
				    PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &code, &offset, NULL);
	if (!node->regex) {
		PCRE2_UCHAR message[120];

		pcre2_get_error_message(code, message, sizeof(message));
		parse_fail(p, column + offset, "invalid regular expression: %s", (char *)message);
		return;
	}
	pcre2_jit_compile(node->regex, PCRE2_JIT_COMPLETE);
}

static bool op_fits(enum op op, unsigned type)
{
	bool is_text_op = op == OP_MATCH || op == OP_NO_MATCH;
	bool is_order = op >= OP_LT;

	switch (type) {
	case ATTRIBUTE_TYPE_TEXT:
		return !is_order;
	case ATTRIBUTE_TYPE_STATE:
		return !is_order && !is_text_op;
	case ATTRIBUTE_TYPE_VALUE:
		return true;
	default:
		return !is_text_op;
	}
}

static void value_parse(struct parser *p, struct node *node, size_t column)
{
	static const char *const wants[] = {
		[ATTRIBUTE_TYPE_TEXT] = "a text",
		[ATTRIBUTE_TYPE_NUMBER] = "a number such as 3 or 12k",
		[ATTRIBUTE_TYPE_DURATION] = "a duration such as 100ms or 2s",
		[ATTRIBUTE_TYPE_TIME] = "a time such as 09:30 or 15m (ago)",
		[ATTRIBUTE_TYPE_VALUE] = "a number such as 3 or 12k",
	};
	unsigned type = filter_fields[node->field].type;
	bool ok = true;

	if (type == ATTRIBUTE_TYPE_NUMBER)
		ok = number_value(node->text, &node->number);
	else if (type == ATTRIBUTE_TYPE_DURATION)
		ok = duration_value(node->text, &node->number);
	else if (type == ATTRIBUTE_TYPE_TIME)
		ok = time_parse(node->text, p->now, &node->number);
	else if (type == ATTRIBUTE_TYPE_STATE)
		state_value(p, node, column);
	else if (type == ATTRIBUTE_TYPE_VALUE && node->op >= OP_LT)
		ok = node->is_real = real_value(node->text, &node->real);
	else if (node->op == OP_MATCH || node->op == OP_NO_MATCH)
		regex_compile(p, node, column);
	if (!ok)
		parse_fail(p, column, "expected %s", wants[type]);
}

static bool take_op(struct parser *p, enum op *op)
{
	for (size_t i = 0; i < NR_OPS; i++) {
		size_t len = strlen(ops[i].text);

		if (!strncmp(p->text + p->at, ops[i].text, len)) {
			p->at += len;
			*op = ops[i].op;
			return true;
		}
	}
	return false;
}

/*
 * Parse the value after an operator and add the node of the comparison. `node` contains the field,
 * its key and the operator; the filter takes ownership of its texts.
 */
static uint16_t parse_test(struct parser *p, struct node node, size_t op_column)
{
	uint16_t at = node_new(p, NODE_TEST);
	enum filter_field field = (enum filter_field)node.field;
	enum op op = node.op;
	size_t column;

	if (p->failed) {
		free(node.key_text);
		return 0;
	}
	p->filter->nodes[at] = node;
	if (!op_fits(op, filter_fields[field].type))
		return parse_fail(p, op_column, "expected %s after '%s'",
				  filter_fields[field].type == ATTRIBUTE_TYPE_TEXT ? "= != ~ or !~"
				  : filter_fields[field].type == ATTRIBUTE_TYPE_STATE
					  ? "= or !="
					  : "= != < <= > or >=",
				  filter_fields[field].name);
	skip_blanks(p);
	column = p->at + (p->text[p->at] == '"');
	node.text = take_text(p, true, &node.len);
	p->filter->nodes[at].text = node.text;
	if (p->failed)
		return 0;
	if (!node.len && p->text[p->at ? p->at - 1 : 0] != '"')
		parse_fail(p, p->at, "expected a value");
	else
		value_parse(p, &node, column);
	p->filter->nodes[at] = node;
	return at;
}

static uint16_t parse_bare(struct parser *p)
{
	uint16_t at = node_new(p, NODE_WORD);
	struct node node = { .kind = NODE_WORD, .fold_case = true };

	if (p->failed)
		return 0;
	node.text = take_text(p, false, &node.len);
	for (size_t i = 0; i < node.len; i++)
		if (isupper((unsigned char)node.text[i]))
			node.fold_case = false;
	p->filter->nodes[at] = node;
	return at;
}

static uint16_t fail_field(struct parser *p, size_t column, enum filter_field field,
			   size_t op_column)
{
	enum filter_field keyed =
		filter_keyed_field_find(p->text + column, word_length(p->text, column));
	static const struct {
		unsigned rows;
		const char *name;
	} kinds[] = { { FILTER_ROWS_PROCESS, "processes: name, argv, elapsed, state" },
		      { FILTER_ROWS_TIMING, "timings: category, label, count, total" },
		      { FILTER_ROWS_REGION,
			"threads and regions: thread, category, label, elapsed" },
		      { FILTER_ROWS_CHILD, "children: argv, class, code, elapsed" },
		      { FILTER_ROWS_EVENT, "events: event, thread, category, name" },
		      { FILTER_ROWS_OCCURRENCE, "occurrences: elapsed, thread, message, name" },
		      { FILTER_ROWS_COMMAND, "commands: count, total, max, failed" } };

	if (field == FILTER_NONE && filter_has_field(p->rows, keyed))
		return parse_fail(p, op_column, "expected %s after '%s'", filter_fields[keyed].key,
				  filter_fields[keyed].name);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].rows == p->rows && field != FILTER_NONE)
			return parse_fail(
				p, column,
				"'%s' is not a field of these rows; expected one of %s ...",
				filter_fields[field].name, kinds[i].name);
		else if (kinds[i].rows == p->rows)
			return parse_fail(p, column,
					  "expected a field before '%.*s', one of %s ...",
					  (int)strspn(p->text + op_column, "=!<>~"),
					  p->text + op_column, kinds[i].name);
	return parse_fail(p, column, "these rows have no fields: type words only");
}

/*
 * Parse the key and the operator after a field with keys, such as `data`, into `node`. Returns
 * false and keeps `node` if the key's closing quote is missing, or if the field's name is a word to
 * search instead, for example because no operator follows the key.
 */
static bool take_field_key(struct parser *p, struct node *node, size_t *op_column)
{
	size_t from = p->at, len;
	bool quoted = p->text[from] == '"';
	enum op op;
	char *key = take_text(p, false, &len);

	skip_blanks(p);
	*op_column = p->at;
	if (p->failed || !take_op(p, &op) ||
	    (!quoted && filter_has_field(p->rows, filter_field_find(key, len)))) {
		free(key);
		p->at = from;
		return false;
	}
	node->op = (uint8_t)op;
	node->key_text = key;
	node->ref.attribute = filter_attribute((enum filter_field)node->field);
	if (!attribute_set_key(&node->ref, key, len))
		parse_fail(p, from, "expected %s after '%s'", filter_fields[node->field].key,
			   filter_fields[node->field].name);
	return true;
}

static uint16_t parse_term(struct parser *p)
{
	size_t from = p->at, len = word_length(p->text, p->at), op_column;
	enum filter_field field = len ? filter_field_find(p->text + from, len) : FILTER_NONE;
	enum filter_field keyed = len ? filter_keyed_field_find(p->text + from, len) : FILTER_NONE;
	struct node node = { .kind = NODE_TEST };
	enum op op;

	if (p->text[from] == '"')
		return parse_bare(p);
	if (!len)
		return parse_fail(p, from, "expected a field, a word, not or (");
	p->at += len;
	skip_blanks(p);
	op_column = p->at;
	if (take_op(p, &op)) {
		if (!filter_has_field(p->rows, field))
			return fail_field(p, from, field, op_column);
		if (filter_fields[field].type == ATTRIBUTE_TYPE_FLAG)
			return parse_fail(p, op_column, "'%s' takes no operator or value",
					  filter_fields[field].name);
		node.field = (uint8_t)field;
		node.op = (uint8_t)op;
		return parse_test(p, node, op_column);
	}
	node.field = (uint8_t)keyed;
	if (filter_has_field(p->rows, keyed) && take_field_key(p, &node, &op_column))
		return parse_test(p, node, op_column);
	if (filter_has_field(p->rows, field) && filter_fields[field].type == ATTRIBUTE_TYPE_FLAG) {
		uint16_t at = node_new(p, NODE_TEST);

		if (!p->failed) {
			p->filter->nodes[at].field = (uint8_t)field;
			p->filter->nodes[at].op = OP_NE; /* a flag matches if its value is not 0 */
		}
		return at;
	}
	p->at = from;
	return parse_bare(p);
}

static uint16_t parse_or(struct parser *p);

static uint16_t parse_not(struct parser *p)
{
	uint16_t at, inner;

	skip_blanks(p);
	if (p->failed || ++p->nesting > FILTER_MAX_NESTING)
		return parse_fail(p, p->at, "expected fewer than %d levels", FILTER_MAX_NESTING);
	if (p->text[p->at] == '(') {
		p->at++;
		at = parse_or(p);
		skip_blanks(p);
		if (p->text[p->at] == ')')
			p->at++;
		else
			parse_fail(p, p->at, "expected )");
	} else if (take_word(p, "not")) {
		inner = parse_not(p);
		at = node_new(p, NODE_NOT);
		if (!p->failed)
			p->filter->nodes[at].left = inner;
	} else {
		at = parse_term(p);
	}
	p->nesting--;
	return at;
}

static uint16_t parse_join(struct parser *p, enum node_kind kind, uint16_t left, uint16_t right)
{
	uint16_t at = node_new(p, kind);

	if (!p->failed) {
		p->filter->nodes[at].left = left;
		p->filter->nodes[at].right = right;
	}
	return at;
}

static uint16_t parse_and(struct parser *p)
{
	uint16_t left = parse_not(p);

	for (;;) {
		skip_blanks(p);
		if (p->failed || !p->text[p->at] || p->text[p->at] == ')' || next_word_is(p, "or"))
			return left;
		take_word(p, "and");
		left = parse_join(p, NODE_AND, left, parse_not(p));
	}
}

static uint16_t parse_or(struct parser *p)
{
	uint16_t left = parse_and(p);

	while (!p->failed && take_word(p, "or"))
		left = parse_join(p, NODE_OR, left, parse_and(p));
	return left;
}

struct filter *filter_new(const char *text, unsigned rows, ns_t now, struct filter_error *error)
{
	struct filter *f = xcalloc(1, sizeof(*f));
	struct parser p = { .filter = f, .text = text, .rows = rows, .now = now, .error = error };

	f->text = xstrdup(text);
	tr2_buf_init(&f->shown, SIZE_MAX / 2);
	f->match_data = pcre2_match_data_create(1, NULL);
	f->match_context = pcre2_match_context_create(NULL);
	if (!f->match_data || !f->match_context)
		die("out of memory");
	filter_set_match_limit(f, FILTER_MATCH_LIMIT);
	node_new(&p, NODE_ALL);
	skip_blanks(&p);
	if (text[p.at]) {
		f->root = parse_or(&p);
		skip_blanks(&p);
		if (text[p.at])
			parse_fail(&p, p.at, "expected and, or, or the end");
	}
	if (p.failed) {
		filter_free(f);
		return NULL;
	}
	return f;
}
