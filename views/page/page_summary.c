/* SPDX-License-Identifier: MIT */
/*
 * Page of the summary: a bar of the wall time in order of time; the parts that add up to the wall
 * time; notes. Other modes show the critical path, or the pieces of a part.
 */
#include "config.h"

#include "monitor/base/platform.h"
#include "views/ui/summary_rows.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/base/humanize.h"
#include "monitor/analysis/formats.h"

enum { COL_WHAT, COL_PROCESS, COL_TIME, COL_SHARE, COL_BAR, COL_COUNT };

static const char *const fact_names[NR_FACTS] = {
	[FACT_COMMAND] = "command", [FACT_STATE] = "result",    [FACT_WALL] = "wall time",
	[FACT_REMOTE] = "remote",   [FACT_BELOW] = "processes",
};

static const struct column columns[] = {
	[COL_WHAT] = { .min_cells = 24, .grow = 3, .no_sort = true },
	[COL_PROCESS] = { .title = "", .min_cells = 12, .grow = 2, .rank = 4, .no_sort = true },
	[COL_TIME] = { .title = "", .min_cells = 9, .right = true, .no_sort = true },
	[COL_SHARE] = { .title = "", .min_cells = 7, .rank = 1, .right = true, .no_sort = true },
	[COL_BAR] = { .title = "",
		      .min_cells = 8,
		      .rank = 3,
		      .fills = 32,
		      .yields = true,
		      .no_sort = true },
	[COL_COUNT] = { .title = "", .min_cells = 6, .rank = 2, .right = true, .no_sort = true },
};

#define MAX_PIECES 1000
#define FACT_CELLS 12
/* Unless `all_parts` is set, parts below 1/SMALL_SHARE of the wall time share one row, if there are
 * at least SMALL_LEAST of them. */
#define SMALL_SHARE 200
#define SMALL_LEAST 3
/* Above this number of pieces and processes, the shown parts may be up to one second old. */
#define MANY       3000
#define ROOMY_ROWS 16 /* on drawn pages of at least this height, blank rows separate the sections */

static bool has_command(const struct view_ctx *ctx)
{
	return ctx->in->command_line != NULL;
}

/* The last root process is usually the oldest. */
static struct handle last_root(const struct model *model)
{
	uint32_t root = model_first_root(model);

	if (root == SLOT_NONE)
		return HANDLE_NONE;
	while (model_next_sibling(model, root) != SLOT_NONE)
		root = model_next_sibling(model, root);
	return model_handle(model, root);
}

static void summary_begin(struct view_ctx *ctx, struct summary *page)
{
	struct subject *subject = &ctx->view->subject;

	if (!page->begun)
		page->of_process =
			(!has_command(ctx) || ctx->said) && subject->process.slot != SLOT_NONE;
	page->begun = true;
	if (subject->process.slot == SLOT_NONE)
		subject->process = model_process(ctx->model, ctx->selected) ? ctx->selected
									    : last_root(ctx->model);
	ctx->process = model_process(ctx->model, subject->process);
}

static void add_together(struct view_ctx *ctx, struct table *table, struct summary *page)
{
	uint32_t first = model_first_root(ctx->model), slot = first;

	if (page->of_process)
		slot = ctx->view->subject.process.slot;
	else if (first == SLOT_NONE || model_nr_processes(ctx->model) != 1)
		return;
	if (!thread_totals_make(&page->together, &ctx->what, slot) || !page->together.nr)
		return;
	page->ticks |= process_is_live(model_slot(ctx->model, slot));
	summary_add(table, ROW_HEADING, HEADING_TOGETHER, slot, true);
	for (uint32_t i = 0; i < page->together.nr; i++)
		summary_add(table, ROW_TOGETHER, i, slot, false)->id =
			(uint64_t)(ROW_TOGETHER + 1) << 56 |
			(uint64_t)page->together.parts[i].label << 3 | page->together.parts[i].kind;
	if (page->together.nr_procs)
		summary_add(table, ROW_PROCS, 0, 0, true);
}

static ns_t command_wall(const struct ui_input *in)
{
	ns_t wall = in->command_ran_ns;

	if (in->past && in->past_ns != NS_NONE && in->past_ns - in->command_begun_ns < wall)
		wall = in->past_ns - in->command_begun_ns;
	return wall > 0 ? wall : 0;
}

