/* SPDX-License-Identifier: MIT */
/*
 * Assign each instant of a run to one part (parts.h), going backward in time. A "pipe" is a child
 * that is a transport (child_is_pipe()); a "worker" is any other child.
 *
 * A frame is a time window on an axis of its own; times from `hi` on are already assigned, and
 * `shift` converts to the axis of the run. Kinds of frames:
 *
 *   process  the stretches between region events, each for the child or region that has the time
 *   place    a child for which is_itself() is false, or the whole command: the process that ends
 *            last has the time, or the place itself while no process runs
 *   piece    one piece, the fork+exec of a process
 *   child    a child, such as one beside which a pipe ran
 *   beside   the pipes beside a child, done first: their regions are collected in a list
 *
 * A worker that reports nothing may only wait for a pipe. So the region of the pipe at that time,
 * if any, gets each piece of the worker except regions, untraced children and persons
 * (piece_give()).
 *
 * A process or place may be visited again, always with an earlier window.
 */
#include "config.h"

#include "monitor/analysis/parts_priv.h"

#include <string.h>

#include "monitor/base/grow.h"

enum frame_kind { FRAME_PROCESS, FRAME_PLACE, FRAME_PIECE, FRAME_CHILD, FRAME_BESIDE };

struct frame {
	uint8_t kind; /* enum frame_kind */
	ns_t lo, hi, shift;
	/* for a process: index of its node; for others: node of the parent, NO_NODE for the whole
	 * command */
	uint32_t node;
	/* for a place or child: its index among the holders; for pipes: index of the first one, and
	 * their number */
	uint32_t holder, nr;
	/* for a process: number of region events that may be before `hi`; UINT32_MAX: all */
	uint32_t entry;
	/* for a process: holder of the child whose exit allowed the last assigned child to start;
	 * NO_NODE: none */
	uint32_t released;
	/* list in which regions are collected; NO_NODE: none */
	uint32_t into;
	/* list of pieces of the pipes that ran in parallel with the child; NO_NODE: none */
	uint32_t beside;
	struct part_key key; /* for a piece */
};

struct parts_walk {
	struct parts *parts;
	struct parts_tree *t;
	const struct model *m;
	const struct parts_of *of;
	struct tr2_buf line;
	/* callback that receives pieces that no list collects; NULL: they are added to `parts` */
	part_give_fn give;
	void *data;
};

static struct frame *parts_push_frame(struct parts_walk *w, const struct frame *frame)
{
	struct parts_tree *t = w->t;

	if (frame->lo >= frame->hi)
		return NULL;
	GROW(t->frames, t->nr_frames, t->cap_frames, 16);
	t->frames[t->nr_frames] = *frame;
	return &t->frames[t->nr_frames++];
}

static uint32_t part_node_name(struct parts_walk *w, uint32_t node)
{
	struct part_node *n = &w->t->nodes[node];

	if (n->name == NO_NODE) {
		tr2_buf_clear(&w->line);
		format_process_hierarchy(w->m, model_slot(w->m, n->slot), &w->line);
		n->name = parts_string_of(w->parts, &w->line);
	}
	return n->name;
}

static struct part_key part_key_of(struct parts_walk *w, enum part_kind kind, uint32_t node)
{
	bool nameless = w->of->merge_names && (kind == PART_REGION || kind == PART_NONE ||
					       kind == PART_UNTRACED || kind == PART_PERSON);

	return (struct part_key){ .kind = (uint8_t)kind,
				  .category = SYM_NONE,
				  .label = SYM_NONE,
				  .name = nameless ? 0 : part_node_name(w, node),
				  .slot = w->t->nodes[node].slot,
				  .child = SLOT_NONE };
}

/* Return the key of the region that region event `region` entered, or, if that is LEDGER_NONE, of
 * the time outside any region. */
static struct part_key part_region_key(struct parts_walk *w, uint32_t node, uint32_t region)
{
	const struct process *p = model_slot(w->m, w->t->nodes[node].slot);
	struct part_key key = part_key_of(w, region == LEDGER_NONE ? PART_NONE : PART_REGION, node);
	const struct timing_cell *cell;

	if (region == LEDGER_NONE)
		return key;
	cell = model_cell(w->m, process_ledger(w->m, p)[region].cell);
	key.category = cell->category;
	key.label = cell->label;
	key.at_limit = w->parts->nesting != NUM_NONE && cell->nesting >= w->parts->nesting;
	return key;
}

