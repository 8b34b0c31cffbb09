/* SPDX-License-Identifier: MIT */
/*
 * The sorting part of tables; nobody but table.c includes this. Costs a pass over the rows, and
 * more only for those that have moved since the table was last sorted.
 */
#ifndef VIEWS_TABLE_SORT_H
#define VIEWS_TABLE_SORT_H

#include <stdbool.h>
#include <stdint.h>

struct table;

struct sort_item {
	int64_t key;
	uint32_t row;
	bool pinned;
};

/*
 * The numbers of the table's rows in sorted order: the pinned ones first, then by key, then
 * text, then as they were gathered; `reverse` turns key and text around. Valid until the next
 * call.
 */
const uint32_t *table_sort(struct table *table);

#endif
