/* SPDX-License-Identifier: MIT */
/*
 * Compare two sets of runs: whether a command got slower, and in which part. The load of a machine
 * usually changes more within minutes than code does, so runs are compared in pairs that are
 * adjacent in time. Sets recorded one after the other are not comparable. trace2top-compare(7)
 * describes it for users.
 *
 * Each command is compared separately, failed runs apart from successful ones. Times are in
 * nanoseconds; differences are the new set (B) minus the base (A). Pure, one thread; O(n log n) in
 * runs and in parts.
 */
#ifndef MONITOR_COMPARE_H
#define MONITOR_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/analysis/runs.h"

#define COMPARE_MIN_PAIRS 10u  /* minimum number of pairs for a verdict */
#define COMPARE_P         0.01 /* significance level for the parts of a command */
#define COMPARE_SHIFT     0.02 /* smaller relative changes are not reported, whatever p is */
#define COMPARE_PART      0.01 /* parts below this share of the base's wall time are ignored */

enum compare_verdict { COMPARE_SLOWER, COMPARE_FASTER, COMPARE_SAME, COMPARE_APART, NR_VERDICTS };

/* In JSON: "slower", "faster", "same", "apart". */
extern const char *const compare_verdicts[NR_VERDICTS];
/* For people: "slower", "faster", "not significant", "not comparable". */
extern const char *const compare_verdict_words[NR_VERDICTS];

/* Two runs that are adjacent in time: indexes into the two sets. */
struct compare_pair {
	uint32_t a, b;
};

/* A part (parts.h) in all runs of a group, by (kind, label), summed over hierarchies. */
struct compare_part {
	sym_t kind;   /* symbol in the comparison's texts */
	sym_t label;  /* name as printed: "index/refresh", "in no region", "spawn of fetch/gc" */
	double mean;  /* mean of the differences of the pairs, in ns */
	double shift; /* Hodges-Lehmann shift of the differences */
	double p;     /* p of the change, adjusted by Holm's method over the group's parts */
	bool differs;
};

struct compare_side {
	uint32_t runs; /* number of runs of the group, paired or not */
	double p50;    /* median of the paired runs; of all runs if the verdict is `apart` */
	double mean;
};

/* All runs of one command that succeeded, or all that failed. */
struct compare_group {
	sym_t name; /* symbol in the comparison's texts; SYM_NONE: unknown */
	bool failed;
	struct compare_side a, b;
	uint32_t first_pair, nr_pairs;
	enum compare_verdict verdict;
	/*
	 * The ratio of new (B) to base (A) minus 1, and its 99 % interval; 0 if the verdict is
	 * `apart`. Only these decide the verdict, so it never contradicts the interval.
	 */
	double shift, low, high;
	/* p of the signed ranks of wall times; if it is near the significance level it may
	 * disagree with the interval */
	double p;
	uint32_t first_part,
		nr_parts; /* the parts that are not ignored, in descending order of their mean */
	/* mean of all ignored parts together, so that all means add up to that of the wall time */
	double other;
};

/* A command that only one of the sets has. */
struct compare_only {
	sym_t name;
	bool failed;
	bool in_b;
	uint32_t runs;
};

struct comparison {
	struct tr2_intern texts;
	/* ro, as all below: groups with significant changes first, then by name */
	struct compare_group *groups;
	uint32_t nr_groups, cap_groups;
	struct compare_pair *pairs; /* in order of time within a group */
	uint32_t nr_pairs, cap_pairs;
	struct compare_part *parts;
	uint32_t nr_parts, cap_parts;
	struct compare_only *only;
	uint32_t nr_only, cap_only;
	const struct runs *a, *b; /* borrowed */
};

/* Compare two sets of runs; initialises `out`. The sets are borrowed and must not change while
 * `out` is used. */
void compare_make(struct comparison *out, const struct runs *a, const struct runs *b);
void compare_release(struct comparison *comparison);

/*
 * Compute the change of the sum, per pair, of the parts that `is_asked` selects: mean, shift, and p
 * of this single test. Returns false if no run of a pair has such a part or the verdict is `apart`.
 * `*share`: the share of these parts in the mean wall time of base or new, whichever is larger.
 */
bool compare_sum(const struct comparison *comparison, const struct compare_group *group,
		 bool (*is_asked)(void *data, const struct runs *runs, const struct run_part *part),
		 void *data, struct compare_part *out, double *share);

/* Return the id of a group, or of a part of any group. It is the same in every comparison, and
 * not 0. */
uint64_t compare_group_id(const struct comparison *comparison, const struct compare_group *group);
uint64_t compare_part_id(const struct comparison *comparison, const struct compare_part *part);

/* Return the duration of a part in run `number` of one of the sets. */
ns_t compare_part_time(const struct comparison *comparison, const struct runs *runs,
		       uint32_t number, const struct compare_part *part);

/* True if the 99 % interval of the group's change excludes 0. */
static inline bool compare_excludes_0(const struct compare_group *group)
{
	return group->low > 0 || group->high < 0;
}

/* Append the verdict on a group, such as "faster (30 pairs)". */
void compare_format_verdict(const struct compare_group *group, struct tr2_buf *out);
/*
 * Append a sentence, without full stop, that explains the verdict; nothing if none is needed.
 */
void compare_format_why(const struct compare_group *group, struct tr2_buf *out);
/* Append a ratio minus 1, in percent: "+4.2", "-17.6", "0.0"; a small negative value gives
 * "-0.0". */
void compare_format_percent(struct tr2_buf *out, double share);

/* Append the name of a run's part; it is the label of struct compare_part. */
void run_part_format(const struct runs *runs, const struct run_part *part, struct tr2_buf *out);

/* Append the name of a group, with " (failed)" if it failed; "(none)" if it has no name. */
void compare_format_name(const struct comparison *comparison, sym_t name, bool failed,
			 struct tr2_buf *out);

static inline const char *compare_text(const struct comparison *comparison, sym_t text, size_t *len)
{
	return tr2_intern_text(&comparison->texts, text, len);
}

#endif
