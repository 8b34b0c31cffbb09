/* SPDX-License-Identifier: MIT */
/*
 * A recursive-descent parser into an array of nodes, and their evaluation. Nodes refer to each
 * other by index; node 0 is "everything".
 */
#include "config.h"
#include "monitor/filter/filter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/when.h"

#define FILTER_MAX_NODES 512u
#define FILTER_MAX_NESTING 64
#define FILTER_MATCH_LIMIT 100000u

enum op { OP_EQ, OP_NE, OP_MATCH, OP_NO_MATCH, OP_LT, OP_LE, OP_GT, OP_GE };

/* Longest first, so that "<=" is not taken for "<". */
static const struct {
	const char *text;
	enum op op;
} ops[] = {
	{ "!=", OP_NE }, { "!~", OP_NO_MATCH }, { "<=", OP_LE }, { ">=", OP_GE },
	{ "==", OP_EQ }, { "=", OP_EQ },	{ "~", OP_MATCH }, { "<", OP_LT },
	{ ">", OP_GT },
};

#define NR_OPS (sizeof(ops) / sizeof(ops[0]))

static const struct {
	const char *word;
	int64_t state;
} states[] = {
	{ "running", FILTER_STATE_RUNNING },   { "exited", FILTER_STATE_EXITED },
	{ "failed", FILTER_STATE_FAILED },     { "signaled", FILTER_STATE_SIGNALED },
	{ "replaced", FILTER_STATE_REPLACED }, { "lost", FILTER_STATE_LOST },
};

#define NR_STATES (sizeof(states) / sizeof(states[0]))

enum node_kind { NODE_ALL, NODE_AND, NODE_OR, NODE_NOT, NODE_TEST, NODE_WORD };

struct node {
	uint8_t kind, op, field;
	bool fold_case; /* NODE_WORD */
	uint16_t left, right;
	char *text; /* owned: a text value or word */
	size_t len;
	int64_t number;
	pcre2_code *regex; /* owned */
};

struct filter {
	char *text;
	struct node *nodes;
	uint16_t nr_nodes, root;
	uint64_t limit_hits;
	pcre2_match_data *match_data;
	pcre2_match_context *match_context;
};

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

/* As filter.def calls them. */
enum {
	PROCESS = FILTER_ROWS_PROCESS,
	TIMING = FILTER_ROWS_TIMING,
	REGION = FILTER_ROWS_REGION,
	CHILD = FILTER_ROWS_CHILD,
	EVENT = FILTER_ROWS_EVENT,
	OCCURRENCE = FILTER_ROWS_OCCURRENCE,
};

const struct filter_field_desc filter_fields[NR_FILTER_FIELDS] = {
#define FILTER_FIELD(ID, name_, type_, rows_, doc_)                                            \
	[FILTER_##ID] = {                                                                      \
		.name = name_, .doc = doc_, .type = FILTER_TYPE_##type_, .rows = (rows_)       \
	},
#include "monitor/filter/filter.def"
};

/* ---- parsing ---- */

