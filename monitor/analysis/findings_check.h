/* SPDX-License-Identifier: MIT */
/*
 * Interface between findings.c, which walks trees and applies thresholds, and the check_*()
 * functions, which findings.def names. One thread.
 */
#ifndef MONITOR_FINDINGS_CHECK_H
#define MONITOR_FINDINGS_CHECK_H

#include "monitor/analysis/findings.h"

/* input of a check: the tree of one root process; for rows about ALL, the model without a tree */
struct looking {
	struct findings *out;
	const struct model *m;
	const struct findings_of *of;
	/* parts of the root's wall time; NULL for rows about ALL */
	const struct parts *parts;
	/* the same as `parts`, writable; NULL for rows about ALL, or if `parts` has only the wall
	 * time */
	struct parts *made;
	/* slot of the root process; SLOT_NONE for rows about ALL */
	uint32_t root;
	uint8_t id;
	uint32_t *slots; /* processes of the tree; parents come before children */
	uint32_t nr;
	uint32_t lowest, span; /* all of `slots` are in [lowest, lowest + span) */
	/* working memory of held_below() and held_in_processes(), indexed by slot - lowest */
	bool *below;
};

/*
 * Report a finding. `held`: time in ns that the finding accounts for (0: none). `slot`: process of
 * the finding (SLOT_NONE: none). `fmt`: the evidence. Does nothing if `held` is below the
 * thresholds of a row with a `share`, or if the root has 100 different findings of the row.
 */
void report_finding(struct looking *l, uint32_t slot, ns_t held, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Return an array, indexed by slot - lowest, of the time on the critical path that each process has
 * in parts that `match` selects. The caller frees the array.
 */
ns_t *held_by_process(const struct looking *l,
		      bool (*match)(const struct looking *l, const struct part *part));
bool part_is_none(const struct looking *l, const struct part *part);

/* Return the time on the critical path in regions that `match` selects. */
ns_t held_in(const struct looking *l, bool (*match)(const char *category, const char *label));

/* Return the time on the critical path in children that `match` selects, and in their
 * descendants. */
ns_t held_below(const struct looking *l,
		bool (*match)(const struct model *m, const struct process *parent,
			      const struct child *child, const void *data),
		const void *data);

/* Report the children that `match` selects, if there are at least `least`, as one finding, with the
 * command line of the first as evidence. */
void report_children(struct looking *l,
		     bool (*match)(const struct model *m, const struct process *parent,
				   const struct child *child, const void *data),
		     uint64_t least);

/* Return the time on the critical path in processes below the root that `match` selects, and in
 * their descendants. */
ns_t held_in_processes(const struct looking *l,
		       bool (*match)(const struct model *m, const struct process *parent,
				     const struct process *process, const void *data),
		       const void *data);

/* Return the time that the run waited for the other side of its transports (connections to other
 * repositories); 0: none. */
ns_t held_waiting(const struct looking *l);

ns_t held_of_kind(const struct looking *l, enum part_kind kind);

/*
 * can_hold() is true if a duration of `most` ns reaches the thresholds of the row. Call it before
 * held_below(), which visits the whole tree. child_most() returns the maximum duration of a child
 * in ns.
 */
bool can_hold(const struct looking *l, ns_t most);
ns_t child_most(const struct looking *l, const struct child *child);

/* Return the first data item of the process with this key and category (NULL: any); NULL: none. */
const struct data_item *datum_of(const struct looking *l, uint32_t slot, const char *category,
				 const char *key);
/* Return the value of a data item; `otherwise` if the item is absent or not a number. */
int64_t datum_number(const struct looking *l, const struct data_item *datum, int64_t otherwise);

/* Get the index of `slot` in arrays of `span` items. Returns false if the index is out of range. */
static inline bool span_index(const struct looking *l, uint32_t slot, uint32_t *index)
{
	*index = slot - l->lowest;
	return slot != SLOT_NONE && slot >= l->lowest && *index < l->span;
}

static inline const struct process *looking_process(const struct looking *l, uint32_t i)
{
	return model_slot(l->m, l->slots[i]);
}

bool symbol_equals(const struct model *m, sym_t sym, const char *text);
/*
 * Copy the text of a symbol and append a NUL byte; copy "" if the symbol is absent or does not fit.
 */
void sym_copy(const struct model *m, sym_t sym, char *out, size_t bytes);
ns_t held_by_credential_helpers(const struct looking *l);
/* True if a word of the list equals `word`, or begins with `prefix`. */
bool has_word(const struct model *m, const struct strings *list, const char *word);
bool has_prefix(const struct model *m, const struct strings *list, const char *prefix);
/* Append the words of a list, separated by blanks, until 200 bytes are reached. */
void append_words(const struct model *m, const struct strings *list, struct tr2_buf *out);
/* True if the root has a finding with this id; its row must precede that of the caller in
 * findings.def. */
bool root_has_finding(const struct looking *l, enum finding_id id);
/* Return what is known of the repository of process `slot`. The member `known` may be false. */
const struct repository_facts *repository_of(const struct looking *l, uint32_t slot);
uint64_t string_list_hash(const struct model *m, const struct strings *list);
bool ended_well(const struct process *p);

#define FINDING(ID, word, level, of, share, floor_ms, check, title, advice)                        \
	void check_##check(struct looking *l);
#include "monitor/analysis/findings.def"

#endif
