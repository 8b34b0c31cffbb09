/* SPDX-License-Identifier: MIT */
/*
 * Columns of processes that are generated from attributes.def, hidden until the user shows them.
 * Loop thread; no state.
 */
#ifndef VIEWS_PROCESS_ATTRIBUTES_H
#define VIEWS_PROCESS_ATTRIBUTES_H

#include "monitor/attribute/attribute.h"
#include "views/ui/process_columns.h"

/*
 * Draw the known values of an attribute of the row's process. Texts: each value once, joined by ",
 * "; "..." stands for values after the eighth different one, and for values after the first 64.
 * Other attributes: one value; a flag that is not set is not drawn.
 */
void process_attribute_draw(struct view_ctx *ctx, const struct row *row, enum attribute attribute,
			    const struct slot *slot);

/*
 * Set the sort keys of all rows to the numbers of an attribute, or to its texts as drawn.
 * `descending` applies to numbers. The rows borrow their texts from `texts`, which is cleared
 * first.
 */
void process_attribute_sort(const struct view_ctx *ctx, struct table *table,
			    enum attribute attribute, bool descending, struct tr2_buf *texts);

#endif
