/* SPDX-License-Identifier: MIT */
/*
 * Compares two sets of runs, such as the slow runs of a command and the others, by every attribute
 * that is tested (attributes.def). A run is a process that is not running.
 *
 *   set_difference_clear(d, false);
 *   set_difference_add(d, handle, true);               once per run
 *   while (!set_difference_continue(d, model, 50000))  a part per frame
 *           ;
 *   d->rows                                            by p
 *
 * Tests:
 * - Text: for each value, and "(none)", that at least 5 runs have and 5 have not, Fisher's exact
 *   test; p is twice the smaller tail.
 * - Number: ranks of the runs with a value, if each set has 8 of them. If half or more of them
 *   have one value V, the text "not V" among them instead. And "(none)", as for texts.
 * Tests that split the runs alike, or in the opposite way, are one test and one row. Holm's
 * adjustment is over all tests. A difference is significant if its adjusted p is below 0.01, and
 * the shares differ by at least 10 points or twofold; of numbers, if at least 60 % of the pairs
 * differ in one direction.
 *
 * At most 65,536 texts are kept; further ones count as "(other)". Results outlive the model. One
 * thread.
 */
#ifndef MONITOR_SET_DIFFERENCE_H
#define MONITOR_SET_DIFFERENCE_H

#include "engine/base/buf.h"
#include "engine/base/hash_index.h"
#include "monitor/attribute/attribute.h"

#define SET_DIFFERENCE_RUNS 8u
/* minimum number of runs with a value, and of runs without it, for a test of the value */
#define SET_DIFFERENCE_SPLIT 5u
#define SET_DIFFERENCE_PAIRS 65536u
#define SET_DIFFERENCE_P     0.01
/* units of work per frame, about 2 ms */
#define ATTRIBUTES_FRAME_UNITS 15000u

enum set_difference_of {
	SET_DIFFERENCE_RANKS, /* numbers */
	SET_DIFFERENCE_VALUE, /* a text */
	SET_DIFFERENCE_NONE,  /* "(none)": the run has no value */
	SET_DIFFERENCE_NOT,   /* any number but the most frequent one */
	SET_DIFFERENCE_OTHER, /* "(other)": a text that was not kept */
};

/* a column: an attribute, or one key of an attribute that has keys */
struct set_difference_column {
	enum attribute attribute;
	/* ro: ranges of category and key in `texts` */
	uint32_t category, category_len, key, key_len;
	/* ro: the attribute is tested as text, or a value of the column is not a number */
	bool is_text;
	bool has_category, has_key;
	/* private, as are all members after it: the column became text, so all runs are read
	 * again */
	bool again;
	uint32_t last_run;   /* number + 1 of the last run that has a value in the column */
	uint32_t with[2];    /* number of runs with a value: in `others` ([0]), in `slow` ([1]) */
	uint64_t split;      /* sum of the hashes of the runs with a value */
	uint32_t other_pair; /* number + 1 of the column's pair "(other)"; 0: none */
	struct set_difference_number {
		double value;
		uint32_t run;
	} * numbers;
	uint32_t nr, cap;
	uint32_t recent_pair; /* number + 1 of the pair of the column's last text; 0: none */
};

/* a value of a column, or a group of values */
struct set_difference_value {
	uint32_t column;
	enum set_difference_of of;
	uint32_t text, len; /* range of the text in `texts`, for VALUE and NOT */
};

struct set_difference_row {
	struct set_difference_value value;
	/* range in `same` of the other values that divide the runs in the same or the opposite
	 * way */
	uint32_t first_same, nr_same;
	/* number of runs that have the value: in `others` ([0]), in `slow` ([1]) */
	uint32_t with[2];
	/* number of runs that were compared: in `others` ([0]), in `slow` ([1]) */
	uint32_t runs[2];
	double medians[2]; /* for RANKS: medians of both sets, by nearest rank */
	/* for RANKS: share of pairs in which the number of the slow run is larger; pairs of equal
	 * numbers count half */
	double higher;
	double p, adjusted;
	bool significant;
};

struct set_difference {
	/* ro: rows by p, then in the order of the table of attributes */
	struct set_difference_row *rows;
	uint32_t nr_rows;
	const struct set_difference_value *same;
	const struct set_difference_column *columns;
	const char *texts;
	uint32_t nr_columns;
	uint32_t runs[2];  /* ro: number of runs in `others` ([0]) and `slow` ([1]) */
	uint64_t nr_other; /* ro: number of values whose texts were not kept */
	unsigned percent;
	bool by_success; /* ro: attributes of success and failure are not tested */
	/* rw before the work begins: do not test attributes of errors, by which the sets were
	 * chosen */
	bool by_error;
	struct set_difference_work *work; /* private */
};

/* Remove all runs. Call this function before the first run is added, too. `d` may be all zeros.
 * `by_success`: do not test the attributes state, code and signo. */
void set_difference_clear(struct set_difference *d, bool by_success);
void set_difference_release(struct set_difference *d);

void set_difference_add(struct set_difference *d, struct handle run, bool slow);
/* Add a run of another model to `others`. The model must be settled, and neither change nor be
 * freed before the work is done. */
void set_difference_add_base(struct set_difference *d, const struct model *base, struct handle run);

/* True if a set has too few runs; then there are no rows. */
bool set_difference_is_small(const struct set_difference *d);

/*
 * Do about `units` units of work (0.1 us each). Returns true when all work is done. The model may
 * change between two calls: runs that were evicted meanwhile have no values.
 */
bool set_difference_continue(struct set_difference *d, const struct model *model, uint32_t units);

/* Return the attribute of a column, with its key, valid until set_difference_clear(). */
struct attribute_ref set_difference_ref(const struct set_difference *d, uint32_t column);

/* Append a value, such as "all", "(none)" or "not 0"; nothing for RANKS. Hides passwords
 * (secrets.h). */
void set_difference_format(const struct set_difference *d, const struct set_difference_value *value,
			   struct tr2_buf *out);

/* Append a filter term for the runs with a value; nothing for RANKS and OTHER. */
void set_difference_format_filter(const struct set_difference *d,
				  const struct set_difference_value *value, struct tr2_buf *out);

/*
 * Fisher's exact test: `slow_with` of the `slow` runs and `others_with` of the `others` runs have a
 * value. Returns p, twice the smaller tail, at most 1.
 */
double fisher_exact(uint32_t slow_with, uint32_t slow, uint32_t others_with, uint32_t others);

#endif
