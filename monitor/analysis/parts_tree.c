/* SPDX-License-Identifier: MIT */
/* the tree of processes, the children that get the time of their parents, kinds of children */
#include "config.h"

#include "monitor/analysis/parts_priv.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/formats.h"
#include "monitor/analysis/live.h"
#include "monitor/base/grow.h"
#include "monitor/base/platform.h"

/* maximum number of children of a parent among which the child of a process with a reused pid is
 * searched */
#define LOOK_AMONG 1000u

bool child_is_beside(const struct model *m, const struct child *child)
{
	return model_sym_is(m, child->child_class, "background") ||
	       model_sym_is(m, child->child_class, "daemon");
}

static const char *child_program(const struct model *m, const struct child *child, size_t *len)
{
	struct strings_cursor argv = strings_begin(m, &child->argv);
	const char *word = strings_next(&argv, len), *end, *slash;

	if (!word)
		return NULL;
	end = memchr(word, ' ', *len);
	*len = end ? (size_t)(end - word) : *len;
	slash = platform_find_last(word, '/', *len);
	if (slash) {
		*len -= (size_t)(slash + 1 - word);
		word = slash + 1;
	}
	return word;
}

/* True if the child's argument is Git's prompt: "Username for 'URL': " or "Password for ...". */
static bool asks_for_password(const struct model *m, const struct child *child)
{
	struct strings_cursor argv = strings_begin(m, &child->argv);
	size_t len;
	const char *question;

	if (child->argv.nr != 2 || !strings_next(&argv, &len))
		return false;
	question = strings_next(&argv, &len);
	return len > 14 && !memcmp(question + len - 3, "': ", 3) &&
	       (!memcmp(question, "Username for '", 14) || !memcmp(question, "Password for '", 14));
}

bool child_is_person(const struct model *m, const struct child *child)
{
	size_t len;
	const char *class = model_sym(m, child->child_class, &len), *program;

	if (child->child_class != SYM_NONE && ((len == 6 && !memcmp(class, "editor", len)) ||
					       (len == 5 && !memcmp(class, "pager", len))))
		return true;
	/* a program of GIT_ASKPASS or SSH_ASKPASS: its name is such as ssh-askpass or ksshaskpass,
	 * or its argument is Git's prompt */
	program = child_program(m, child, &len);
	return child->hook == SYM_NONE && program &&
	       (platform_find(program, len, "askpass", 7) || asks_for_password(m, child));
}

bool child_is_pipe(const struct model *m, const struct child *child)
{
	size_t len;
	const char *class = model_sym(m, child->child_class, &len);

	return child->child_class != SYM_NONE && ((len >= 10 && !memcmp(class, "transport/", 10)) ||
						  (len >= 7 && !memcmp(class, "remote-", 7)));
}

static bool holds_start(const struct child *child, const struct process *kid)
{
	return child->start != NS_NONE && child->start <= kid->start &&
	       (child->end == NS_NONE || kid->start <= child->end);
}

/* Return the only child whose time contains the start of the process; SLOT_NONE: none or several,
 * or the parent has more than LOOK_AMONG children. */
static uint32_t node_link_by_time(const struct model *m, const struct process *parent,
				  const struct process *kid)
{
	uint32_t found = SLOT_NONE;

	if (parent->children.nr > LOOK_AMONG)
		return SLOT_NONE;
	for (uint32_t i = 0; i < parent->children.nr; i++) {
		if (!holds_start(process_child(m, parent, i), kid))
			continue;
		if (found != SLOT_NONE)
			return SLOT_NONE;
		found = i;
	}
	return found;
}

static uint32_t node_link(const struct model *m, const struct process *parent,
			  const struct process *kid)
{
	const struct child *child;

	if (parent->agent != kid->agent ||
	    (*parent->host && *kid->host && strcmp(parent->host, kid->host) != 0))
		return SLOT_NONE;
	if (parent->state == STATE_REPLACED && parent->pid != NUM_NONE && parent->pid == kid->pid)
		return LINK_EXEC;
	if (kid->link >= parent->children.nr)
		return SLOT_NONE;
	child = process_child(m, parent, kid->link);
	if (child->pid != NUM_NONE && child->pid == kid->pid && kid->start != NS_NONE &&
	    child->start != NS_NONE && !parent->axis.stepped && !kid->axis.stepped &&
	    !holds_start(child, kid))
		return node_link_by_time(m, parent, kid);
	return kid->link;
}

