/* SPDX-License-Identifier: MIT */
/*
 * Pane 2: the selected process's threads; below each the regions that are open now, with their
 * ages, then what it has completed as a tree with bars.
 */
#include "config.h"

#include "views/ui/view.h"

#include <inttypes.h>

#include "engine/base/hash.h"

enum { COL_WHAT, COL_COUNT, COL_TIME, COL_BAR };

static const struct column columns[] = {
	[COL_WHAT] = { "THREAD / REGION", 20, 3, 0, false, false, false },
	[COL_COUNT] = { "COUNT", 6, 0, 2, true, false, true },
	[COL_TIME] = { "TIME", 9, 0, 0, true, false, true },
	[COL_BAR] = { "SHARE", 12, 1, 1, false, false, true },
};

enum row_kind { KIND_THREAD, KIND_OPEN, KIND_NODE };

/* ref: number of the thread; ref2: index of the open region, or reference of the node. */

static bool hidden(const struct view_ctx *ctx, int64_t nesting)
{
	return ctx->what.limits.nesting >= 0 && nesting > ctx->what.limits.nesting;
}

static void gather_open(struct view_ctx *ctx, struct table *table, uint32_t parent,
			uint32_t thread_nr)
{
	const struct thread *thread = process_thread(ctx->model, ctx->process, thread_nr);

	for (uint32_t i = 0; i < thread->open.nr; i++) {
		if (hidden(ctx, thread_open(ctx->model, thread, i)->nesting)) {
			table->nr_hidden++;
			continue;
		}
		struct row *row = table_add(table, tr2_hash_pair(thread_nr, i));

		row->parent = parent;
		row->kind = KIND_OPEN;
		row->ref = thread_nr;
		row->ref2 = i;
		row->key = i - (int64_t)UINT32_MAX; /* before what is completed */
		parent = table->nr_rows - 1;
	}
}

/* Nothing is shown that is deeper than there is room for rows around it. */
static void gather_nodes(struct view_ctx *ctx, struct table *table, uint32_t thread_nr,
			 const struct thread *thread)
{
	uint32_t rows[256] = { table->nr_rows - 1 };
	uint32_t at = thread->nodes, level = 0;

	while (at) {
		const struct region_node *node = model_node(ctx->model, at);
		bool shown = node->count &&
			     !hidden(ctx, model_cell(ctx->model, node->cell)->nesting);

		rows[level + 1] = rows[level];
		if (shown) {
			struct row *row = table_add(table, node_id(ctx->model, thread_nr, node));

			row->parent = rows[level];
			row->kind = KIND_NODE;
			row->ref = thread_nr;
			row->ref2 = at;
			row->key = INT64_MAX - node->total;
			rows[level + 1] = table->nr_rows - 1;
		} else {
			table->nr_hidden += node->count != 0;
		}
		at = level < 254 ? model_node_next(ctx->model, at, &level)
				 : model_node_after(ctx->model, at, &level);
	}
}

static ns_t thread_time(const struct view_ctx *ctx, const struct thread *thread)
{
	const struct process *process = ctx->process;
	bool is_main = thread == process_thread(ctx->model, process, 0);
	ns_t start = thread->first_time, end = thread->last_time;

	/* The first thread lives as long as its process. */
	if (is_main && process->state != STATE_RUNNING)
		return view_process_time(ctx, process);
	if (is_main && start == NS_NONE)
		start = process->start;
	if (is_main && end == NS_NONE)
		end = process->end;

	if (thread->exited && thread->elapsed != NS_NONE)
		return thread->elapsed;
	if (process_is_live(process) && !thread->exited) {
		ctx->view->ticks = true;
		end = ctx->what.now;
	}
	return start == NS_NONE || end == NS_NONE ? NS_NONE : end > start ? end - start : 0;
}

/* The region that was entered last and is open, else the last thread. */
static void find_newest(const struct view_ctx *ctx, struct table *table)
{
	ns_t newest = NS_NONE;

	for (uint32_t at = 0; at < table->nr_rows; at++) {
		const struct row *row = &table->rows[at];
		const struct thread *thread = process_thread(ctx->model, ctx->process, row->ref);
		ns_t time = row->kind == KIND_OPEN
				    ? thread_open(ctx->model, thread, row->ref2)->time
				    : NS_NONE;

		if (row->kind == KIND_THREAD && newest == NS_NONE)
			table->newest = row->id;
		if (time == NS_NONE || time < newest)
			continue;
		newest = time;
		table->newest = row->id;
	}
}

