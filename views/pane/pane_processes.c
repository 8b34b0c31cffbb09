/* SPDX-License-Identifier: MIT */
/*
 * Pane 1: the tree of processes. Without a sort column, trees with a running process come first,
 * the newest root first; below a root, processes are in order of time.
 */
#include "config.h"

#include "views/ui/process_attributes.h"
#include "views/ui/process_hidden.h"

#include "views/ui/process_columns.h"
#include "views/ui/process_doing.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/live.h"
#include "monitor/base/die.h"
#include "views/ui/header.h"
#include "views/ui/repo_names.h"

/* How long the row of a process is highlighted after the process was first seen as failed. */
#define FLASH_NS (500 * NS_PER_MS)

/* The process that was seen in a slot of the model as failed or ended by a signal. */
struct failure {
	uint32_t of; /* part of the process's hash; 0: the slot had no failed process */
	/* monotonic time when the failure was first seen; 0: the row is not highlighted */
	ns_t seen_at;
};

struct order {
	struct failure *failures; /* failures that were seen, by slot of the model */
	/* the last frame showed the present and read no existing content: failures that are first
	 * seen in this frame are highlighted */
	bool has_begun;
	/* by slot of the model: number of the process's row before filtering + 1; 0: none */
	uint32_t *row_of;
	uint32_t cap;
	ns_t longest; /* longest time of all rows in this frame */
	/* longest time that does not grow. This member, the next four and `repos` are of the last
	 * visit of all rows. */
	ns_t longest_fixed;
	/* slot of the process with the longest time that grows; SLOT_NONE: none */
	uint32_t oldest_live;
	/* version of the model (0: no visit yet) and limit of depth at the last visit of all
	 * rows */
	uint64_t version;
	int64_t depth;
	bool is_filtered; /* the rows also depend on a filter */
	bool has_flashes; /* a row was highlighted in the last frame */
	struct repo_names repos;
	/* texts of the column by which the table is sorted, if it has no text() */
	struct tr2_buf sort_texts;
};

/* Return the sort key, without a sort column, of a process that began at `start`: trees with a
 * running process (`live`) first, then by time, the newest root first. */
static int64_t natural_key(ns_t start, bool root, bool live)
{
	if (start == NS_NONE)
		start = 0;
	if (!root)
		return start;
	return (live ? INT64_MIN / 2 : 0) - (start >> 2);
}

/* True for a short time after the slot's process was first seen as failed, unless that was before
 * order->has_begun. False while looking back and with --lines. */
static bool flashes(struct view_ctx *ctx, struct order *order, const struct process *process,
		    uint32_t slot)
{
	struct failure *failure = &order->failures[slot];
	uint32_t of = (uint32_t)process->sid_hash | 1;

	if (!(process_failed(process) || process->state == STATE_SIGNALED) || ctx->what.past ||
	    ctx->said)
		return false;
	if (failure->of != of)
		*failure = (struct failure){ of, order->has_begun ? ctx->in->monotonic_ns : 0 };
	if (!failure->seen_at)
		return false;
	if (ctx->in->monotonic_ns - failure->seen_at >= FLASH_NS)
		failure->seen_at = 0;
	return failure->seen_at != 0;
}

static void mark_live_trees(struct table *table, uint8_t *live)
{
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		if (table->rows[i].kind != STATE_RUNNING)
			continue;
		for (uint32_t at = i; at != ROW_NO_PARENT && !live[at]; at = table->rows[at].parent)
			live[at] = 1;
	}
}

/* Set the sort keys; gathering stored the starts of the processes as keys. */
static void set_keys(struct table *table)
{
	uint8_t *live = xcalloc(table->nr_rows + 1, 1);
	ns_t newest = NS_NONE;

	mark_live_trees(table, live);
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		struct row *row = &table->rows[i];
		ns_t start = row->key;
		bool root = row->parent == ROW_NO_PARENT || table->flat;

		row->key = natural_key(start, root, live[i]);
		if (start > newest && !row->dimmed) {
			newest = start;
			table->newest = row->id;
		}
	}
	free(live);
}

