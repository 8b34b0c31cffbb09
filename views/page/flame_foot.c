/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/page/flame_foot.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/analysis/formats.h"
#include "monitor/base/humanize.h"
#include "monitor/base/secrets.h"
#include "views/ui/setup.h"
#include "views/ui/view_text.h"

int flame_foot_rows(const struct view_ctx *ctx, int rows)
{
	const struct flame_page *page = ctx->view->private;

	return !page->flame.nr ? 0
			       : flame_text_rows(rows) +
					 (page->around.nr ? flame_table_room(page, rows) : 0);
}

#define LEGEND_CATEGORIES 32

static void draw_legend(const struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct flame *flame = &((const struct flame_page *)ctx->view->private)->flame;
	sym_t shown[LEGEND_CATEGORIES];
	int nr = 0, x = area.x + 1;

	for (uint32_t i = 0; i < flame->nr_order && nr < LEGEND_CATEGORIES; i++) {
		const struct flame_node *node = &flame->nodes[flame->order[i]];
		struct tr2_buf *line = format_line();
		bool known = node->kind != FLAME_NODE_REGION;

		for (int k = 0; k < nr; k++)
			known |= shown[k] == node->a;
		if (known)
			continue;
		shown[nr++] = node->a;
		tr2_buf_addch(line, ' ');
		format_symbol(ctx->model, node->a, line);
		tr2_buf_addch(line, ' ');
		if (x + (int)line->len > area.x + area.cols - 1)
			return;
		x += 1 + surface_text(surface, x, area.y + 2, area.x + area.cols - 1 - x,
				      category_style(ctx->model, node->a), tr2_buf_cstr(line),
				      line->len);
	}
}

static void draw_figures(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct flame_page *page = ctx->view->private;
	const struct flame_node *node = &page->flame.nodes[page->chosen];
	const struct flame_node *top = &page->flame.nodes[page->top];
	struct tr2_buf *line = format_line();
	int from, to;

	flame_cells(node, area.cols, &from, &to);
	if (area.rows == 1) {
		flame_format_node(ctx, node, line);
		tr2_buf_addstr(line, " · ");
	}
	tr2_buf_addstr(line, "total ");
	flame_format_size(page, node->total, line);
	tr2_buf_addstr(line, " · self ");
	flame_format_size(page, node->self, line);
	if (top->room > 0)
		tr2_buf_addf(line, " · %.1f%%", node->room / top->room * 100);
	tr2_buf_addstr(line, " · ");
	if (node->kind == FLAME_NODE_REGION) {
		format_times(node->count, line);
	} else {
		format_count(node->count, line);
		tr2_buf_addstr(line, " seen");
	}
	if (node->nr_open)
		tr2_buf_addf(line, " · %" PRIu32 " live", node->nr_open);
	if (node->nr_failed)
		tr2_buf_addf(line, " · %" PRIu32 " failed", node->nr_failed);
	if (node->inner > (double)node->total * 1.001) {
		tr2_buf_addstr(line, " · in parallel inside: ");
		format_duration(node->inner < 9e18 ? (ns_t)node->inner : INT64_MAX, line);
	}
	if (from >= to)
		tr2_buf_addstr(line, " · too narrow to show; Enter zooms in");
	surface_text(surface, area.x + 1, area.y + (area.rows > 1), area.cols - 2, STYLE_TITLE,
		     tr2_buf_cstr(line), line->len);
}

static void draw_path(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct flame_page *page = ctx->view->private;
	uint32_t path[FLAME_MAX_LEVELS + 1];
	struct tr2_buf *line = format_line();
	int nr = 0;

	for (uint32_t at = page->chosen; at != FLAME_NONE && nr <= FLAME_MAX_LEVELS;
	     at = page->flame.nodes[at].parent) {
		path[nr++] = at;
		if (at == page->top)
			break;
	}
	while (nr) {
		flame_format_node(ctx, &page->flame.nodes[path[--nr]], line);
		tr2_buf_addstr(line, nr ? " > " : "");
	}
	surface_text(surface, area.x + 1, area.y, area.cols - 2, STYLE_NAME, tr2_buf_cstr(line),
		     line->len);
}

enum { AROUND_RELATION, AROUND_SELF, AROUND_TOTAL, AROUND_COUNT, AROUND_NAME, NR_AROUND };