/* What stands in the column, of whatever kind the row is. */
static void sort_key(struct view_ctx *ctx, int column, struct row *row)
{
	const struct thread *thread = process_thread(ctx->model, ctx->process, row->ref);
	const struct open_region *open = row->kind == KIND_OPEN
						 ? thread_open(ctx->model, thread, row->ref2)
						 : NULL;
	const struct region_node *node = row->kind == KIND_NODE
						 ? model_node(ctx->model, row->ref2)
						 : NULL;
	sym_t name = open   ? open->category
		     : node ? model_cell(ctx->model, node->cell)->category
			    : thread->name;
	size_t len;

	switch (column) {
	case COL_WHAT:
		row->key = 0;
		row->text = model_sym(ctx->model, name, &len);
		row->text_len = (uint32_t)len;
		break;
	case COL_COUNT:
		row->key = -(int64_t)(open ? 0 : node ? node->count : thread->nr_regions);
		break;
	default:
		row->key = longest_first(open	? view_region_time(ctx, ctx->process, open)
					 : node ? node->total
						: thread_time(ctx, thread));
	}
}

static void gather(struct view_ctx *ctx, struct table *table)
{
	if (!ctx->process)
		return;
	for (uint32_t i = 0; i < ctx->process->threads.nr; i++) {
		struct row *row = table_add(table, (uint64_t)i + 1);

		row->kind = KIND_THREAD;
		row->ref = i;
		row->key = i;
		gather_nodes(ctx, table, i, process_thread(ctx->model, ctx->process, i));
	}
	for (uint32_t at = 0, end = table->nr_rows; at < end; at++)
		if (table->rows[at].kind == KIND_THREAD)
			gather_open(ctx, table, at, table->rows[at].ref);
	find_newest(ctx, table);
	if (table->sort != SORT_NATURAL)
		for (uint32_t at = 0; at < table->nr_rows; at++)
			sort_key(ctx, table->sort, &table->rows[at]);
}

static void draw_bar(const struct view_ctx *ctx, const struct slot *slot, enum style style,
		     ns_t time)
{
	ns_t whole = view_process_time(ctx, ctx->process);

	if (time == NS_NONE || time <= 0 || whole == NS_NONE || whole <= 0 || slot->cols < 2)
		return;
	if (time > whole)
		time = whole;
	int64_t eighths = (int64_t)((double)time / (double)whole * slot->cols * 8.0);

	surface_bar(slot->surface, slot->x, slot->y, slot->cols, style, eighths ? eighths : 1);
}

static void draw_thread(struct view_ctx *ctx, const struct thread *thread, int column,
			const struct slot *slot)
{
	bool running = process_is_live(ctx->process) && !thread->exited;
	enum style style = running ? STYLE_LIVE : STYLE_TITLE;
	struct tr2_buf *line = say_line();

	switch (column) {
	case COL_WHAT:
		if (thread->name == SYM_NONE)
			tr2_buf_addstr(line, "(no name)");
		say_sym(ctx->model, thread->name, line);
		if (thread->exited || ctx->process->state != STATE_RUNNING)
			tr2_buf_addstr(line, "  done");
		slot_text(slot, style, tr2_buf_cstr(line), line->len);
		break;
	case COL_COUNT:
		slot_count(slot, STYLE_DIM, thread->nr_regions);
		break;
	case COL_TIME:
		slot_duration(slot, style, thread_time(ctx, thread));
		break;
	default:
		draw_bar(ctx, slot, running ? STYLE_LIVE : STYLE_BAR, thread_time(ctx, thread));
	}
}

static void draw_open(struct view_ctx *ctx, const struct row *row,
		      const struct open_region *region, int column, const struct slot *slot)
{
	bool live = process_is_live(ctx->process);
	enum style style = live ? STYLE_LIVE : STYLE_STALE;
	struct tr2_buf *line = say_line();
	struct slot rest;

	switch (column) {
	case COL_WHAT:
		rest = slot_tree(slot, row);
		surface_glyph(slot->surface, rest.x, rest.y, style,
			      live ? GLYPH_LIVE : GLYPH_STALE);
		rest = slot_rest(&rest, 2);
		tr2_buf_addf(line, "%" PRId64 " ", region->nesting);
		say_region(ctx->model, region->category, region->label, line);
		if (region->has_msg) {
			tr2_buf_addch(line, ' ');
			tr2_buf_add(line, model_text(ctx->model, region->msg),
				    region->msg.len < 1000 ? region->msg.len : 1000);
		}
		slot_text(&rest, style, tr2_buf_cstr(line), line->len);
		break;
	case COL_COUNT:
		slot_text(slot, style, "open", SIZE_MAX);
		break;
	case COL_TIME:
		slot_duration(slot, style, view_region_time(ctx, ctx->process, region));
		break;
	default:
		draw_bar(ctx, slot, style, view_region_time(ctx, ctx->process, region));
	}
}

static void draw_node(struct view_ctx *ctx, const struct row *row, int column,
		      const struct slot *slot)
{
	const struct region_node *node = model_node(ctx->model, row->ref2);
	const struct timing_cell *cell = model_cell(ctx->model, node->cell);
	struct tr2_buf *line = say_line();
	struct slot rest;

	switch (column) {
	case COL_WHAT:
		rest = slot_tree(slot, row);
		say_region(ctx->model, cell->category, cell->label, line);
		slot_text(&rest, STYLE_TEXT, tr2_buf_cstr(line), line->len);
		break;
	case COL_COUNT:
		slot_count(slot, STYLE_DIM, node->count);
		break;
	case COL_TIME:
		slot_duration(slot, duration_style(node->total), node->total);
		break;
	default:
		draw_bar(ctx, slot, STYLE_BAR, node->total);
	}
}

