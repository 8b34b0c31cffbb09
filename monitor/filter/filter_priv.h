/* SPDX-License-Identifier: MIT */
/*
 * Data structures that only the filter*.c files use. filter_parse.c creates a compiled filter,
 * filter.c evaluates it, and filter_complete.c completes an expression.
 *
 * A compiled filter is an array of nodes, which refer to each other by index. Node 0 matches
 * everything.
 */
#ifndef MONITOR_FILTER_PRIV_H
#define MONITOR_FILTER_PRIV_H

#include "engine/base/buf.h"
#include "monitor/filter/filter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Operators of comparisons. Those from OP_LT on compare by order. */
enum op { OP_EQ, OP_NE, OP_MATCH, OP_NO_MATCH, OP_LT, OP_LE, OP_GT, OP_GE };

enum node_kind { NODE_ALL, NODE_AND, NODE_OR, NODE_NOT, NODE_TEST, NODE_WORD };

struct node {
	uint8_t kind, op, field;
	bool fold_case; /* NODE_WORD: ignore case */
	uint16_t left, right;
	/* compare the number `real`: the field has type VALUE and the operator compares by order */
	bool is_real;
	char *text; /* value or word to compare with; owned by the node */
	size_t len;
	int64_t number;
	double real;
	char *key_text;           /* text of the key; owned by the node, and `ref` refers to it */
	struct attribute_ref ref; /* attribute and key of a field with keys */
	pcre2_code *regex;        /* compiled regular expression; owned by the node */
};

struct filter {
	char *text;
	struct node *nodes;
	uint16_t nr_nodes, root;
	uint64_t limit_hits;
	bool has_budget;      /* filter_frame() was called, so the time per frame is limited */
	ns_t spent_ns;        /* time that regular expressions have used in this frame */
	struct tr2_buf shown; /* buffer for a copy of a value in which passwords are hidden */
	pcre2_match_data *match_data;
	pcre2_match_context *match_context;
};

extern const struct filter_state_desc {
	const char *word;
	int64_t state; /* bit of this state in values of fields of type STATE */
} filter_states[NR_ATTRIBUTE_STATES];

/*
 * Maximum backtracking steps of a regular expression per match. FILTER_SPENT_LIMIT is in effect
 * after the time of the frame was used up; it is enough for expressions with little backtracking.
 */
#define FILTER_MATCH_LIMIT 100000u
#define FILTER_SPENT_LIMIT 250u
void filter_set_match_limit(struct filter *filter, uint32_t limit);

/* True if the byte may be part of an unquoted word. */
bool filter_is_word_byte(char c);
/* Return the field with that name; FILTER_NONE: there is none. The first function finds only fields
 * without keys, the second only fields with keys. */
enum filter_field filter_field_find(const char *name, size_t len);
enum filter_field filter_keyed_field_find(const char *name, size_t len);
/* True if rows of that kind (enum filter_rows) have the field. Always false for FILTER_NONE. */
bool filter_has_field(unsigned rows, enum filter_field field);

#endif
