/* SPDX-License-Identifier: MIT */
/*
 * Private interface of filter*.c. A compiled filter is made by filter_parse.c and evaluated by
 * filter.c; filter_complete.c completes a text.
 *
 * Nodes refer to each other by index; node 0 matches everything.
 */
#ifndef MONITOR_FILTER_PRIV_H
#define MONITOR_FILTER_PRIV_H

#include "engine/base/buf.h"
#include "monitor/filter/filter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* From OP_LT on, operators compare by order. */
enum op { OP_EQ, OP_NE, OP_MATCH, OP_NO_MATCH, OP_LT, OP_LE, OP_GT, OP_GE };

enum node_kind { NODE_ALL, NODE_AND, NODE_OR, NODE_NOT, NODE_TEST, NODE_WORD };

struct node {
	uint8_t kind, op, field;
	bool fold_case; /* for NODE_WORD: ignore case */
	uint16_t left, right;
	bool is_real; /* compare `real`, for fields of type VALUE and an operator of order */
	char *text;   /* value or word to compare with; owned */
	size_t len;
	int64_t number;
	double real;
	char *key_text;           /* owned; `ref` refers to it */
	struct attribute_ref ref; /* the key of a field with keys */
	pcre2_code *regex;        /* compiled regular expression; owned */
};

struct filter {
	char *text;
	struct node *nodes;
	uint16_t nr_nodes, root;
	uint64_t limit_hits;
	bool has_budget;      /* filter_frame() was called, so that time is limited */
	ns_t spent_ns;        /* time spent by regular expressions in this frame */
	struct tr2_buf shown; /* copy of a value with a password hidden */
	pcre2_match_data *match_data;
	pcre2_match_context *match_context;
};

extern const struct filter_state_desc {
	const char *word;
	int64_t state; /* for fields of type STATE: enum attribute_state */
} filter_states[NR_ATTRIBUTE_STATES];

/*
 * Limit of backtracking steps per match at each position of a text; and the limit after the time of
 * the frame was used up, which is enough for expressions with little backtracking.
 */
#define FILTER_MATCH_LIMIT 100000u
#define FILTER_SPENT_LIMIT 250u
void filter_set_match_limit(struct filter *filter, uint32_t limit);

/* True if the byte may be part of a word without quotes. */
bool filter_is_word_byte(char c);
/* Return the field with that name, without or with keys, or FILTER_NONE. */
enum filter_field filter_field_find(const char *name, size_t len);
enum filter_field filter_keyed_field_find(const char *name, size_t len);
/* True if rows of that kind (enum filter_rows) have the field. False for FILTER_NONE. */
bool filter_has_field(unsigned rows, enum filter_field field);

#endif