static struct part_key part_exec_key(struct parts_walk *w, uint32_t node)
{
	const struct process *p = model_slot(w->m, w->t->nodes[node].slot);
	struct part_key key = part_key_of(w, PART_UNTRACED, node);

	tr2_buf_clear(&w->line);
	if (p->execs.nr)
		format_argv_label(w->m,
				  &PROCESS_ITEM(w->m, &p->execs, exec_item, p->execs.nr - 1)->argv,
				  &w->line);
	else
		tr2_buf_addstr(&w->line, "?");
	key.text = parts_string_of(w->parts, &w->line);
	return key;
}

static struct part_key part_child_key(struct parts_walk *w, uint32_t node, const struct holder *h)
{
	const struct process *p = model_slot(w->m, w->t->nodes[node].slot);
	const struct child *c;
	struct part_key key;

	if (h->index == LINK_EXEC)
		return part_exec_key(w, node);
	c = process_child(w->m, p, h->index);
	key = part_key_of(w, child_is_person(w->m, c) ? PART_PERSON : PART_UNTRACED, node);
	tr2_buf_clear(&w->line);
	format_child_label(w->m, c, &w->line);
	key.text = parts_string_of(w->parts, &w->line);
	tr2_buf_clear(&w->line);
	if (child_shell_line(w->m, c, &w->line))
		key.line = parts_string_of(w->parts, &w->line);
	key.category = c->child_class;
	key.child = h->index;
	return key;
}

static void piece_give_to(struct parts_walk *w, const struct frame *f, const struct part_key *key,
			  ns_t begin, ns_t end)
{
	if (f->into != NO_NODE)
		beside_add(w->t, f->into, key, begin, end);
	else if (w->give)
		w->give(w->data, key, begin, end);
	else
		parts_give(w->parts, key, begin, end);
}

static void piece_give(struct parts_walk *w, const struct frame *f, const struct part_key *key,
		       ns_t begin, ns_t end)
{
	if (f->beside == NO_NODE || key->kind == PART_REGION || key->kind == PART_UNTRACED ||
	    key->kind == PART_PERSON) {
		piece_give_to(w, f, key, begin, end);
		return;
	}
	while (begin < end) {
		ns_t from = begin;
		const struct beside_piece *piece = beside_before(w->t, f->beside, &from, end);
		struct part_key other = piece ? piece->key : *key;

		piece_give_to(w, f, &other, from, end);
		end = from;
	}
}

static void parts_assign(struct parts_walk *w, const struct frame *f, const struct part_key *key,
			 ns_t begin, ns_t end)
{
	begin = begin > f->lo ? begin : f->lo;
	end = end < f->hi ? end : f->hi;
	if (begin < end)
		piece_give(w, f, key, begin + f->shift, end + f->shift);
}

/* True if the child (or exec) has one process, which is the one that the parent started. */
static bool is_itself(const struct parts_walk *w, const struct part_node *n, const struct holder *h)
{
	const struct process *kid;

	if (h->nr != 1)
		return false;
	if (h->index == LINK_EXEC)
		return true;
	kid = model_slot(w->m, w->t->nodes[w->t->holders[h->first].index].slot);
	return kid->pid != NUM_NONE &&
	       kid->pid == process_child(w->m, model_slot(w->m, n->slot), h->index)->pid;
}

/*
 * Assign the time of a child for which is_itself() is true. `f` is the time window of the child, on
 * the axis of its parent.
 */
