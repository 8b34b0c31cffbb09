/* SPDX-License-Identifier: MIT */
/* lists of the time that pipes (transports) spent in regions while another child ran */
#include "config.h"

#include "monitor/analysis/parts_priv.h"

#include "monitor/base/grow.h"

uint32_t beside_new(struct parts_tree *t, uint32_t outer)
{
	GROW(t->besides, t->nr_besides, t->cap_besides, 4);
	t->besides[t->nr_besides] = (struct beside){ NO_NODE, NO_NODE, outer };
	return t->nr_besides++;
}

void beside_add(struct parts_tree *t, uint32_t list, const struct part_key *key, ns_t begin,
		ns_t end)
{
	struct beside *beside = &t->besides[list];

	if (key->kind != PART_REGION)
		return;
	GROW(t->beside_pieces, t->nr_beside_pieces, t->cap_beside_pieces, 16);
	t->beside_pieces[t->nr_beside_pieces] =
		(struct beside_piece){ .begin = begin, .end = end, .key = *key, .before = NO_NODE };
	if (beside->first == NO_NODE)
		beside->next = t->nr_beside_pieces;
	else
		t->beside_pieces[beside->first].before = t->nr_beside_pieces;
	beside->first = t->nr_beside_pieces++;
}

const struct beside_piece *beside_before(struct parts_tree *t, uint32_t list, ns_t *begin, ns_t end)
{
	for (; list != NO_NODE; list = t->besides[list].outer) {
		struct beside *beside = &t->besides[list];
		const struct beside_piece *piece = NULL;

		while (beside->next != NO_NODE) {
			piece = &t->beside_pieces[beside->next];
			if (piece->begin < end)
				break;
			beside->next = piece->before;
			piece = NULL;
		}
		if (!piece)
			continue;
		if (piece->end >= end) {
			*begin = piece->begin > *begin ? piece->begin : *begin;
			return piece;
		}
		*begin = piece->end > *begin ? piece->end : *begin;
	}
	return NULL;
}
