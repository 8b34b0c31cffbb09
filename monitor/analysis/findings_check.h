/* SPDX-License-Identifier: MIT */
/*
 * Interface between findings.c, which walks trees, applies thresholds and counts, and
 * findings_*.c, which have one function per row that finds its evidence. One thread.
 */
#ifndef MONITOR_FINDINGS_CHECK_H
#define MONITOR_FINDINGS_CHECK_H

#include "monitor/analysis/findings.h"

/* The tree that is examined, or everything for rows of ALL. */
struct looking {
	struct findings *out;
	const struct model *m;
	const struct findings_of *of;
	const struct parts *parts; /* NULL for rows of ALL */
	uint32_t root;             /* SLOT_NONE for rows of ALL */
	uint8_t id;                /* id of the row */
	uint32_t *slots;           /* processes of the tree, parents before children */
	uint32_t nr;
	uint32_t lowest, span; /* their slots are in [lowest, lowest + span) */
	bool *below;           /* by slot - lowest: scratch for held_below() */
};

/*
 * Report a finding: `held` is its time (0: none), then its evidence; `slot` is its process
 * (SLOT_NONE: none). Ignored if below the row's thresholds.
 */
void report_finding(struct looking *l, uint32_t slot, ns_t held, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Time on the path in regions that `match` selects, in all processes of the tree. */
ns_t held_in(const struct looking *l, bool (*match)(const char *category, const char *label));

/* Time on the path in children that `match` selects, including their descendants. */
ns_t held_below(const struct looking *l,
		bool (*match)(const struct model *m, const struct process *parent,
			      const struct child *child, const void *data),
		const void *data);

/* Time on the path in processes that `match` selects, including their descendants. */
ns_t held_in_processes(const struct looking *l,
		       bool (*match)(const struct model *m, const struct process *parent,
				     const struct process *process, const void *data),
		       const void *data);

/* Time on the path of one kind of parts. */
ns_t held_of_kind(const struct looking *l, enum part_kind kind);

/*
 * can_hold(): true if a duration of `most` may reach the row's thresholds. Call it before
 * held_below(), which visits the whole tree: a hostile trace may have any number of children to
 * check. The second function returns the maximum duration of a child.
 */
bool can_hold(const struct looking *l, ns_t most);
ns_t child_most(const struct looking *l, const struct child *child);

/* The first datum with that key in the process, in `category` (NULL: any); NULL if not found. */
const struct data_item *datum_of(const struct looking *l, uint32_t slot, const char *category,
				 const char *key);
/* Its value as a number, or `otherwise`. */
int64_t datum_number(const struct looking *l, const struct data_item *datum, int64_t otherwise);

/*
 * Index of the process in `slot` for arrays of `span` items. Returns false if it is not in the
 * tree.
 */
static inline bool span_index(const struct looking *l, uint32_t slot, uint32_t *index)
{
	*index = slot - l->lowest;
	return slot != SLOT_NONE && slot >= l->lowest && *index < l->span;
}

/* Process number `i` < nr of the tree. */
static inline const struct process *looking_process(const struct looking *l, uint32_t i)
{
	return model_slot(l->m, l->slots[i]);
}

/* True if the symbol is this text. */
bool symbol_equals(const struct model *m, sym_t sym, const char *text);
/* Copy the text to `out` with a NUL; "" if it is absent or does not fit. */
void sym_copy(const struct model *m, sym_t sym, char *out, size_t bytes);
/* True if the list has that word; if one of its words begins so. */
bool has_word(const struct model *m, const struct strings *list, const char *word);
bool has_prefix(const struct model *m, const struct strings *list, const char *prefix);
/* Append the words, separated by blanks. */
void append_words(const struct model *m, const struct strings *list, struct tr2_buf *out);
/* Hash of the words; equal lists have equal hashes. */
uint64_t string_list_hash(const struct model *m, const struct strings *list);
/* True if the process ended with code 0. */
bool ended_well(const struct process *p);

#define FINDING(ID, word, level, of, share, floor_ms, check, title, advice)                        \
	void check_##check(struct looking *l);
#include "monitor/analysis/findings.def"

#endif