static bool processes_keep(void *data, const struct row *row)
{
	const struct view_ctx *ctx = data;

	return filter_process(ctx->what.filter, ctx->model, row->ref);
}

/* True if the rows are the same as in the last visit of all rows. A filter may depend on the
 * time. */
static bool rows_are_known(const struct view_ctx *ctx)
{
	const struct order *order = ctx->view->private;

	return order->version == model_version(ctx->model) &&
	       order->depth == ctx->what.limits.depth && !order->is_filtered && !ctx->what.filter;
}

static void visit_rows(struct view_ctx *ctx, const struct table *table)
{
	struct order *order = ctx->view->private;
	ns_t longest_live = 0;

	order->version = model_version(ctx->model);
	order->depth = ctx->what.limits.depth;
	order->is_filtered = ctx->what.filter != NULL;
	order->longest_fixed = 0;
	order->oldest_live = SLOT_NONE;
	repo_names_clear(&order->repos);
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		const struct process *process = row_process(ctx, &table->rows[i]);
		ns_t time = process_time(process, ctx->what.now);
		size_t len;
		const char *path = process_worktree(ctx->model, process, &len);

		if (path)
			repo_names_add(&order->repos, path, len);
		if (!process_is_live(process) || process->in_pieces) {
			if (time > order->longest_fixed)
				order->longest_fixed = time;
		} else if (order->oldest_live == SLOT_NONE || time > longest_live) {
			longest_live = time;
			order->oldest_live = table->rows[i].ref;
		}
	}
}

/* Find the longest time of all rows. While there is no filter and the model is the same, only live
 * processes' times grow, so not all rows are visited. */
static void survey_rows(struct view_ctx *ctx, const struct table *table)
{
	struct order *order = ctx->view->private;

	if (!rows_are_known(ctx))
		visit_rows(ctx, table);
	order->longest = order->longest_fixed;
	if (order->oldest_live != SLOT_NONE) {
		ns_t time = process_time(model_slot(ctx->model, order->oldest_live), ctx->what.now);

		if (time > order->longest)
			order->longest = time;
	}
}

static bool has_begun(const struct view_ctx *ctx)
{
	return !ctx->what.past && !header_is_reading(ctx->in);
}

static void processes_gather(struct view_ctx *ctx, struct table *table)
{
	struct order *order = ctx->view->private;
	const struct model *model = ctx->model;

	order->has_flashes = false;
	for (uint32_t slot = model_first_slot(model); slot != SLOT_NONE;
	     slot = model_next_slot(model, slot)) {
		const struct process *process = model_slot(model, slot);
		struct row *row;

		if (slot >= order->cap) {
			uint32_t cap = (slot + 1) * 2;

			order->row_of = xreallocarray(order->row_of, cap, sizeof(*order->row_of));
			memset(order->row_of + order->cap, 0,
			       (cap - order->cap) * sizeof(*order->row_of));
			order->failures =
				xreallocarray(order->failures, cap, sizeof(*order->failures));
			memset(order->failures + order->cap, 0,
			       (cap - order->cap) * sizeof(*order->failures));
			order->cap = cap;
		}
		order->row_of[slot] = 0;
		if (ctx->what.limits.depth >= 0 && process->depth > ctx->what.limits.depth) {
			table->nr_hidden++;
			continue;
		}
		row = table_add(table, process->sid_hash);
		row->ref = slot;
		row->ref2 = process->parent;
		row->kind = process->state;
		row->key = process->start;
		row->flashes = flashes(ctx, order, process, slot);
		order->has_flashes |= row->flashes;
		order->row_of[slot] = table->nr_rows;
	}
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		uint32_t parent = table->rows[i].ref2;

		if (parent != SLOT_NONE && parent < order->cap && order->row_of[parent])
			table->rows[i].parent = order->row_of[parent] - 1;
	}
	order->has_begun = has_begun(ctx);
	if (ctx->what.filter)
		table_keep(table, processes_keep, ctx);
	set_keys(table);
	survey_rows(ctx, table);
}

