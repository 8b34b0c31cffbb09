/* SPDX-License-Identifier: MIT */
/*
 * Two sets of runs compared: did a command get slower, and by what part of it. What the machine
 * does meanwhile changes more from minute to minute than most code does, so runs are compared in
 * pairs that stand beside each other in time, and sets that were recorded one after the other are
 * not judged at all. The manual, "COMPARING", says it for users.
 *
 * Commands are compared one by one, those that failed apart from those that did not. Times are in
 * nanoseconds; B less A. Pure, one thread; O(n log n) in runs and in parts.
 */
#ifndef MONITOR_COMPARE_H
#define MONITOR_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/analysis/runs.h"

#define COMPARE_MIN_PAIRS 10u  /* fewer say nothing */
#define COMPARE_P         0.01 /* so often does a part not differ that is said to */
#define COMPARE_SHIFT     0.02 /* a smaller one is none, whatever p */
#define COMPARE_PART      0.01 /* parts below this share of A's wall are not looked at */

enum compare_verdict { COMPARE_SLOWER, COMPARE_FASTER, COMPARE_SAME, COMPARE_APART, NR_VERDICTS };

/* "slower", "faster", "same", "apart". */
extern const char *const compare_verdicts[NR_VERDICTS];

/* Two runs that stand beside each other in time: numbers of items of their sets. */
struct compare_pair {
	uint32_t a, b;
};

/* A part of a group, by (kind, label): hierarchies are summed. */
struct compare_part {
	sym_t kind;   /* in the comparison's texts */
	sym_t label;  /* as it reads: "index/refresh", "in no region", "spawn of fetch/gc" */
	double mean;  /* of the differences of the pairs */
	double shift; /* their Hodges-Lehmann shift */
	double p;     /* by Holm over the group's parts */
	bool differs;
};

struct compare_side {
	uint32_t runs; /* of the group, paired or not */
	double p50;    /* of the runs in pairs; of all where the verdict is `apart` */
	double mean;
};

/* All runs of one command that ended in one way. */
struct compare_group {
	sym_t name; /* in the comparison's texts; SYM_NONE: never said */
	bool failed;
	struct compare_side a, b;
	uint32_t first_pair, nr_pairs;
	enum compare_verdict verdict;
	/* The ratio of B to A, less 1, and its 99 % interval; 0 where the verdict is `apart`. The
	 * verdict goes by them alone, so that it never says other than the interval beside it. */
	double shift, low, high;
	double p; /* of the walls' signed ranks; at its border it may be of another mind */
	uint32_t first_part,
		nr_parts; /* those looked at, by the size of their means, largest first */
	double other;     /* mean of all that are not: means add up to that of walls */
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
	struct compare_group *groups; /* ro, as all below: those that differ first, then by name */
	uint32_t nr_groups, cap_groups;
	struct compare_pair *pairs; /* of a group in order of time */
	uint32_t nr_pairs, cap_pairs;
	struct compare_part *parts;
	uint32_t nr_parts, cap_parts;
	struct compare_only *only;
	uint32_t nr_only, cap_only;
	const struct runs *a, *b; /* borrowed */
};

/* Compare; `out` needs no value before. The sets are borrowed and must not change meanwhile. */
void compare_make(struct comparison *out, const struct runs *a, const struct runs *b);
void compare_release(struct comparison *comparison);

/*
 * What `group` says of the parts that `is_asked` chooses, summed a pair: their mean and shift, p of
 * this one test. False where no run of a pair has one, or the group is apart. `*share` is the
 * larger of its two shares of A's mean wall.
 */
bool compare_sum(const struct comparison *comparison, const struct compare_group *group,
		 bool (*is_asked)(void *data, const struct runs *runs, const struct run_part *part),
		 void *data, struct compare_part *out, double *share);

/* What tells a group, or a part of whichever group, from others in any comparison; not 0. */
uint64_t compare_group_id(const struct comparison *comparison, const struct compare_group *group);
uint64_t compare_part_id(const struct comparison *comparison, const struct compare_part *part);

/* So much of a part is in run `number` of one of its sets. */
ns_t compare_part_time(const struct comparison *comparison, const struct runs *runs,
		       uint32_t number, const struct compare_part *part);

/* Can the walls' difference be told from none? */
static inline bool compare_excludes_0(const struct compare_group *group)
{
	return group->low > 0 || group->high < 0;
}

/* "faster (30 pairs)". */
void compare_say_verdict(const struct compare_group *group, struct tr2_buf *out);
/* What else is to be said of the verdict, as one sentence without its full stop; nothing where it
 * speaks for itself. */
void compare_say_why(const struct compare_group *group, struct tr2_buf *out);
/* A ratio, less 1, in percent: "+4.2", "-17.6", "0.0"; "-0.0" is less than nothing. */
void compare_say_percent(struct tr2_buf *out, double share);

/* What a part of a run is called, as struct compare_part's label. */
void run_part_say(const struct runs *runs, const struct run_part *part, struct tr2_buf *out);

/* The name of a group, with " (failed)" where it did; "(none)" without one. */
void compare_say_name(const struct comparison *comparison, sym_t name, bool failed,
		      struct tr2_buf *out);

static inline const char *compare_text(const struct comparison *comparison, sym_t text, size_t *len)
{
	return tr2_intern_text(&comparison->texts, text, len);
}

#endif
