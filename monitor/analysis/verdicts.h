/* SPDX-License-Identifier: MIT */
/*
 * What was asked to be compared and judged, and what came of it: the base that runs are compared
 * with, the rules, and both against what a model knows. Reports and pages show the same. One
 * thread.
 */
#ifndef MONITOR_VERDICTS_H
#define MONITOR_VERDICTS_H

#include "monitor/analysis/rules.h"
#include "monitor/analysis/runs_of_model.h"

struct verdicts {
	struct rules rules; /* rw before the first verdicts_make() */
	struct runs base;   /* the same: A, where `compares` */
	bool compares;

	/* ro, by verdicts_make(): */
	bool made;
	struct runs runs;       /* B */
	struct run_roots roots; /* of each */
	struct comparison comparison;
	uint64_t
		choice; /* private: what `runs` are a choice of; and whether as of an earlier time */
	bool past;
	/* rw, who makes them on a screen: of the model, of what is found, and monotonic. */
	uint64_t version, rounds;
	ns_t made_ns;
};

/* All zeros is nothing asked; these are for one that something is asked of. */
void verdicts_init(struct verdicts *verdicts);
void verdicts_release(struct verdicts *verdicts);

static inline bool verdicts_asked(const struct verdicts *verdicts)
{
	return verdicts->compares || verdicts->rules.nr;
}

/*
 * Take the runs that the model of `what` knows, compare and judge them. `choice_id` tells one
 * choice from another: of the same, and of the present, runs that were taken before stay, also
 * where their root has left the model since. `find` (NULL: nothing does) says how many findings of
 * an id a root has, see rules_of.
 */
void verdicts_make(struct verdicts *verdicts, const struct analysis *what,
		   const struct runs_choice *choice, uint64_t choice_id,
		   uint64_t (*find)(void *data, uint32_t root, const char *id, const char *name),
		   void *find_data);

#endif