static void hold_itself(struct parts_walk *w, const struct frame *f, const struct part_node *n,
			const struct holder *h)
{
	uint32_t kid = w->t->holders[h->first].index;
	const struct process *p = model_slot(w->m, n->slot);
	const struct process *q = model_slot(w->m, w->t->nodes[kid].slot);
	ns_t offset =
		h->index == LINK_EXEC ? p->axis.offset : process_child(w->m, p, h->index)->offset;
	ns_t length = h->end - h->begin, own = w->t->nodes[kid].end, gap, spawn = 0;
	struct frame piece = *f, process = *f;
	struct part_key rest;

	own = own < length ? own : length;
	gap = length - own;
	if (q->axis.origin != NS_NONE && offset != NS_NONE)
		spawn = ns_sub(ns_sub(q->axis.origin, offset), h->begin);
	spawn = spawn < 0 ? 0 : spawn > gap ? gap : spawn;
	if (w->t->nodes[kid].ended)
		rest = part_key_of(w, PART_REAP, kid);
	else if (q->state == STATE_REPLACED && own == q->axis.last)
		rest = part_exec_key(w, kid);
	else
		rest = part_key_of(w, PART_LOST, kid);
	parts_assign(w, f, &rest, h->begin + spawn + own, h->end);
	piece.kind = FRAME_PIECE;
	piece.key = part_key_of(w, PART_SPAWN, kid);
	piece.hi = piece.hi < h->begin + spawn ? piece.hi : h->begin + spawn;
	parts_push_frame(w, &piece);
	process.kind = FRAME_PROCESS;
	process.node = kid;
	process.shift = f->shift + h->begin + spawn;
	process.lo = f->lo - h->begin - spawn;
	process.lo = process.lo > 0 ? process.lo : 0;
	process.hi = f->hi - h->begin - spawn;
	process.hi = process.hi < own ? process.hi : own;
	process.entry = UINT32_MAX;
	process.released = NO_NODE;
	w->t->nodes[kid].shift = process.shift;
	parts_push_frame(w, &process);
}

static void hold_child(struct parts_walk *w, struct frame *f, const struct holder *h)
{
	const struct part_node *n = &w->t->nodes[f->node];
	struct part_key key;

	if (!h->nr) {
		key = part_child_key(w, f->node, h);
		parts_assign(w, f, &key, f->lo, f->hi);
	} else if (is_itself(w, n, h)) {
		hold_itself(w, f, n, h);
	} else {
		f->kind = FRAME_PLACE;
		f->holder = (uint32_t)(h - w->t->holders);
		parts_push_frame(w, f);
	}
}

/* Return the start of the stretch (time between two region events) that ends at `hi`, and its
 * innermost region. */
static ns_t stretch_before(const struct parts_walk *w, const struct part_node *n,
			   const struct process *p, struct frame *f, uint32_t *region)
{
	const struct ledger_entry *entry, *ledger = process_ledger(w->m, p);
	const uint32_t *within = n->by_entry == NO_NODE ? NULL : w->t->numbers + n->by_entry;

	if (f->entry == UINT32_MAX) {
		uint32_t low = 0, high = p->axis.ledger.nr;

		while (low < high) {
			uint32_t mid = low + (high - low) / 2;

			if (ledger[mid].at < f->hi)
				low = mid + 1;
			else
				high = mid;
		}
		f->entry = low;
	}
	while (f->entry && ledger[f->entry - 1].at >= f->hi)
		f->entry--;
	/* events of regions beyond the nesting limit do not end a stretch */
	while (within && f->entry &&
	       within[f->entry - 1] == (f->entry > 1 ? within[f->entry - 2] : LEDGER_NONE))
		f->entry--;
	*region = LEDGER_NONE;
	if (!f->entry)
		return p->axis.init == NS_NONE ? 0 : p->axis.init;
	entry = &ledger[f->entry - 1];
	*region = within                       ? within[f->entry - 1]
		  : entry->cell == LEDGER_NONE ? entry->outer
					       : f->entry - 1;
	return entry->at;
}

/* Return the pipes (if `pipe`) or workers that began while region `region` was innermost. */
static struct holder *holders_inside(const struct parts_walk *w, const struct part_node *n,
				     uint32_t region, bool pipe, uint32_t *nr)
{
	struct holder *all;
	uint32_t low = 0, high = n->nr, end;

	/* the array of holders may be NULL if there are none */
	*nr = 0;
	if (!n->nr)
		return NULL;
	all = w->t->holders + n->first;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (all[mid].inside < region || (all[mid].inside == region && all[mid].pipe < pipe))
			low = mid + 1;
		else
			high = mid;
	}
	for (high = n->nr, end = low; end < high;) {
		uint32_t mid = end + (high - end) / 2;

		if (all[mid].inside < region ||
		    (all[mid].inside == region && all[mid].pipe <= pipe))
			end = mid + 1;
		else
			high = mid;
	}
	*nr = end - low;
	return all + low;
}

