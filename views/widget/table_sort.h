/* SPDX-License-Identifier: MIT */
/*
 * Sorting of tables, private to the table. Takes time in proportion to the rows, plus the time to
 * sort the rows that moved since the last call.
 */
#ifndef VIEWS_TABLE_SORT_H
#define VIEWS_TABLE_SORT_H

#include <stdbool.h>
#include <stdint.h>

struct table;
struct sorted_row;

struct sort_item {
	int64_t key;
	uint32_t row;
	bool pinned;
};

/*
 * Return the rows in sorted order: pinned rows first, then by key, text and gathering order;
 * `reverse` inverts key and text. Valid until the next call.
 */
const struct sorted_row *table_sort(struct table *table);

#endif