static uint32_t slot_of(const struct view_ctx *ctx, const struct summary *page)
{
	return page->of_process ? model_handle_here(ctx->model, ctx->view->subject.process).slot
				: SLOT_NONE;
}

static void make_parts(struct view_ctx *ctx, struct summary *page)
{
	bool command = has_command(ctx);
	struct summary_made made = { .model = ctx->model,
				     .version = model_version(ctx->model),
				     .filter = ctx->what.filter,
				     .slot = slot_of(ctx, page),
				     .nesting = ctx->what.limits.nesting,
				     .now = ctx->what.now,
				     .wall = command && !page->of_process ? command_wall(ctx->in)
									  : NS_NONE };
	bool same = page->made.model == made.model && page->made.slot == made.slot &&
		    page->made.nesting == made.nesting && page->made.filter == made.filter;
	struct parts_of of;
	bool many = page->parts.nr_pieces + page->parts.nr_processes > MANY;

	if (same && many && made.now >= page->made.now && made.now - page->made.now < NS_PER_SEC)
		return;
	if (same && page->made.version == made.version && !page->parts.live &&
	    page->made.wall == made.wall)
		return;
	page->made = made;
	of = (struct parts_of){ .slot = made.slot,
				.begun = made.wall == NS_NONE ? NS_NONE : ctx->in->command_begun_ns,
				.wall = made.wall,
				.own_command = ctx->in->own_command };
	parts_make(&page->parts, &ctx->what, &of);
	blocks_make(&page->blocks, ctx->model, &page->parts, made.slot);
	page->has_remote = remote_time_make(&page->remote, &page->parts, &ctx->what, &of);
	path_make(&page->path, ctx->model, &page->parts, made.slot, MAX_PIECES);
}

/* Return the id of a part's row, made from the part's name, so that it is the same in every
 * model. */
static uint64_t part_id(const struct view_ctx *ctx, const struct summary *page, uint32_t part)
{
	const struct part *p = &page->parts.items[part];
	struct tr2_buf *line = format_line();
	const char *name;
	size_t len;

	part_format(&page->parts, ctx->model, p, line);
	name = part_name(&page->parts, p, &len);
	return tr2_hash_pair(tr2_hash(tr2_buf_cstr(line), line->len),
			     tr2_hash(name ? name : "", len) ^ (uint64_t)(p->kind + 1) << 56);
}

static void add_parts(struct view_ctx *ctx, struct table *table, const struct summary *page)
{
	summary_add(table, ROW_HEADING, HEADING_WHERE, 0, true);
	for (uint32_t i = 0; i < page->parts.nr; i++) {
		if (!page->all_parts && page->parts.nr - i >= SMALL_LEAST &&
		    page->parts.items[i].time < page->parts.wall / SMALL_SHARE) {
			summary_add(table, ROW_SMALL, i, 0, false)->id = ROW_SMALL;
			break;
		}
		summary_add(table, ROW_PART, i, 0, false)->id = part_id(ctx, page, i);
	}
	summary_add(table, ROW_SUM, 0, 0, true);
	if (parts_limit_is_shown(&page->parts))
		summary_add(table, ROW_LIMIT, 0, 0, true)->wide = true;
	if (page->parts.guessed)
		summary_add(table, ROW_GUESSED, 0, 0, true)->wide = true;
}

static uint32_t listed_part(const struct view_ctx *ctx, const struct summary *page)
{
	for (uint32_t i = 0; i < page->parts.nr; i++)
		if (part_id(ctx, page, i) == page->part)
			return i;
	return UINT32_MAX;
}

static void add_line(struct table *table, uint32_t line, uint64_t around, uint64_t summary_begin)
{
	summary_add(table, ROW_LINE, line, 0, false)->id =
		tr2_hash_pair(around, summary_begin ^ (uint64_t)ROW_LINE << 56);
}

static void add_path(struct view_ctx *ctx, struct table *table, struct summary *page)
{
	uint32_t part = page->mode == MODE_PIECES ? listed_part(ctx, page) : UINT32_MAX;

	summary_add(table, ROW_HEADING, page->mode == MODE_PATH ? HEADING_PATH : HEADING_PIECES,
		    part, true);
	for (uint32_t i = 0; i < page->path.nr; i++) {
		const struct path_line *line = &page->path.lines[i];

		if (page->mode == MODE_PATH ||
		    (line->piece != SLOT_NONE && page->parts.pieces[line->piece].part == part))
			add_line(table, i, line->piece == SLOT_NONE, (uint64_t)line->begin);
	}
	if (page->path.nr_left_out)
		summary_add(table, ROW_LEFT_OUT, 0, 0, true);
	if (page->mode == MODE_PATH)
		summary_add(table, ROW_SUM, 0, 0, true);
}