/* Return the worker whose exit probably allowed the child of `h` to start; NO_NODE: none. */
static uint32_t who_released(const struct parts_walk *w, const struct part_node *n,
			     const struct holder *h)
{
	const struct process *p = model_slot(w->m, n->slot);
	uint32_t number, gone = process_children_gone(w->m, p), holder;

	if (h->index == LINK_EXEC)
		return NO_NODE;
	number = process_child(w->m, p, h->index)->released;
	if (number == INDEX_NONE || number < gone || number - gone >= p->children.nr)
		return NO_NODE;
	holder = w->t->numbers[n->by_child + (number - gone)];
	return holder != NO_NODE && !w->t->holders[holder].pipe &&
			       w->t->holders[holder].inside == h->inside &&
			       w->t->holders[holder].begin < h->begin
		       ? holder
		       : NO_NODE;
}

/* The regions of the pipes in parallel with the child are collected first. */
static void hold_beside(struct parts_walk *w, struct frame *child, const struct holder *h,
			struct holder *pipes, uint32_t nr)
{
	struct parts_tree *t = w->t;
	struct frame beside = *child;
	struct holder *last;
	bool runs;

	last = holder_before(pipes, nr, child->hi, &runs);
	if (!last || last->end <= child->lo) {
		hold_child(w, child, h);
		return;
	}
	beside.kind = FRAME_BESIDE;
	beside.holder = (uint32_t)(pipes - t->holders);
	beside.nr = nr;
	beside.into = beside_new(t, child->beside);
	beside.beside = NO_NODE;
	child->kind = FRAME_CHILD;
	child->holder = (uint32_t)(h - t->holders);
	child->beside = beside.into;
	parts_push_frame(w, child);
	parts_push_frame(w, &beside);
}

static void beside_step(struct parts_walk *w, struct frame *f)
{
	struct frame child = *f;
	struct holder *h;
	bool runs;

	h = holder_before(w->t->holders + f->holder, f->nr, f->hi, &runs);
	if (!runs) {
		f->hi = h && h->end > f->lo ? h->end : f->lo;
		return;
	}
	child.lo = h->begin > f->lo ? h->begin : f->lo;
	f->hi = child.lo;
	hold_child(w, &child, h);
}

static void process_step(struct parts_walk *w, struct frame *f)
{
	const struct part_node *n = &w->t->nodes[f->node];
	const struct process *p = model_slot(w->m, n->slot);
	ns_t init = p->axis.starting ? n->end : p->axis.init, from, begin, until;
	uint32_t region, nr, nr_pipes;
	struct holder *h, *worker, *pipes;
	struct part_key key;
	struct frame child;
	bool runs;

	if (init != NS_NONE && f->hi <= init) {
		key = part_key_of(w, PART_INIT, f->node);
		parts_assign(w, f, &key, f->lo, f->hi);
		f->hi = f->lo;
		return;
	}
	begin = stretch_before(w, n, p, f, &region);
	begin = begin > f->lo ? begin : f->lo;
	pipes = holders_inside(w, n, region, true, &nr_pipes);
	until = begin;
	if (f->released != NO_NODE) {
		h = &w->t->holders[f->released];
		runs = true;
	} else {
		worker = holders_inside(w, n, region, false, &nr);
		h = worker = holder_before(worker, nr, f->hi, &runs);
		if (!runs && nr_pipes) {
			/* a pipe gets the time after the last worker ended */
			until = worker && worker->end > until ? worker->end : until;
			h = holder_before(pipes, nr_pipes, f->hi, &runs);
			if (!runs && (!h || (worker && worker->end > h->end)))
				h = worker;
		}
	}
	f->released = NO_NODE;
	/* The process itself gets the time after its last child. */
	from = !h ? begin : h->end > begin ? h->end : begin;
	if (from < f->hi) {
		key = part_region_key(w, f->node, region);
		parts_assign(w, f, &key, from, f->hi);
		f->hi = from;
	}
	if (!runs || f->hi <= begin)
		return;
	child = *f;
	child.lo = h->begin > until ? h->begin : until;
	f->hi = child.lo;
	if (child.lo == h->begin)
		f->released = who_released(w, n, h);
	if (h->pipe || !nr_pipes)
		hold_child(w, &child, h);
	else
		hold_beside(w, &child, h, pipes, nr_pipes);
}