static uint16_t fail(struct parser *p, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static uint16_t fail(struct parser *p, size_t column, const char *fmt, ...)
{
	va_list ap;

	if (p->failed)
		return 0;
	p->failed = true;
	p->error->column = column;
	va_start(ap, fmt);
	vsnprintf(p->error->message, sizeof(p->error->message), fmt, ap);
	va_end(ap);
	for (char *c = p->error->message; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return 0;
}

static uint16_t node_new(struct parser *p, enum node_kind kind)
{
	struct filter *f = p->filter;

	if (f->nr_nodes == FILTER_MAX_NODES)
		return fail(p, p->at, "expected a shorter filter: more than %u terms",
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

static bool is_word_byte(char c)
{
	return c && !isspace((unsigned char)c) && !strchr("()=!~<>\"", c);
}

/* Length of the bare word at `at`, 0 where there is none. */
static size_t word_length(const char *text, size_t at)
{
	size_t len = 0;

	while (is_word_byte(text[at + len]))
		len++;
	return len;
}

static bool word_is(const struct parser *p, const char *word)
{
	size_t len = word_length(p->text, p->at);

	return len == strlen(word) && !memcmp(p->text + p->at, word, len);
}

static bool take_word(struct parser *p, const char *word)
{
	skip_blanks(p);
	if (!word_is(p, word))
		return false;
	p->at += strlen(word);
	return true;
}

/* A quoted text, or for values also a run of bytes up to a blank or parenthesis. */
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
			fail(p, p->at, "expected a closing \"");
	}
	out[n] = '\0';
	*len = n;
	return out;
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

static bool state_value(const char *text, int64_t *out)
{
	for (size_t i = 0; i < NR_STATES; i++)
		if (!strcmp(text, states[i].word)) {
			*out = states[i].state;
			return true;
		}
	return false;
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
		fail(p, column + offset, "expected a regular expression: %s", (char *)message);
		return;
	}
	pcre2_jit_compile(node->regex, PCRE2_JIT_COMPLETE);
}

/* What an operator needs of the field's type. */
static bool op_fits(enum op op, unsigned type)
{
	bool is_text_op = op == OP_MATCH || op == OP_NO_MATCH;
	bool is_order = op >= OP_LT;

	switch (type) {
	case FILTER_TYPE_TEXT:
		return !is_order;
	case FILTER_TYPE_STATE:
		return !is_order && !is_text_op;
	default:
		return !is_text_op;
	}
}

static void value_parse(struct parser *p, struct node *node, size_t column)
{
	static const char *const wants[] = {
		[FILTER_TYPE_TEXT] = "a text",
		[FILTER_TYPE_NUMBER] = "a number such as 3 or 12k",
		[FILTER_TYPE_DURATION] = "a duration such as 100ms or 2s",
		[FILTER_TYPE_TIME] = "a time such as 09:30 or 15m (ago)",
		[FILTER_TYPE_STATE] = "running, exited, failed, signaled, replaced or lost",
	};
	unsigned type = filter_fields[node->field].type;
	bool ok = true;

	if (type == FILTER_TYPE_NUMBER)
		ok = number_value(node->text, &node->number);
	else if (type == FILTER_TYPE_DURATION)
		ok = duration_value(node->text, &node->number);
	else if (type == FILTER_TYPE_TIME)
		ok = time_parse(node->text, p->now, &node->number);
	else if (type == FILTER_TYPE_STATE)
		ok = state_value(node->text, &node->number);
	else if (node->op == OP_MATCH || node->op == OP_NO_MATCH)
		regex_compile(p, node, column);
	if (!ok)
		fail(p, column, "expected %s", wants[type]);
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

static int field_find(const char *text, size_t len)
{
	for (int i = 0; i < NR_FILTER_FIELDS; i++)
		if (strlen(filter_fields[i].name) == len &&
		    !memcmp(filter_fields[i].name, text, len))
			return i;
	return -1;
}

static uint16_t parse_test(struct parser *p, int field, size_t op_column, enum op op)
{
	uint16_t at = node_new(p, NODE_TEST);
	struct node node = { .kind = NODE_TEST, .op = (uint8_t)op, .field = (uint8_t)field };
	size_t column;

	if (!op_fits(op, filter_fields[field].type))
		return fail(p, op_column, "expected %s behind '%s'",
			    filter_fields[field].type == FILTER_TYPE_TEXT	 ? "= != ~ or !~" :
			    filter_fields[field].type == FILTER_TYPE_STATE ? "= or !=" :
									     "= != < <= > or >=",
			    filter_fields[field].name);
	skip_blanks(p);
	column = p->at + (p->text[p->at] == '"');
	node.text = take_text(p, true, &node.len);
	if (p->failed) {
		free(node.text);
		return 0;
	}
	if (!node.len && p->text[p->at ? p->at - 1 : 0] != '"')
		fail(p, p->at, "expected a value");
	else
		value_parse(p, &node, column);
	p->filter->nodes[at] = node;
	return at;
}

/* A word that is no field, or is quoted: found in the command line. */
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

static bool has_field(unsigned rows, int field)
{
	return field >= 0 && (filter_fields[field].rows & rows);
}

/* `field op`, but there is no such field, or rows of this kind have none. */
static uint16_t fail_field(struct parser *p, size_t column, int field, size_t op_column)
{
	static const struct {
		unsigned rows;
		const char *name;
	} kinds[] = { { PROCESS, "processes: name, argv, elapsed, state" },
		      { TIMING, "timings: category, label, count, total" },
		      { REGION, "threads and regions: thread, category, label, elapsed" },
		      { CHILD, "children: argv, class, code, elapsed" },
		      { EVENT, "events: event, thread, category, name" },
		      { OCCURRENCE, "occurrences: elapsed, thread, message, name" } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].rows == p->rows && field >= 0)
			return fail(p, column,
				    "'%s' is not a field of these rows; expected one of %s ...",
				    filter_fields[field].name, kinds[i].name);
		else if (kinds[i].rows == p->rows)
			return fail(p, column, "expected a field before '%.*s', one of %s ...",
				    (int)strspn(p->text + op_column, "=!<>~"),
				    p->text + op_column, kinds[i].name);
	return fail(p, column, "expected words alone: these rows have no fields");
}

static uint16_t parse_term(struct parser *p)
{
	size_t from = p->at, len = word_length(p->text, p->at), op_column;
	int field = len ? field_find(p->text + from, len) : -1;
	enum op op;

	if (p->text[from] == '"')
		return parse_bare(p);
	if (!len)
		return fail(p, from, "expected a field, a word, not or (");
	p->at += len;
	skip_blanks(p);
	op_column = p->at;
	if (take_op(p, &op)) {
		if (!has_field(p->rows, field))
			return fail_field(p, from, field, op_column);
		if (filter_fields[field].type == FILTER_TYPE_FLAG)
			return fail(p, op_column, "expected no operator: '%s' stands alone",
				    filter_fields[field].name);
		return parse_test(p, field, op_column, op);
	}
	if (has_field(p->rows, field) && filter_fields[field].type == FILTER_TYPE_FLAG) {
		uint16_t at = node_new(p, NODE_TEST);

		if (!p->failed) {
			p->filter->nodes[at].field = (uint8_t)field;
			p->filter->nodes[at].op = OP_NE; /* its value != 0 */
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
		return fail(p, p->at, "expected fewer than %d levels", FILTER_MAX_NESTING);
	if (p->text[p->at] == '(') {
		p->at++;
		at = parse_or(p);
		skip_blanks(p);
		if (p->text[p->at] == ')')
			p->at++;
		else
			fail(p, p->at, "expected )");
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

static uint16_t join(struct parser *p, enum node_kind kind, uint16_t left, uint16_t right)
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
		if (p->failed || !p->text[p->at] || p->text[p->at] == ')' || word_is(p, "or"))
			return left;
		take_word(p, "and"); /* two terms side by side mean the same */
		left = join(p, NODE_AND, left, parse_not(p));
	}
}

static uint16_t parse_or(struct parser *p)
{
	uint16_t left = parse_and(p);

	while (!p->failed && take_word(p, "or"))
		left = join(p, NODE_OR, left, parse_and(p));
	return left;
}

struct filter *filter_new(const char *text, unsigned rows, ns_t now, struct filter_error *error)
{
	struct filter *f = xcalloc(1, sizeof(*f));
	struct parser p = {
		.filter = f, .text = text, .rows = rows, .now = now, .error = error
	};

	f->text = xstrdup(text);
	f->match_data = pcre2_match_data_create(1, NULL);
	f->match_context = pcre2_match_context_create(NULL);
	if (!f->match_data || !f->match_context)
		die("out of memory");
	pcre2_set_match_limit(f->match_context, FILTER_MATCH_LIMIT);
	pcre2_set_depth_limit(f->match_context, FILTER_MATCH_LIMIT);
	node_new(&p, NODE_ALL);
	skip_blanks(&p);
	if (text[p.at]) {
		f->root = parse_or(&p);
		skip_blanks(&p);
		if (text[p.at])
			fail(&p, p.at, "expected and, or, or the end");
	}
	if (p.failed) {
		filter_free(f);
		return NULL;
	}
	return f;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (uint16_t i = 0; i < f->nr_nodes; i++) {
		free(f->nodes[i].text);
		pcre2_code_free(f->nodes[i].regex);
	}
	free(f->nodes);
	free(f->text);
	pcre2_match_data_free(f->match_data);
	pcre2_match_context_free(f->match_context);
	free(f);
}

const char *filter_text(const struct filter *f)
{
	return f->text;
}

uint64_t filter_limit_hits(const struct filter *f)
{
	return f->limit_hits;
}

/* ---- matching ---- */

struct matching {
	struct filter *filter;
	const struct node *node;
};

static bool regex_matches(struct filter *f, const struct node *node,
			  const struct filter_value *value)
{
	int n = pcre2_match(node->regex, (PCRE2_SPTR)(value->text ? value->text : ""),
			    value->len, 0, 0, f->match_data, f->match_context);

	if (n == PCRE2_ERROR_MATCHLIMIT || n == PCRE2_ERROR_DEPTHLIMIT ||
	    n == PCRE2_ERROR_HEAPLIMIT || n == PCRE2_ERROR_JIT_STACKLIMIT)
		f->limit_hits++;
	return n >= 0;
}

static bool number_compares(enum op op, int64_t a, int64_t b)
{
	switch (op) {
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_LT:
		return a < b;
	case OP_LE:
		return a <= b;
	case OP_GT:
		return a > b;
	default:
		return a >= b;
	}
}

/* Does one value pass the positive form of the test (!= and !~ are negated outside)? */
static bool value_passes(void *data, const struct filter_value *value)
{
	struct matching *m = data;
	const struct node *node = m->node;
	enum op op = node->op;

	switch (filter_fields[node->field].type) {
	case FILTER_TYPE_TEXT:
		if (op == OP_MATCH || op == OP_NO_MATCH)
			return regex_matches(m->filter, node, value);
		return value->len == node->len && !memcmp(value->text, node->text, node->len);
	case FILTER_TYPE_STATE:
		return value->number & node->number;
	case FILTER_TYPE_FLAG:
		return value->number != 0;
	default:
		return number_compares(op == OP_NE ? OP_EQ : op, value->number, node->number);
	}
}

static bool contains_word(void *data, const struct filter_value *value)
{
	const struct node *node = ((struct matching *)data)->node;

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
		negated = filter_fields[node->field].type != FILTER_TYPE_FLAG &&
			  (node->op == OP_NE || node->op == OP_NO_MATCH);
		passes = values(subject, node->field, value_passes, &m);
		return passes != negated;
	}
}

bool filter_match(struct filter *filter, const void *subject, filter_values *values)
{
	return !filter || node_matches(filter, filter->root, subject, values);
}

/* ---- completion ---- */

/* The word that is completed, and who is told of what completes it. */
struct completing {
	const struct filter_offers *offers;
	const char *prefix;
	size_t len;
};

static void offer_word(const struct completing *c, const char *word)
{
	if (!strncmp(word, c->prefix, c->len))
		c->offers->offer(c->offers->data, word);
}

/* A value, quoted where it has to be. Longer ones nobody would type. */
static bool offer_value(void *data, const struct filter_value *value)
{
	const struct completing *c = data;
	char word[128];
	size_t len = 0;
	bool quote = !value->len;

	if (value->len > sizeof(word) / 2 - 3 || value->len < c->len ||
	    memcmp(value->text, c->prefix, c->len))
		return false;
	for (size_t i = 0; i < value->len; i++)
		quote |= !is_word_byte(value->text[i]);
	if (quote)
		word[len++] = '"';
	for (size_t i = 0; i < value->len; i++) {
		if (value->text[i] == '"' || value->text[i] == '\\')
			word[len++] = '\\';
		word[len++] = value->text[i];
	}
	if (quote)
		word[len++] = '"';
	word[len] = '\0';
	c->offers->offer(c->offers->data, word);
	return false;
}

/* The field before the operator that ends at `end`; -1: there is no operator, or no field. */
static int field_before(const char *text, size_t end, bool *is_value)
{
	size_t from = end;

	while (from && strchr("=!~<>", text[from - 1]))
		from--;
	*is_value = from < end;
	while (from && isspace((unsigned char)text[from - 1]))
		from--;
	for (end = from; from && is_word_byte(text[from - 1]);)
		from--;
	return *is_value ? field_find(text + from, end - from) : -1;
}

static void offer_values(struct completing *c, int field)
{
	const struct filter_offers *offers = c->offers;

	if (!has_field(offers->rows, field))
		return;
	if (filter_fields[field].type == FILTER_TYPE_STATE)
		for (size_t i = 0; i < NR_STATES; i++)
			offer_word(c, states[i].word);
	else if (filter_fields[field].type == FILTER_TYPE_TEXT && offers->values)
		offers->values(offers->subject, (enum filter_field)field, offer_value, c);
}

size_t filter_complete(const char *text, size_t cursor, const struct filter_offers *offers)
{
	static const char *const joins[] = { "and", "or", "not" };
	struct completing c = { .offers = offers };
	size_t from = cursor, before;
	bool is_value;
	int field;

	while (from && is_word_byte(text[from - 1]))
		from--;
	for (before = from; before && isspace((unsigned char)text[before - 1]);)
		before--;
	c.prefix = text + from;
	c.len = cursor - from;
	field = field_before(text, before, &is_value);
	if (is_value) {
		offer_values(&c, field);
		return from;
	}
	for (int i = 0; i < NR_FILTER_FIELDS; i++)
		if (has_field(offers->rows, i))
			offer_word(&c, filter_fields[i].name);
	for (size_t i = 0; i < sizeof(joins) / sizeof(joins[0]); i++)
		offer_word(&c, joins[i]);
	return from;
}
