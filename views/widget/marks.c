/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/widget/marks.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/lower_bound.h"

static bool is_before(const struct mark *mark, uint64_t owner, uint64_t id)
{
	return mark->owner < owner || (mark->owner == owner && mark->id < id);
}

/* Return the index of a mark, or the index at which to insert it. */
static int marks_place_here(const struct marks *marks, uint64_t owner, uint64_t id)
{
	int at;

	LOWER_BOUND(at, marks->nr, is_before(&marks->at[at], owner, id));
	return at;
}

bool marks_has(const struct marks *marks, uint64_t owner, uint64_t id)
{
	int at = marks_place_here(marks, owner, id);

	return at < marks->nr && marks->at[at].owner == owner && marks->at[at].id == id;
}

static void marks_take_out(struct marks *marks, int at)
{
	marks->nr--;
	memmove(&marks->at[at], &marks->at[at + 1], (size_t)(marks->nr - at) * sizeof(*marks->at));
}

static int oldest(const struct marks *marks)
{
	int at = 0;

	for (int i = 1; i < marks->nr; i++)
		if (marks->at[i].age < marks->at[at].age)
			at = i;
	return at;
}

void marks_toggle(struct marks *marks, uint64_t owner, uint64_t id)
{
	int at = marks_place_here(marks, owner, id);

	marks->version++;
	if (marks_has(marks, owner, id)) {
		marks_take_out(marks, at);
		return;
	}
	if (marks->nr == MAX_MARKS) {
		marks_take_out(marks, oldest(marks));
		at = marks_place_here(marks, owner, id);
	}
	memmove(&marks->at[at + 1], &marks->at[at], (size_t)(marks->nr - at) * sizeof(*marks->at));
	marks->at[at] = (struct mark){ owner, id, marks->next_age++ };
	marks->nr++;
}

static int by_place(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void marks_sort(struct marks *marks)
{
	qsort(marks->at, (size_t)marks->nr, sizeof(*marks->at), by_place);
	marks->version++;
}

void marks_clear(struct marks *marks)
{
	marks->nr = 0;
	marks->version++;
}
