/* SPDX-License-Identifier: MIT */
/*
 * A finding is a row of findings.def that the evidence in a trace supports.
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

extern const char *const finding_level_names[NR_LEVELS];

struct finding_row {
	const char *word;
	uint8_t level; /* enum finding_level */
	bool of_all;   /* the row is about all processes together, not about one root process */
	/* minimum percentage of the root's wall time that a finding accounts for; 0: no
	 * threshold */
	uint8_t share;
	ns_t floor;
	const char *title, *advice;
};

extern const struct finding_row finding_rows[NR_FINDING_IDS];

/* words of findings, for --no-finding and the configuration file */
extern const struct word finding_words[NR_FINDING_IDS];

int finding_find(const char *word, size_t len);

struct finding {
	uint8_t id; /* enum finding_id */
	/* root process that the finding is about; HANDLE_NONE: all roots together */
	struct handle root;
	/* process of the finding, of merged ones that of the first; HANDLE_NONE: none */
	struct handle process;
	ns_t held; /* time in ns that the finding accounts for; 0: none */
	/* wall time of the root in ns; 0: none */
	ns_t wall;
	uint64_t count; /* number of equal findings that are merged in this finding */
	/* range in `texts` of struct findings; see finding_evidence() */
	uint32_t evidence, length;
};

struct finding_look {
	uint64_t path_hash; /* hash of the path that `look` examined */
	struct repository_facts facts;
};

#define MAX_FINDING_LOOKS 8

/* all zeros: empty */
struct findings {
	struct finding *items; /* ro */
	uint32_t nr, cap;
	uint64_t off;         /* rw: bit mask of disabled ids */
	struct tr2_buf texts; /* private */
	bool begun;           /* private */
	/* private: repositories that were examined last */
	struct finding_look looks[MAX_FINDING_LOOKS];
	uint32_t nr_looks;
};

/* Return the evidence, not NUL-terminated. The caller must escape it. */
static inline const char *finding_evidence(const struct findings *findings,
					   const struct finding *finding, size_t *len)
{
	*len = finding->length;
	return findings->texts.data + finding->evidence;
}

/* Return the advice for a finding, which depends on its evidence. */
const char *finding_advice(const struct findings *findings, const struct finding *finding);

/* Remove all findings; keep `off`. */
void findings_clear(struct findings *findings);
void findings_release(struct findings *findings);

struct finding_loop {
	uint64_t key; /* hash of the command line and the first worktree */
	ns_t start;
	struct handle root;
};

/* Roots that may repeat a command. All zeros: empty; the owner frees `items`. */
struct finding_loops {
	struct finding_loop *items;
	uint32_t nr, cap;
};

/*
 * Input of a search for findings. `what` gives the settled model and `now`; its limits and filter
 * are ignored.
 */
struct findings_of {
	const struct analysis *what;
	/* options as in struct parts_of */
	bool own_command, all_over;
	/* Examines a repository of a process that was traced on this machine; NULL: none is
	 * examined. */
	void (*look)(const char *worktree, size_t len, struct repository_facts *facts);
	/* newest output of the command that trace2top runs, as raw bytes; NULL: unknown */
	const char *output;
	size_t output_len;
	/* Selects the roots that findings_watch() examines, and those that findings_of_all()
	 * collects if `loops` is NULL; NULL: all. */
	bool (*keep)(void *data, const struct model *model, uint32_t root);
	void *keep_data;
	/*
	 * The roots that may repeat a command, see finding_loops_add(); findings_of_all() sorts
	 * them. NULL: findings_of_all() collects the roots.
	 */
	struct finding_loops *loops;
};

/* Add a root process if its command line and start are known. */
void finding_loops_add(struct finding_loops *loops, const struct model *model, uint32_t root);

/* Add the findings about the tree of the process in slot `root`. `scratch` is working memory. */
void findings_of_root(struct findings *findings, const struct findings_of *of, uint32_t root,
		      struct parts *scratch);
void findings_of_all(struct findings *findings, const struct findings_of *of);

/*
 * Return how many findings a root has (HANDLE_NONE: those about all roots together) with the word
 * `id` (NULL: any), in processes of one name (NULL: any).
 */
uint64_t findings_nr_of(const struct findings *findings, const struct model *model,
			struct handle root, const char *id, const char *name);

void findings_add(struct findings *to, const struct findings *from, uint32_t first, uint32_t nr);

/*
 * State of findings_count(), a callback for rules that counts like findings_nr_of(). The findings
 * of the last root are cached.
 */
struct findings_counter {
	struct findings_of of;
	/* rw before the first call: the mask `off` of disabled findings */
	struct findings findings;
	bool begun; /* private, as are all members after it */
	uint32_t root;
	struct parts parts;
};
uint64_t findings_count(void *data, uint32_t root, const char *id, const char *name);
void findings_count_release(struct findings_counter *counter);

/* Append the name of a process as in evidence, such as "fetch > gc". */
void finding_format_process(const struct model *model, const struct process *process,
			    struct tr2_buf *out);

/* Sort findings: levels cost and trouble first, then by time, largest first. */
void findings_sort(struct findings *findings);

static inline bool finding_is_urgent(const struct finding *finding)
{
	return finding_rows[finding->id].level <= LEVEL_TROUBLE;
}

#endif
