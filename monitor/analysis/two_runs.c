/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/two_runs.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/format_text.h"
#include "monitor/base/grow.h"

/* A part of the base gets its negative time as change. */
static void add_run(struct two_runs *two, const struct analysis *what, uint32_t slot, bool is_base)
{
	struct parts_of of = {
		.slot = slot, .begun = NS_NONE, .wall = NS_NONE, .merge_names = true
	};

	parts_make(&two->made, what, &of);
	*(is_base ? &two->base_wall : &two->new_wall) = two->made.wall;
	two->live |= two->made.live;
	for (uint32_t i = 0; i < two->made.nr; i++) {
		const struct part *part = &two->made.items[i];
		struct two_runs_part *to;

		GROW(two->parts, two->nr, two->cap, 64);
		to = &two->parts[two->nr++];
		*to = (struct two_runs_part){ .kind = part->kind, .at = (uint32_t)two->texts.len };
		part_format(&two->made, what->model, part, &two->texts);
		to->len = (uint32_t)two->texts.len - to->at;
		to->base = is_base ? part->time : 0;
		to->change = is_base ? -part->time : part->time;
	}
}

/* for the compare function, because qsort() passes no context */
static _Thread_local const char *sorted_texts;

static int by_label(const void *a, const void *b)
{
	const struct two_runs_part *x = a, *y = b;
	uint32_t len = x->len < y->len ? x->len : y->len;
	int order;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	order = memcmp(sorted_texts + x->at, sorted_texts + y->at, len);
	return order ? order : x->len < y->len ? -1 : x->len > y->len;
}

static ns_t absolute(ns_t ns)
{
	return ns < 0 ? -ns : ns;
}

static int largest_first(const void *a, const void *b)
{
	const struct two_runs_part *x = a, *y = b;
	ns_t xc = absolute(x->change), yc = absolute(y->change);

	if (xc != yc)
		return xc > yc ? -1 : 1;
	if (x->base != y->base)
		return x->base > y->base ? -1 : 1;
	return by_label(a, b);
}

static void merge_equal(struct two_runs *two)
{
	uint32_t to = 0;

	for (uint32_t i = 0; i < two->nr; i++) {
		if (to && !by_label(&two->parts[to - 1], &two->parts[i])) {
			two->parts[to - 1].base += two->parts[i].base;
			two->parts[to - 1].change += two->parts[i].change;
		} else {
			two->parts[to++] = two->parts[i];
		}
	}
	two->nr = to;
}

void two_runs_make(struct two_runs *two, const struct analysis *what, uint32_t base_slot,
		   uint32_t new_slot)
{
	if (!two->texts.max)
		tr2_buf_init(&two->texts, SIZE_MAX / 2);
	tr2_buf_clear(&two->texts);
	two->nr = 0;
	two->live = false;
	add_run(two, what, base_slot, true);
	add_run(two, what, new_slot, false);
	if (!two->nr)
		return;
	sorted_texts = two->texts.data;
	qsort(two->parts, two->nr, sizeof(*two->parts), by_label);
	merge_equal(two);
	qsort(two->parts, two->nr, sizeof(*two->parts), largest_first);
}

void two_runs_release(struct two_runs *two)
{
	free(two->parts);
	parts_release(&two->made);
	tr2_buf_release(&two->texts);
	memset(two, 0, sizeof(*two));
}

const char *two_runs_label(const struct two_runs *two, const struct two_runs_part *part,
			   size_t *len)
{
	*len = part->len;
	return part->len ? two->texts.data + part->at : "";
}

static bool is_same_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a && b ? a_len == b_len && !memcmp(a, b, a_len) : a == b;
}

/* True if both processes have the same name and first argument. A commit message does not count, so
 * a commit is compared with the one before it. */
static bool is_same_command(const struct model *m, const struct process *a, const struct process *b)
{
	size_t a_len, b_len;
	const char *text = command_name(m, a, &a_len), *other = command_name(m, b, &b_len);

	if (!is_same_text(text, a_len, other, b_len))
		return false;
	text = command_argument(m, a, &a_len);
	other = command_argument(m, b, &b_len);
	return is_same_text(text, a_len, other, b_len);
}

uint32_t two_runs_before(const struct model *m, uint32_t slot)
{
	const struct process *p = model_slot(m, slot), *best = NULL;
	uint32_t found = SLOT_NONE;
	size_t len, other_len;
	const char *worktree = process_worktree(m, p, &len);

	if (p->start == NS_NONE)
		return SLOT_NONE;
	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s)) {
		const struct process *other = model_slot(m, s);
		const char *path;

		if (other->start == NS_NONE || other->start >= p->start ||
		    other->end_by == END_NONE || (best && other->start <= best->start) ||
		    (other->parent == SLOT_NONE) != (p->parent == SLOT_NONE) ||
		    !is_same_command(m, other, p))
			continue;
		path = process_worktree(m, other, &other_len);
		if (!is_same_text(worktree, len, path, other_len))
			continue;
		best = other;
		found = s;
	}
	return found;
}
