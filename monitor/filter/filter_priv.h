/* SPDX-License-Identifier: MIT */
/*
 * Only for filter*.c. A compiled filter is an array of nodes, which refer to each other by index.
 * Node 0 matches everything.
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
	/* the type is VALUE and the operator compares by order, so compare `real` */
	bool is_real;
	char *text; /* value or word to compare with; owned by the node */
	size_t len;
	int64_t number;
	double real;
	char *key_text; /* text of the key; owned by the node, and `ref` refers to it */
	struct attribute_ref ref;
	pcre2_code *regex;
};

struct filter {
	char *text;
	struct node *nodes;
	uint16_t nr_nodes, root;
	uint64_t limit_hits;
	bool has_budget; /* filter_frame() was called */
	ns_t spent_ns;   /* time that regular expressions have used in this frame */
	struct tr2_buf shown;
	pcre2_match_data *match_data;
	pcre2_match_context *match_context;
};

extern const struct filter_state_desc {
	const char *word;
	int64_t state; /* bit of this state in values of type STATE */
} filter_states[NR_ATTRIBUTE_STATES];

/*
 * Limits of PCRE2's steps per match. FILTER_SPENT_LIMIT applies after the time of the frame was
 * used up.
 */
#define FILTER_MATCH_LIMIT 100000u
#define FILTER_SPENT_LIMIT 250u
void filter_set_match_limit(struct filter *filter, uint32_t limit);

bool filter_is_word_byte(char c);
/* Return the field without keys (filter_field_find()) or with keys (filter_keyed_field_find()) that
 * has this name; FILTER_NONE: none. */
enum filter_field filter_field_find(const char *name, size_t len);
enum filter_field filter_keyed_field_find(const char *name, size_t len);
/* True if rows of a kind in `rows` (enum filter_rows) have the field; false for FILTER_NONE. */
bool filter_has_field(unsigned rows, enum filter_field field);

#endif
