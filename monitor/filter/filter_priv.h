/* SPDX-License-Identifier: MIT */
/*
 * A compiled filter and what the parts of the language share: filter_parse.c makes it of a text,
 * filter.c matches it, filter_complete.c completes a text. For filter*.c alone.
 *
 * Nodes refer to each other by index; node 0 is "everything".
 */
#ifndef MONITOR_FILTER_PRIV_H
#define MONITOR_FILTER_PRIV_H

#include "monitor/filter/filter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* OP_LT and what follows ask for an order. */
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
	bool has_budget; /* filter_frame() was called */
	ns_t spent_ns;   /* on expressions, in this frame */
	pcre2_match_data *match_data;
	pcre2_match_context *match_context;
};

extern const struct filter_state_desc {
	const char *word;
	int64_t state; /* enum filter_state */
} filter_states[NR_FILTER_STATES];

/* So many steps may one match take, at each place of a text; and so many where the frame's time
 * was used up, which is enough for what does not go back far. */
#define FILTER_MATCH_LIMIT 100000u
#define FILTER_SPENT_LIMIT 250u
void filter_set_match_limit(struct filter *filter, uint32_t limit);

/* May a word that stands without quotes have it? */
bool filter_is_word_byte(char c);
/* The field of that name; -1. */
int filter_field_find(const char *name, size_t len);
/* Do rows of that kind (enum filter_rows) have it? No row has field -1. */
bool filter_has_field(unsigned rows, int field);

#endif
