/* SPDX-License-Identifier: MIT */
/*
 * Rows that the user has marked, by identity: a row that goes away and comes back is marked
 * again, whatever its place. An id means something among the rows of one owner (the process
 * whose threads these are); 0 where a table has but one. No more than MAX_MARKS: the one that
 * was made first goes. Plain memory, nothing is allocated; a look-up is a binary search.
 */
#ifndef VIEWS_MARKS_H
#define VIEWS_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_MARKS 256

struct marks {
	struct mark {
		uint64_t owner, id;
		uint32_t age; /* a higher one was made later */
	} at[MAX_MARKS];      /* by owner, then id */
	int nr;
	uint32_t next_age;
};

bool marks_has(const struct marks *marks, uint64_t owner, uint64_t id);
/* Mark it, or take its mark away. */
void marks_toggle(struct marks *marks, uint64_t owner, uint64_t id);
/* Ids were changed in place: put the marks in order again. */
void marks_sort(struct marks *marks);
/* Take all marks away, of every owner. */
void marks_clear(struct marks *marks);

#endif
