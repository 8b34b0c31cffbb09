/* SPDX-License-Identifier: MIT */
/*
 * The tree of processes.
 *
 * Each process is in one list of siblings, which begins at the parent's first_child, or at the
 * model's first_root. A process is a root if it has no parent in the model, or if its parent would
 * form a cycle; so following `parent` ends.
 */
#include "config.h"
#include "monitor/model/model_priv.h"

#include "engine/base/hash.h"

static void sibling_push(struct model *m, uint32_t *first, uint32_t slot)
{
	struct process *p = &m->processes[slot];

	p->prev_sibling = SLOT_NONE;
	p->next_sibling = *first;
	if (*first != SLOT_NONE)
		m->processes[*first].prev_sibling = slot;
	*first = slot;
}

static void sibling_unlink(struct model *m, uint32_t *first, uint32_t slot)
{
	struct process *p = &m->processes[slot];

	if (p->prev_sibling == SLOT_NONE)
		*first = p->next_sibling;
	else
		m->processes[p->prev_sibling].next_sibling = p->next_sibling;
	if (p->next_sibling != SLOT_NONE)
		m->processes[p->next_sibling].prev_sibling = p->prev_sibling;
}

static uint32_t *family_of(struct model *m, const struct process *p)
{
	return p->parent == SLOT_NONE ? &m->first_root : &m->processes[p->parent].first_child;
}

void parent_find(struct model *m, uint32_t slot)
{
	struct process *p = &m->processes[slot];
	const char *parent = text_bytes(&m->heap, p->parent_sid);
	size_t len = p->parent_sid.len;

	p->parent = SLOT_NONE;
	if (p->has_parent) {
		p->parent = process_find(m, parent, len, tr2_hash(parent, len));
		p->parent_seen = p->parent != SLOT_NONE || sid_is_evicted(m, tr2_hash(parent, len));
		if (p->parent == SLOT_NONE) {
			p->is_orphan = true;
			orphan_add(m, slot, parent, len);
		} else {
			process_dirty(m, p->parent);
		}
	}
	sibling_push(m, family_of(m, p), slot);
}

/* True if making the process `below` the parent of `slot` would form a cycle. Only ABOUT records
 * can cause one: the text of a SID is longer at each level. */
static bool would_be_circle(const struct model *m, uint32_t slot, uint32_t below)
{
	if (!m->parents_given)
		return false;
	while (below != slot && below != SLOT_NONE)
		below = m->processes[below].parent;
	return below == slot;
}

void orphans_adopt(struct model *m, uint32_t parent)
{
	uint32_t slot = orphans_take(m, parent);

	if (slot == SLOT_NONE)
		return;
	while (slot != SLOT_NONE) {
		struct process *p = &m->processes[slot];
		uint32_t next = p->orphan_next;

		p->is_orphan = false;
		p->parent_seen = true;
		if (would_be_circle(m, slot, parent)) {
			slot = next;
			continue;
		}
		sibling_unlink(m, &m->first_root, slot);
		p->parent = parent;
		sibling_push(m, &m->processes[parent].first_child, slot);
		slot = next;
	}
	process_dirty(m, parent);
}

void children_orphan(struct model *m, uint32_t slot)
{
	uint32_t child = m->processes[slot].first_child;

	while (child != SLOT_NONE) {
		uint32_t next = m->processes[child].next_sibling;

		m->processes[child].parent = SLOT_NONE;
		m->processes[child].link = SLOT_NONE;
		sibling_push(m, &m->first_root, child);
		child = next;
	}
	m->processes[slot].first_child = SLOT_NONE;
}

void family_leave(struct model *m, uint32_t slot)
{
	sibling_unlink(m, family_of(m, &m->processes[slot]), slot);
}
