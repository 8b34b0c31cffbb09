/* SPDX-License-Identifier: MIT */
/*
 * Drawing of the flame page below its bars: legend, figures, path, and the table of contents,
 * callers and callees. The page (page_flame.c) owns struct flame_page. Loop thread.
 */
#ifndef VIEWS_FLAME_FOOT_H
#define VIEWS_FLAME_FOOT_H

#include "monitor/analysis/flame.h"
#include "monitor/analysis/flame_around.h"
#include "views/ui/view.h"

struct flame_page {
	struct flame flame;
	struct flame_of of;
	bool begun;
	/* ids of the top node and of the selected node; 0: the node of the whole scope */
	uint64_t top_id, chosen_id;
	uint32_t top, chosen;       /* indexes of these nodes in the flame graph of this frame */
	int x, cols;                /* horizontal position and width of the bars, as last drawn */
	struct flame_around around; /* the rows of the table, if it is shown */
	struct {
		bool focused; /* keys are for the table */
		uint32_t at;  /* selected row */
		int order;    /* enum flame_around_order */
		bool reverse;
	} table;
};

/* Least rows of the table: the heading and three rows. */
#define LEAST_TABLE_ROWS 4

/* view->ops: height and drawing of the foot. */
int flame_foot_rows(const struct view_ctx *ctx, int rows);
void flame_foot(struct view_ctx *ctx, struct surface *surface, struct rect area);
/* Rows of the foot's lines of text, and of its table (0: no space) on a screen of `rows`. */
int flame_text_rows(int rows);
int flame_table_room(const struct flame_page *page, int rows);
/* Append the name, or the size in ns or bytes, of a node. */
void flame_format_node(const struct view_ctx *ctx, const struct flame_node *node,
		       struct tr2_buf *out);
void flame_format_size(const struct flame_page *page, ns_t size, struct tr2_buf *out);
/* Style of a node without colours of categories; whether the terminal can show those; and then the
 * style of a node. */
enum style flame_style_of(const struct flame_node *node);
bool flame_has_hues(const struct view_ctx *ctx, const struct surface *surface);
enum style flame_hue_of(const struct view_ctx *ctx, const struct flame_node *node);

#endif
