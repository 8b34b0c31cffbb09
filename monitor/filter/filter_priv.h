/* SPDX-License-Identifier: MIT */
/*
 * Private to filter*.c: a compiled filter, made by filter_parse.c, matched by filter.c.
 * filter_complete.c completes a text.
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
	bool has_budget;      /* filter_frame() was called */
	ns_t spent_ns;        /* by regular expressions in this frame */
	struct tr2_buf shown; /* copy of a value with a password hidden */
	pcre2_match_data *match_data;
	pcre2_match_context *match_context;
};

extern const struct filter_state_desc {
	const char *word;
	int64_t state; /* enum attribute_state */
} filter_states[NR_ATTRIBUTE_STATES];

/*
 * Backtracking steps per match at each position of a text, and the limit after the frame's time was
 * used up, which is enough for expressions with little backtracking.
 */
#define FILTER_MATCH_LIMIT 100000u
#define FILTER_SPENT_LIMIT 250u
void filter_set_match_limit(struct filter *filter, uint32_t limit);

/* True if the byte may occur in an unquoted word. */
bool filter_is_word_byte(char c);
/* Index of the field of that name, or -1. */
int filter_field_find(const char *name, size_t len);
/* True if rows of that kind (enum filter_rows) have the field. False for -1. */
bool filter_has_field(unsigned rows, int field);

#endif
