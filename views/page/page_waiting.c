/* SPDX-License-Identifier: MIT */
/*
 * Page of waiting: what each live command waits for, with one row per process from the root of a
 * chain of waiting processes to its end.
 */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "monitor/analysis/past_median.h"
#include "monitor/analysis/waiting.h"
#include "monitor/base/grow.h"

/* A process of a chain: why it is waiting, and the number of further children that it waits for. */
struct link {
	struct wait wait;
	uint32_t beside;
};

struct waiting_page {
	struct waits waits;
	struct link *links;
	uint32_t nr, cap;
	bool begun;
};

static const struct link *link_of(const struct view_ctx *ctx, const struct row *row)
{
	return &((const struct waiting_page *)ctx->view->private)->links[row->ref];
}

static void add_chain(struct view_ctx *ctx, struct table *table, uint32_t root, uint32_t number)
{
	struct waiting_page *page = ctx->view->private;
	uint32_t parent = ROW_NO_PARENT, beside = 0;

	waits_make(&page->waits, &ctx->what, root);
	for (uint32_t i = 0; i < page->waits.nr; i++) {
		const struct wait *wait = &page->waits.items[i];
		struct row *row;

		if (wait->kind == WAIT_CHILDREN) {
			beside = wait->nr - 1;
			continue;
		}
		GROW(page->links, page->nr, page->cap, 16);
		page->links[page->nr] = (struct link){ *wait, beside };
		row = table_add(table, model_slot(ctx->model, wait->slot)->sid_hash);
		row->ref = page->nr++;
		row->parent = parent;
		row->key = number;
		parent = table->nr_rows - 1;
		beside = 0;
	}
}

static void waiting_gather(struct view_ctx *ctx, struct table *table)
{
	struct waiting_page *page = ctx->view->private;
	const struct model *m = ctx->model;
	uint32_t number = 0;

	page->nr = 0;
	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s)) {
		const struct process *p = model_slot(m, s);

		if (!process_is_live(p) || !waits_begin_at(m, s))
			continue;
		if (ctx->what.filter && !filter_process(ctx->what.filter, m, s))
			table->nr_hidden++;
		else
			add_chain(ctx, table, s, number++);
	}
	table->sort = SORT_NATURAL;
	if (!page->begun && table->nr_rows && ctx->selected.slot != SLOT_NONE)
		table_select(table, ctx->selected.sid_hash);
	page->begun = true;
	ctx->view->ticks |= page->nr > 0;
}

static void waiting_draw_command(struct view_ctx *ctx, const struct row *row,
				 const struct slot *slot)
{
	const struct process *p = model_slot(ctx->model, link_of(ctx, row)->wait.slot);
	struct slot rest = slot_tree(slot, row);
	struct tr2_buf *line = format_line();
	size_t name_len;

	format_command(ctx->model, p, line, &name_len);
	slot_command(&rest, STYLE_LIVE, tr2_buf_cstr(line), line->len, name_len);
}

static void draw_waits(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct link *link = link_of(ctx, row);
	struct tr2_buf *line = format_line();

	wait_format(ctx->model, &link->wait, line);
	if (link->wait.kind == WAIT_UNTRACED)
		tr2_buf_addstr(line, ", not traced");
	else if (link->wait.kind == WAIT_PERSON)
		tr2_buf_addstr(line, ", a person");
	if (link->beside)
		tr2_buf_addf(line, ", and %" PRIu32 " in parallel", link->beside);
	slot_text(slot, link->wait.kind == WAIT_THINKING ? STYLE_DIM : STYLE_TEXT,
		  tr2_buf_cstr(line), line->len);
}

static void waiting_draw_since(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	slot_duration(slot, STYLE_LIVE, link_of(ctx, row)->wait.since);
}

static bool waiting_usual_of(const struct view_ctx *ctx, const struct row *row,
			     struct past_median *usual)
{
	const struct wait *wait = &link_of(ctx, row)->wait;
	const struct process *p = model_slot(ctx->model, wait->slot);

	if (wait->kind == WAIT_REGION)
		return past_median_of_region(ctx->model, p, wait->category, wait->label,
					     wait->since, usual);
	if (wait->kind == WAIT_THINKING || wait->child >= p->children.nr)
		return false;
	return past_median_of_child(ctx->model, p, process_child(ctx->model, p, wait->child),
				    wait->since, usual);
}

static void waiting_draw_usual(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct past_median usual;

	if (waiting_usual_of(ctx, row, &usual))
		slot_usual(slot, &usual);
}

static const struct column columns[] = {
	{ .title = "COMMAND",
	  .min_cells = 20,
	  .grow = 2,
	  .no_sort = true,
	  .draw = waiting_draw_command },
	{ .title = "WAITING FOR", .min_cells = 16, .grow = 3, .no_sort = true, .draw = draw_waits },
	{ .title = "SINCE",
	  .min_cells = 8,
	  .right = true,
	  .no_sort = true,
	  .draw = waiting_draw_since },
	{ .title = "MEDIAN",
	  .min_cells = 9,
	  .rank = 1,
	  .from_cols = PAST_MEDIAN_FROM_COLS,
	  .right = true,
	  .no_sort = true,
	  .draw = waiting_draw_usual },
};

static int waiting_foot_rows(const struct view_ctx *ctx, int rows)
{
	(void)ctx;
	return rows >= 8 ? 2 : 0;
}

static void waiting_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct row *row = table_selected(&ctx->view->table);
	struct tr2_buf *line = format_line();
	struct past_median usual;

	if (row && waiting_usual_of(ctx, row, &usual)) {
		past_median_format(&usual, line);
		surface_text(surface, area.x + 1, area.y, area.cols - 2,
			     usual.late ? STYLE_NOTICE : STYLE_TEXT, tr2_buf_cstr(line), line->len);
	}
	surface_text(surface, area.x + 1, area.y + 1, area.cols - 2, STYLE_DIM,
		     "A command is assumed to wait for its child if it reports nothing else.",
		     SIZE_MAX);
}

static const char *waiting_empty(const struct view_ctx *ctx)
{
	return ctx->view->table.nr_hidden ? "the filter hides all running commands"
					  : "no command is running";
}

static enum view_id waiting_drill(const struct view_ctx *ctx, const struct row *row,
				  struct subject *subject)
{
	subject->process = model_handle(ctx->model, link_of(ctx, row)->wait.slot);
	return VIEW_PROCESS;
}

static void waiting_release(void *private)
{
	struct waiting_page *page = private;

	waits_release(&page->waits);
	free(page->links);
}

const struct view_ops page_waiting = {
	.name = "Waiting",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.private_bytes = sizeof(struct waiting_page),
	.gather = waiting_gather,
	.foot_rows = waiting_foot_rows,
	.foot = waiting_foot,
	.empty = waiting_empty,
	.drill = waiting_drill,
	.release = waiting_release,
};
