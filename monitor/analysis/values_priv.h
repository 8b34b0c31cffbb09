/* SPDX-License-Identifier: MIT */
/* Only for values.c and value_items.c. */
#ifndef MONITOR_VALUES_PRIV_H
#define MONITOR_VALUES_PRIV_H

#include "monitor/analysis/values.h"

/* a value from any list of a process */
struct value_item {
	sym_t category, key;
	bool known;
	bool is_number;
	int64_t number;
	const char *text; /* text of a known data value, even if it is a number; else NULL */
	size_t len;
};

/* Get an item of a list. Returns false if it is not counted: a counter or timer of a thread, or
 * data whose nesting exceeds `nesting` (-1: no limit). */
bool value_item_get(const struct model *m, const struct process *p, enum value_list list,
		    uint32_t index, int64_t nesting, struct value_item *item);

uint32_t value_list_len(const struct process *p, enum value_list list);

/* True if the depth limit and the filter of `what` include the process. */
bool values_of_process(const struct analysis *what, uint32_t slot);

#endif
