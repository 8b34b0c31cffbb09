/* SPDX-License-Identifier: MIT */
/*
 * Pane 2: the selected process's threads; below each, its open regions, its completed regions as a
 * tree, and for the main thread, in Git's formats, the time outside any region. If the screen shows
 * several panes, but not that of children, the children follow.
 */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <inttypes.h>

#include "engine/base/hash.h"
#include "monitor/analysis/doing.h"
#include "monitor/analysis/formats.h"

enum threads_row_kind { KIND_THREAD, KIND_OPEN, KIND_NODE, KIND_OUTSIDE, KIND_CHILD };

/* Members of rows. ref: number of the thread or child; ref2: index of the open region, or reference
 * of the node. */

/* id of the row "outside any region"; ids of children's rows are derived from it */
#define OUTSIDE_ID UINT64_C(0x6f757473)

static void threads_gather_open(struct view_ctx *ctx, struct table *table, uint32_t parent,
				uint32_t thread_nr)
{
	const struct thread *thread = process_thread(ctx->model, ctx->process, thread_nr);

	for (uint32_t i = 0; i < thread->open.nr; i++) {
		if (is_beyond_nesting(ctx, thread_open(ctx->model, thread, i)->nesting)) {
			table->nr_hidden++;
			continue;
		}
		struct row *row = table_add(table, tr2_hash_pair(thread_nr, i));

		row->parent = parent;
		row->kind = KIND_OPEN;
		row->ref = thread_nr;
		row->ref2 = i;
		/* sort key: open regions come before completed ones */
		row->key = i - (int64_t)UINT32_MAX;
		parent = table->nr_rows - 1;
	}
}

