/* SPDX-License-Identifier: MIT */
/*
 * Parts are a partition of the wall time of a run: each instant belongs to exactly one part.
 *
 *   model (region totals, children) -> parts_make() -> pieces, in order of time
 *                                                   -> parts: the pieces summed up by key
 *
 * An instant belongs to the innermost region, if any, of one thread, or to a child that the process
 * is assumed to wait for, and inside a child to its processes in the same way. If the process
 * enters a region after the child began, that region has the time. Of several concurrent children,
 * the one that ends last has the time; before its start, the one whose exit allowed that start. A
 * transport has it while no other child runs; its regions have it while another, traced child is in
 * none.
 *
 * A live process lasts until process_now() (live.h). Another process without an end event ends at
 * its last event, or with the child that it was waiting for.
 *
 * One thread. O(n log n) in the region entries and children of the tree.
 */
#ifndef MONITOR_PARTS_H
#define MONITOR_PARTS_H

#include "engine/base/buf.h"
#include "engine/base/hash_index.h"
#include "monitor/analysis/analysis.h"

enum part_kind {
	PART_REGION, /* inside a region */
	PART_NONE,   /* outside any region */
	PART_INIT,   /* from the start of a process to its first event after `version` */
	/* fork, exec and dynamic linking of a child, before its own clock began */
	PART_SPAWN,
	/* time from the end of a child process to its parent's child_exit event */
	PART_REAP,
	/* time in a child, or in a program started by exec, while no traced process ran in it */
	PART_UNTRACED,
	PART_PERSON, /* time in an editor, a pager or askpass, which waits for the user */
	PART_LOST,   /* time in a child after the last event of a process without an end event */
	/* time of the command while no traced process ran, or between its root processes */
	PART_COMMAND,
	NR_PART_KINDS
};

/* names of kinds for reports, rules and baselines, such as "region" */
extern const char *const part_kind_names[NR_PART_KINDS];
/* Words such as "start of " before the process in names of parts; NULL for kinds not named after a
 * process. */
extern const char *const part_leads[NR_PART_KINDS];

/* a part: all pieces of the same kind, category, label and name */
struct part {
	uint8_t kind; /* enum part_kind */
	/* for a region: some of its time is at the nesting limit of the program that wrote the
	 * trace */
	bool at_limit;
	/* process with most of the part's time, the earliest of equal ones; SLOT_NONE:
	 * PART_COMMAND */
	uint32_t slot;
	/* For PART_UNTRACED and PART_PERSON: the first child that process `slot` has in the
	 * part, as index in its children; SLOT_NONE for other kinds, and for a program started
	 * by exec. */
	uint32_t child;
	/* category of a region, or class of the child for PART_UNTRACED and PART_PERSON; else
	 * SYM_NONE */
	sym_t category;
	/* label of a region; else SYM_NONE, see part_label() */
	sym_t label;
	/* the command lines of the part's children differ; part_line() is their common beginning */
	bool cut;
	ns_t begin; /* start of the part's first piece; undefined in a sum of trees */
	ns_t time;  /* total time of the part in ns */
	/* number of pieces of the part; adjacent pieces of one process count once */
	uint64_t pieces;
	uint32_t text, name, line, number; /* private */
	bool of_many;                      /* private */
	ns_t best;                         /* private: time of process `slot` in the part */
};

/* An interval of one part and process. Pieces are contiguous. */
struct piece {
	ns_t begin, time; /* begin in ns since the start of the run; duration in ns */
	uint32_t part;
	/*
	 * Process of the piece, by kind of its part. Region, none and init: the process itself;
	 * spawn, reap and lost: the child process; untraced and person: the parent; command:
	 * SLOT_NONE.
	 */
	uint32_t slot;
	uint32_t child; /* child of the piece, as in struct part */
};

struct parts {
	struct part *items; /* ro: parts, largest first, then in the order of their first pieces */
	uint32_t nr, cap;
	struct piece *pieces;
	uint32_t nr_pieces, cap_pieces;
	ns_t wall; /* ro: wall time of the run in ns, the sum of all parts */
	/* ro: wall time at which the run started; NS_NONE: unknown */
	ns_t begun;
	bool live;  /* ro: the run (or one of several roots) lasts until now */
	bool ended; /* ro: the root process (or each) or its exec successor has an end event */
	/* ro: events of regions or children have no times, so positions may be guesses */
	bool guessed;
	bool stepped; /* ro: a wall clock was probably set during the run */
	/* ro: nesting limit with which the trace was written; NUM_NONE: unknown */
	int64_t nesting;
	bool nesting_default; /* ro: `nesting` is assumed to be Git's default */
	/* ro: time in ns in regions at the nesting limit */
	ns_t at_limit;
	uint32_t nr_processes; /* ro: number of processes in the tree, or in all trees */
	struct tr2_buf texts;  /* private, as are all members after it */
	struct parts_text *strings;
	uint32_t nr_strings, cap_strings;
	struct tr2_hash_index by_string, by_key;
	struct parts_tree *tree;
};

