/* SPDX-License-Identifier: MIT */
/* Private interface of set_difference.c, which reads the runs, and set_difference_tests.c. */
#ifndef MONITOR_SET_DIFFERENCE_PRIV_H
#define MONITOR_SET_DIFFERENCE_PRIV_H

#include "monitor/analysis/set_difference.h"

/* A text of a column, and the runs that have it. */
struct set_difference_pair {
	struct set_difference_value value;
	uint32_t last_run; /* number + 1 of the last run that has it */
	uint32_t with[2];
	uint64_t split; /* sum of the marks of these runs */
};

/* A test before tests of equal splits are merged. */
struct set_difference_candidate {
	struct set_difference_row row;
	uint64_t among; /* split of the runs that are compared */
	uint64_t split; /* split of the runs that have it, or of the others: the smaller number */
	uint32_t order; /* position in the order of the table */
};

enum set_difference_stage { STAGE_READ, STAGE_READ_AGAIN, STAGE_PAIRS, STAGE_COLUMNS, STAGE_DONE };

/* The key of a column as two symbols of a model, whose texts do not move. A column has one such
 * key per model. */
struct set_difference_key {
	enum attribute attribute;
	const char *category, *key;
	uint32_t column;
};

struct set_difference_work {
	struct set_difference_run {
		const struct model *base; /* its model; NULL: the one that is shown */
		struct handle handle;
		bool slow;
	} * runs;
	uint32_t nr_runs, cap_runs;
	uint64_t all; /* sum of the marks of all runs */
	enum set_difference_stage stage;
	uint32_t at;  /* next run, pair or column of the stage */
	uint32_t run; /* number of the run that is read */
	struct set_difference_column *columns;
	uint32_t nr_columns, cap_columns;
	struct set_difference_key *keys; /* of the columns of attributes with keys */
	uint32_t nr_keys, cap_keys;
	struct tr2_hash_index by_key;      /* finds a key by its symbols */
	struct tr2_hash_index by_key_text; /* finds its column by their texts */
	uint32_t plain[NR_ATTRIBUTES];     /* column + 1 of an attribute without keys */
	struct set_difference_pair *pairs;
	uint32_t nr_pairs, cap_pairs;
	struct tr2_hash_index by_text;
	struct tr2_buf texts;
	struct set_difference_candidate *candidates;
	uint32_t nr_candidates, cap_candidates;
	struct set_difference_row *rows;
	struct set_difference_value *same;
	double *numbers; /* room for the numbers of one column */
	uint32_t cap_numbers;
};

/* Return the mark of a run. The sum of the marks identifies a set of runs. */
uint64_t set_difference_mark(uint32_t run);

/* Test a pair, or a column, and add candidates. Return the units of work. */
uint32_t set_difference_test_pair(struct set_difference *d, uint32_t pair);
uint32_t set_difference_test_column(struct set_difference *d, uint32_t column);
/* Merge the candidates into rows. */
void set_difference_finish(struct set_difference *d);

#endif