/* sibling processes, sorted so that the order of reading files does not matter */
struct sibling {
	uint32_t slot, link;
	const char *sid;
	size_t len;
};

static int sibling_compare(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int by_sid;

	if (x->link != y->link)
		return x->link < y->link ? -1 : 1;
	by_sid = memcmp(x->sid, y->sid, len);
	return by_sid ? by_sid : (x->len > y->len) - (x->len < y->len);
}

struct siblings {
	struct sibling *at;
	uint32_t nr, cap;
};

static void parts_add_node(struct parts_tree *t, uint32_t slot, uint32_t parent, uint32_t link)
{
	GROW(t->nodes, t->nr, t->cap, 64);
	t->nodes[t->nr++] = (struct part_node){ .slot = slot,
						.parent = parent,
						.link = link,
						.name = NO_NODE,
						.end = 0,
						.shift = NS_NONE };
}

static void siblings_add(struct parts_tree *t, struct siblings *s, const struct analysis *what,
			 uint32_t first, uint32_t parent)
{
	const struct model *m = what->model;
	const struct process *p = parent == NO_NODE ? NULL : model_slot(m, t->nodes[parent].slot);

	s->nr = 0;
	for (; first != SLOT_NONE; first = model_next_sibling(m, first)) {
		const struct process *kid = model_slot(m, first);

		if (!p && what->filter && !filter_process(what->filter, m, first))
			continue;
		GROW(s->at, s->nr, s->cap, 64);
		s->at[s->nr++] = (struct sibling){ first, p ? node_link(m, p, kid) : SLOT_NONE,
						   model_text(m, kid->sid), kid->sid.len };
	}
	if (s->nr > 1)
		qsort(s->at, s->nr, sizeof(*s->at), sibling_compare);
	for (uint32_t i = 0; i < s->nr; i++)
		parts_add_node(t, s->at[i].slot, parent, s->at[i].link);
}

static void nodes_make(struct parts_tree *t, const struct analysis *what, uint32_t root)
{
	const struct model *m = what->model;
	struct siblings siblings = { 0 };

	t->nr = 0;
	if (root != SLOT_NONE)
		parts_add_node(t, root, NO_NODE, SLOT_NONE);
	else
		siblings_add(t, &siblings, what, model_first_root(m), NO_NODE);
	for (uint32_t i = 0; i < t->nr; i++) {
		uint32_t first = t->nr;

		siblings_add(t, &siblings, what, model_slot(m, t->nodes[i].slot)->first_child, i);
		t->nodes[i].first_kid = first;
		t->nodes[i].nr_kids = t->nr - first;
	}
	free(siblings.at);
}

/* True if the parent began to wait for the child, and no event ended the waiting. */
static bool child_is_open(const struct model *m, const struct child *c)
{
	return c->begin_at != NS_NONE && c->exit_at == NS_NONE && c->ready_at == NS_NONE &&
	       !child_is_beside(m, c);
}

/*
 * Return the start of a process on the axis of its parent, whose position 0 is at wall time
 * `offset`; at least `begin`, the start of the child.
 */
static ns_t kid_begin(const struct process *kid, ns_t offset, ns_t begin)
{
	ns_t at;

	if (kid->axis.origin == NS_NONE || offset == NS_NONE)
		return begin;
	at = ns_sub(kid->axis.origin, offset);
	return at > begin ? at : begin;
}

/* A process without an end event lasted at least until the end of the child that it waited for. */
static void end_by_kids(const struct parts_tree *t, const struct model *m, struct part_node *n)
{
	const struct process *p = model_slot(m, n->slot);

	for (uint32_t i = n->first_kid; i < n->first_kid + n->nr_kids; i++) {
		const struct part_node *kid = &t->nodes[i];
		const struct process *q = model_slot(m, kid->slot);
		const struct child *c = NULL;
		ns_t end;

		if (kid->link == SLOT_NONE || (n->over && kid->link != LINK_EXEC))
			continue;
		if (kid->link != LINK_EXEC) {
			c = process_child(m, p, kid->link);
			if (!child_is_open(m, c))
				continue;
		}
		end = c ? kid_begin(q, c->offset, c->begin_at)
			: kid_begin(q, p->axis.offset, p->axis.last);
		end = ns_add(end, kid->end);
		if (kid->link == LINK_EXEC)
			n->ended = kid->ended;
		if (end > n->end || kid->link == LINK_EXEC)
			n->live |= kid->live;
		if (end > n->end)
			n->end = end;
	}
}

