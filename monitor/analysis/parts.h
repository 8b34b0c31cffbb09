/* SPDX-License-Identifier: MIT */
/*
 * Where the wall time of a run went: one partition of it. Each instant belongs to one part, so the
 * parts add up to the wall time, to the nanosecond.
 *
 *   model (ledgers, children) -> parts_make() -> pieces, in order of time; parts: pieces by key
 *
 * An instant is held by the innermost region of the first thread, or by a child that the process is
 * taken to wait for, and inside a child by its processes in the same way. A process that is seen at
 * work (it entered a region after the child began) holds its own time; of children that run at once
 * the one that ends last counts, then the one whose exit let it begin. Other threads and other
 * children run beside that, and are no parts.
 *
 * What has not ended: a process that is live (live.h) lasts until `now`; one that is not ended at
 * its last event, or when what it was waiting for did. Nothing is drawn from the order in which
 * files were read.
 *
 * One thread; a struct may be used again and again. O(n log n) in the ledger entries and children
 * of the tree: 100,000 entries take less than 20 ms.
 */
#ifndef MONITOR_PARTS_H
#define MONITOR_PARTS_H

#include "engine/base/buf.h"
#include "engine/base/slots.h"
#include "monitor/analysis/analysis.h"

enum part_kind {
	PART_REGION,   /* in a region */
	PART_NONE,     /* in none */
	PART_INIT,     /* before the first event behind `version` */
	PART_SPAWN,    /* fork, exec and linking of a child, before its own clock began */
	PART_REAP,     /* between a child's end and its parent's child_exit */
	PART_UNTRACED, /* in a child, while nothing traced ran in it */
	PART_PERSON,   /* the same of an editor or a pager */
	PART_LOST,     /* in a child, after the last event of one that never said its end */
	PART_COMMAND,  /* in the command, or between all roots, while nothing traced ran */
	NR_PART_KINDS
};

/* "region", "none", ... as reports and rules say them. */
extern const char *const part_kind_names[NR_PART_KINDS];
/* "start of " and the like, of kinds that are called by them and a process; else NULL. */
extern const char *const part_leads[NR_PART_KINDS];

/* All pieces of one key: (kind, category and label, name). */
struct part {
	uint8_t kind;    /* enum part_kind */
	bool at_limit;   /* region: some of it is so deep that what is inside was not written */
	uint32_t slot;   /* of its processes the one that holds most, then the first; SLOT_NONE:
			   * command, or added up from several trees */
	uint32_t child;  /* untraced, person: the first piece's, in the children of `slot`; else
			   * SLOT_NONE. Of an `exec`: SLOT_NONE. */
	sym_t category;  /* region, and the class of untraced and person; else SYM_NONE */
	sym_t label;     /* region; else SYM_NONE: part_label() */
	ns_t begin;      /* of its first piece */
	ns_t time;       /* > 0 */
	uint64_t pieces; /* that touch none of the same key and process */
	uint32_t text, name, number; /* private */
	bool of_many;                /* private */
	ns_t best;                   /* private: what `slot` holds of it */
};

/* A stretch of the axis that one part of one process holds. They follow each other without a hole.
 */
struct piece {
	ns_t begin, time; /* since 0 of the axis; > 0 */
	uint32_t part;    /* its index */
	/* Whose: region, none, init: the process that is in it; spawn, reap, lost: the child process;
	 * untraced, person: the parent; command: SLOT_NONE. */
	uint32_t slot;
	uint32_t child; /* as in its part */
};

struct parts {
	struct part *items; /* ro: largest first, then by their first piece */
	uint32_t nr, cap;
	struct piece *pieces; /* ro: in order of time */
	uint32_t nr_pieces, cap_pieces;
	ns_t wall;            /* ro: what they add up to */
	ns_t begun;           /* ro: wall time of 0 of the axis; NS_NONE where nothing had a time */
	bool live;            /* ro: it has not ended: so far */
	bool ended;           /* ro: the process, or each of all, said its end */
	bool guessed;         /* ro: brief: places are guessed, lengths are right */
	bool stepped;         /* ro: a wall clock was set meanwhile */
	int64_t nesting;      /* ro: what the writer's nesting limit is; NUM_NONE: not known */
	bool nesting_default; /* ro: it is taken to be Git's default for want of a sign */
	ns_t at_limit; /* ro: time in regions at it: of what is inside these nothing was written */
	uint32_t nr_processes; /* ro: of the tree, or of all */
	struct tr2_buf texts;  /* private: as is the rest */
	struct parts_text *strings;
	uint32_t nr_strings, cap_strings;
	struct tr2_slots by_string, by_key; /* parts by key only while they are being made */
	struct parts_tree *tree;
};

