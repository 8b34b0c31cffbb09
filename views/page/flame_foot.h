/* SPDX-License-Identifier: MIT */
/* The foot of the flame page: legend, figures, path, and a table. Loop thread. */
#ifndef VIEWS_FLAME_FOOT_H
#define VIEWS_FLAME_FOOT_H

#include "monitor/analysis/flame.h"
#include "monitor/analysis/flame_around.h"
#include "views/ui/view.h"

struct flame_page {
	struct flame flame;
	struct flame_of of;
	bool begun;
	/* ids of the graph's top node and of its selected node; 0: the node of the whole scope */
	uint64_t top_id, chosen_id;
	/* indexes of the top node and the selected node in this frame's flame graph */
	uint32_t top, chosen;
	int x, cols; /* screen column and width of the bars, as last drawn */
	struct flame_around around;
	struct {
		bool focused; /* the table below the graph gets the keys */
		uint32_t at;  /* selected row */
		int order;    /* enum flame_around_order */
		bool reverse;
	} table;
};

/* Least height of the table in rows, with its heading. */
#define LEAST_TABLE_ROWS 4

int flame_foot_rows(const struct view_ctx *ctx, int rows);
void flame_foot(struct view_ctx *ctx, struct surface *surface, struct rect area);
/* Return the number of rows of the foot's text, and of its table (0: no space), on a page of `rows`
 * rows. */
int flame_text_rows(int rows);
int flame_table_room(const struct flame_page *page, int rows);
/* flame_format_node(): append the name of a node. flame_format_size(): append its size, a duration
 * or, on a page of CPU samples, a number of samples. */
void flame_format_node(const struct view_ctx *ctx, const struct flame_node *node,
		       struct tr2_buf *out);
void flame_format_size(const struct flame_page *page, ns_t size, struct tr2_buf *out);
/* True if bars have coloured backgrounds, not shades. */
bool flame_has_hues(const struct view_ctx *ctx, const struct surface *surface);
/* Return the style of a node: if bars have coloured backgrounds, by its category or kind; else by
 * its state, kind and duration. */
enum style flame_style_of(const struct view_ctx *ctx, const struct surface *surface,
			  const struct flame_node *node);

#endif