static void node_end(const struct parts_tree *t, const struct analysis *what,
		     const struct parts_of *of, struct part_node *n)
{
	const struct process *p = model_slot(what->model, n->slot);
	const struct axis *x = &p->axis;

	n->ended = p->end_by != END_NONE && x->end != NS_NONE;
	n->over = n->ended || p->state == STATE_REPLACED;
	n->end = n->ended ? x->end : x->last;
	if (n->ended)
		return;
	if (!of->all_over && what->now != NS_NONE && process_is_live(p)) {
		ns_t now = x->offset == NS_NONE ? 0 : ns_sub(process_now(p, what->now), x->offset);

		n->live = true;
		n->end = now > n->end ? now : n->end;
		return;
	}
	end_by_kids(t, what->model, n);
}

static int holder_compare(const void *a, const void *b)
{
	const struct holder *x = a, *y = b;

	if (x->inside != y->inside)
		return x->inside < y->inside ? -1 : 1;
	if (x->pipe != y->pipe)
		return x->pipe ? 1 : -1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static struct holder *holder_add(struct parts_tree *t, ns_t begin, ns_t end, uint32_t index)
{
	GROW(t->holders, t->nr_holders, t->cap_holders, 64);
	t->holders[t->nr_holders] = (struct holder){ .begin = begin, .end = end, .index = index };
	return &t->holders[t->nr_holders++];
}

static void sort_holders(struct parts_tree *t, uint32_t first)
{
	if (t->nr_holders > first + 1)
		qsort(t->holders + first, t->nr_holders - first, sizeof(*t->holders),
		      holder_compare);
}

static bool child_is_git(const struct model *m, const struct child *c)
{
	size_t len;
	const char *word = child_program(m, c, &len);

	return word && len >= 3 && !memcmp(word, "git", 3) && (len == 3 || word[3] == '-');
}

/* Return the node of the process that the parent started as child number `index`; NULL: none. */
static const struct part_node *child_own_process(const struct parts_tree *t, const struct model *m,
						 const struct part_node *n, uint32_t index)
{
	const struct child *c = process_child(m, model_slot(m, n->slot), index);
	uint32_t low = n->first_kid, end = n->first_kid + n->nr_kids, high = end;
	const struct part_node *kid;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (t->nodes[mid].link < index)
			low = mid + 1;
		else
			high = mid;
	}
	kid = &t->nodes[low];
	if (low == end || kid->link != index || (low + 1 < end && kid[1].link == index))
		return NULL;
	if (c->pid == NUM_NONE)
		return c->hook == SYM_NONE && child_is_git(m, c) ? kid : NULL;
	return c->pid == model_slot(m, kid->slot)->pid ? kid : NULL;
}

/* Return the end of child_own_process(), on the axis of the parent; NS_NONE: none. The end is not
 * later than the end of the child that the parent reported, if the pid identifies the process. */
static ns_t child_own_end(const struct parts_tree *t, const struct model *m,
			  const struct part_node *n, uint32_t index)
{
	const struct child *c = process_child(m, model_slot(m, n->slot), index);
	const struct part_node *kid = child_own_process(t, m, n, index);
	ns_t begin, end = c->exit_at != NS_NONE ? c->exit_at : c->ready_at;

	if (!kid || !kid->ended)
		return NS_NONE;
	begin = kid_begin(model_slot(m, kid->slot), c->offset, c->begin_at);
	if (c->pid != NUM_NONE && end != NS_NONE && ns_add(begin, kid->end) > end)
		return end;
	return ns_add(begin, kid->end);
}

static bool node_died(const struct part_node *n, const struct process *p)
{
	return n->ended && (p->end_by == END_SIGNAL ||
			    (p->end_by == END_EXIT && p->code != NUM_NONE && p->code != 0));
}

/*
 * Return the time until which the child gets the time of its parent; NS_NONE if the parent did not
 * wait for the child, or if its start is unknown. A parent that died may not have reported the end
 * of the child, so child_own_end() is used. No process waits for a transport (`pipe`) whose own
 * process has ended.
 */
