/* SPDX-License-Identifier: MIT */
/*
 * Columns of processes that are generated from attributes.def. They are hidden until the user shows
 * them. One function each draws and sorts all of them. Loop thread; no state.
 */
#ifndef VIEWS_PROCESS_ATTRIBUTES_H
#define VIEWS_PROCESS_ATTRIBUTES_H

#include "monitor/attribute/attribute.h"
#include "views/ui/process_columns.h"

/*
 * Draw the known values of an attribute of the row's process: each once, in the order of the trace,
 * joined by ", ". The work per cell is bounded: "..." replaces values after the eighth, and those
 * after the first 64, repeated ones included. Draws nothing if no value is known.
 */
void process_attribute_draw(struct view_ctx *ctx, const struct row *row, enum attribute attribute,
			    const struct slot *slot);

/*
 * Set the sort keys of all rows: the numbers, or the texts as drawn. Numbers are in
 * descending order if `descending` is set; then rows without one are last. The rows borrow their
 * texts from `texts`, which is cleared first.
 */
void process_attribute_sort(const struct view_ctx *ctx, struct table *table,
			    enum attribute attribute, bool descending, struct tr2_buf *texts);

#endif
