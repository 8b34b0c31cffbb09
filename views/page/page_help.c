/* SPDX-License-Identifier: MIT */
/* The help: the table of keys, by group. It cannot lie: the keys act by the same rows. */
#include "config.h"

#include "views/ui/view.h"

#include <string.h>

enum { COL_KEYS, COL_DOC };

static const struct column columns[] = {
	[COL_KEYS] = { .title = "KEYS", .min_cells = 14, .no_sort = true },
	[COL_DOC] = { .title = "WHAT THEY DO", .min_cells = 20, .grow = 1, .no_sort = true },
};

static void gather(struct view_ctx *ctx, struct table *table)
{
	(void)ctx;
	for (uint32_t group = 0; group < NR_KEY_GROUPS; group++) {
		struct row *heading = table_add(table, 1000 + group);

		heading->key = (int64_t)group << 16;
		heading->fixed = true;
		heading->ref = group;
		for (uint32_t i = 1; i < NR_ACTIONS; i++) {
			if (key_rows[i].group != group)
				continue;
			struct row *row = table_add(table, i);

			row->key = (int64_t)group << 16 | i;
			row->kind = 1;
			row->ref = i;
		}
	}
}

static void draw(struct view_ctx *ctx, const struct row *row, int column,
		 const struct slot *slot)
{
	(void)ctx;
	if (!row->kind) {
		if (column == COL_KEYS)
			surface_text(slot->surface, slot->x, slot->y, 30, STYLE_TITLE,
				     key_group_names[row->ref], SIZE_MAX);
		return;
	}
	slot_text(slot, column == COL_KEYS ? STYLE_HINT : STYLE_TEXT,
		  column == COL_KEYS ? key_rows[row->ref].keys : key_rows[row->ref].doc,
		  SIZE_MAX);
}

const struct view_ops page_help = {
	.name = "Help",
	.columns = columns,
	.nr_columns = 2,
	.gather = gather,
	.draw = draw,
};
