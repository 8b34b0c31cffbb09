/* SPDX-License-Identifier: MIT */
/*
 * Compare two sets of runs: whether a command got slower, and in which part. Runs are compared in
 * pairs that are adjacent in time, because the load of a machine changes. trace2top-compare(7)
 * describes the method.
 *
 * Each command is compared separately, failed runs apart from successful ones. Times are in
 * nanoseconds; differences are the new set (B) minus the base (A). One thread.
 */
#ifndef MONITOR_COMPARE_H
#define MONITOR_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/analysis/runs.h"

#define COMPARE_MIN_PAIRS 10u  /* with fewer pairs of runs, the verdict is `apart` */
#define COMPARE_P         0.01 /* significance level of the change of one part */
/* smaller changes, relative to the wall time of base, are not significant */
#define COMPARE_SHIFT 0.02
/* a part whose mean time in each set is below this share of base's mean wall time is ignored */
#define COMPARE_PART 0.01

enum compare_verdict { COMPARE_SLOWER, COMPARE_FASTER, COMPARE_SAME, COMPARE_APART, NR_VERDICTS };

/* verdicts in JSON */
extern const char *const compare_verdicts[NR_VERDICTS];
/* verdicts for people: "not significant" for SAME, "not comparable" for APART */
extern const char *const compare_verdict_words[NR_VERDICTS];

/* indexes of two runs, one of each set, that are adjacent in time */
struct compare_pair {
	uint32_t a, b;
};

/*
 * A part (parts.h) in all paired runs of a group. Parts of the same kind and label are summed over
 * all hierarchies.
 */
struct compare_part {
	sym_t kind; /* symbol in the comparison's texts */
	/* name as printed, such as "index/refresh" or "in no region" */
	sym_t label;
	double mean;  /* mean difference in the part's time over all pairs, in ns */
	double shift; /* Hodges-Lehmann shift (a median) of the differences of the pairs, in ns */
	/* p of the part's change; adjusted by Holm's method over the group's parts, except by
	 * compare_sum() */
	double p;
	bool differs;
};

struct compare_side {
	uint32_t runs; /* number of runs with a positive wall time, paired or not */
	/* median wall time of the paired runs; of all runs if the verdict is `apart` */
	double p50;
	double mean;
};

/* The runs of one command that succeeded, or those that failed, if both sets have such runs. */
struct compare_group {
	/* symbol of the command's name in the comparison's texts; SYM_NONE: unknown */
	sym_t name;
	bool failed;
	struct compare_side a, b;
	uint32_t first_pair, nr_pairs;
	enum compare_verdict verdict;
	/*
	 * Estimated ratio of the wall time of new (B) to that of base (A), minus 1, and its 99 %
	 * interval; 0 if the verdict is `apart`.
	 */
	double shift, low, high;
	/* p of the signed-rank test of the wall times, 1 if the verdict is `apart`; p may
	 * contradict the interval near the significance level */
	double p;
	/* parts that are not ignored, sorted by the size of `mean`, largest first */
	uint32_t first_part, nr_parts;
	/* mean difference of the wall times that no listed part explains; 0 if the verdict is
	 * `apart` */
	double other;
};

/* a command whose successful, or failed, runs are in only one of the two sets */
struct compare_only {
	sym_t name;
	bool failed;
	bool in_b;
	uint32_t runs;
};

struct comparison {
	struct tr2_intern texts;
	/* ro, as are all members after it: groups with significant changes first, then by name */
	struct compare_group *groups;
	uint32_t nr_groups, cap_groups;
	struct compare_pair *pairs; /* pairs, sorted by time within each group */
	uint32_t nr_pairs, cap_pairs;
	struct compare_part *parts;
	uint32_t nr_parts, cap_parts;
	struct compare_only *only;
	uint32_t nr_only, cap_only;
	const struct runs *a, *b; /* borrowed */
};

/* Initialise `out` with a comparison of two sets of runs, which are borrowed: they must not change
 * while `out` is used. */
void compare_make(struct comparison *out, const struct runs *a, const struct runs *b);
void compare_release(struct comparison *comparison);

/*
 * Compute the difference per pair in the sum of the parts that `is_asked` selects: mean, shift and
 * unadjusted p. Sets `*share` to the mean time of these parts in base or new, whichever is larger,
 * divided by the mean wall time of base. Returns false if no run of a pair has a selected part or
 * the verdict is `apart`.
 */
bool compare_sum(const struct comparison *comparison, const struct compare_group *group,
		 bool (*is_asked)(void *data, const struct runs *runs, const struct run_part *part),
		 void *data, struct compare_part *out, double *share);

/* Return the id of a group, or of a part of any group. The id does not depend on the comparison and
 * is not 0. */
uint64_t compare_group_id(const struct comparison *comparison, const struct compare_group *group);
uint64_t compare_part_id(const struct comparison *comparison, const struct compare_part *part);

ns_t compare_part_time(const struct comparison *comparison, const struct runs *runs,
		       uint32_t number, const struct compare_part *part);

/* True if the 99 % interval of the change in wall time of the group excludes 0. */
static inline bool compare_excludes_0(const struct compare_group *group)
{
	return group->low > 0 || group->high < 0;
}

/* Append the verdict, such as "faster (30 pairs)". */
void compare_format_verdict(const struct compare_group *group, struct tr2_buf *out);
/* Append an explanation of the verdict; nothing for a significant change. */
void compare_format_why(const struct compare_group *group, struct tr2_buf *out);
/* Append a ratio minus 1, in percent, such as "+4.2" or "0.0"; "-0.0" for a small negative
 * value. */
void compare_format_percent(struct tr2_buf *out, double share);

void run_part_format(const struct runs *runs, const struct run_part *part, struct tr2_buf *out);

/* Append the name of a group, "(none)" if unknown, and " (failed)" if its runs failed. */
void compare_format_name(const struct comparison *comparison, sym_t name, bool failed,
			 struct tr2_buf *out);

static inline const char *compare_text(const struct comparison *comparison, sym_t text, size_t *len)
{
	return tr2_intern_text(&comparison->texts, text, len);
}

#endif