static void add_blank(const struct view_ctx *ctx, struct table *table)
{
	if (ctx->height >= ROOMY_ROWS && !ctx->said)
		summary_add(table, ROW_BLANK, table->nr_rows, 0, true)->wide = true;
}

static void add_head(struct view_ctx *ctx, struct table *table, const struct summary *page)
{
	bool one = page->of_process || has_command(ctx);

	for (uint32_t i = 0; ctx->said && i < NR_FACTS; i++)
		if ((one || i >= FACT_WALL) && (i != FACT_REMOTE || page->has_remote))
			summary_add(table, ROW_FACT, i, 0, true)->wide = true;
	if (ctx->said || ctx->height < LOW_ROWS)
		return;
	if (one && summary_title_is_cut(ctx))
		summary_add(table, ROW_FACT, FACT_COMMAND, 0, true)->wide = true;
	if (page->parts.wall <= 0)
		return;
	summary_add(table, ROW_BAR, 0, 0, true)->wide = true;
	summary_add(table, ROW_AXIS, 0, 0, true)->wide = true;
	add_blank(ctx, table);
}

static void summary_gather(struct view_ctx *ctx, struct table *table)
{
	struct summary *page = ctx->view->private;
	bool command = has_command(ctx);

	summary_begin(ctx, page);
	page->ticks = false;
	if (page->of_process && !ctx->process)
		return;
	make_parts(ctx, page);
	page->ticks = page->parts.live || (command && !ctx->in->command_ended && !page->of_process);
	table->sort = SORT_NATURAL;
	table->reverse = false;
	table->follow = FOLLOW_NONE;
	add_head(ctx, table, page);
	if (page->mode != MODE_PARTS) {
		add_path(ctx, table, page);
		return;
	}
	add_parts(ctx, table, page);
	add_together(ctx, table, page);
	add_blank(ctx, table);
	summary_add_notes(ctx, table);
}

/* Draw the name of a part; a long hierarchy is cut in the middle, because the part belongs to its
 * last process. */
static void draw_called(const struct slot *slot, enum style style, const char *text, size_t len)
{
	static const char below[] = " > ";
	const char *last = NULL, *at = text, *end = text + len;
	int head;

	while ((at = platform_find(at, (size_t)(end - at), below, sizeof(below) - 1)))
		last = at++;
	if (!last) {
		slot_text(slot, style, text, len);
		return;
	}
	head = slot->cols - 1 -
	       surface_text_cells(last, (size_t)(end - last), slot->surface->ascii);
	surface_text_ends(slot->surface, slot->x, slot->y, slot->cols, style, text, len,
			  head > 0 ? head : 0);
}

static void draw_wide(const struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct summary *page = ctx->view->private;
	struct tr2_buf *out = format_line();
	struct slot rest = slot_rest(slot, FACT_CELLS);
	enum style style;

	switch ((enum summary_kind)row->kind) {
	case ROW_BAR:
		summary_draw_blocks(ctx, slot);
		return;
	case ROW_AXIS:
		summary_draw_axis(ctx, slot);
		return;
	case ROW_FACT:
		slot_text(slot, STYLE_DIM, fact_names[row->ref], SIZE_MAX);
		style = summary_format_fact(ctx, (enum summary_fact)row->ref, out);
		slot_text(&rest, style, tr2_buf_cstr(out), out->len);
		return;
	case ROW_LIMIT:
		parts_limit_format(&page->parts, out);
		slot_text(slot, STYLE_NOTICE, tr2_buf_cstr(out), out->len);
		return;
	case ROW_GUESSED:
		slot_text(slot, STYLE_NOTICE, "brief format: places in time are guessed", SIZE_MAX);
		return;
	case ROW_BLANK:
		return;
	default:
		summary_draw_note(ctx, row, slot);
		return;
	}
}

