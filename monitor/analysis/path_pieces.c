/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/path_pieces.h"

#include <stdlib.h>

#include "monitor/base/grow.h"

/* recompute the parts at most once per second if the sum of pieces and processes is above this
 * number */
#define MANY 3000

static int by_slot(const void *a, const void *b)
{
	const struct path_piece *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static void take_pieces(struct path_pieces *held)
{
	uint32_t to = 0;

	for (uint32_t i = 0; i < held->parts.nr_pieces; i++) {
		const struct piece *piece = &held->parts.pieces[i];
		ns_t begin = ns_add(held->parts.begun, piece->begin);

		if (piece->slot == SLOT_NONE)
			continue;
		GROW(held->items, held->nr, held->cap, 64);
		held->items[held->nr++] =
			(struct path_piece){ piece->slot, begin, ns_add(begin, piece->time) };
	}
	if (held->nr)
		qsort(held->items, held->nr, sizeof(*held->items), by_slot);
	for (uint32_t i = 0; i < held->nr; i++) {
		if (to && held->items[to - 1].slot == held->items[i].slot &&
		    held->items[to - 1].end == held->items[i].begin)
			held->items[to - 1].end = held->items[i].end;
		else
			held->items[to++] = held->items[i];
	}
	held->nr = to;
}

void path_pieces_make(struct path_pieces *held, const struct analysis *what, uint32_t root,
		      bool own_command)
{
	bool same = held->model == what->model && held->root == root;
	bool many = held->parts.nr_pieces + held->parts.nr_processes > MANY;

	if (same && held->version == model_version(what->model) && !held->parts.live)
		return;
	if (same && many && what->now >= held->made && what->now - held->made < NS_PER_SEC)
		return;
	held->model = what->model;
	held->version = model_version(what->model);
	held->root = root;
	held->made = what->now;
	held->nr = 0;
	if (root == SLOT_NONE)
		return;
	parts_make(&held->parts, what,
		   &(struct parts_of){ .slot = root,
				       .begun = NS_NONE,
				       .wall = NS_NONE,
				       .own_command = own_command });
	if (!held->parts.guessed && held->parts.begun != NS_NONE)
		take_pieces(held);
}

void path_pieces_release(struct path_pieces *held)
{
	free(held->items);
	parts_release(&held->parts);
	*held = (struct path_pieces){ .nr = 0 };
}

const struct path_piece *path_pieces_from(const struct path_pieces *held, uint32_t slot, ns_t wall)
{
	uint32_t low = 0, high = held->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct path_piece *piece = &held->items[middle];

		if (piece->slot < slot || (piece->slot == slot && piece->end <= wall))
			low = middle + 1;
		else
			high = middle;
	}
	return low < held->nr && held->items[low].slot == slot ? &held->items[low] : NULL;
}

const struct path_piece *path_pieces_next(const struct path_pieces *held,
					  const struct path_piece *piece)
{
	const struct path_piece *next = piece + 1;

	return next < held->items + held->nr && next->slot == piece->slot ? next : NULL;
}
