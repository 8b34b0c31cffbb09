/* SPDX-License-Identifier: MIT */
/* Items of the lists of a process as values. For values*.c and value_items.c only. */
#ifndef MONITOR_VALUES_PRIV_H
#define MONITOR_VALUES_PRIV_H

#include "monitor/analysis/values.h"

/* A value of a list of a process, whatever the list is. */
struct value_item {
	sym_t category, key;
	bool known;
	bool is_number;
	int64_t number;
	const char *text; /* the value, if it is not a number */
	size_t len;
};

/* Get item `index` of a list. Returns false if it is not counted, because it belongs to a thread or
 * its nesting is greater than `nesting` (-1: no limit). */
bool value_item_get(const struct model *m, const struct process *p, enum value_list list,
		    uint32_t index, int64_t nesting, struct value_item *item);

/* Return the number of items of a list. */
uint32_t value_list_len(const struct process *p, enum value_list list);

/* True if the limit of depth and the filter of `what` include the process. */
bool values_of_process(const struct analysis *what, uint32_t slot);

#endif