static void summary_draw_what(const struct view_ctx *ctx, const struct row *row,
			      const struct slot *slot)
{
	struct tr2_buf *out = format_line();
	enum style style;

	if (row->kind == ROW_HEADING) {
		summary_format_heading(ctx, row, out);
		surface_text(slot->surface, slot->x, slot->y, slot->surface->cols - slot->x - 2,
			     row->ref == HEADING_WHERE ? STYLE_DIM : STYLE_TITLE, tr2_buf_cstr(out),
			     out->len);
		return;
	}
	style = summary_format_row(ctx, row, out);
	draw_called(slot, style, tr2_buf_cstr(out), out->len);
}

static void summary_draw_bar(ns_t whole, ns_t time, const struct slot *slot)
{
	if (time > 0 && whole > 0)
		surface_bar(slot->surface, slot->x, slot->y, slot->cols, STYLE_BAR,
			    1 + (int64_t)((double)time / (double)whole * slot->cols * 8.0));
}

static void summary_draw_count(const struct view_ctx *ctx, uint64_t count, const struct slot *slot)
{
	if (!ctx->said)
		slot_count(slot, STYLE_TEXT, count);
	else if (count > 1)
		slot_printf(slot, STYLE_TEXT, "%" PRIu64 " times", count);
}

static void summary_draw_share(double percent, const struct slot *slot)
{
	bool wide = percent >= 1000 || percent <= -1000;

	slot_printf(slot, STYLE_TEXT, wide ? "%.0f%%" : "%.1f%%", percent);
}

static void draw_heading_of(const struct view_ctx *ctx, int column, const struct slot *slot)
{
	static const char *const titles[] = { [COL_PROCESS] = "IN",
					      [COL_TIME] = "TIME",
					      [COL_SHARE] = "SHARE",
					      [COL_COUNT] = "PIECES" };

	if (titles[column] && (column != COL_PROCESS || summary_has_process_column(ctx)))
		slot_text(slot, STYLE_DIM, titles[column], SIZE_MAX);
}

static void summary_draw(struct view_ctx *ctx, const struct row *row, int column,
			 const struct slot *slot)
{
	const struct summary *page = ctx->view->private;
	ns_t time, whole;

	ctx->view->ticks |= page->ticks;
	if (column != COL_WHAT && row->kind == ROW_HEADING && row->ref == HEADING_WHERE &&
	    !ctx->said) {
		draw_heading_of(ctx, column, slot);
		return;
	}
	if (row->wide) {
		if (column == COL_WHAT)
			draw_wide(ctx, row, slot);
		return;
	}
	if (column == COL_WHAT || row->kind == ROW_HEADING) {
		if (column == COL_WHAT)
			summary_draw_what(ctx, row, slot);
		return;
	}
	if (column == COL_PROCESS) {
		struct tr2_buf *out = format_line();

		if (row->kind != ROW_PART || !summary_has_process_column(ctx))
			return;
		summary_format_in(ctx, &page->parts.items[row->ref], out);
		draw_called(slot, STYLE_DIM, tr2_buf_cstr(out), out->len);
		return;
	}
	time = summary_row_time(ctx, row);
	whole = summary_whole_of(page, row);
	if (column == COL_COUNT && row->kind == ROW_PART)
		summary_draw_count(ctx, page->parts.items[row->ref].pieces, slot);
	else if (column == COL_COUNT && row->kind == ROW_TOGETHER &&
		 page->together.parts[row->ref].count)
		summary_draw_count(ctx, page->together.parts[row->ref].count, slot);
	else if (column == COL_COUNT && row->kind == ROW_SMALL && !ctx->said)
		slot_text(slot, STYLE_DIM, "Enter", SIZE_MAX);
	else if (column == COL_TIME && time < 0 && time != NS_NONE)
		slot_printf(slot, STYLE_DIM, "-%s", human_duration(-time).text);
	else if (column == COL_TIME)
		slot_duration(slot, row->kind == ROW_SUM ? STYLE_TITLE : duration_style(time),
			      time);
	else if (column == COL_SHARE && whole > 0 && time != NS_NONE)
		summary_draw_share((double)time * 100 / (double)whole, slot);
	else if (column == COL_BAR && row->kind != ROW_SUM)
		summary_draw_bar(whole, time, slot);
}

static const char *summary_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "the process was evicted";
}

