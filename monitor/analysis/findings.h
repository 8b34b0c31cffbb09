/* SPDX-License-Identifier: MIT */
/*
 * Findings: rows of findings.def that the evidence in a trace supports, with advice. A finding of
 * level cost has an amount of wall time, from parts.h.
 *
 *   model + parts of a root  -> findings_of_root(), per root;  findings_of_all()  -> findings
 *
 * Findings with the same row, root and evidence are merged and counted. Nothing is stored in the
 * model. One thread.
 */
#ifndef MONITOR_FINDINGS_H
#define MONITOR_FINDINGS_H

#include "engine/base/buf.h"
#include "monitor/analysis/parts.h"
#include "monitor/base/repository.h"
#include "monitor/base/word.h"

enum finding_id {
#define FINDING(ID, ...) FINDING_##ID,
#include "monitor/analysis/findings.def"
	NR_FINDING_IDS
};

enum finding_level { LEVEL_COST, LEVEL_TROUBLE, LEVEL_NOTE, LEVEL_PROGRAM, NR_LEVELS };

/* Names of the levels for reports: "cost", "trouble", "note", "program". */
extern const char *const finding_level_names[NR_LEVELS];

struct finding_row {
	const char *word;
	uint8_t level; /* enum finding_level */
	bool of_all;   /* the finding is about all processes together */
	uint8_t share; /* minimum share of the root's wall time in percent; 0: no threshold */
	ns_t floor;
	const char *title, *advice;
};

extern const struct finding_row finding_rows[NR_FINDING_IDS];

/* The words of all findings, for --no-finding and the configuration file. */
extern const struct word finding_words[NR_FINDING_IDS];

/* Return the id of the finding with this word; -1 if unknown. */
int finding_find(const char *word, size_t len);

struct finding {
	uint8_t id; /* enum finding_id */
	/* root process that the finding is about; HANDLE_NONE: all roots together */
	struct handle root;
	struct handle process; /* the first process in which it was found; HANDLE_NONE */
	ns_t held;             /* wall time that the finding accounts for; 0: none */
	/* wall time of the root, so that held / wall is the share; 0: none */
	ns_t wall;
	uint64_t count;            /* number of equal findings that were merged */
	uint32_t evidence, length; /* position of the evidence in `texts`; see finding_evidence() */
};

/* The facts about the repository of a worktree. */
struct finding_look {
	uint64_t path_hash; /* of the path of the worktree or bare repository */
	struct repository_facts facts;
};

#define MAX_FINDING_LOOKS 8

/* A list of findings. All zeros: empty. */
struct findings {
	struct finding *items; /* ro: the findings */
	uint32_t nr, cap;
	uint64_t off;         /* rw: bit mask of the finding ids that are disabled */
	struct tr2_buf texts; /* private */
	bool begun;           /* private */
	/* private: the repositories that were examined since findings_clear() */
	struct finding_look looks[MAX_FINDING_LOOKS];
	uint32_t nr_looks;
};

/*
 * Return the evidence of a finding, not NUL-terminated. It may contain any text of the trace, so
 * the caller must escape it.
 */
static inline const char *finding_evidence(const struct findings *findings,
					   const struct finding *finding, size_t *len)
{
	*len = finding->length;
	return findings->texts.data + finding->evidence;
}

/* Return the advice of a finding: that of its row; without the clause about --no-verify if the hook
 * cannot be skipped; without conditions if the evidence names the cause. */
const char *finding_advice(const struct findings *findings, const struct finding *finding);

/* Remove all findings; keeps `off`. */
void findings_clear(struct findings *findings);
void findings_release(struct findings *findings);

/* Hash of a root's command line and worktree: roots with the same hash may be repetitions of a
 * command. */
struct finding_loop {
	uint64_t key;
	ns_t start;
	struct handle root;
};

/* Roots that may be repetitions of one command. All zeros: empty; the owner frees `items`. */
struct finding_loops {
	struct finding_loop *items;
	uint32_t nr, cap;
};

/*
 * Input: the model of `what`, after model_settle(), and its `now`. Its limits and filter are
 * ignored, because findings do not depend on the display.
 */
struct findings_of {
	const struct analysis *what;
	bool own_command, all_over; /* as in struct parts_of */
	/* Callback that examines a repository (repository_look()), for processes that this machine
	 * traced. NULL: findings depend on the trace alone. */
	void (*look)(const char *worktree, size_t len, struct repository_facts *facts);
	/* The newest output of the command that trace2top runs, raw bytes; NULL: unknown. */
	const char *output;
	size_t output_len;
	/* Callback that selects the roots for findings_of_all(); NULL: all. */
	bool (*keep)(void *data, const struct model *model, uint32_t root);
	void *keep_data;
	/*
	 * All of these roots, if findings_of_root() collected them with finding_loops_add() to save
	 * time; sorted by the call. NULL: they are collected when needed.
	 */
	struct finding_loops *loops;
};

/* Add a root if it may be one of many repetitions of a command. */
void finding_loops_add(struct finding_loops *loops, const struct model *model, uint32_t root);

/*
 * Add the findings of the tree of the process in slot `root`. Its parts are computed in `scratch`
 * if needed. O(parts + processes + children + data of the tree).
 */
void findings_of_root(struct findings *findings, const struct findings_of *of, uint32_t root,
		      struct parts *scratch);
/* Add the findings that concern all processes together. O(processes + timings). */
void findings_of_all(struct findings *findings, const struct findings_of *of);

/*
 * Return the number of findings of a root (HANDLE_NONE: of those about all roots together), of one
 * id (NULL: any), in processes of a name (NULL: any).
 */
uint64_t findings_nr_of(const struct findings *findings, const struct model *model,
			struct handle root, const char *id, const char *name);

/* Append `nr` findings of `from`, from index `first` on. */
void findings_add(struct findings *to, const struct findings *from, uint32_t first, uint32_t nr);

/*
 * findings_nr_of() as a callback for rules: `data` is a struct findings_counter. Findings are
 * computed when needed and cached for the last root.
 */
struct findings_counter {
	struct findings_of of;
	struct findings findings; /* rw before use: set the disabled ids in its `off` */
	bool begun;               /* private, as the members below */
	uint32_t root;
	struct parts parts;
};
uint64_t findings_count(void *data, uint32_t root, const char *id, const char *name);
void findings_count_release(struct findings_counter *counter);

/* Append the name of a process, as used in evidence: "fetch > gc", without Git's internal names;
 * without a hierarchy its name. */
void finding_format_process(const struct model *model, const struct process *process,
			    struct tr2_buf *out);

/* Sort: levels cost and trouble first, then by time, largest first. */
void findings_sort(struct findings *findings);

/* True for findings of the levels cost and trouble. */
static inline bool finding_is_urgent(const struct finding *finding)
{
	return finding_rows[finding->id].level <= LEVEL_TROUBLE;
}

#endif