static void draw(struct view_ctx *ctx, const struct row *row, int column,
		 const struct slot *slot)
{
	const struct thread *thread = process_thread(ctx->model, ctx->process, row->ref);

	if (row->kind == KIND_THREAD)
		draw_thread(ctx, thread, column, slot);
	else if (row->kind == KIND_OPEN)
		draw_open(ctx, row, thread_open(ctx->model, thread, row->ref2), column, slot);
	else
		draw_node(ctx, row, column, slot);
}

static const char *empty(const struct view_ctx *ctx)
{
	return ctx->process ? "no thread has shown itself yet" : "no process is selected";
}

static enum view_id drill(const struct view_ctx *ctx, const struct row *row,
			  struct subject *subject)
{
	const struct thread *thread = process_thread(ctx->model, ctx->process, row->ref);

	if (row->kind == KIND_THREAD)
		return VIEW_PROCESS;
	if (row->kind == KIND_OPEN) {
		const struct open_region *open = thread_open(ctx->model, thread, row->ref2);

		subject->category = open->category;
		subject->label = open->label;
	} else {
		const struct region_node *node = model_node(ctx->model, row->ref2);

		subject->category = model_cell(ctx->model, node->cell)->category;
		subject->label = model_cell(ctx->model, node->cell)->label;
	}
	return VIEW_REGION;
}

/* What kinds of rows have in common. */
struct figures {
	sym_t category, label;
	int64_t nesting, count;
	ns_t elapsed;
	bool live, has_msg;
	struct text msg;
};

static void take_figures(const struct view_ctx *ctx, const struct row *row,
			 const struct thread *thread, struct figures *out)
{
	bool live = process_is_live(ctx->process);

	*out = (struct figures){ .category = SYM_NONE, .label = SYM_NONE, .nesting = NUM_NONE };
	if (row->kind == KIND_THREAD) {
		out->count = (int64_t)thread->nr_regions;
		out->elapsed = thread_time(ctx, thread);
		out->live = live && !thread->exited;
	} else if (row->kind == KIND_OPEN) {
		const struct open_region *open = thread_open(ctx->model, thread, row->ref2);

		out->category = open->category;
		out->label = open->label;
		out->nesting = open->nesting;
		out->elapsed = view_region_time(ctx, ctx->process, open);
		out->live = live;
		out->has_msg = open->has_msg;
		out->msg = open->msg;
	} else {
		const struct region_node *node = model_node(ctx->model, row->ref2);
		const struct timing_cell *cell = model_cell(ctx->model, node->cell);

		out->category = cell->category;
		out->label = cell->label;
		out->nesting = cell->nesting;
		out->count = (int64_t)node->count;
		out->elapsed = node->total;
	}
}

static bool value(const struct view_ctx *ctx, const struct row *row, enum filter_field field,
		  filter_visit *visit, void *data)
{
	const struct thread *thread = process_thread(ctx->model, ctx->process, row->ref);
	struct figures figures;

	take_figures(ctx, row, thread, &figures);
	switch (field) {
	case FILTER_THREAD:
		return give_sym(ctx->model, thread->name, visit, data);
	case FILTER_CATEGORY:
		return give_sym(ctx->model, figures.category, visit, data);
	case FILTER_LABEL:
		return give_sym(ctx->model, figures.label, visit, data);
	case FILTER_MESSAGE:
		return figures.has_msg && filter_give_text(visit, data,
							   model_text(ctx->model, figures.msg),
							   figures.msg.len);
	case FILTER_NESTING:
		return filter_give_number(visit, data, figures.nesting);
	case FILTER_COUNT:
		return filter_give_number(visit, data, figures.count);
	case FILTER_ELAPSED:
		return filter_give_number(visit, data, figures.elapsed);
	case FILTER_LIVE:
		return filter_give_number(visit, data, figures.live);
	default:
		return false;
	}
}

static bool events(const struct view_ctx *ctx, const struct row *row, struct subject *subject,
		   struct tr2_buf *filter)
{
	struct figures figures;
	const struct thread *thread;

	(void)subject;
	if (!row)
		return ctx->process != NULL;
	thread = process_thread(ctx->model, ctx->process, row->ref);
	take_figures(ctx, row, thread, &figures);
	say_term(ctx->model, "thread", thread->name, filter);
	say_term(ctx->model, "category", figures.category, filter);
	say_term(ctx->model, "label", figures.label, filter);
	return true;
}

const struct view_ops pane_threads = {
	.name = "Threads and regions",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.arranged = true,
	.of_process = true,
	.title = say_subject,
	.gather = gather,
	.draw = draw,
	.empty = empty,
	.filter_rows = FILTER_ROWS_REGION,
	.value = value,
	.drill = drill,
	.events = events,
};
