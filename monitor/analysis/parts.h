/* SPDX-License-Identifier: MIT */
/*
 * Parts: a partition of the wall time of a run: each instant belongs to exactly one
 * part, so the parts add up to the wall time, to the nanosecond.
 *
 *   model (region totals, children) -> parts_make() -> pieces, in order of time; parts: pieces by key
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
	PART_REGION,   /* in a region */
	PART_NONE,     /* outside any region */
	PART_INIT,     /* startup: before the first event after `version` */
	PART_SPAWN,    /* fork, exec and linking of a child, before its own clock began */
	PART_REAP,     /* between a child's end and its parent's child_exit */
	PART_UNTRACED, /* in a child, while no traced process ran in it */
	PART_PERSON,   /* the same for an editor or a pager */
	PART_LOST,     /* in a child, after the last event of a process without an end event */
	PART_COMMAND,  /* in the command, or between all roots, while no traced process ran */
	NR_PART_KINDS
};

/* Names for reports and rules: "region", "none", ... */
extern const char *const part_kind_names[NR_PART_KINDS];
/* "start of " and similar, for kinds named after a process; otherwise NULL. */
extern const char *const part_leads[NR_PART_KINDS];

/* All pieces of one key: (kind, category and label, name). */
struct part {
	uint8_t kind;    /* enum part_kind */
	bool at_limit;   /* region: part of its time is at the nesting limit, where inner regions
			  * are not written */
	uint32_t slot;   /* the process with most of its time, then the earliest; SLOT_NONE:
			  * command, or a sum over several trees */
	uint32_t child;  /* untraced, person: of the first piece, index in the children of
			  * `slot`; otherwise SLOT_NONE. After `exec`: SLOT_NONE. */
	sym_t category;  /* region; class of untraced and person; otherwise SYM_NONE */
	sym_t label;     /* region; otherwise SYM_NONE: use part_label() */
	ns_t begin;      /* start of its first piece */
	ns_t time;       /* > 0 */
	uint64_t pieces; /* number of pieces, not counting those adjacent to one of the same key
			  * and process */
	uint32_t text, name, number; /* private */
	bool of_many;                /* private */
	ns_t best;                   /* private: time in `slot` */
};

/* An interval on the axis that belongs to one part of one process. Pieces are contiguous. */
struct piece {
	ns_t begin, time; /* relative to 0 of the axis; time > 0 */
	uint32_t part;    /* index of its part */
	/*
	 * Process. region, none, init: the process itself; spawn, reap, lost: the child process;
	 * untraced, person: the parent; command: SLOT_NONE.
	 */
	uint32_t slot;
	uint32_t child; /* as in its part */
};

struct parts {
	struct part *items; /* ro: largest first, then by first piece */
	uint32_t nr, cap;
	struct piece *pieces; /* ro: in order of time */
	uint32_t nr_pieces, cap_pieces;
	ns_t wall;            /* ro: sum of all parts */
	ns_t begun;           /* ro: wall time of 0 of the axis; NS_NONE if nothing had a time */
	bool live;            /* ro: it has not ended yet */
	bool ended;           /* ro: the process (or each of all) has an end event */
	bool guessed;         /* ro: brief format: positions are guessed, durations are correct */
	bool stepped;         /* ro: a wall clock was set during the run */
	int64_t nesting;      /* ro: the writer's nesting limit; NUM_NONE: unknown */
	bool nesting_default; /* ro: the limit is assumed to be Git's default */
	ns_t at_limit; /* ro: time in regions at the limit, whose inner regions were not written */
	uint32_t nr_processes; /* ro: in the tree, or in all trees */
	struct tr2_buf texts;  /* private, as the rest */
	struct parts_text *strings;
	uint32_t nr_strings, cap_strings;
	struct tr2_hash_index by_string, by_key; /* parts by key, only during parts_make() */
	struct parts_tree *tree;
};

