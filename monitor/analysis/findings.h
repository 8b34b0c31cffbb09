/* SPDX-License-Identifier: MIT */
/*
 * What is worth knowing of runs, and what to do about it: rows of findings.def that the evidence of
 * a trace bears out. A finding of level cost says how much wall time it holds, by parts.h.
 *
 *   model + parts of a root -> findings_of_root(), of each root; findings_of_all() -> findings
 *
 * Equal ones (row, root, evidence) are one, counted. Nothing is kept in the model. One thread.
 */
#ifndef MONITOR_FINDINGS_H
#define MONITOR_FINDINGS_H

#include "engine/base/buf.h"
#include "monitor/analysis/parts.h"
#include "monitor/base/word.h"

enum finding_id {
#define FINDING(ID, ...) FINDING_##ID,
#include "monitor/analysis/findings.def"
	NR_FINDING_IDS
};

enum finding_level { LEVEL_COST, LEVEL_TROUBLE, LEVEL_NOTE, LEVEL_PROGRAM, NR_LEVELS };

/* "cost", "trouble", "note", "program" as reports say them. */
extern const char *const finding_level_names[NR_LEVELS];

struct finding_row {
	const char *word;
	uint8_t level; /* enum finding_level */
	bool of_all;   /* of all processes together */
	uint8_t share; /* percent; 0: none is asked for */
	ns_t floor;
	const char *title, *advice;
};

extern const struct finding_row finding_rows[NR_FINDING_IDS];

/* For --no-finding and the configuration file. */
extern const struct word finding_words[NR_FINDING_IDS];

/* The id of that word; -1. */
int finding_find(const char *word, size_t len);

struct finding {
	uint8_t id;                /* enum finding_id */
	struct handle root;        /* HANDLE_NONE: of all */
	struct handle process;     /* the first one that it was seen in; HANDLE_NONE */
	ns_t held;                 /* 0: it holds no time */
	ns_t wall;                 /* of the root; held / wall is its share; 0: none */
	uint64_t count;            /* equal ones */
	uint32_t evidence, length; /* in `texts`; see finding_evidence() */
};

/* All zeros at first. */
struct findings {
	struct finding *items; /* ro */
	uint32_t nr, cap;
	uint64_t off;         /* rw: a bit for each id that is not looked for */
	struct tr2_buf texts; /* private */
	bool begun;           /* private */
};

/* What was made of it, not NUL-terminated; printable as it is only where the trace's text is: screens
 * show it as they show any text. */
static inline const char *finding_evidence(const struct findings *findings,
					   const struct finding *finding, size_t *len)
{
	*len = finding->length;
	return findings->texts.data + finding->evidence;
}

/* Forget all but `off`. */
void findings_clear(struct findings *findings);
void findings_release(struct findings *findings);

/* A root by what it ran and where. */
struct finding_loop {
	uint64_t key;
	ns_t start;
	struct handle root;
};

/* Roots that may be one command again and again; zeroes at first, `items` is to be freed. */
struct finding_loops {
	struct finding_loop *items;
	uint32_t nr, cap;
};

/*
 * What is looked through: the settled model of `what`. Its `now` is heeded; its limits and filter
 * are not, since what is found is of the trace and not of how it is shown.
 */
struct findings_of {
	const struct analysis *what;
	bool own_command, all_over; /* as in struct parts_of */
	/* Which roots are looked at together; NULL: all. */
	bool (*keep)(void *data, const struct model *model, uint32_t root);
	void *keep_data;
	/* All of these roots, gathered before by finding_loops_add(), so that looking at all of them
	 * together takes no long time; they are sorted. NULL: they are gathered then. */
	struct finding_loops *loops;
};

/* Add a root, if it can be one of a loop. */
void finding_loops_add(struct finding_loops *loops, const struct model *model, uint32_t root);

/*
 * Add what is found in the tree of the process in slot `root`, whose parts are made in `scratch`
 * where they are needed. O(parts + processes + children + data of the tree).
 */
void findings_of_root(struct findings *findings, const struct findings_of *of, uint32_t root,
		      struct parts *scratch);
/* Add what is seen of all processes together only. O(processes + timings). */
void findings_of_all(struct findings *findings, const struct findings_of *of);

/* How many of the findings are of that root (HANDLE_NONE: of all together), that id (NULL: any),
 * and in a process of that name (NULL: any). */
uint64_t findings_nr_of(const struct findings *findings, const struct model *model,
			struct handle root, const char *id, const char *name);

/* Add `nr` findings of others, from their number `first` on. */
void findings_add(struct findings *to, const struct findings *from, uint32_t first, uint32_t nr);

/*
 * The same for rules, looked for when it is asked: `data` is a struct findings_counter. What is
 * found in the root that was asked for last is kept.
 */
struct findings_counter {
	struct findings_of of;
	struct findings findings; /* rw before: its `off` */
	bool begun;               /* private: as is the rest */
	uint32_t root;
	struct parts parts;
};
uint64_t findings_count(void *data, uint32_t root, const char *id, const char *name);
void findings_count_release(struct findings_counter *counter);

/* Append what a process is called beside evidence: "fetch > gc"; without a hierarchy its name. */
void finding_say_process(const struct model *model, const struct process *process,
			 struct tr2_buf *out);

/* By level cost and trouble before the others; in them by what they hold, largest first. */
void findings_sort(struct findings *findings);

/* Does it matter: is it of level cost or trouble? */
static inline bool finding_is_urgent(const struct finding *finding)
{
	return finding_rows[finding->id].level <= LEVEL_TROUBLE;
}

#endif
