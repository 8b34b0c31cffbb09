/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/flame_around.h"

#include <stdlib.h>

#include "monitor/base/grow.h"
#include "monitor/base/platform.h"

static bool is_same(const struct flame_node *a, const struct flame_node *b)
{
	return a->kind == b->kind && a->a == b->a && a->b == b->b &&
	       (a->kind != FLAME_NODE_PROCESS || a->a != SYM_NONE || a->slot == b->slot);
}

static bool is_shown(const struct flame_node *node)
{
	return node->kind == FLAME_NODE_REGION || node->kind == FLAME_NODE_PROCESS ||
	       node->kind == FLAME_NODE_THREAD;
}

/* True if an ancestor, at most up to `top`, has the name of the node. */
static bool is_nested(const struct flame *flame, uint32_t nr, uint32_t top)
{
	const struct flame_node *node = &flame->nodes[nr];

	for (uint32_t at = nr; at != top && at != FLAME_NONE;) {
		at = flame->nodes[at].parent;
		if (at != FLAME_NONE && is_same(&flame->nodes[at], node))
			return true;
	}
	return false;
}

static void around_add(struct flame_around *around, const struct flame *flame,
		       enum flame_relation relation, uint32_t node, ns_t total, ns_t self)
{
	if (!is_shown(&flame->nodes[node]))
		return;
	GROW(around->rows, around->nr, around->cap, 64);
	around->rows[around->nr++] =
		(struct flame_around_row){ (uint8_t)relation, node, flame->nodes[node].count, total,
					   self };
}

static void add_inside(struct flame_around *around, const struct flame *flame, uint32_t top)
{
	for (uint32_t at = top; at != FLAME_NONE;) {
		const struct flame_node *node = &flame->nodes[at];

		around_add(around, flame, FLAME_INSIDE, at,
			   is_nested(flame, at, top) ? 0 : node->total, node->self);
		if (node->child != FLAME_NONE) {
			at = node->child;
			continue;
		}
		while (at != top && flame->nodes[at].sibling == FLAME_NONE)
			at = flame->nodes[at].parent;
		at = at == top ? FLAME_NONE : flame->nodes[at].sibling;
	}
}

static void add_calls(struct flame_around *around, const struct flame *flame, uint32_t of)
{
	for (uint32_t i = 0; i < flame->nr; i++) {
		const struct flame_node *node = &flame->nodes[i];

		if (!is_same(node, &flame->nodes[of]))
			continue;
		if (node->parent != FLAME_NONE)
			around_add(around, flame, FLAME_CALLER, node->parent, node->total, 0);
		for (uint32_t c = node->child; c != FLAME_NONE; c = flame->nodes[c].sibling)
			around_add(around, flame, FLAME_CALLEE, c, flame->nodes[c].total,
				   flame->nodes[c].self);
	}
}

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_name(const void *a, const void *b, void *data)
{
	const struct flame_around_row *x = a, *y = b;
	const struct flame *flame = data;
	const struct flame_node *n = &flame->nodes[x->node], *m = &flame->nodes[y->node];
	int by = by_number(x->relation, y->relation);

	by = by ? by : by_number(n->kind, m->kind);
	by = by ? by : by_number(n->a, m->a);
	by = by ? by : by_number(n->b, m->b);
	if (!by && !is_same(n, m))
		by = by_number(n->slot, m->slot);
	return by ? by : by_number(x->node, y->node);
}

struct around_order {
	enum flame_around_order by;
	bool reverse;
};

static int64_t order_key(const struct flame_around_row *row, enum flame_around_order by)
{
	return by == FLAME_BY_SELF    ? row->self
	       : by == FLAME_BY_TOTAL ? row->total
				      : (int64_t)row->count;
}

static int by_order(const void *a, const void *b, void *data)
{
	const struct flame_around_row *x = a, *y = b;
	const struct around_order *order = data;
	int64_t p = order_key(x, order->by), q = order_key(y, order->by);

	if (x->relation != y->relation)
		return x->relation < y->relation ? -1 : 1;
	if (p == q && x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (p == q)
		return by_number(x->node, y->node);
	return (p > q) != order->reverse ? -1 : 1;
}

/* Rows of the same relation and name are adjacent. */
static void sum_up(struct flame_around *around, const struct flame *flame)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < around->nr; i++) {
		const struct flame_around_row *row = &around->rows[i];
		struct flame_around_row *to = nr ? &around->rows[nr - 1] : NULL;

		if (!to || to->relation != row->relation ||
		    !is_same(&flame->nodes[to->node], &flame->nodes[row->node])) {
			around->rows[nr++] = *row;
			continue;
		}
		to->count += row->count;
		to->total += row->total;
		to->self += row->self;
		if (flame->nodes[row->node].total > flame->nodes[to->node].total)
			to->node = row->node;
	}
	around->nr = nr;
}

void flame_around_make(struct flame_around *around, const struct flame *flame, uint32_t node,
		       enum flame_around_order order, bool reverse)
{
	struct around_order by = { order, reverse };

	around->nr = 0;
	if (node >= flame->nr)
		return;
	add_inside(around, flame, node);
	add_calls(around, flame, node);
	if (!around->nr)
		return;
	platform_sort(around->rows, around->nr, sizeof(*around->rows), by_name, (void *)flame);
	sum_up(around, flame);
	platform_sort(around->rows, around->nr, sizeof(*around->rows), by_order, &by);
}

void flame_around_release(struct flame_around *around)
{
	free(around->rows);
	*around = (struct flame_around){ 0 };
}