/* What parts are made of. */
struct parts_of {
	uint32_t slot; /* the tree of this process; SLOT_NONE: of all without a parent */
	/* All: the command's start in wall time, and how long it ran (so far); NS_NONE: from the
	 * first one's origin to the last one's end. */
	ns_t begun, wall;
	/* Another key, for comparing runs: without the name, of the kinds region, none, untraced and
	 * person. A key is then (kind, part_say()). */
	bool merge_names;
	/* Nothing is live, as of a trace that was read to its end. */
	bool all_over;
	/* It ran under `--`, which sets the writer's nesting limit to 100. */
	bool own_command;
};

/*
 * Anew, into what is all zeros or was made before; `model` of `what` must be settled. Of it are
 * read `model`, `now`, `limits.nesting` (regions beyond it give their time to the one around; -1:
 * none), and, of all, `filter`, which chooses roots.
 */
void parts_make(struct parts *parts, const struct analysis *what, const struct parts_of *of);

/* Sums over trees: parts_add() to what is all zeros, once for each tree, then parts_sort(), once.
 * Of the same model, and with the same keys. Pieces are not kept. */
void parts_add(struct parts *sum, const struct parts *from);
void parts_sort(struct parts *sum);

/* Memory. All zeros afterwards. */
void parts_release(struct parts *parts);

/* The strings of a key, not NUL-terminated, valid until `parts` is made anew or the model changes;
 * NULL: it has none, null in the report. The category of a region, or the child's class; the label
 * of a region, or the child's; the process's hierarchy. */
const char *part_category(const struct parts *parts, const struct model *model,
			  const struct part *part, size_t *len);
const char *part_label(const struct parts *parts, const struct model *model,
		       const struct part *part, size_t *len);
const char *part_name(const struct parts *parts, const struct part *part, size_t *len);

/* Append what a part is called where names do not matter: "index/refresh", "in no region",
 * "start of fetch/gc", "hook pre-commit", ... With its kind that is the key of merge_names, and the
 * label in a file of runs. */
void part_say(const struct parts *parts, const struct model *model, const struct part *part,
	      struct tr2_buf *out);
/* The same for a screen or a text report, where nothing around it says of which process it is; and
 * where it stands below its process. */
void part_say_whole(const struct parts *parts, const struct model *model, const struct part *part,
		    struct tr2_buf *out);
void part_say_within(const struct parts *parts, const struct model *model, const struct part *part,
		     struct tr2_buf *out);

/*
 * What a child is called: "hook pre-commit", "git gc", "ssh", "?". Also of the words of an exec, or
 * of a process without a name.
 */
void say_child_label(const struct model *model, const struct child *child, struct tr2_buf *out);
void say_argv_label(const struct model *model, const struct strings *argv, struct tr2_buf *out);
/* A process's hierarchy; without one its name, or what it was called by. */
void say_process_hierarchy(const struct model *model, const struct process *process,
			   struct tr2_buf *out);

/* Is the child's class `background` or `daemon`: nobody is taken to wait for its end? */
bool child_is_beside(const struct model *model, const struct child *child);

/* The writer's nesting limit for the process (for all: SLOT_NONE), NUM_NONE where it is not known;
 * `*is_default`: it is taken to be Git's for want of a sign. */
int64_t writer_nesting(const struct model *model, uint32_t slot, bool *is_default);

#define OWN_COMMAND_NESTING 100 /* what `--` sets it to */

/* From here on it is said how much stands at the limit: 1/4 of the wall time, and 20 ms. Append the
 * line that says so; nothing below. */
#define PARTS_LIMIT_SHARE 4
#define PARTS_LIMIT_MIN   (20 * NS_PER_MS)
bool parts_limit_is_said(const struct parts *parts);
void parts_limit_say(const struct parts *parts, struct tr2_buf *out);

#endif
