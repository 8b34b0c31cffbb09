/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/roots.h"

#include <stdlib.h>

#include "monitor/base/die.h"

void roots_make(struct roots *roots, const struct model *m)
{
	*roots = (struct roots){ .model = m };
	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s))
		if (s >= roots->nr)
			roots->nr = s + 1;
	roots->of_slot = xreallocarray(NULL, (size_t)roots->nr + 1, sizeof(*roots->of_slot));
	for (uint32_t s = 0; s < roots->nr; s++)
		roots->of_slot[s] = SLOT_NONE;
}

void roots_release(struct roots *roots)
{
	free(roots->of_slot);
	*roots = (struct roots){ .nr = 0 };
}

uint32_t root_of(struct roots *roots, uint32_t slot)
{
	const struct model *m = roots->model;
	uint32_t root = slot;

	while (roots->of_slot[root] == SLOT_NONE && model_slot(m, root)->parent != SLOT_NONE)
		root = model_slot(m, root)->parent;
	if (roots->of_slot[root] != SLOT_NONE)
		root = roots->of_slot[root];
	while (roots->of_slot[slot] == SLOT_NONE) {
		roots->of_slot[slot] = root;
		if (slot == root)
			break;
		slot = model_slot(m, slot)->parent;
	}
	return root;
}
