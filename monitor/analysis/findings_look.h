/* SPDX-License-Identifier: MIT */
/*
 * Between findings.c, which walks trees, applies thresholds and counts, and findings_*.c, in which
 * a function a row looks for its evidence. One thread.
 */
#ifndef MONITOR_FINDINGS_LOOK_H
#define MONITOR_FINDINGS_LOOK_H

#include "monitor/analysis/findings.h"

/* A tree that is looked through, or (of `look` of all) everything. */
struct looking {
	struct findings *out;
	const struct model *m;
	const struct findings_of *of;
	const struct parts *parts; /* NULL: of all */
	uint32_t root;             /* SLOT_NONE: of all */
	uint8_t id;                /* of the row */
	uint32_t *slots;           /* the tree's processes, parents before children */
	uint32_t nr;
	uint32_t lowest, span; /* their slots are in [lowest, lowest + span) */
	bool *below;           /* by slot - lowest: room for held_below() */
};

/*
 * It is there: `held` (0: no time is meant) with evidence, in `slot` (SLOT_NONE: nowhere in
 * particular). Dropped where the row's thresholds say so.
 */
void found(struct looking *l, uint32_t slot, ns_t held, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Time on the path in regions that `match` is true of, of any process of the tree. */
ns_t held_in(const struct looking *l, bool (*match)(const char *category, const char *label));

/* Time on the path in children that `match` is true of, with all that is below them. */
ns_t held_below(const struct looking *l,
		bool (*match)(const struct model *m, const struct process *parent,
			      const struct child *child, const void *data),
		const void *data);

/* Time on the path in processes that `match` is true of, with all that is below them. */
ns_t held_in_processes(const struct looking *l,
		       bool (*match)(const struct model *m, const struct process *parent,
				     const struct process *process, const void *data),
		       const void *data);

/* Time on the path of one kind of parts. */
ns_t held_of_kind(const struct looking *l, enum part_kind kind);

/*
 * May what lasted `most` hold as much as the row asks for? Asked before held_below(), which looks at
 * the whole tree: of a hostile one any number of children may be looked for. And how long a child
 * lasted at most.
 */
bool can_hold(const struct looking *l, ns_t most);
ns_t child_most(const struct looking *l, const struct child *child);

/* The first datum of that key in the process, in any category where `category` is NULL; NULL. */
const struct data_item *datum_of(const struct looking *l, uint32_t slot, const char *category,
				 const char *key);
/* Its value as a number; `otherwise` where it is none. */
int64_t datum_number(const struct looking *l, const struct data_item *datum, int64_t otherwise);

/* Where the process in `slot` stands in arrays of `span` items; false: it is none of the tree. */
static inline bool span_index(const struct looking *l, uint32_t slot, uint32_t *index)
{
	*index = slot - l->lowest;
	return slot != SLOT_NONE && slot >= l->lowest && *index < l->span;
}

/* The tree's process number `i` < nr. */
static inline const struct process *process_of(const struct looking *l, uint32_t i)
{
	return model_slot(l->m, l->slots[i]);
}

/* Is the symbol this text? */
bool sym_is(const struct model *m, sym_t sym, const char *text);
/* Its bytes into `out`, with a NUL; "" where it is absent or does not fit. */
void sym_copy(const struct model *m, sym_t sym, char *out, size_t bytes);
/* Has the list that word; does a word of it begin so? */
bool has_word(const struct model *m, const struct strings *list, const char *word);
bool has_prefix(const struct model *m, const struct strings *list, const char *prefix);
/* Append the words with blanks between. */
void say_words(const struct model *m, const struct strings *list, struct tr2_buf *out);
/* A hash of the words; equal lists have equal ones. */
uint64_t words_hash(const struct model *m, const struct strings *list);
/* Did the process end, and with code 0? */
bool ended_well(const struct process *p);

#define FINDING(ID, word, level, of, share, floor_ms, look, title, advice)                         \
	void look_##look(struct looking *l);
#include "monitor/analysis/findings.def"

#endif
