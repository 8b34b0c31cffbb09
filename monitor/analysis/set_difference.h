/* SPDX-License-Identifier: MIT */
/*
 * What is different about a set of runs? Compares two sets of ended processes, such as the slow
 * runs of a command and the others, by every attribute that is tested (attributes.def). A run is
 * one process.
 *
 *   set_difference_clear(d, false);
 *   set_difference_add(d, handle, true);               once per run
 *   while (!set_difference_continue(d, model, 50000))  a part per frame
 *           ;
 *   d->rows                                            by p
 *
 * Tests, chosen without looking at the sets:
 * - Text: for each value, and "(none)", that at least 5 runs have and 5 have not, Fisher's exact
 *   test; p is twice the smaller tail.
 * - Number: ranks of the runs with a value, if each set has 8 of them. If half or more of them have
 *   one value V, the text "not V" among them instead. And "(none)", as for texts.
 * Tests that split the runs alike, or in the opposite way, are one test and one row. Holm's
 * adjustment is over all tests. A difference is significant if its adjusted p is below 0.01, and
 * the shares differ by 10 points or twofold; numbers: if 60 % of the pairs differ in that
 * direction.
 *
 * At most 65,536 texts are kept; further ones count as "(other)". All text is copied, so a result
 * outlives the model. One thread.
 */
#ifndef MONITOR_SET_DIFFERENCE_H
#define MONITOR_SET_DIFFERENCE_H

#include "engine/base/buf.h"
#include "engine/base/hash_index.h"
#include "monitor/attribute/attribute.h"

#define SET_DIFFERENCE_RUNS  8u /* least number of runs in each set */
#define SET_DIFFERENCE_SPLIT 5u /* least number of runs with and without a value */
#define SET_DIFFERENCE_PAIRS 65536u
#define SET_DIFFERENCE_P     0.01
/* Units of work per frame: about 2 ms. */
#define ATTRIBUTES_FRAME_UNITS 15000u

/* The values or runs that a test compares. */
enum set_difference_of {
	SET_DIFFERENCE_RANKS, /* numbers */
	SET_DIFFERENCE_VALUE, /* runs with a text */
	SET_DIFFERENCE_NONE,  /* runs without a value */
	SET_DIFFERENCE_NOT,   /* runs with another number than the most frequent one */
	SET_DIFFERENCE_OTHER, /* runs with a text that was not kept */
};

/* An attribute, or one key of an attribute with keys. */
struct set_difference_column {
	enum attribute attribute;
	uint32_t category, category_len, key, key_len; /* ro: where its key is in `texts` */
	bool is_text;                                  /* ro: not all values are numbers */
	bool has_category, has_key;
	bool again;        /* private, as all below: visit the runs again, because it became text */
	uint32_t last_run; /* number + 1 of the last run with a value */
	uint32_t with[2];  /* runs with a value: of `others`, of `slow` */
	uint64_t split;    /* sum of the marks of these runs */
	uint32_t other_pair; /* number + 1 of its pair "(other)" */
	struct set_difference_number {
		double value;
		uint32_t run;
	} * numbers;
	uint32_t nr, cap;
	uint32_t recent_pair; /* number + 1 of the pair of the last text */
};

/* A value of a column. */
struct set_difference_value {
	uint32_t column;
	enum set_difference_of of;
	uint32_t text, len; /* for VALUE and NOT: position of the value in `texts` */
};

struct set_difference_row {
	struct set_difference_value value;
	uint32_t first_same, nr_same; /* values with the same or the opposite split: in `same` */
	uint32_t with[2];             /* runs that have it: of `others` ([0]), of `slow` ([1]) */
	uint32_t runs[2];             /* of so many runs */
	double medians[2];            /* of RANKS: nearest-rank medians */
	double higher; /* of RANKS: share of pairs in which the slow run's number is larger */
	double p, adjusted;
	bool significant;
};

struct set_difference {
	struct set_difference_row *rows; /* ro: by p, then in the order of the table */
	uint32_t nr_rows;
	const struct set_difference_value *same;
	const struct set_difference_column *columns;
	const char *texts;
	uint32_t nr_columns;
	uint32_t runs[2];  /* ro: number of runs in `others` ([0]) and `slow` ([1]) */
	uint64_t nr_other; /* ro: values that were not kept */
	unsigned percent;  /* ro: progress; 100: done */
	bool by_success;   /* ro: the sets were chosen by success or failure */
	bool by_error;     /* rw before the work: do not test errors, which chose the sets */
	struct set_difference_work *work; /* private */
};

/* Remove all runs. `by_success`: do not test state, code and signo. A zeroed struct is empty. */
void set_difference_clear(struct set_difference *d, bool by_success);
void set_difference_release(struct set_difference *d);

/* Add a run to `slow` or to `others`. */
void set_difference_add(struct set_difference *d, struct handle run, bool slow);
/* Add a run of another model to `others`. The model must be settled, and must neither change nor be
 * freed before the work is done. */
void set_difference_add_base(struct set_difference *d, const struct model *base, struct handle run);

/* True if a set has too few runs: then there are no rows. */
bool set_difference_is_small(const struct set_difference *d);

/*
 * Do about `units` units of work (a unit takes about 0.1 us). Returns true when it is done. The
 * model may change between two calls: runs that were evicted meanwhile have no values.
 */
bool set_difference_continue(struct set_difference *d, const struct model *model, uint32_t units);

/* Return the attribute of a column with its key; texts are valid until set_difference_clear(). */
struct attribute_ref set_difference_ref(const struct set_difference *d, uint32_t column);

/* Append a value as text: "all", "(none)", "not 0", "(other)"; nothing for RANKS. Passwords are
 * hidden. */
void set_difference_format(const struct set_difference *d, const struct set_difference_value *value,
			   struct tr2_buf *out);

/* Append a filter that matches the runs with a value; nothing for RANKS and OTHER. */
void set_difference_format_filter(const struct set_difference *d,
				  const struct set_difference_value *value, struct tr2_buf *out);

/*
 * Fisher's exact test: of `slow` and `others` runs, `slow_with` and `others_with` have a value.
 * Returns twice the smaller tail, at most 1.
 */
double fisher_exact(uint32_t slow_with, uint32_t slow, uint32_t others_with, uint32_t others);

#endif