static const struct {
	const char *title;
	/* `order`: enum flame_around_order; -1: the table cannot be sorted by this column */
	int cells, order;
} around_columns[NR_AROUND] = {
	[AROUND_RELATION] = { "RELATION", 9, -1 },
	[AROUND_SELF] = { "SELF", 8, FLAME_BY_SELF },
	[AROUND_TOTAL] = { "TOTAL", 8, FLAME_BY_TOTAL },
	[AROUND_COUNT] = { "COUNT", 8, FLAME_BY_COUNT },
	[AROUND_NAME] = { "REGION OR PROCESS", 0, -1 },
};

static const char *const relation_names[] = {
	[FLAME_INSIDE] = "inside", [FLAME_CALLER] = "caller", [FLAME_CALLEE] = "callee"
};

static void draw_around_heading(const struct flame_page *page, struct surface *surface,
				struct rect area)
{
	int x = area.x + 1;

	for (int i = 0; i < NR_AROUND; i++) {
		bool sorted = around_columns[i].order == page->table.order;
		int cells = around_columns[i].cells ? around_columns[i].cells : area.cols;
		enum style style = sorted ? STYLE_SORTED : STYLE_HEADING;

		if (around_columns[i].order < 0)
			surface_text(surface, x, area.y, cells, style, around_columns[i].title,
				     SIZE_MAX);
		else
			surface_text_right(surface, x, area.y, cells - sorted, style,
					   around_columns[i].title, SIZE_MAX);
		if (sorted)
			surface_glyph(surface, x + cells - 1, area.y, style,
				      page->table.reverse ? GLYPH_UP : GLYPH_DOWN);
		x += cells + 1;
	}
}

static void draw_around_row(const struct view_ctx *ctx, const struct flame_around_row *row,
			    struct surface *surface, int x, int y, int end)
{
	const struct flame_page *page = ctx->view->private;
	const struct flame_node *node = &page->flame.nodes[row->node];
	enum style style = flame_style_of(ctx, surface, node);
	struct tr2_buf *line = format_line();

	x += 1 + surface_text(surface, x, y, around_columns[AROUND_RELATION].cells, STYLE_DIM,
			      relation_names[row->relation], SIZE_MAX);
	x += around_columns[AROUND_RELATION].cells - (int)strlen(relation_names[row->relation]);
	if (row->relation != FLAME_CALLER)
		surface_text_right(surface, x, y, around_columns[AROUND_SELF].cells, STYLE_TEXT,
				   human_duration(row->self).text, SIZE_MAX);
	x += around_columns[AROUND_SELF].cells + 1;
	surface_text_right(surface, x, y, around_columns[AROUND_TOTAL].cells, STYLE_TEXT,
			   human_duration(row->total).text, SIZE_MAX);
	x += around_columns[AROUND_TOTAL].cells + 1;
	surface_text_right(surface, x, y, around_columns[AROUND_COUNT].cells, STYLE_DIM,
			   human_count(row->count).text, SIZE_MAX);
	x += around_columns[AROUND_COUNT].cells + 1;
	tr2_buf_addch(line, ' ');
	flame_format_node(ctx, node, line);
	tr2_buf_addch(line, ' ');
	surface_text(surface, x, y, end - x, style, tr2_buf_cstr(line), line->len);
}

static void draw_around(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	struct flame_page *page = ctx->view->private;
	uint32_t room = (uint32_t)area.rows - 1;
	uint32_t top = page->table.at >= room ? page->table.at - room + 1 : 0;

	draw_around_heading(page, surface, area);
	for (uint32_t i = 0; i < room && top + i < page->around.nr; i++) {
		int y = area.y + 1 + (int)i;

		draw_around_row(ctx, &page->around.rows[top + i], surface, area.x + 1, y,
				area.x + area.cols);
		if (!page->table.focused || top + i != page->table.at)
			continue;
		surface_glyph(surface, area.x, y, STYLE_FOCUS, GLYPH_CURSOR);
		surface_overlay(surface, (struct rect){ area.x, y, area.cols, 1 }, STYLE_SELECTED);
		surface_put_cursor(surface, area.x, y);
	}
}

void flame_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct flame_page *page = ctx->view->private;
	int rows = page->around.nr ? flame_table_room(page, (int)ctx->height) : 0;

	if (rows) {
		draw_around(ctx, surface,
			    (struct rect){ area.x, area.y + area.rows - rows, area.cols, rows });
		area.rows -= rows;
	}
	if (area.rows > 1)
		draw_path(ctx, surface, area);
	draw_figures(ctx, surface, area);
	if (area.rows > 2 && flame_has_hues(ctx, surface))
		draw_legend(ctx, surface, area);
}
