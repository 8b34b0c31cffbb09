/* SPDX-License-Identifier: MIT */
/*
 * A finding is a row of findings.def that the evidence in a trace supports; the row has the advice.
 * Most findings of level cost account for an amount of wall time.
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

/* Names of the levels of findings for reports: "cost", "trouble", "note", "program". */
extern const char *const finding_level_names[NR_LEVELS];

struct finding_row {
	const char *word;
	uint8_t level; /* enum finding_level */
	bool of_all;   /* the row is about all processes together, not about one root process */
	/* minimum share of the root's wall time, in percent, for a finding; 0: no threshold */
	uint8_t share;
	ns_t floor;
	const char *title, *advice;
};

extern const struct finding_row finding_rows[NR_FINDING_IDS];

/* The words that identify findings, for --no-finding and the configuration file. */
extern const struct word finding_words[NR_FINDING_IDS];

/* Return the id of the finding that this word identifies; -1 if unknown. */
int finding_find(const char *word, size_t len);

struct finding {
	uint8_t id; /* enum finding_id */
	/* root process that the finding is about; HANDLE_NONE: all roots together */
	struct handle root;
	/* first process in which the finding was found; HANDLE_NONE if none */
	struct handle process;
	ns_t held; /* time in ns that the finding accounts for; 0: none */
	/* wall time of the root in ns, so that held / wall is the share; 0: none */
	ns_t wall;
	uint64_t count; /* number of equal findings, including this one, that were merged */
	/* range of the evidence in `texts` of struct findings; finding_evidence() returns it */
	uint32_t evidence, length;
};

/* The facts about the repository of a worktree, or about a bare repository. */
struct finding_look {
	uint64_t path_hash; /* hash of the path of the worktree or bare repository */
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
	/* private: facts about the repositories examined last since findings_clear() */
	struct finding_look looks[MAX_FINDING_LOOKS];
	uint32_t nr_looks;
};

/*
 * Return the evidence of a finding, not NUL-terminated. The evidence may contain any text of the
 * trace, so the caller must escape it.
 */
static inline const char *finding_evidence(const struct findings *findings,
					   const struct finding *finding, size_t *len)
{
	*len = finding->length;
	return findings->texts.data + finding->evidence;
}

/* Return the advice of a finding. It is that of the row, except that the clause about --no-verify
 * is omitted if the hook cannot be skipped, and that some causes named by the evidence have an
 * advice of their own. */
const char *finding_advice(const struct findings *findings, const struct finding *finding);

/* Remove all findings; keep `off`, the mask of disabled ids. */
void findings_clear(struct findings *findings);
void findings_release(struct findings *findings);

/* A root that may be a repetition of a command. */
struct finding_loop {
	uint64_t key; /* hash of the command line and the first worktree; equal for repetitions */
	ns_t start;
	struct handle root;
};

/* Roots that may repeat a command. All zeros: empty; the owner frees `items`. */
struct finding_loops {
	struct finding_loop *items;
	uint32_t nr, cap;
};

/*
 * Input of a search for findings: the model of `what`, after model_settle(), and its `now`. Its
 * limits and filter are ignored, because findings do not depend on the display.
 */
struct findings_of {
	const struct analysis *what;
	/* same meaning as the members of struct parts_of with these names */
	bool own_command, all_over;
	/* Callback that examines a repository (repository_look()), for processes that this machine
	 * traced. NULL: no repository is examined. */
	void (*look)(const char *worktree, size_t len, struct repository_facts *facts);
	/* Newest output of the command that trace2top runs, as raw bytes; NULL: unknown. */
	const char *output;
	size_t output_len;
	/* Callback that selects the roots that findings_watch() examines, and those that
	 * findings_of_all() collects if `loops` is NULL; NULL: all. */
	bool (*keep)(void *data, const struct model *model, uint32_t root);
	void *keep_data;
	/*
	 * Roots that may repeat a command, if the caller has already collected all of them with
	 * finding_loops_add(); findings_of_all() sorts them. NULL: findings_of_all() collects the
	 * roots.
	 */
	struct finding_loops *loops;
};

/* Add a root process if its command line and start are known, so that it may repeat a command. */
void finding_loops_add(struct finding_loops *loops, const struct model *model, uint32_t root);

/*
 * Add the findings about the tree of the process in slot `root`. The parts of the root's wall time
 * are computed into `scratch` if needed.
 */
void findings_of_root(struct findings *findings, const struct findings_of *of, uint32_t root,
		      struct parts *scratch);
/* Add the findings that concern all processes together. */
void findings_of_all(struct findings *findings, const struct findings_of *of);

/*
 * Return how many findings a root has (HANDLE_NONE: count those about all roots together), with
 * the word `id` (NULL: any), in processes of one name (NULL: any).
 */
uint64_t findings_nr_of(const struct findings *findings, const struct model *model,
			struct handle root, const char *id, const char *name);

/* Append `nr` findings of `from` to `to`, beginning with index `first`. */
void findings_add(struct findings *to, const struct findings *from, uint32_t first, uint32_t nr);

/*
 * A callback for rules that returns findings_nr_of(): `data` is a struct findings_counter. Findings
 * are computed when needed and cached for the last root.
 */
struct findings_counter {
	struct findings_of of;
	/* rw before the first call: the caller sets the disabled ids in its member `off` */
	struct findings findings;
	bool begun; /* private, as are all members after it */
	uint32_t root;
	struct parts parts;
};
uint64_t findings_count(void *data, uint32_t root, const char *id, const char *name);
void findings_count_release(struct findings_counter *counter);

/* Append the name of a process as it is printed in evidence: "fetch > gc", without Git's internal
 * names. If the process has no hierarchy, append its name or program. */
void finding_format_process(const struct model *model, const struct process *process,
			    struct tr2_buf *out);

/* Sort findings: levels cost and trouble first, then by time, largest first. */
void findings_sort(struct findings *findings);

/* True for findings of the levels cost and trouble. */
static inline bool finding_is_urgent(const struct finding *finding)
{
	return finding_rows[finding->id].level <= LEVEL_TROUBLE;
}

#endif