/* Regions nested deeper than rows[] has entries are not shown. */
static void gather_nodes(struct view_ctx *ctx, struct table *table, uint32_t thread_nr,
			 const struct thread *thread)
{
	uint32_t rows[256] = { table->nr_rows - 1 };
	uint64_t ids[256] = { thread_nr };
	uint32_t at = thread->nodes, level = 0;

	while (at) {
		const struct region_node *node = model_node(ctx->model, at);
		bool shown = node->count &&
			     !is_beyond_nesting(ctx, model_cell(ctx->model, node->cell)->nesting);

		rows[level + 1] = rows[level];
		ids[level + 1] = node_id(ctx->model, ids[level], node);
		if (shown) {
			struct row *row = table_add(table, ids[level + 1]);

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
	bool is_main =
		process->format == SYM_NONE && thread == process_thread(ctx->model, process, 0);
	ns_t start = thread->first_time, end = thread->last_time;

	/* In Git's formats, the main thread of an ended process has the time of the process. */
	if (is_main && process->state != STATE_RUNNING)
		return view_process_time(ctx, process);
	if (is_main && start == NS_NONE)
		start = process->start;
	if (is_main && end == NS_NONE)
		end = process->end;

	if (thread->exited && thread->elapsed != NS_NONE)
		return thread->elapsed;
	if (!is_main || end == NS_NONE || process_is_live(process))
		end = thread_end(process, thread, ctx->what.now);
	ctx->view->ticks |= process_is_live(process) && !thread->exited;
	return start == NS_NONE || end == NS_NONE ? NS_NONE : end > start ? end - start : 0;
}

/* Find the row of the open region that was entered last or, without open regions, of the last
 * thread. */
static void find_newest(const struct view_ctx *ctx, struct table *table)
{
	ns_t newest = NS_NONE;

	for (uint32_t at = 0; at < table->nr_rows; at++) {
		const struct row *row = &table->rows[at];

		if (row->kind == KIND_CHILD)
			continue;

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

/* Return the time of the main thread outside any region; NS_NONE if the thread has no regions, or
 * if that time is 0 or unknown. */
static ns_t outside_time(const struct view_ctx *ctx)
{
	const struct thread *thread = process_thread(ctx->model, ctx->process, 0);
	ns_t time = thread_time(ctx, thread);

	if (time == NS_NONE || (!thread->nodes && !thread->open.nr))
		return NS_NONE;
	if (thread->open.nr) {
		ns_t open = view_region_time(ctx, ctx->process, thread_open(ctx->model, thread, 0));

		if (open == NS_NONE)
			return NS_NONE;
		time = ns_sub(time, open);
	}
	for (uint32_t at = thread->nodes, level = 0; at;
	     at = model_node_after(ctx->model, at, &level))
		time = ns_sub(time, model_node(ctx->model, at)->total);
	return time > 0 ? time : NS_NONE;
}

static void gather_outside(struct view_ctx *ctx, struct table *table, uint32_t parent)
{
	struct row *row;

	if (ctx->process->format != SYM_NONE || outside_time(ctx) == NS_NONE)
		return;
	row = table_add(table, OUTSIDE_ID);
	row->kind = KIND_OUTSIDE;
	row->parent = parent;
	row->key = INT64_MAX; /* after the regions */
}

static void gather_children(struct view_ctx *ctx, struct table *table)
{
	for (uint32_t i = 0; i < ctx->process->children.nr; i++) {
		struct row *row = table_add(table, tr2_hash_pair(OUTSIDE_ID, i));

		row->kind = KIND_CHILD;
		row->ref = i;
		row->key = (int64_t)UINT32_MAX + i; /* after the threads */
	}
}

static void threads_gather(struct view_ctx *ctx, struct table *table)
{
	const struct format *format = format_of(ctx->model, ctx->process);

	if (!ctx->process)
		return;
	if (ctx->lists_children)
		gather_children(ctx, table);
	if (!format->lane)
		return;
	table->headings[0] = format->lane;
	for (uint32_t i = 0; i < ctx->process->threads.nr; i++) {
		struct row *row = table_add(table, (uint64_t)i + 1);

		uint32_t thread_row = table->nr_rows - 1;

		row->kind = KIND_THREAD;
		row->ref = i;
		row->key = i;
		gather_nodes(ctx, table, i, process_thread(ctx->model, ctx->process, i));
		if (!i)
			gather_outside(ctx, table, thread_row);
	}
	for (uint32_t at = 0, end = table->nr_rows; at < end; at++)
		if (table->rows[at].kind == KIND_THREAD)
			threads_gather_open(ctx, table, at, table->rows[at].ref);
	find_newest(ctx, table);
}

struct threads_figures {
	const struct thread *thread;
	sym_t category, label;
	int64_t nesting, count;
	ns_t elapsed;
	bool live, has_msg;
	struct text msg;
	enum style style, bar; /* styles of the time and of the share's bar */
};

static void take_figures(const struct view_ctx *ctx, const struct row *row,
			 struct threads_figures *out)
{
	const struct thread *thread =
		row->kind == KIND_CHILD ? NULL : process_thread(ctx->model, ctx->process, row->ref);
	bool live = process_is_live(ctx->process);

	*out = (struct threads_figures){
		.thread = thread, .category = SYM_NONE, .label = SYM_NONE, .nesting = NUM_NONE
	};
	if (row->kind == KIND_CHILD) {
		const struct child *child = process_child(ctx->model, ctx->process, row->ref);

		out->elapsed = view_child_time(ctx, ctx->process, child);
		out->live = child_is_live(ctx->process, child);
		out->style = out->live ? STYLE_LIVE : duration_style(out->elapsed);
		out->bar = out->live ? STYLE_LIVE : STYLE_BAR;
	} else if (row->kind == KIND_OUTSIDE) {
		out->elapsed = outside_time(ctx);
		out->style = duration_style(out->elapsed);
		out->bar = STYLE_BAR;
	} else if (row->kind == KIND_THREAD) {
		out->count = (int64_t)thread->nr_regions;
		out->elapsed = thread_time(ctx, thread);
		out->live = live && !thread->exited;
		out->style = out->live ? STYLE_LIVE : STYLE_TITLE;
		out->bar = out->live ? STYLE_LIVE : STYLE_BAR;
	} else if (row->kind == KIND_OPEN) {
		const struct open_region *open = thread_open(ctx->model, thread, row->ref2);

		out->category = open->category;
		out->label = open->label;
		out->nesting = open->nesting;
		out->elapsed = view_region_time(ctx, ctx->process, open);
		out->live = live;
		out->has_msg = open->has_msg;
		out->msg = open->msg;
		out->style = out->bar = live ? STYLE_LIVE : STYLE_STALE;
	} else {
		const struct region_node *node = model_node(ctx->model, row->ref2);
		const struct timing_cell *cell = model_cell(ctx->model, node->cell);

		out->category = cell->category;
		out->label = cell->label;
		out->nesting = cell->nesting;
		out->count = (int64_t)node->count;
		out->elapsed = node->total;
		out->style = duration_style(node->total);
		out->bar = STYLE_BAR;
	}
}

static const char *threads_name(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	if (row->kind == KIND_CHILD)
		return model_sym(ctx->model,
				 process_child(ctx->model, ctx->process, row->ref)->child_class,
				 len);
	return model_sym(ctx->model,
			 row->kind == KIND_THREAD ? figures.thread->name : figures.category, len);
}

static void format_thread(const struct view_ctx *ctx, const struct thread *thread,
			  struct tr2_buf *line)
{
	const struct open_region *died_in = thread_died_in(ctx->model, ctx->process, thread);

	if (thread->name == SYM_NONE)
		tr2_buf_addstr(line, "(no name)");
	format_symbol(ctx->model, thread->name, line);
	if (died_in) {
		tr2_buf_addstr(line, "  ");
		format_died_in(ctx->model, died_in, line);
	} else if (thread->exited || (ctx->process->state != STATE_RUNNING &&
				      ctx->process->state != STATE_UNTRACED)) {
		tr2_buf_addstr(line, "  done");
	}
}

static void format_child(const struct view_ctx *ctx, const struct child *child,
			 struct tr2_buf *line)
{
	size_t name_len;

	if (child->child_id != NUM_NONE)
		tr2_buf_addf(line, "[%" PRId64 "] ", child->child_id);
	if (is_child_class(ctx->model, child->child_class)) {
		format_symbol(ctx->model, child->child_class, line);
		tr2_buf_addch(line, ' ');
	}
	if (child->hook != SYM_NONE) {
		format_symbol(ctx->model, child->hook, line);
		tr2_buf_addstr(line, ": ");
	}
	format_argv(ctx->model, &child->argv, child->use_shell > 0, line, &name_len);
}

static void threads_draw_name(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *line = format_line();
	struct slot rest = *slot;
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	if (row->kind == KIND_THREAD) {
		format_thread(ctx, figures.thread, line);
	} else if (row->kind == KIND_CHILD) {
		format_child(ctx, process_child(ctx->model, ctx->process, row->ref), line);
	} else if (row->kind == KIND_OUTSIDE) {
		rest = slot_tree(slot, row);
		tr2_buf_addstr(line, "outside any region");
	} else {
		rest = slot_tree(slot, row);
		if (row->kind == KIND_OPEN) {
			surface_glyph(slot->surface, rest.x, rest.y, figures.style,
				      figures.live ? GLYPH_LIVE : GLYPH_STALE);
			rest = slot_rest(&rest, 2);
			tr2_buf_addf(line, "%" PRId64 " ", figures.nesting);
		}
		format_region(ctx->model, figures.category, figures.label, line);
	}
	if (figures.has_msg) {
		tr2_buf_addch(line, ' ');
		tr2_buf_add(line, model_text(ctx->model, figures.msg),
			    figures.msg.len < 1000 ? figures.msg.len : 1000);
	}
	slot_text(&rest,
		  row->kind == KIND_NODE || row->kind == KIND_CHILD ? STYLE_TEXT
		  : row->kind == KIND_OUTSIDE                       ? STYLE_DIM
								    : figures.style,
		  tr2_buf_cstr(line), line->len);
}

static int64_t threads_count(const struct view_ctx *ctx, const struct row *row)
{
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	return figures.count;
}

static void draw_child_state(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	char text[32];
	enum style style =
		child_state_text(ctx->process, process_child(ctx->model, ctx->process, row->ref),
				 text, sizeof(text));

	slot_state(slot, style, text);
}

static void threads_draw_count(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	if (row->kind == KIND_CHILD)
		draw_child_state(ctx, row, slot);
	else if (row->kind == KIND_OPEN)
		slot_text(slot, figures.style, figures.live ? "running" : "open", SIZE_MAX);
	else if (row->kind == KIND_THREAD || row->kind == KIND_NODE)
		slot_count(slot, STYLE_DIM, (uint64_t)figures.count);
}

static int64_t threads_elapsed(const struct view_ctx *ctx, const struct row *row)
{
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	return figures.elapsed;
}

static void threads_draw_time(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	slot_duration(slot, figures.style, figures.elapsed);
}

static bool threads_usual_of(const struct view_ctx *ctx, const struct row *row,
			     struct past_median *threads_usual)
{
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	if (row->kind == KIND_CHILD)
		return figures.live &&
		       past_median_of_child(ctx->model, ctx->process,
					    process_child(ctx->model, ctx->process, row->ref),
					    figures.elapsed, threads_usual);
	return row->kind == KIND_OPEN && figures.live &&
	       past_median_of_region(ctx->model, ctx->process, figures.category, figures.label,
				     figures.elapsed, threads_usual);
}

static int64_t threads_usual(const struct view_ctx *ctx, const struct row *row)
{
	struct past_median threads_usual;

	return threads_usual_of(ctx, row, &threads_usual) ? threads_usual.p50 : INT64_MIN;
}

static void threads_draw_usual(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct past_median threads_usual;

	if (threads_usual_of(ctx, row, &threads_usual))
		slot_usual(slot, &threads_usual);
}

static void threads_draw_share(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	ns_t whole = view_process_time(ctx, ctx->process), time;
	struct slot bar = *slot;
	struct threads_figures figures;
	int64_t eighths;

	take_figures(ctx, row, &figures);
	time = figures.elapsed < whole ? figures.elapsed : whole;
	if (time <= 0 || slot->cols < 2)
		return;
	if (slot->cols >= PERCENT_CELLS + 8)
		bar = slot_percent(slot, (double)time / (double)whole);
	eighths = (int64_t)((double)time / (double)whole * bar.cols * 8.0);
	surface_bar(bar.surface, bar.x, bar.y, bar.cols, figures.bar, eighths ? eighths : 1);
}

static const struct column columns[] = {
	{ .title = "THREAD / REGION",
	  .min_cells = 20,
	  .grow = 3,
	  .text = threads_name,
	  .draw = threads_draw_name },
	{ .title = "COUNT",
	  .field = FILTER_COUNT,
	  .min_cells = 6,
	  .rank = 2,
	  .right = true,
	  .descending = true,
	  .number = threads_count,
	  .draw = threads_draw_count },
	{ .title = "TIME",
	  .field = FILTER_ELAPSED,
	  .min_cells = 9,
	  .right = true,
	  .descending = true,
	  .number = threads_elapsed,
	  .draw = threads_draw_time },
	{ .title = "MEDIAN",
	  .former = "usual",
	  .min_cells = 9,
	  .rank = 3,
	  .from_cols = PAST_MEDIAN_FROM_COLS,
	  .right = true,
	  .descending = true,
	  .number = threads_usual,
	  .draw = threads_draw_usual },
	{ .title = "SHARE",
	  .min_cells = 12,
	  .fills = 32,
	  .yields = true,
	  .rank = 1,
	  .descending = true,
	  .number = threads_elapsed,
	  .draw = threads_draw_share },
};

static const char *threads_named(const struct view_ctx *ctx)
{
	return format_of(ctx->model, ctx->process)->threads;
}

static const char *threads_empty(const struct view_ctx *ctx)
{
	return ctx->process ? format_of(ctx->model, ctx->process)->regionless
			    : "no process is selected";
}

static enum view_id threads_drill(const struct view_ctx *ctx, const struct row *row,
				  struct subject *subject)
{
	const struct thread *thread;

	if (row->kind == KIND_CHILD) {
		uint32_t slot = child_process(process_child(ctx->model, ctx->process, row->ref));

		if (slot == SLOT_NONE)
			return NR_VIEWS;
		subject->process = model_handle(ctx->model, slot);
		return VIEW_PROCESS;
	}
	if (row->kind == KIND_THREAD || row->kind == KIND_OUTSIDE)
		return VIEW_PROCESS;
	thread = process_thread(ctx->model, ctx->process, row->ref);
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

static const char *thread_of(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	return figures.thread ? known_sym(ctx->model, figures.thread->name, len) : NULL;
}

static const char *category_of(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	return known_sym(ctx->model, figures.category, len);
}

static const char *label_of(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	return known_sym(ctx->model, figures.label, len);
}

static const char *message_of(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	*len = figures.msg.len;
	return figures.has_msg ? model_text(ctx->model, figures.msg) : NULL;
}

static int64_t nesting_of(const struct view_ctx *ctx, const struct row *row)
{
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	return figures.nesting;
}

static int64_t is_live(const struct view_ctx *ctx, const struct row *row)
{
	struct threads_figures figures;

	take_figures(ctx, row, &figures);
	return figures.live;
}

static const struct row_field fields[] = {
	{ FILTER_THREAD, .text = thread_of },     { FILTER_CATEGORY, .text = category_of },
	{ FILTER_LABEL, .text = label_of },       { FILTER_MESSAGE, .text = message_of },
	{ FILTER_NESTING, .number = nesting_of }, { FILTER_LIVE, .number = is_live },
};

static bool threads_events(const struct view_ctx *ctx, const struct row *row,
			   struct subject *subject, struct tr2_buf *filter)
{
	struct threads_figures figures;

	(void)subject;
	if (!row)
		return ctx->process != NULL;
	take_figures(ctx, row, &figures);
	if (!figures.thread)
		tr2_buf_addstr(filter, "event ~ \"^child_\"");
	else
		format_term(ctx->model, "thread", figures.thread->name, filter);
	format_term(ctx->model, "category", figures.category, filter);
	format_term(ctx->model, "label", figures.label, filter);
	return true;
}

const struct view_ops pane_threads = {
	.name = "Threads and regions",
	.named = threads_named,
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.arranged = true,
	.of_process = true,
	.title = format_subject,
	.gather = threads_gather,
	.empty = threads_empty,
	.filter_rows = FILTER_ROWS_REGION,
	.fields = fields,
	.nr_fields = sizeof(fields) / sizeof(*fields),
	.drill = threads_drill,
	.events = threads_events,
};