static void place_step(struct parts_walk *w, struct frame *f)
{
	const struct holder *place = f->node == NO_NODE ? NULL : &w->t->holders[f->holder];
	uint32_t first = place ? place->first : w->t->first_root;
	uint32_t nr = place ? place->nr : w->t->nr_roots;
	struct frame process = { .kind = FRAME_PROCESS,
				 .entry = UINT32_MAX,
				 .released = NO_NODE,
				 .into = f->into,
				 .beside = f->beside };
	struct part_key key;
	struct holder *h;
	bool runs;

	h = holder_before(nr ? w->t->holders + first : NULL, nr, f->hi, &runs);
	if (!runs) {
		ns_t from = h && h->end > f->lo ? h->end : f->lo;

		if (place)
			key = part_child_key(w, f->node, place);
		else
			key = (struct part_key){ .kind = PART_COMMAND,
						 .category = SYM_NONE,
						 .label = SYM_NONE,
						 .slot = SLOT_NONE,
						 .child = SLOT_NONE };
		parts_assign(w, f, &key, from, f->hi);
		f->hi = from;
		return;
	}
	process.node = h->index;
	process.shift = f->shift + h->begin;
	process.hi = f->hi - h->begin;
	process.lo = (h->begin > f->lo ? h->begin : f->lo) - h->begin;
	f->hi = process.lo + h->begin;
	w->t->nodes[h->index].shift = process.shift;
	parts_push_frame(w, &process);
}

static void parts_run(struct parts_walk *w)
{
	while (w->t->nr_frames) {
		struct frame *f = &w->t->frames[w->t->nr_frames - 1];

		if (f->lo >= f->hi) {
			w->t->nr_frames--;
		} else if (f->kind == FRAME_PIECE) {
			parts_assign(w, f, &f->key, f->lo, f->hi);
			w->t->nr_frames--;
		} else if (f->kind == FRAME_PROCESS) {
			process_step(w, f);
		} else if (f->kind == FRAME_BESIDE) {
			beside_step(w, f);
		} else if (f->kind == FRAME_CHILD) {
			struct frame child = *f;

			w->t->nr_frames--;
			hold_child(w, &child, &w->t->holders[child.holder]);
		} else {
			place_step(w, f);
		}
	}
}

void parts_make(struct parts *parts, const struct analysis *what, const struct parts_of *of)
{
	struct parts_walk w = { .parts = parts, .m = what->model, .of = of };
	struct frame all = { .kind = of->slot == SLOT_NONE ? FRAME_PLACE : FRAME_PROCESS,
			     .node = of->slot == SLOT_NONE ? NO_NODE : 0,
			     .entry = UINT32_MAX,
			     .released = NO_NODE,
			     .into = NO_NODE,
			     .beside = NO_NODE };

	parts_clear(parts);
	if (!parts->tree)
		parts->tree = xcalloc(1, sizeof(*parts->tree));
	w.t = parts->tree;
	tr2_buf_init(&w.line, 1 << 16);
	parts->nesting = of->own_command
				 ? OWN_COMMAND_NESTING
				 : writer_nesting(what->model, of->slot, &parts->nesting_default);
	parts_tree_make(parts, what, of);
	all.hi = parts->wall;
	if (all.node != NO_NODE)
		w.t->nodes[all.node].shift = 0;
	parts_push_frame(&w, &all);
	parts_run(&w);
	tr2_buf_release(&w.line);
	parts_finish(parts);
}

void parts_walk_again(struct parts *parts)
{
	struct parts_tree *t = parts->tree;

	for (uint32_t i = 0; i < t->nr_holders; i++)
		t->holders[i].next = 0;
}

void parts_walk_child(struct parts *parts, const struct analysis *what, const struct parts_of *of,
		      uint32_t node, uint32_t holder, ns_t begin, ns_t end, part_give_fn give,
		      void *data)
{
	struct parts_walk w = { .parts = parts, .t = parts->tree, .m = what->model, .of = of };
	const struct part_node *n = &parts->tree->nodes[node];
	struct frame child = { .kind = FRAME_CHILD,
			       .lo = begin - n->shift,
			       .hi = end - n->shift,
			       .shift = n->shift,
			       .node = node,
			       .holder = holder,
			       .into = NO_NODE,
			       .beside = NO_NODE };

	w.give = give;
	w.data = data;
	tr2_buf_init(&w.line, 1 << 16);
	parts_push_frame(&w, &child);
	parts_run(&w);
	tr2_buf_release(&w.line);
}
