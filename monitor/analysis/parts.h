/* SPDX-License-Identifier: MIT */
/*
 * Parts: a partition of the wall time of a run: each instant belongs to exactly one
 * part, so the parts add up to the wall time, to the nanosecond.
 *
 *   model (region totals, children) -> parts_make() -> pieces, in order of time
 *                                                   -> parts: the pieces summed up by key
 *
 * An instant belongs to the innermost region of the first thread, or to a child that the process is
 * assumed to wait for, and inside a child to its processes in the same way. A process that shows
 * activity (it entered a region after the child began) gets its own time. Of several concurrent
 * children, the one that ends last counts, then the one whose exit allowed it to start. Other
 * threads and other children run in parallel and have no parts.
 *
 * Processes that have not ended: a live process (live.h) lasts until `now`. Any other process ends
 * at its last event, or with the child it was waiting for. The order in which files were read has
 * no influence.
 *
 * One thread; a struct may be reused. O(n log n) in the region entries and children of the tree:
 * 100,000 entries take less than 20 ms.
 */
#ifndef MONITOR_PARTS_H
#define MONITOR_PARTS_H

#include "engine/base/buf.h"
#include "engine/base/hash_index.h"
#include "monitor/analysis/analysis.h"

enum part_kind {
	PART_REGION,   /* inside a region */
	PART_NONE,     /* outside any region */
	PART_INIT,     /* startup: before the first event after `version` */
	PART_SPAWN,    /* fork, exec and linking of a child, before its own clock began */
	PART_REAP,     /* between the end of a child process and its parent's child_exit */
	PART_UNTRACED, /* in a child, while no traced process ran in it */
	PART_PERSON,   /* in an editor, a pager or askpass, which waits for the user */
	PART_LOST,     /* in a child, after the last event of a process without an end event */
	PART_COMMAND,  /* while no traced process ran, in the command or between its roots */
	NR_PART_KINDS
};

/* Names of the kinds for reports and rules: "region", "none", ... */
extern const char *const part_kind_names[NR_PART_KINDS];
/* Words such as "start of ", for kinds named after a process; otherwise NULL. */
extern const char *const part_leads[NR_PART_KINDS];

/* All pieces with the same kind, category, label and name. */
struct part {
	uint8_t kind; /* enum part_kind */
	/* for a region: part of its time is at the writer's nesting limit, where inner regions
	 * are not written */
	bool at_limit;
	/* slot of the process with most of its time; if several, of the earliest. SLOT_NONE:
	 * command, or a sum over several trees */
	uint32_t slot;
	/* for untraced and person: the child of its first piece, as index in the children of
	 * `slot`. Otherwise, and after `exec`: SLOT_NONE. */
	uint32_t child;
	/* category of a region; class of an untraced child or person; otherwise SYM_NONE */
	sym_t category;
	sym_t label;     /* label of a region; otherwise SYM_NONE: use part_label() */
	bool cut;        /* the lines of its children differ: part_line() is how all begin */
	ns_t begin;      /* start of the part's first piece */
	ns_t time;       /* time of the part; > 0 */
	uint64_t pieces; /* number of its pieces; adjacent pieces of one process count once */
	uint32_t text, name, line, number; /* private */
	bool of_many;                      /* private */
	ns_t best;                         /* private: time of the part in `slot` */
};

/* An interval of the run that belongs to one part of one process. Pieces are contiguous. */
struct piece {
	ns_t begin, time; /* relative to the start of the run; time > 0 */
	uint32_t part;    /* index of its part */
	/*
	 * Process of the piece. For region, none and init: the process itself; spawn, reap, lost:
	 * the child process; untraced, person: the parent; command: SLOT_NONE.
	 */
	uint32_t slot;
	uint32_t child; /* child as in struct part */
};

struct parts {
	struct part *items; /* ro: largest first, then by first piece */
	uint32_t nr, cap;
	struct piece *pieces; /* ro: the pieces in order of time */
	uint32_t nr_pieces, cap_pieces;
	ns_t wall; /* ro: wall time of the run: the sum of all parts */
	/* ro: start of the run in wall time; NS_NONE if no event had a time */
	ns_t begun;
	bool live;  /* ro: the run has not ended yet */
	bool ended; /* ro: the process (or each root) has an end event */
	/* ro: events have no times (brief format): positions are guesses, durations are correct */
	bool guessed;
	bool stepped; /* ro: a wall clock was set during the run */
	/* ro: nesting limit with which the trace was written; NUM_NONE: unknown */
	int64_t nesting;
	bool nesting_default; /* ro: that limit is assumed to be Git's default */
	ns_t at_limit; /* ro: time in regions at that limit, whose inner regions were not written */
	uint32_t nr_processes; /* ro: number of processes in the tree, or in all trees */
	struct tr2_buf texts;  /* private, as the rest */
	struct parts_text *strings;
	uint32_t nr_strings, cap_strings;
	struct tr2_hash_index by_string, by_key; /* find parts by key; only during parts_make() */
	struct parts_tree *tree;
};

