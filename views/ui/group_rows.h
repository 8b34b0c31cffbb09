/* SPDX-License-Identifier: MIT */
/* Rows for groups of processes, in the views that key `b` groups: their names, and filters that
 * select their processes. Loop thread; no state. */
#ifndef VIEWS_GROUP_ROWS_H
#define VIEWS_GROUP_ROWS_H

#include "monitor/analysis/commands.h"
#include "views/ui/view.h"

/* The group of a row. The texts are borrowed. */
struct row_group {
	struct commands_by by; /* `nr` 0: the row has no group */
	/* name of the group, as in struct command; NULL: the group's attribute has no value */
	const char *text;
	size_t len;
	/* a process of the group; NULL: none */
	const struct process *process;
};

/* Draw the name of a group; a path that does not fit is cut in its middle, unless the cell is
 * scrolled. */
void row_group_draw(const struct row_group *group, enum style style, const struct slot *slot);

/* Visit the filter values of the group, if `field` is the first attribute by which rows are
 * grouped. */
bool row_group_visit(const struct model *model, const struct row_group *group,
		     enum filter_field field, value_visit *visit, void *data);

/* Append the terms that select the processes of the group in a filter of events. Returns false if
 * no such filter can select them. */
bool row_group_format_events(const struct model *model, const struct row_group *group,
			     struct tr2_buf *filter);

#endif