/* Without a sort column, the keys depend only on the rows. Rows that are highlighted change with
 * the time. */
static bool processes_keeps_rows(struct view_ctx *ctx, const struct table *table)
{
	const struct order *order = ctx->view->private;

	if (table->sort != SORT_NATURAL || order->has_flashes || !rows_are_known(ctx) ||
	    order->has_begun != has_begun(ctx))
		return false;
	survey_rows(ctx, table);
	return true;
}

static int64_t processes_threads(const struct view_ctx *ctx, const struct row *row)
{
	return row_process(ctx, row)->threads.nr;
}

static int64_t regions(const struct view_ctx *ctx, const struct row *row)
{
	return (int64_t)row_process(ctx, row)->nr_regions;
}

static int64_t processes_children(const struct view_ctx *ctx, const struct row *row)
{
	return row_process(ctx, row)->children.nr;
}

static void draw_children(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct process *process = row_process(ctx, row);
	uint32_t done = 0, nr = process->children.nr;

	if (!nr) {
		slot_text(slot, STYLE_DIM, "0", SIZE_MAX);
		return;
	}
	for (uint32_t i = 0; i < nr; i++)
		done += process_child(ctx->model, process, i)->state != CHILD_RUNNING;
	slot_printf(slot, done < nr && process->state == STATE_RUNNING ? STYLE_LIVE : STYLE_TEXT,
		    slot->surface->said ? "%u of %u" : "%u/%u", done, nr);
}

static void processes_draw_command(struct view_ctx *ctx, const struct row *row,
				   const struct slot *slot)
{
	const struct process *process = row_process(ctx, row);
	struct slot rest = slot_tree(slot, row);
	struct tr2_buf *line = format_line();
	size_t name_len, above = 0, from = 0;

	ctx->view->ticks |= row->flashes;
	if (ctx->view->table.flat) {
		format_ancestors(ctx->model, process, line);
		above = line->len;
	}
	format_command(ctx->model, process, line, &name_len);
	if (above &&
	    surface_text_cells(tr2_buf_cstr(line), line->len, slot->surface->ascii) > rest.cols)
		from = above;
	slot_command(&rest, process_is_live(process) ? STYLE_NAME : STYLE_TEXT,
		     tr2_buf_cstr(line) + from, line->len - from, name_len + above - from);
}

static const char *processes_repo(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	const struct order *order = ctx->view->private;
	const char *path = column_worktree(ctx, row, len);

	return path ? repo_names_get(&order->repos, path, len) : NULL;
}

static void processes_draw_repo(struct view_ctx *ctx, const struct row *row,
				const struct slot *slot)
{
	size_t len;
	const char *repo = processes_repo(ctx, row, &len);

	if (repo)
		slot_text(slot, STYLE_CATEGORY, repo, len);
}

/* Draw the time as a bar, from 1 ms to the longest time, on a logarithmic scale. */
static void processes_draw_bar(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct order *order = ctx->view->private;
	ns_t time = column_elapsed(ctx, row);
	double full = log((double)order->longest / NS_PER_MS), own;

	if (time < NS_PER_MS || order->longest <= NS_PER_MS)
		return;
	own = log((double)time / NS_PER_MS) / full * slot->cols * 8;
	surface_bar(slot->surface, slot->x, slot->y, slot->cols,
		    process_is_live(row_process(ctx, row)) ? STYLE_LIVE : STYLE_BAR,
		    own < 1 ? 1 : (int64_t)own);
}