static bool summary_act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	struct summary *page = ctx->view->private;
	const struct row *row = table_selected(&ctx->view->table);

	(void)key;
	if (action == ACTION_SCOPE) {
		page->of_process = !page->of_process;
	} else if (action == ACTION_PATH) {
		page->mode = page->mode == MODE_PATH ? MODE_PARTS : MODE_PATH;
	} else if (action == ACTION_DRILL && row && row->kind == ROW_SMALL) {
		page->all_parts = true;
	} else if (action == ACTION_DRILL && row && row->kind == ROW_MORE &&
		   row->ref == NOTE_PARALLEL) {
		page->all_parallel = true;
	} else if (action == ACTION_DRILL && row && row->kind == ROW_PART) {
		page->mode = MODE_PIECES;
		page->part = row->id;
	} else if (action == ACTION_BACK && page->mode != MODE_PARTS) {
		if (page->mode == MODE_PIECES)
			table_select(&ctx->view->table, page->part);
		page->mode = MODE_PARTS;
	} else if (action == ACTION_BACK && (page->all_parts || page->all_parallel)) {
		page->all_parts = page->all_parallel = false;
	} else {
		return false;
	}
	return true;
}

static enum view_id drill_line(const struct view_ctx *ctx, const struct path_line *line,
			       struct subject *subject)
{
	const struct summary *page = ctx->view->private;
	uint64_t event = UINT64_MAX;

	if (line->slot == SLOT_NONE)
		return NR_VIEWS;
	subject->process = model_handle(ctx->model, line->slot);
	if (line->piece != SLOT_NONE && page->parts.begun != NS_NONE)
		event = path_event(&ctx->what, subject->process.sid_hash,
				   ns_add(page->parts.begun, line->begin));
	if (event == UINT64_MAX)
		return VIEW_PROCESS;
	subject->event = event + 1;
	return VIEW_EVENTS;
}

static enum view_id summary_drill(const struct view_ctx *ctx, const struct row *row,
				  struct subject *subject)
{
	const struct summary *page = ctx->view->private;
	const struct process *p;
	const struct child *child;
	uint32_t slot;

	switch ((enum summary_kind)row->kind) {
	case ROW_LINE:
		return drill_line(ctx, &page->path.lines[row->ref], subject);
	case ROW_TOGETHER:
		/* A row that sums up several labels cannot open the page of one of them. */
		if (page->together.parts[row->ref].label == SYM_NONE ||
		    page->together.parts[row->ref].has_others)
			return NR_VIEWS;
		subject->category = page->together.parts[row->ref].category;
		subject->label = page->together.parts[row->ref].label;
		subject->process = model_handle(ctx->model, row->ref2);
		return VIEW_REGION;
	case ROW_CHILD:
		p = model_slot(ctx->model, row->ref2);
		child = process_child(ctx->model, p, row->ref);
		slot = child->process != SLOT_NONE ? child->process : child->any_process;
		if (slot == SLOT_NONE)
			return NR_VIEWS;
		subject->process = model_handle(ctx->model, slot);
		return VIEW_PROCESS;
	case ROW_THREAD:
		subject->process = model_handle(ctx->model, row->ref2);
		return VIEW_PROCESS;
	case ROW_ERROR:
		subject->process = model_handle(ctx->model, page->errors.items[row->ref].slot);
		return VIEW_PROCESS;
	case ROW_FINDING:
		if (row->ref >= ctx->found->shown.nr)
			return NR_VIEWS;
		subject->group = ctx->found->shown.items[row->ref].id;
		return VIEW_FINDING;
	case ROW_MORE:
		return row->ref == NOTE_FINDINGS ? VIEW_FINDINGS : VIEW_ERRORS;
	default:
		return NR_VIEWS;
	}
}

static void summary_release(void *private)
{
	struct summary *page = private;

	parts_release(&page->parts);
	blocks_release(&page->blocks);
	path_release(&page->path);
	errors_release(&page->errors);
	thread_totals_release(&page->together);
}

const struct view_ops page_summary = {
	.name = "Summary",
	.named = summary_name,
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.private_bytes = sizeof(struct summary),
	.title = summary_title,
	.title_right = summary_title_right,
	.gather = summary_gather,
	.draw = summary_draw,
	.empty = summary_empty,
	.drill = summary_drill,
	.act = summary_act,
	.release = summary_release,
};
