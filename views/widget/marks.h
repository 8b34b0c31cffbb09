/* SPDX-License-Identifier: MIT */
/*
 * Rows that the user marked or folded, by owner and id: a row that disappears and returns is still
 * marked. An id is unique among the rows of one owner, such as a process whose threads the table
 * shows. At most MAX_MARKS rows are marked; each further mark drops the oldest one. Nothing is
 * allocated.
 */
#ifndef VIEWS_MARKS_H
#define VIEWS_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_MARKS 256

struct marks {
	struct mark {
		uint64_t owner, id;
		uint32_t age; /* higher for marks that were set later */
	} at[MAX_MARKS];      /* the marks, sorted by owner, then id */
	int nr;
	uint32_t next_age;
	uint32_t version; /* number of changes */
};

bool marks_has(const struct marks *marks, uint64_t owner, uint64_t id);
void marks_toggle(struct marks *marks, uint64_t owner, uint64_t id);
/* Sort the marks again after ids were changed in place. */
void marks_sort(struct marks *marks);
void marks_clear(struct marks *marks);

#endif
