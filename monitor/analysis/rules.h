/* SPDX-License-Identifier: MIT */
/*
 * A rule is a condition under which the check of a trace fails. The section RULES of trace2top(1)
 * describes the language.
 *
 *   RULE = [compare] SUBJECT [STAT] OP VALUE [where name = NAME] [or absent]
 *   SUBJECT = wall | region CATEGORY/LABEL | part KIND | finding [ID] | failed | errors
 *   STAT = count total self min mean p50 p90 p99 max share
 *   OP = < <= > >= = !=
 *   VALUE = duration | number | percent with %
 *
 * One thread.
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

extern const char *const rule_units[NR_RULE_UNITS];
extern const char *const rule_results[NR_RULE_RESULTS];

/* A parsed rule and its result. struct rules owns the texts. */
struct rule {
	char *text; /* text of the rule as the user wrote it, without blanks around it */
	bool compare;
	enum rule_subject subject;
	enum rule_stat stat;
	enum rule_op op;
	enum rule_unit unit;
	double limit;
	/* category and label of the region; NULL: written as `?` (absent), or not RULE_REGION */
	char *category, *label;
	/* name of the subject: CATEGORY/LABEL of a region, kind of a part, or id of a finding;
	 * NULL: any or none */
	char *what;
	char *name; /* name of the root processes to which the rule applies; NULL: any */
	bool or_absent;

	/* rules_evaluate() sets the members below. */
	enum rule_result result;
	bool has_value;
	double value;
	/* number of durations, or of compared pairs, from which `value` was computed */
	uint64_t samples;
	char why[200]; /* reason of the rule's result; "": none */
	/* root process of the worst duration, of a process with most errors, or of a failed
	 * process; HANDLE_NONE: none */
	struct handle worst;
};

struct rules {
	struct rule *items;
	uint32_t nr, cap;
};

struct rule_error {
	size_t column; /* position of the error: bytes of the rule before it */
	char message[160];
};

/* Parse a rule and append it. Returns false and adds nothing if `text` is invalid. */
bool rules_add(struct rules *rules, const char *text, struct rule_error *error);
void rules_release(struct rules *rules);

bool rules_need_regions(const struct rules *rules);

/* input of rules_evaluate(), borrowed during the call */
struct rules_of {
	/* settled model; if rules_need_regions(), it must keep the durations of individual
	 * regions */
	const struct model *model;
	const struct runs *runs; /* runs: root processes that were selected and have ended */
	const struct handle *roots;
	/* Selects root processes. NULL: all, and evicted processes as far as the model has data
	 * about them. */
	bool (*keep)(void *data, const struct model *model, uint32_t root);
	void *keep_data;
	/* comparison of `runs` with a base; NULL: none */
	const struct comparison *comparison;
	/*
	 * Returns the number of findings with the id (NULL: any) of a root (SLOT_NONE: those about
	 * all roots together), in processes of a name (NULL: any). NULL: findings are not
	 * available.
	 */
	uint64_t (*findings)(void *data, uint32_t root, const char *id, const char *name);
	void *findings_data;
};

void rules_evaluate(struct rules *rules, const struct rules_of *of);

/* Return the number of rules that fail or cannot be evaluated. */
uint32_t rules_fail(const struct rules *rules);

/* Append the value of a rule, such as "88.14ms" or "-17.6 %"; "-" if there is none. */
void rule_format_value(const struct rule *rule, struct tr2_buf *out);

#endif
