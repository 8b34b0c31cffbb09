/* SPDX-License-Identifier: MIT */
/*
 * Rules: what must not be, as a build server asks it of a trace. The manual, "RULES", has the
 * language.
 *
 *   RULE    = [compare] SUBJECT [STAT] OP VALUE [where name = NAME] [or absent]
 *   SUBJECT = wall | region CATEGORY/LABEL | part KIND | finding [ID] | failed | errors
 *   STAT    = count total self min mean p50 p90 p99 max share
 *   OP      = < <= > >= = !=
 *   VALUE   = duration | number | percent with %
 *
 * A rule is read before anything runs; what is wrong with it is said with its column. It is judged
 * at the end, from the runs and the model. One thread.
 */
#ifndef MONITOR_RULES_H
#define MONITOR_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/analysis/compare.h"
#include "monitor/analysis/runs.h"
#include "monitor/model/model.h"

enum rule_subject {
	RULE_WALL,
	RULE_REGION,
	RULE_PART,
	RULE_FINDING,
	RULE_FAILED,
	RULE_ERRORS,
	NR_RULE_SUBJECTS
};

enum rule_stat {
	RULE_COUNT,
	RULE_TOTAL,
	RULE_SELF,
	RULE_MIN,
	RULE_MEAN,
	RULE_P50,
	RULE_P90,
	RULE_P99,
	RULE_MAX,
	RULE_SHARE,
	NR_RULE_STATS
};

enum rule_op { RULE_LT, RULE_LE, RULE_GT, RULE_GE, RULE_EQ, RULE_NE, NR_RULE_OPS };

enum rule_unit { RULE_US, RULE_NUMBER, RULE_PERCENT, NR_RULE_UNITS };

enum rule_result { RULE_OK, RULE_BROKEN, RULE_UNJUDGED, NR_RULE_RESULTS };

/* "us", "count", "percent"; "ok", "broken", "unjudged". */
extern const char *const rule_units[NR_RULE_UNITS];
extern const char *const rule_results[NR_RULE_RESULTS];

/* A rule as it was read, and how it was judged. Texts are owned by the rules. */
struct rule {
	char *text; /* as it was written, without blanks around it */
	bool compare;
	enum rule_subject subject;
	enum rule_stat stat;
	enum rule_op op;
	enum rule_unit unit; /* of `limit` and `value` */
	double limit;
	char *category, *label; /* of a region; what is written as ? is absent: NULL */
	char *what;             /* CATEGORY/LABEL, a part's kind, a finding's id; NULL: any */
	char *name;             /* of the root; NULL: any */
	bool or_absent;

	/* By rules_judge(): */
	enum rule_result result;
	bool has_value;
	double value;
	uint64_t samples;    /* that the value is of */
	char why[200];       /* "" or what else is to be said, printable */
	struct handle worst; /* the root of the sample that lies worst; HANDLE_NONE */
};

struct rules {
	struct rule *items; /* ro: in the order in which they were given */
	uint32_t nr, cap;
};

struct rule_error {
	size_t column; /* of the rule's text, from 0 */
	char message[160];
};

/* Add the rule that `text` is. False, and nothing is added, where it cannot be read. */
bool rules_add(struct rules *rules, const char *text, struct rule_error *error);
void rules_release(struct rules *rules);

/* Does any of them ask for so much? */
bool rules_need_regions(const struct rules *rules);
bool rules_need_compare(const struct rules *rules);
bool rules_need_findings(const struct rules *rules);

/* What rules are judged by; borrowed. */
struct rules_of {
	const struct model *model;  /* settled, with samples where rules_need_regions() */
	const struct runs *runs;    /* its roots that have ended and are chosen */
	const struct handle *roots; /* each of them */
	/* Which roots are chosen; NULL: all, and what is known of no root, too. */
	bool (*keep)(void *data, const struct model *model, uint32_t root);
	void *keep_data;
	const struct comparison *comparison; /* with `runs` as B; NULL: nothing to compare with */
	/* How many findings of that id (NULL: of any) a root has; SLOT_NONE: all together, in a
	 * process of that name (NULL: of any). NULL: nothing finds any. */
	uint64_t (*findings)(void *data, uint32_t root, const char *id, const char *name);
	void *findings_data;
};

/* Judge all of them. */
void rules_judge(struct rules *rules, const struct rules_of *of);

/* The number of those that are broken or cannot be judged: the gate is shut. */
uint32_t rules_fail(const struct rules *rules);

/* The value as people read it: "88.14ms", "3", "-17.6 %"; "-" without one. */
void rule_say_value(const struct rule *rule, struct tr2_buf *out);

#endif