static ns_t child_end(const struct parts_tree *t, const struct model *m, const struct part_node *n,
		      uint32_t index, bool pipe)
{
	const struct process *p = model_slot(m, n->slot);
	const struct child *c = process_child(m, p, index);
	ns_t end, own = NS_NONE;

	if (c->begin_at == NS_NONE)
		return NS_NONE;
	if (pipe || node_died(n, p))
		own = child_own_end(t, m, n, index);
	if (c->exit_at != NS_NONE)
		end = c->exit_at;
	else if (c->ready_at != NS_NONE)
		end = c->ready_at;
	else if (child_is_beside(m, c))
		return NS_NONE;
	else if (node_died(n, p))
		end = own != NS_NONE ? own : n->end;
	else if (n->over)
		return NS_NONE;
	else
		end = n->end;
	return pipe && own != NS_NONE && own < end ? own : end;
}

static void number_add(struct parts_tree *t, uint32_t number)
{
	GROW(t->numbers, t->nr_numbers, t->cap_numbers, 64);
	t->numbers[t->nr_numbers++] = number;
}

static void regions_limit(struct parts_tree *t, const struct model *m, struct part_node *n,
			  int64_t nesting)
{
	const struct process *p = model_slot(m, n->slot);
	const struct ledger_entry *ledger = process_ledger(m, p);

	n->by_entry = NO_NODE;
	if (nesting < 0)
		return;
	n->by_entry = t->nr_numbers;
	for (uint32_t i = 0; i < p->axis.ledger.nr; i++) {
		uint32_t region = ledger[i].outer;

		if (region != LEDGER_NONE)
			region = t->numbers[n->by_entry + region];
		if (ledger[i].cell != LEDGER_NONE &&
		    model_cell(m, ledger[i].cell)->nesting <= nesting)
			region = i;
		number_add(t, region);
	}
}

static uint32_t region_within(const struct parts_tree *t, const struct part_node *n,
			      uint32_t region)
{
	return n->by_entry == NO_NODE || region == LEDGER_NONE ? region
							       : t->numbers[n->by_entry + region];
}

static void children_hold(struct parts_tree *t, const struct model *m, struct part_node *n)
{
	const struct process *p = model_slot(m, n->slot);
	bool has_tasks = format_of(m, p)->has_tasks;

	n->first = t->nr_holders;
	n->by_child = t->nr_numbers;
	for (uint32_t i = 0; i < p->children.nr; i++) {
		const struct child *c = process_child(m, p, i);
		bool pipe = child_is_pipe(m, c);
		ns_t end = has_tasks ? NS_NONE : child_end(t, m, n, i, pipe);

		t->has_pipe |= pipe;
		number_add(t, NO_NODE);
		end = end < n->end ? end : n->end;
		if (end != NS_NONE && end > c->begin_at) {
			struct holder *h = holder_add(t, c->begin_at, end, i);

			h->inside = region_within(t, n, c->inside);
			h->pipe = pipe;
		}
	}
	if (p->state == STATE_REPLACED && n->end > p->axis.last)
		holder_add(t, p->axis.last, n->end, LINK_EXEC)->inside =
			region_within(t, n, p->axis.innermost);
	n->nr = t->nr_holders - n->first;
	sort_holders(t, n->first);
	for (uint32_t i = n->first; i < n->first + n->nr; i++)
		if (t->holders[i].index != LINK_EXEC)
			t->numbers[n->by_child + t->holders[i].index] = i;
}

static void kids_hold(struct parts_tree *t, const struct model *m, const struct part_node *n,
		      uint32_t holder, uint32_t kid, uint32_t nr)
{
	const struct process *p = model_slot(m, n->slot);
	struct holder h = t->holders[holder];
	ns_t offset = h.index == LINK_EXEC ? p->axis.offset : process_child(m, p, h.index)->offset;
	uint32_t first = t->nr_holders;

	for (uint32_t i = kid; i < kid + nr; i++) {
		const struct process *q = model_slot(m, t->nodes[i].slot);
		ns_t begin = kid_begin(q, offset, h.begin), end;

		begin = begin < h.end ? begin : h.end;
		end = ns_add(begin, t->nodes[i].end);
		holder_add(t, begin, end < h.end ? end : h.end, i);
	}
	sort_holders(t, first);
	t->holders[holder].first = first;
	t->holders[holder].nr = nr;
}