/* Options of parts_make(). */
struct parts_of {
	/* slot of the root process of the tree; SLOT_NONE: all processes without a parent */
	uint32_t slot;
	/*
	 * With SLOT_NONE: the start of the command in wall time, and its duration (so far).
	 * NS_NONE: from the first start of a process to the last end.
	 */
	ns_t begun, wall;
	/*
	 * Merge parts that differ only in their process name, for the kinds region, none, untraced
	 * and person. Used to compare runs: (kind, part_format()) then identifies a part.
	 */
	bool merge_names;
	/* The trace was read to its end, so that nothing is live. */
	bool all_over;
	/* trace2top started the command (`--`), which sets the writer's nesting limit to 100. */
	bool own_command;
};

/*
 * Compute the parts of a run. `parts` must be all zeros or made before; model_settle() was called
 * for the model of `what`. Uses `model`, `now`, `limits.nesting` (deeper regions count as the
 * region around them; -1: no limit), and, for all roots, `filter`, which selects roots.
 */
void parts_make(struct parts *parts, const struct analysis *what, const struct parts_of *of);

/*
 * Add up the parts of several trees: call parts_add() with an all-zero sum once per tree, then
 * parts_sort() once. All must be of the same model and with the same options. Pieces are not kept.
 */
void parts_add(struct parts *sum, const struct parts *from);
void parts_sort(struct parts *sum);

/* Free all memory. `parts` is all zeros afterwards. */
void parts_release(struct parts *parts);

/*
 * Return a text of a part, not NUL-terminated, valid until `parts` or the model changes; NULL if
 * the part has none (null in the report): the category of a region or the class of a child; the
 * label of a region or child; the hierarchy of the process; the command line that a shell ran in a
 * child, in which passwords are not hidden.
 */
const char *part_category(const struct parts *parts, const struct model *model,
			  const struct part *part, size_t *len);
const char *part_label(const struct parts *parts, const struct model *model,
		       const struct part *part, size_t *len);
const char *part_name(const struct parts *parts, const struct part *part, size_t *len);
const char *part_line(const struct parts *parts, const struct part *part, size_t *len);

/*
 * Append the name of a part, without process names: "index/refresh", "in no region", "start of
 * fetch/gc", "hook pre-commit", ... Together with the kind it identifies a part when runs are
 * compared, and it is the label in a baseline file.
 */
void part_format(const struct parts *parts, const struct model *model, const struct part *part,
		 struct tr2_buf *out);
/* Append the words for people of a label that part_format() made. */
void part_format_label(const char *label, size_t len, struct tr2_buf *out);
/*
 * Append the name of a part for a screen or text report: the first function includes the process;
 * the second is for a row below its process.
 */
void part_format_whole(const struct parts *parts, const struct model *model,
		       const struct part *part, struct tr2_buf *out);
void part_format_within(const struct parts *parts, const struct model *model,
			const struct part *part, struct tr2_buf *out);
/* Append the process of a part as a hierarchy: "clone > index-pack"; nothing if it has none. */
void part_format_process(const struct parts *parts, const struct part *part, struct tr2_buf *out);

/*
 * Append the name of a child: "hook pre-commit", "git gc", "ssh", "?". Also used for the command
 * line of an exec and for a process without a name.
 */
void format_child_label(const struct model *model, const struct child *child, struct tr2_buf *out);
/* The same for people: the command line that a shell runs is appended as a whole, cut after 200
 * bytes, with passwords hidden. */
void format_child_name(const struct model *model, const struct child *child, struct tr2_buf *out);
/* Append the command line that a shell runs in the child: its first word, the label, does not name
 * its work. Appends nothing and returns false if that is one word, for hooks, and if no shell runs
 * it. */
bool child_shell_line(const struct model *model, const struct child *child, struct tr2_buf *out);
#define SHELL_LINE_MAX 4096 /* bytes of each of its words that are appended */
void format_argv_label(const struct model *model, const struct strings *argv, struct tr2_buf *out);
/* Append the hierarchy of a process; without one its name or argv[0]. */
void format_process_hierarchy(const struct model *model, const struct process *process,
			      struct tr2_buf *out);

/* True if the child's class is `background` or `daemon`, so that its parent does not wait for
 * it. */
bool child_is_beside(const struct model *model, const struct child *child);

/* True if the child is an editor, a pager or a program that asks for a password, which waits for
 * the user. */
bool child_is_person(const struct model *model, const struct child *child);

/* True if the child is a transport (class `transport/...` or `remote-...`): it carries data from
 * and to other children, so they get the time while they run. */
bool child_is_pipe(const struct model *model, const struct child *child);

/*
 * Return the nesting limit with which a process (SLOT_NONE: all) wrote its trace; NUM_NONE if
 * unknown. `*is_default`: it is assumed to be Git's default.
 */
int64_t writer_nesting(const struct model *model, uint32_t slot, bool *is_default);

#define OWN_COMMAND_NESTING 100 /* nesting limit of a command that trace2top starts (`--`) */

/*
 * Append a line about the time in regions at the nesting limit; nothing if that is below 1/4 of the
 * wall time or below 20 ms.
 */
#define PARTS_LIMIT_SHARE 4
#define PARTS_LIMIT_MIN   (20 * NS_PER_MS)
bool parts_limit_is_shown(const struct parts *parts);
void parts_limit_format(const struct parts *parts, struct tr2_buf *out);

#endif
