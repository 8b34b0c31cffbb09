/* SPDX-License-Identifier: MIT */
/* Interface between set_difference.c, which reads the runs, and set_difference_tests.c. */
#ifndef MONITOR_SET_DIFFERENCE_PRIV_H
#define MONITOR_SET_DIFFERENCE_PRIV_H

#include "monitor/analysis/set_difference.h"

/* a pair: a text of a column, and the runs that have it */
struct set_difference_pair {
	struct set_difference_value value;
	uint32_t last_run; /* number + 1 of the last run that has the text */
	uint32_t with[2];
	uint64_t split; /* sum of the hashes of the runs that have the text */
};

/* a test, before tests that divide the runs in the same way are merged */
struct set_difference_candidate {
	struct set_difference_row row;
	uint64_t among; /* sum of the hashes of the compared runs; UINT64_MAX for RANKS */
	/* sum of the hashes of the runs with the value, or of those without it; the smaller sum;
	 * for RANKS the column */
	uint64_t split;
	uint32_t order; /* position of the test in the order of the table of attributes */
};

enum set_difference_stage { STAGE_READ, STAGE_READ_AGAIN, STAGE_PAIRS, STAGE_COLUMNS, STAGE_DONE };

/* Key of a column as texts of symbols of a model, which the model does not move. A column with a
 * key has one per model. */
struct set_difference_key {
	enum attribute attribute;
	const char *category, *key;
	uint32_t column;
};

struct set_difference_work {
	struct set_difference_run {
		/* model of the run; NULL: that of set_difference_continue() */
		const struct model *base;
		struct handle handle;
		bool slow;
	} * runs;
	uint32_t nr_runs, cap_runs;
	uint64_t all;
	enum set_difference_stage stage;
	uint32_t at;  /* next run, pair or column of this stage */
	uint32_t run; /* number of the run that is being read */
	struct set_difference_column *columns;
	uint32_t nr_columns, cap_columns;
	struct set_difference_key *keys;
	uint32_t nr_keys, cap_keys;
	struct tr2_hash_index by_key;
	/* finds the column of a key by the texts of the key */
	struct tr2_hash_index by_key_text;
	/* index + 1 of the column of each attribute without keys; 0: none */
	uint32_t plain[NR_ATTRIBUTES];
	struct set_difference_pair *pairs;
	uint32_t nr_pairs, cap_pairs;
	struct tr2_hash_index by_text;
	struct tr2_buf texts;
	struct set_difference_candidate *candidates;
	uint32_t nr_candidates, cap_candidates;
	struct set_difference_row *rows;
	struct set_difference_value *same;
	double *numbers;
	uint32_t cap_numbers;
};

/* Return a hash of a run. The sum of the hashes identifies a set of runs. */
uint64_t set_difference_mark(uint32_t run);

/* Test a pair or a column, and append candidates. Returns the units of work. */
uint32_t set_difference_test_pair(struct set_difference *d, uint32_t pair);
uint32_t set_difference_test_column(struct set_difference *d, uint32_t column);
void set_difference_finish(struct set_difference *d);

#endif