static void node_hold(struct parts_tree *t, const struct analysis *what, struct part_node *n)
{
	uint32_t exec = NO_NODE, end = n->first_kid + n->nr_kids;
	const struct model *m = what->model;

	regions_limit(t, m, n, what->limits.nesting);
	children_hold(t, m, n);
	for (uint32_t i = n->first; i < n->first + n->nr; i++)
		if (t->holders[i].index == LINK_EXEC)
			exec = i;
	for (uint32_t i = n->first_kid, nr; i < end; i += nr) {
		uint32_t link = t->nodes[i].link, holder = exec;

		for (nr = 1; i + nr < end && t->nodes[i + nr].link == link; nr++)
			;
		if (link == SLOT_NONE)
			continue;
		if (link != LINK_EXEC)
			holder = t->numbers[n->by_child + link];
		if (holder != NO_NODE)
			kids_hold(t, m, n, holder, i, nr);
	}
}

struct holder *holder_before(struct holder *first, uint32_t nr, ns_t t, bool *runs)
{
	struct holder *h;

	*runs = false;
	if (!nr)
		return NULL;
	while (first->next < nr && first[first->next].begin >= t)
		first->next++;
	if (first->next == nr)
		return NULL;
	h = first + first->next;
	*runs = h->end >= t;
	return h;
}

static void wall_of_process(struct parts *parts, const struct analysis *what)
{
	const struct part_node *n = parts->tree->nodes;
	const struct process *p = model_slot(what->model, n->slot);

	parts->wall = n->end;
	parts->begun = p->axis.origin;
	parts->live = n->live;
	parts->ended = n->ended;
}

static void wall_of_all(struct parts *parts, const struct analysis *what, const struct parts_of *of)
{
	struct parts_tree *t = parts->tree;
	ns_t begun = of->begun, last = NS_NONE;

	t->nr_roots = 0;
	parts->ended = true;
	for (uint32_t i = 0; i < t->nr && t->nodes[i].parent == NO_NODE; i++) {
		ns_t origin = model_slot(what->model, t->nodes[i].slot)->axis.origin;

		t->nr_roots++;
		parts->live |= t->nodes[i].live;
		parts->ended &= t->nodes[i].ended;
		if (origin == NS_NONE)
			continue;
		if (of->begun == NS_NONE && (begun == NS_NONE || origin < begun))
			begun = origin;
		if (ns_add(origin, t->nodes[i].end) > last)
			last = ns_add(origin, t->nodes[i].end);
	}
	parts->begun = begun;
	parts->wall = of->wall;
	if (parts->wall == NS_NONE)
		parts->wall = begun == NS_NONE || last == NS_NONE ? 0 : ns_sub(last, begun);
	parts->wall = parts->wall > 0 ? parts->wall : 0;
	t->first_root = t->nr_holders;
	for (uint32_t i = 0; i < t->nr_roots; i++) {
		const struct process *p = model_slot(what->model, t->nodes[i].slot);
		ns_t begin = kid_begin(p, begun, 0), end;

		begin = begin < parts->wall ? begin : parts->wall;
		end = ns_add(begin, t->nodes[i].end);
		if (p->axis.origin != NS_NONE)
			holder_add(t, begin, end < parts->wall ? end : parts->wall, i);
	}
	t->nr_roots = t->nr_holders - t->first_root;
	sort_holders(t, t->first_root);
}

void parts_tree_make(struct parts *parts, const struct analysis *what, const struct parts_of *of)
{
	struct parts_tree *t = parts->tree;

	nodes_make(t, what, of->slot);
	t->nr_holders = t->nr_numbers = t->nr_frames = 0;
	t->nr_besides = t->nr_beside_pieces = 0;
	t->has_pipe = false;
	for (uint32_t i = t->nr; i-- > 0;) {
		const struct process *p = model_slot(what->model, t->nodes[i].slot);

		node_end(t, what, of, &t->nodes[i]);
		parts->guessed |= p->axis.guessed;
		parts->stepped |= p->axis.stepped;
	}
	for (uint32_t i = 0; i < t->nr; i++)
		node_hold(t, what, &t->nodes[i]);
	parts->nr_processes = t->nr;
	if (of->slot != SLOT_NONE)
		wall_of_process(parts, what);
	else
		wall_of_all(parts, what, of);
}