/* Options of parts_make(). */
struct parts_of {
	uint32_t slot; /* root of the tree; SLOT_NONE: all processes without a parent */
	/*
	 * For all: the command's start in wall time, and its duration (so far); NS_NONE: from the
	 * first origin to the last end.
	 */
	ns_t begun, wall;
	/*
	 * Use another key, for comparing runs: without the name, for the kinds region, none,
	 * untraced and person. A key is then (kind, part_format()).
	 */
	bool merge_names;
	/* Nothing is live: a trace that was read to its end. */
	bool all_over;
	/* Started with `--`, which sets the writer's nesting limit to 100. */
	bool own_command;
};

/*
 * Compute the parts. `parts` must be all zero or made before; `model` of `what` must be settled.
 * Uses `model`, `now`, `limits.nesting` (deeper regions count as the region around them; -1: no
 * limit), and, for all, `filter`, which selects roots.
 */
void parts_make(struct parts *parts, const struct analysis *what, const struct parts_of *of);

/*
 * Sum over trees: parts_add() to an all-zero sum once per tree, then parts_sort() once. All must be
 * of the same model and with the same keys. Pieces are not kept.
 */
void parts_add(struct parts *sum, const struct parts *from);
void parts_sort(struct parts *sum);

/* Free all memory. All zero afterwards. */
void parts_release(struct parts *parts);

/*
 * Strings of a part's key, not NUL-terminated, valid until `parts` or the model changes. NULL: none
 * (null in the report). The category of a region, or the class of a child; the label of a region or
 * child; the hierarchy of the process.
 */
const char *part_category(const struct parts *parts, const struct model *model,
			  const struct part *part, size_t *len);
const char *part_label(const struct parts *parts, const struct model *model,
		       const struct part *part, size_t *len);
const char *part_name(const struct parts *parts, const struct part *part, size_t *len);

/*
 * Append the name of a part, without process names: "index/refresh", "in no region", "start of
 * fetch/gc", "hook pre-commit", ... Together with its kind it is the key of merge_names, and the
 * label in a baseline file.
 */
void part_format(const struct parts *parts, const struct model *model, const struct part *part,
		 struct tr2_buf *out);
/*
 * Append the name for a screen or text report if the process is not visible from the context; and
 * the name for a row below its process.
 */
void part_format_whole(const struct parts *parts, const struct model *model,
		       const struct part *part, struct tr2_buf *out);
void part_format_within(const struct parts *parts, const struct model *model,
			const struct part *part, struct tr2_buf *out);

/*
 * Append the name of a child: "hook pre-commit", "git gc", "ssh", "?". Also used for the words of
 * an exec and for a process without a name.
 */
void format_child_label(const struct model *model, const struct child *child, struct tr2_buf *out);
void format_argv_label(const struct model *model, const struct strings *argv, struct tr2_buf *out);
/* Append a process's hierarchy; without one its name or argv[0]. */
void format_process_hierarchy(const struct model *model, const struct process *process,
			      struct tr2_buf *out);

/* True if the child's class is `background` or `daemon`: its parent does not wait for it. */
bool child_is_beside(const struct model *model, const struct child *child);

/*
 * The writer's nesting limit for the process (SLOT_NONE: for all); NUM_NONE if unknown.
 * `*is_default`: it is assumed to be Git's default.
 */
int64_t writer_nesting(const struct model *model, uint32_t slot, bool *is_default);

#define OWN_COMMAND_NESTING 100 /* set by `--` */

/*
 * Append a line about the time at the nesting limit; nothing if it is below 1/4 of the wall time or
 * below 20 ms.
 */
#define PARTS_LIMIT_SHARE 4
#define PARTS_LIMIT_MIN   (20 * NS_PER_MS)
bool parts_limit_is_shown(const struct parts *parts);
void parts_limit_format(const struct parts *parts, struct tr2_buf *out);

#endif
