/* SPDX-License-Identifier: MIT */
/*
 * Pane 1: processes by depth, a tree. Without a column to sort by, trees with something live
 * come first, among them the newest root; below a root the order is that of time.
 */
#include "config.h"

#include "views/ui/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"

struct order {
	uint32_t *row_of; /* by slot: number of its row + 1 */
	uint32_t cap;
};

/* Time order, with the live before the finished; for roots the newest first. */
static int64_t natural_key(const struct process *process, bool root, bool live)
{
	int64_t start = process->start != NS_NONE ? process->start : 0;

	if (!root)
		return start;
	return (live ? INT64_MIN / 2 : 0) - (start >> 2);
}

static void add_row(struct view_ctx *ctx, struct table *table, uint32_t slot)
{
	const struct process *process = model_slot(ctx->model, slot);
	struct row *row = table_add(table, process->sid_hash);

	row->ref = slot;
	row->kind = process->state;
}

/* A tree is live where any of its processes is: pushed up from each live one. */
static void mark_live_trees(struct table *table, uint8_t *live)
{
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		if (table->rows[i].kind != STATE_RUNNING)
			continue;
		for (uint32_t at = i; at != ROW_NO_PARENT && !live[at];
		     at = table->rows[at].parent)
			live[at] = 1;
	}
}

static void set_keys(struct view_ctx *ctx, struct table *table)
{
	uint8_t *live = xcalloc(table->nr_rows + 1, 1);
	ns_t newest = NS_NONE;

	mark_live_trees(table, live);
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		struct row *row = &table->rows[i];
		const struct process *process = model_slot(ctx->model, row->ref);
		bool root = row->parent == ROW_NO_PARENT || table->flat;

		row->key = natural_key(process, root, live[i]);
		if (process->start > newest) {
			newest = process->start;
			table->newest = row->id;
		}
	}
	free(live);
}

static void gather(struct view_ctx *ctx, struct table *table)
{
	struct order *order = ctx->view->private;
	const struct model *model = ctx->model;

	for (uint32_t slot = model_first_slot(model); slot != SLOT_NONE;
	     slot = model_next_slot(model, slot)) {
		if (slot >= order->cap) {
			uint32_t cap = (slot + 1) * 2;

			order->row_of = xreallocarray(order->row_of, cap,
						      sizeof(*order->row_of));
			memset(order->row_of + order->cap, 0,
			       (cap - order->cap) * sizeof(*order->row_of));
			order->cap = cap;
		}
		order->row_of[slot] = 0;
		if ((ctx->what.limits.depth >= 0 &&
		     model_slot(model, slot)->depth > ctx->what.limits.depth) ||
		    !filter_process(ctx->what.filter, model, slot)) {
			table->nr_hidden++;
			continue;
		}
		add_row(ctx, table, slot);
		order->row_of[slot] = table->nr_rows;
	}
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		uint32_t parent = model_slot(model, table->rows[i].ref)->parent;

		if (parent != SLOT_NONE && parent < order->cap && order->row_of[parent])
			table->rows[i].parent = order->row_of[parent] - 1;
	}
	set_keys(ctx, table);
}

/* `git fetch ...` named fetch: its first argument says nothing new. */
static bool names_itself(const struct model *model, const struct process *process)
{
	struct strings_cursor cursor = strings_begin(model, &process->argv);
	size_t len, first_len;
	const char *name = model_sym(model, process->name, &len), *first;

	strings_next(&cursor, &first_len);
	first = strings_next(&cursor, &first_len);
	return first && len == first_len && !memcmp(name, first, len);
}

/* ---- columns ---- */

static const struct process *process_of(const struct view_ctx *ctx, const struct row *row)
{
	return model_slot(ctx->model, row->ref);
}

static int64_t depth(const struct view_ctx *ctx, const struct row *row)
{
	return process_of(ctx, row)->depth;
}

static void draw_depth(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	slot_printf(slot, STYLE_DIM, "%u", process_of(ctx, row)->depth);
}

static int64_t pid(const struct view_ctx *ctx, const struct row *row)
{
	return process_of(ctx, row)->pid;
}

static void draw_pid(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	if (pid(ctx, row) != NUM_NONE)
		slot_printf(slot, STYLE_TEXT, "%" PRId64, pid(ctx, row));
}