struct parts_of {
	/* slot of the tree's root; SLOT_NONE: all processes without a parent */
	uint32_t slot;
	/*
	 * if `slot` is SLOT_NONE: wall time at which the command started, and its duration so far;
	 * NS_NONE: from the first start of a root process to the last end of one
	 */
	ns_t begun, wall;
	/*
	 * Merge parts of the kinds region, none, untraced and person that differ only in their
	 * process.
	 */
	bool merge_names;
	/* the trace was read to its end, so no process is live */
	bool all_over;
	/* trace2top started the command (`--`) and set its nesting limit to OWN_COMMAND_NESTING */
	bool own_command;
};

/*
 * Compute the parts of a run. `parts` must be all zeros or an earlier result. Uses of `what`:
 * `model` (settled), `now`, `limits.nesting` (deeper regions count as the region around them; -1:
 * no limit), and, for all roots, `filter`, which selects roots.
 */
void parts_make(struct parts *parts, const struct analysis *what, const struct parts_of *of);

/*
 * Add up the parts of trees of one model, made with the same options: begin with a sum of all
 * zeros, call parts_add() once per tree, then parts_sort(). The sum has no pieces.
 */
void parts_add(struct parts *sum, const struct parts *from);
void parts_sort(struct parts *sum);

/* `parts` is all zeros afterwards. */
void parts_release(struct parts *parts);

/*
 * Return a text of a part, not NUL-terminated, valid until `parts` or the model changes; NULL:
 * none. In this order, the functions return the category of a region or the class of a child; the
 * label of a region or child; format_process_hierarchy() of the process; the command line that a
 * shell ran in a child, with passwords.
 */
const char *part_category(const struct parts *parts, const struct model *model,
			  const struct part *part, size_t *len);
const char *part_label(const struct parts *parts, const struct model *model,
		       const struct part *part, size_t *len);
const char *part_name(const struct parts *parts, const struct part *part, size_t *len);
const char *part_line(const struct parts *parts, const struct part *part, size_t *len);

/* Append the name of a part, such as "index/refresh", "in no region" or "start of fetch/gc". */
void part_format(const struct parts *parts, const struct model *model, const struct part *part,
		 struct tr2_buf *out);
/* Append the readable form of a name that part_format() made. */
void part_format_label(const char *label, size_t len, struct tr2_buf *out);
/*
 * Append the name of a part for people. part_format_within() appends a shorter name, for a row
 * below that of the process.
 */
void part_format_whole(const struct parts *parts, const struct model *model,
		       const struct part *part, struct tr2_buf *out);
void part_format_within(const struct parts *parts, const struct model *model,
			const struct part *part, struct tr2_buf *out);
/* Append the hierarchy of part_name(), such as "clone > index-pack"; nothing if that is NULL. */
void part_format_process(const struct parts *parts, const struct part *part, struct tr2_buf *out);

/* Append the name of a child, such as "hook pre-commit" or "git gc"; "?" if unknown. */
void format_child_label(const struct model *model, const struct child *child, struct tr2_buf *out);
/* Append the name of a child: format_cut() of child_shell_line(), at most 200 bytes; if that
 * appends nothing, format_child_label(). */
void format_child_name(const struct model *model, const struct child *child, struct tr2_buf *out);
/*
 * Append the command line that a shell probably runs in the child. Returns false, and appends
 * nothing, if there is none.
 */
bool child_shell_line(const struct model *model, const struct child *child, struct tr2_buf *out);
/* maximum bytes that child_shell_line() appends per item of the argv */
#define SHELL_LINE_MAX 4096
/* Append the program of a command line, and the command of `git`, such as "git gc". */
void format_argv_label(const struct model *model, const struct strings *argv, struct tr2_buf *out);
/* Append the hierarchy of a process, else its name, else format_argv_label(). */
void format_process_hierarchy(const struct model *model, const struct process *process,
			      struct tr2_buf *out);

/* True if the child's class is `background` or `daemon`: its parent is assumed not to wait for the
 * child. */
bool child_is_beside(const struct model *model, const struct child *child);

/* True if the child waits for the user: an editor, a pager, or a program that asks for a name or
 * password. */
bool child_is_person(const struct model *model, const struct child *child);

/* True if the child is a transport (class `transport/...` or `remote-...`). */
bool child_is_pipe(const struct model *model, const struct child *child);

/*
 * Return the nesting limit with which a process (SLOT_NONE: model_first_root()) wrote its trace;
 * NUM_NONE: unknown. Sets `*is_default` if the limit is assumed to be Git's default.
 */
int64_t writer_nesting(const struct model *model, uint32_t slot, bool *is_default);

#define OWN_COMMAND_NESTING 100 /* nesting limit of a command that trace2top starts (`--`) */

/*
 * parts_limit_format() appends a line about the time in regions at the nesting limit, unless that
 * is below 1/4 of the wall time or 20 ms.
 */
#define PARTS_LIMIT_SHARE 4
#define PARTS_LIMIT_MIN   (20 * NS_PER_MS)
bool parts_limit_is_shown(const struct parts *parts);
void parts_limit_format(const struct parts *parts, struct tr2_buf *out);

#endif