#define HAS_NUMBER(type)                                                                           \
	(ATTRIBUTE_TYPE_##type == ATTRIBUTE_TYPE_NUMBER ||                                         \
	 ATTRIBUTE_TYPE_##type == ATTRIBUTE_TYPE_DURATION)
#define OWN_COLUMN(ID, type, heading)
#define NEW_COLUMN(ID, type, heading)                                                              \
	{ .title = heading,                                                                        \
	  .min_cells = 8,                                                                          \
	  .rank = 9,                                                                               \
	  .hidden = true,                                                                          \
	  .right = HAS_NUMBER(type),                                                               \
	  .descending = ATTRIBUTE_TYPE_##type != ATTRIBUTE_TYPE_TEXT,                              \
	  .field = FILTER_##ID },

static const struct column columns[] = {
	{ .title = "START",
	  .field = FILTER_START,
	  .min_cells = 8,
	  .rank = 9,
	  .number = column_start,
	  .draw = column_draw_start },
	{ .title = "REPO",
	  .field = FILTER_REPO,
	  .min_cells = 8,
	  .rank = 8,
	  .text = processes_repo,
	  .draw = processes_draw_repo },
	{ .title = "D",
	  .field = FILTER_DEPTH,
	  .said = "depth",
	  .min_cells = 2,
	  .rank = 3,
	  .right = true,
	  .hidden = true,
	  .number = column_depth,
	  .draw = column_draw_depth },
	{ .title = "PID",
	  .field = FILTER_PID,
	  .min_cells = 7,
	  .right = true,
	  .number = column_pid,
	  .draw = column_draw_pid },
	{ .title = "STATE",
	  .field = FILTER_STATE,
	  .min_cells = 8,
	  .number = column_state,
	  .draw = column_draw_state },
	{ .title = "TIME",
	  .field = FILTER_ELAPSED,
	  .former = "elapsed",
	  .min_cells = 8,
	  .right = true,
	  .descending = true,
	  .number = column_elapsed,
	  .draw = column_draw_elapsed },
	{ .title = "",
	  .min_cells = 5,
	  .fills = 5,
	  .rank = 7,
	  .no_sort = true,
	  .draw = processes_draw_bar },
	{ .title = "THR",
	  .field = FILTER_THREADS,
	  .said = "threads",
	  .min_cells = 3,
	  .rank = 9,
	  .right = true,
	  .hidden = true,
	  .descending = true,
	  .number = processes_threads },
	{ .title = "REG",
	  .field = FILTER_REGIONS,
	  .said = "regions",
	  .min_cells = 5,
	  .rank = 9,
	  .right = true,
	  .hidden = true,
	  .descending = true,
	  .number = regions },
	{ .title = "CHILD",
	  .field = FILTER_CHILDREN,
	  .said = "children ended",
	  .min_cells = 5,
	  .rank = 9,
	  .right = true,
	  .hidden = true,
	  .descending = true,
	  .number = processes_children,
	  .draw = draw_children },
	{ .title = "AGE",
	  .min_cells = 8,
	  .rank = 9,
	  .right = true,
	  .hidden = true,
	  .number = column_age,
	  .draw = column_draw_age },
	{ .title = "WAIT",
	  .min_cells = 8,
	  .rank = 9,
	  .right = true,
	  .hidden = true,
	  .descending = true,
	  .number = column_waited,
	  .draw = column_draw_waited },
	{ .title = "ERR",
	  .field = FILTER_ERRORS,
	  .said = "errors",
	  .min_cells = 3,
	  .rank = 9,
	  .right = true,
	  .hidden = true,
	  .descending = true,
	  .number = column_errors,
	  .draw = column_draw_errors },
	{ .title = "HOST",
	  .field = FILTER_HOST,
	  .min_cells = 9,
	  .rank = 9,
	  .hidden = true,
	  .text = column_host,
	  .draw = column_draw_host },
	{ .title = "USER",
	  .field = FILTER_USER,
	  .min_cells = 8,
	  .rank = 9,
	  .hidden = true,
	  .number = column_user,
	  .draw = column_draw_user },
	{ .title = "EXE",
	  .field = FILTER_EXE,
	  .min_cells = 8,
	  .rank = 9,
	  .hidden = true,
	  .text = column_exe,
	  .draw = column_draw_exe },
	{ .title = "WORKTREE",
	  .field = FILTER_WORKTREE,
	  .min_cells = 16,
	  .rank = 9,
	  .hidden = true,
	  .text = column_worktree,
	  .draw = column_draw_worktree },
	{ .title = "ERROR",
	  .field = FILTER_MESSAGE,
	  .min_cells = 24,
	  .rank = 9,
	  .hidden = true,
	  .text = column_error,
	  .draw = column_draw_error },
#define ATTRIBUTE(ID, word, type, rows, doc, values, test, uses, letter, heading, column)          \
	column##_COLUMN(ID, type, heading)
#include "monitor/attribute/attributes.def"
	{ .title = "AGENT",
	  .field = FILTER_AGENT,
	  .min_cells = 13,
	  .of_several = true,
	  .text = column_agent,
	  .draw = column_draw_agent },
	{ .title = "COMMAND",
	  .field = FILTER_ARGV,
	  .min_cells = 24,
	  .grow = 2,
	  .text = column_command,
	  .spills = column_has_no_doing,
	  .draw = processes_draw_command },
	{ .title = "DOING",
	  .former = "now",
	  .min_cells = 14,
	  .grow = 1,
	  .rank = 2,
	  .descending = true,
	  .number = column_doing_time,
	  .draw = column_draw_doing },
};

static void draw_attribute_cell(struct view_ctx *ctx, const struct row *row, int column,
				const struct slot *slot)
{
	process_attribute_draw(ctx, row, filter_attribute((enum filter_field)columns[column].field),
			       slot);
}

static void processes_sort_keys(const struct view_ctx *ctx, struct table *table, int column)
{
	struct order *order = ctx->view->private;

	if (!columns[column].field)
		return;
	order->sort_texts.max = SIZE_MAX / 2;
	process_attribute_sort(ctx, table,
			       filter_attribute((enum filter_field)columns[column].field),
			       columns[column].descending, &order->sort_texts);
}

static void processes_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct model_dropped *dropped = model_dropped(ctx->model);

	if (ctx->what.limits.depth >= 0)
		tr2_buf_addf(out, " · depth ≤ %" PRId64, ctx->what.limits.depth);
	/* Records are assigned to processes by a guess, because the input has no process ids. */
	if (ctx->process && ctx->process->guessed)
		tr2_buf_addstr(out, " · guessed");
	if (dropped->silent + dropped->finished) {
		tr2_buf_addf(out, " · %" PRIu32 " of ", model_nr_processes(ctx->model));
		format_count(model_totals(ctx->model)->processes, out);
		tr2_buf_addf(out, "; %" PRIu64 " finished", dropped->finished);
		if (dropped->silent)
			tr2_buf_addf(out, " and %" PRIu64 " silent", dropped->silent);
		tr2_buf_addstr(out, " were evicted: --max-processes");
	}
}

static enum view_id processes_drill(const struct view_ctx *ctx, const struct row *row,
				    struct subject *subject)
{
	subject->process = model_handle(ctx->model, row->ref);
	return VIEW_PROCESS;
}

static void processes_release(void *private)
{
	struct order *order = private;

	free(order->row_of);
	free(order->failures);
	tr2_buf_release(&order->sort_texts);
}

const struct view_ops pane_processes = {
	.name = "Processes",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.arranged = true,
	.private_bytes = sizeof(struct order),
	.order = "newest first",
	.title = processes_title,
	.gather = processes_gather,
	.keeps_rows = processes_keeps_rows,
	.draw = draw_attribute_cell,
	.sort_keys = processes_sort_keys,
	.filter_rows = FILTER_ROWS_PROCESS,
	.drill = processes_drill,
	.release = processes_release,
};