/* The failed first, then what runs. */
static int64_t state(const struct view_ctx *ctx, const struct row *row)
{
	const struct process *process = process_of(ctx, row);

	return process_failed(process) ? -1 : process->state;
}

static void draw_state(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	char text[32];
	enum style style = process_state_text(process_of(ctx, row), text, sizeof(text));

	slot_text(slot, style, text, SIZE_MAX);
}

static int64_t elapsed(const struct view_ctx *ctx, const struct row *row)
{
	return view_process_time(ctx, process_of(ctx, row));
}

static void draw_elapsed(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	ns_t time = elapsed(ctx, row);

	slot_duration(slot, process_is_live(process_of(ctx, row)) ? STYLE_LIVE
								  : duration_style(time),
		      time);
}

static int64_t threads(const struct view_ctx *ctx, const struct row *row)
{
	return process_of(ctx, row)->threads.nr;
}

static int64_t regions(const struct view_ctx *ctx, const struct row *row)
{
	return (int64_t)process_of(ctx, row)->nr_regions;
}

static int64_t children(const struct view_ctx *ctx, const struct row *row)
{
	return process_of(ctx, row)->children.nr;
}

static void draw_children(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct process *process = process_of(ctx, row);
	uint32_t done = 0, nr = process->children.nr;

	if (!nr) {
		slot_text(slot, STYLE_DIM, "0", SIZE_MAX);
		return;
	}
	for (uint32_t i = 0; i < nr; i++)
		done += process_child(ctx->model, process, i)->state != CHILD_RUNNING;
	slot_printf(slot, done < nr && process->state == STATE_RUNNING ? STYLE_LIVE : STYLE_TEXT,
		    "%u/%u", done, nr);
}

static const char *command(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	return model_sym(ctx->model, process_of(ctx, row)->hierarchy, len);
}

static void draw_command(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct process *process = process_of(ctx, row);
	struct slot rest = slot_tree(slot, row);
	struct tr2_buf *line = say_line();
	int cells;

	say_process(ctx->model, process, line);
	cells = surface_text_cells(tr2_buf_cstr(line), line->len, slot->surface->ascii);
	slot_text(&rest, process_is_live(process) ? STYLE_NAME : STYLE_TEXT, tr2_buf_cstr(line),
		  line->len);
	rest = slot_rest(&rest, cells - rest.left + 1);
	if (process->argv.nr > 1 && rest.cols > 4 && !rest.left &&
	    (process->name != SYM_NONE || process->hierarchy != SYM_NONE)) {
		line = say_line();
		say_strings(ctx->model, &process->argv, names_itself(ctx->model, process) ? 2 : 1,
			    line);
		slot_text(&rest, STYLE_DIM, tr2_buf_cstr(line), line->len);
	}
}

static const struct column columns[] = {
	{ .title = "D", .min_cells = 2, .rank = 3, .right = true,
	  .number = depth, .draw = draw_depth },
	{ .title = "PID", .min_cells = 7, .right = true, .number = pid, .draw = draw_pid },
	{ .title = "STATE", .min_cells = 8, .number = state, .draw = draw_state },
	{ .title = "ELAPSED", .min_cells = 8, .right = true, .descending = true,
	  .number = elapsed, .draw = draw_elapsed },
	{ .title = "THR", .min_cells = 3, .rank = 5, .right = true, .descending = true,
	  .number = threads },
	{ .title = "REG", .min_cells = 5, .rank = 4, .right = true, .descending = true,
	  .number = regions },
	{ .title = "CHILD", .min_cells = 5, .rank = 6, .right = true, .descending = true,
	  .number = children, .draw = draw_children },
	{ .title = "COMMAND", .min_cells = 10, .grow = 1, .text = command, .draw = draw_command },
};

static void title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	if (ctx->what.limits.depth >= 0)
		tr2_buf_addf(out, " · depth ≤ %" PRId64, ctx->what.limits.depth);
}

static enum view_id drill(const struct view_ctx *ctx, const struct row *row,
			  struct subject *subject)
{
	subject->process = model_handle(ctx->model, row->ref);
	return VIEW_PROCESS;
}

static void release(void *private)
{
	free(((struct order *)private)->row_of);
}

const struct view_ops pane_processes = {
	.name = "Processes by depth",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.arranged = true,
	.private_bytes = sizeof(struct order),
	.title = title,
	.gather = gather,
	.filter_rows = FILTER_ROWS_PROCESS,
	.drill = drill,
	.release = release,
};
