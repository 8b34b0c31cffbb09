/* SPDX-License-Identifier: MIT */
/*
 * The summary: where the wall time of the command went, or of a process: parts that add up, and
 * below them what ran beside, the children and the other threads.
 */
#include "config.h"

#include "views/ui/view.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/analysis/errors.h"
#include "monitor/base/humanize.h"
#include "monitor/analysis/formats.h"
#include "monitor/analysis/together.h"
#include "monitor/analysis/where.h"

enum { COL_WHAT, COL_COUNT, COL_TIME, COL_SHARE, COL_BAR };

static const struct column columns[] = {
	[COL_WHAT] = { .min_cells = 24, .grow = 3, .no_sort = true },
	[COL_COUNT] = { .title = "", .min_cells = 7, .rank = 2, .right = true, .no_sort = true },
	[COL_TIME] = { .title = "", .min_cells = 9, .right = true, .no_sort = true },
	[COL_SHARE] = { .title = "", .min_cells = 7, .rank = 1, .right = true, .no_sort = true },
	[COL_BAR] = { .title = "", .min_cells = 8, .grow = 1, .rank = 3, .no_sort = true },
};

enum kind {
	ROW_FACT,
	ROW_HEADING,
	ROW_PART,
	ROW_SUM,
	ROW_TOGETHER,
	ROW_PROCS,
	ROW_CHILD,
	ROW_THREAD,
	ROW_ERROR,
	ROW_MORE
};
enum fact { FACT_COMMAND, FACT_STATE, FACT_WALL, FACT_BELOW, NR_FACTS };
enum heading {
	HEADING_ERRORS,
	HEADING_WHERE,
	HEADING_TOGETHER,
	HEADING_CHILDREN,
	HEADING_THREADS,
	NR_HEADINGS
};

static const char *const fact_names[NR_FACTS] = {
	[FACT_COMMAND] = "command",
	[FACT_STATE] = "result",
	[FACT_WALL] = "wall time",
	[FACT_BELOW] = "processes",
};

static const char *const headings[NR_HEADINGS] = {
	[HEADING_ERRORS] = "What it said went wrong",
	[HEADING_WHERE] = "Where it went",
	[HEADING_TOGETHER] = NULL, /* the format's */
	[HEADING_CHILDREN] = "Children, which ran meanwhile",
	[HEADING_THREADS] = "Other threads, which ran meanwhile",
};

static const char *const part_names[NR_WHERE_KINDS] = {
	[WHERE_OTHERS] = "other regions",
	[WHERE_HIDDEN] = "hidden by the nesting limit",
	[WHERE_CHILDREN] = "waiting for children, in no region",
	[WHERE_OUTSIDE] = "outside any region",
	[WHERE_UNTRACED] = "before and after tracing",
	[WHERE_TWICE] = "less: ran at the same time, or after the end",
};

#define MAX_CHILDREN 50
#define MAX_ERRORS   5
#define LOW_ROWS     8 /* below, the wall time is the only fact */

struct page {
	struct where where;
	struct together together; /* of the process, where its format has that view */
	struct spans spans;
	bool begun, of_process;
	bool ticks;         /* something live is among the parts */
	struct handle last; /* the process that the spans are of */
	struct beside {     /* the longest children, or threads */
		uint32_t slot, index;
		ns_t time;
	} children[MAX_CHILDREN];
	uint32_t nr_children;
	struct errors errors;
};

static bool has_command(const struct view_ctx *ctx)
{
	return ctx->in->command_line != NULL;
}

/* ---- gathering ---- */

/* The oldest process without a parent: what the other pages are opened on. */
static struct handle oldest_root(const struct model *model)
{
	uint32_t oldest = model_first_root(model);

	if (oldest == SLOT_NONE)
		return HANDLE_NONE;
	while (model_slot(model, oldest)->next_sibling != SLOT_NONE)
		oldest = model_slot(model, oldest)->next_sibling;
	return model_handle(model, oldest);
}

static void begin(struct view_ctx *ctx, struct page *page)
{
	struct subject *subject = &ctx->view->subject;

	if (!page->begun)
		page->of_process = !has_command(ctx) && subject->process.slot != SLOT_NONE;
	page->begun = true;
	if (subject->process.slot == SLOT_NONE)
		subject->process = model_process(ctx->model, ctx->selected)
					   ? ctx->selected
					   : oldest_root(ctx->model);
	ctx->process = model_process(ctx->model, subject->process);
}

static void insert(struct page *page, uint32_t slot, uint32_t index, ns_t time)
{
	uint32_t at = page->nr_children;

	if (time == NS_NONE)
		time = 0;
	if (at == MAX_CHILDREN && page->children[at - 1].time >= time)
		return;
	at = at == MAX_CHILDREN ? at - 1 : page->nr_children++;
	for (; at && page->children[at - 1].time < time; at--)
		page->children[at] = page->children[at - 1];
	page->children[at] = (struct beside){ slot, index, time };
}

static void find_children(const struct view_ctx *ctx, struct page *page, uint32_t slot)
{
	const struct process *p = model_slot(ctx->model, slot);

	for (uint32_t i = 0; i < p->children.nr; i++)
		insert(page, slot, i, view_child_time(ctx, p, process_child(ctx->model, p, i)));
}

static ns_t thread_time(const struct view_ctx *ctx, const struct process *p,
			const struct thread *thread)
{
	ns_t end = thread_end(p, thread, ctx->what.now);

	if (thread->elapsed != NS_NONE)
		return thread->elapsed;
	return thread->first_time == NS_NONE || end == NS_NONE ? 0 : end - thread->first_time;
}

static void find_threads(const struct view_ctx *ctx, struct page *page, uint32_t slot)
{
	const struct process *p = model_slot(ctx->model, slot);
	uint32_t main = process_main_thread(ctx->model, p);

	for (uint32_t i = 0; i < p->threads.nr; i++)
		if (i != main)
			insert(page, slot, i,
			       thread_time(ctx, p, process_thread(ctx->model, p, i)));
}

/* Of the process, or of all that have no parent. */
static void find(const struct view_ctx *ctx, struct page *page,
		 void (*each)(const struct view_ctx *, struct page *, uint32_t))
{
	const struct model *m = ctx->model;

	page->nr_children = 0;
	if (page->of_process) {
		each(ctx, page, ctx->view->subject.process.slot);
		return;
	}
	for (uint32_t s = model_first_root(m); s != SLOT_NONE; s = model_slot(m, s)->next_sibling)
		each(ctx, page, s);
}

static struct row *add(struct table *table, enum kind kind, uint32_t ref, uint32_t ref2, bool fixed)
{
	uint64_t nr = table->nr_rows;
	struct row *row = table_add(table, (uint64_t)(kind + 1) << 48 | (uint64_t)ref2 << 24 | ref);

	row->key = (int64_t)nr;
	row->kind = (uint8_t)kind;
	row->ref = ref;
	row->ref2 = ref2;
	row->fixed = fixed;
	return row;
}

static void add_beside(struct view_ctx *ctx, struct table *table, struct page *page, enum kind kind,
		       enum heading heading)
{
	if (page->nr_children)
		add(table, ROW_HEADING, heading, 0, true);
	for (uint32_t i = 0; i < page->nr_children; i++)
		add(table, kind, page->children[i].index, page->children[i].slot, false)->id =
			tr2_hash_pair(model_slot(ctx->model, page->children[i].slot)->sid_hash,
				      (uint64_t)kind << 32 | page->children[i].index);
}

static bool has_failed(const struct view_ctx *ctx, const struct page *page)
{
	const struct model_totals *totals = model_totals(ctx->model);

	if (!page->of_process)
		return totals->failed + totals->by_state[STATE_SIGNALED] > 0;
	return process_failed(ctx->process) || ctx->process->state == STATE_SIGNALED;
}

static int message_cells(const struct view_ctx *ctx)
{
	return ctx->width > 12 ? ctx->width - 3 : 9;
}

/* The newest messages, wrapped; for the others there is a page. */
static void add_errors(struct view_ctx *ctx, struct table *table, struct page *page)
{
	struct analysis of = ctx->what;

	if (!has_failed(ctx, page))
		return;
	if (!page->of_process)
		of.process = HANDLE_NONE;
	errors_make(&page->errors, &of, false);
	if (page->errors.nr)
		add(table, ROW_HEADING, HEADING_ERRORS, 0, true);
	for (uint32_t i = 0; i < page->errors.nr && i < MAX_ERRORS; i++) {
		struct tr2_buf *line = say_line();
		uint32_t lines;

		error_say(ctx->model, error_item_of(ctx->model, &page->errors.items[i]), line);
		lines = wrapped_lines(tr2_buf_cstr(line), line->len, message_cells(ctx));
		for (uint32_t at = 0; at < lines; at++)
			add(table, ROW_ERROR, i, at, false);
	}
	if (page->errors.nr > MAX_ERRORS)
		add(table, ROW_MORE, 0, 0, true);
}

/* What all threads of the process did together; of all processes, where there is one alone. */
static void add_together(struct view_ctx *ctx, struct table *table, struct page *page)
{
	uint32_t first = model_first_root(ctx->model), slot = first;

	if (page->of_process)
		slot = ctx->view->subject.process.slot;
	else if (first == SLOT_NONE || model_nr_processes(ctx->model) != 1)
		return;
	if (!together_make(&page->together, &ctx->what, slot) || !page->together.nr)
		return;
	page->ticks |= process_is_live(model_slot(ctx->model, slot));
	add(table, ROW_HEADING, HEADING_TOGETHER, slot, true);
	for (uint32_t i = 0; i < page->together.nr; i++)
		add(table, ROW_TOGETHER, i, slot, false)->id =
			(uint64_t)(ROW_TOGETHER + 1) << 56 |
			(uint64_t)page->together.parts[i].label << 3 | page->together.parts[i].kind;
	if (page->together.nr_procs)
		add(table, ROW_PROCS, 0, 0, true);
}

/* All spans of what it is of, or NULL. */
static const struct spans *spans_whole(struct view_ctx *ctx, struct page *page)
{
	const struct process *p = page->of_process ? ctx->process : NULL;
	const char *sid = p ? model_text(ctx->model, p->sid) : NULL;
	size_t len = p ? p->sid.len : 0;

	if (!spans_is_of(&page->spans, sid, len))
		spans_reset(&page->spans, sid, len);
	if (!ctx->in->journal || journal_first_seq(ctx->in->journal) || ctx->in->past)
		return NULL;
	if (spans_read(&page->spans, ctx->in->journal) < 100)
		ctx->view->working = true;
	return page->spans.nr_old || page->spans.nr_timeless ? NULL : &page->spans;
}

static ns_t command_wall(const struct ui_input *in)
{
	ns_t wall = in->command_ran_ns;

	if (in->past && in->past_ns != NS_NONE && in->past_ns - in->command_begun_ns < wall)
		wall = in->past_ns - in->command_begun_ns;
	return wall > 0 ? wall : 0;
}

static void gather(struct view_ctx *ctx, struct table *table)
{
	struct page *page = ctx->view->private;
	bool command = has_command(ctx);

	begin(ctx, page);
	page->ticks = false;
	if (page->of_process && !ctx->process)
		return;
	where_make(&page->where, &ctx->what,
		   &(struct where_of){ .slot = page->of_process ? ctx->view->subject.process.slot
								: SLOT_NONE,
				       .begun = command ? ctx->in->command_begun_ns : NS_NONE,
				       .wall = command ? command_wall(ctx->in) : NS_NONE,
				       .spans = spans_whole(ctx, page) });
	page->ticks = page->where.live || (command && !ctx->in->command_ended && !page->of_process);
	for (uint32_t i = 0; i < NR_FACTS; i++)
		if ((page->of_process || command || i >= FACT_WALL) &&
		    (ctx->height >= LOW_ROWS || i == FACT_WALL))
			add(table, ROW_FACT, i, 0, true);
	if (ctx->height >= LOW_ROWS)
		add_errors(ctx, table, page);
	add(table, ROW_HEADING, HEADING_WHERE, 0, true);
	for (uint32_t i = 0; i < page->where.nr; i++) {
		const struct where_part *part = &page->where.parts[i];

		add(table, ROW_PART, i, part->kind, false)->id = (uint64_t)(ROW_PART + 1) << 56 |
								 (uint64_t)part->category << 28 |
								 part->label << 3 | part->kind;
	}
	add(table, ROW_SUM, 0, 0, true);
	add_together(ctx, table, page);
	find(ctx, page, find_children);
	add_beside(ctx, table, page, ROW_CHILD, HEADING_CHILDREN);
	find(ctx, page, find_threads);
	add_beside(ctx, table, page, ROW_THREAD, HEADING_THREADS);
	table->sort = SORT_NATURAL;
	table->reverse = false;
	table->follow = FOLLOW_NONE;
}

/* ---- drawing ---- */

static void say_below(const struct view_ctx *ctx, const struct page *page, struct tr2_buf *out)
{
	const struct model_totals *totals = model_totals(ctx->model);

	if (page->of_process) {
		say_count(ctx->process->children.nr, out);
		tr2_buf_addstr(out, ctx->process->children.nr == 1 ? " child, " : " children, ");
		say_count(ctx->process->threads.nr, out);
		tr2_buf_addstr(out, ctx->process->threads.nr == 1 ? " thread" : " threads");
		return;
	}
	say_count(totals->processes, out);
	tr2_buf_addstr(out, " traced, ");
	say_count(page->where.nr_processes, out);
	tr2_buf_addstr(out, " of them without a parent; ");
	say_count(totals->children, out);
	tr2_buf_addstr(out, totals->children == 1 ? " child, " : " children, ");
	say_count(totals->failed + totals->by_state[STATE_SIGNALED], out);
	tr2_buf_addstr(out, " failed");
}

static enum style say_fact(const struct view_ctx *ctx, enum fact fact, struct tr2_buf *out)
{
	const struct page *page = ctx->view->private;
	char state[32];

	switch (fact) {
	case FACT_COMMAND:
		if (page->of_process && ctx->process->format != SYM_NONE)
			say_process(ctx->model, ctx->process, out);
		else if (page->of_process)
			say_strings(ctx->model, &ctx->process->argv, 0, out);
		else
			tr2_buf_addstr(out, ctx->in->command_line);
		return STYLE_NAME;
	case FACT_STATE:
		if (page->of_process) {
			enum style style = process_state_text(ctx->process, state, sizeof(state));

			tr2_buf_addstr(out, state);
			return style;
		}
		tr2_buf_addstr(out, ctx->in->command_state ? ctx->in->command_state : "");
		return ctx->in->command_failed ? STYLE_FAILED : STYLE_TEXT;
	case FACT_WALL:
		say_duration(page->where.wall, out);
		return STYLE_TEXT;
	default:
		say_below(ctx, page, out);
		return STYLE_TEXT;
	}
}

static enum style say_part(const struct view_ctx *ctx, const struct where_part *part,
			   struct tr2_buf *out)
{
	const struct page *page = ctx->view->private;

	if (part->kind != WHERE_REGION) {
		if (part->kind == WHERE_OTHERS)
			tr2_buf_addf(out, "%" PRIu64 " ", part->count);
		tr2_buf_addstr(out, part->kind == WHERE_TWICE && page->of_process
					    ? "less: its regions say more than it does"
				    : part->kind == WHERE_OTHERS && part->count == 1
					    ? "other region"
					    : part_names[part->kind]);
		if (part->kind == WHERE_HIDDEN)
			tr2_buf_addf(out, " %" PRId64, ctx->what.limits.nesting);
		return STYLE_DIM;
	}
	say_region(ctx->model, part->category, part->label, out);
	if (part->nr_open)
		tr2_buf_addstr(out, " (open)");
	return part->nr_open ? STYLE_LIVE : STYLE_TEXT;
}

static enum style say_child(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	const struct child *child =
		process_child(ctx->model, model_slot(ctx->model, row->ref2), row->ref);

	if (child->child_class != SYM_NONE) {
		say_sym(ctx->model, child->child_class, out);
		tr2_buf_addstr(out, ": ");
	}
	say_strings(ctx->model, &child->argv, 0, out);
	return child->state == CHILD_EXITED && child->code > 0 ? STYLE_FAILED : STYLE_TEXT;
}

static void draw_error(const struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct page *page = ctx->view->private;
	struct tr2_buf *out = say_line();
	const char *text;
	size_t shown;

	if (row->kind == ROW_MORE) {
		tr2_buf_addf(out, "and %" PRIu32 " more: E", page->errors.nr - MAX_ERRORS);
		slot_text(slot, STYLE_DIM, tr2_buf_cstr(out), out->len);
		return;
	}
	error_say(ctx->model, error_item_of(ctx->model, &page->errors.items[row->ref]), out);
	text = wrapped_line(tr2_buf_cstr(out), out->len, message_cells(ctx), row->ref2, &shown);
	surface_text(slot->surface, slot->x, slot->y, slot->surface->cols - slot->x - 2,
		     STYLE_FAILED, text, shown);
}

static enum style say_row(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	const struct page *page = ctx->view->private;

	switch ((enum kind)row->kind) {
	case ROW_PART:
		return say_part(ctx, &page->where.parts[row->ref], out);
	case ROW_SUM:
		tr2_buf_addstr(out, "total");
		return STYLE_TITLE;
	case ROW_TOGETHER:
		together_say(ctx->model, &page->together.parts[row->ref], out);
		return page->together.parts[row->ref].kind == TOGETHER_RUNNABLE ? STYLE_NOTICE
										: STYLE_TEXT;
	case ROW_PROCS:
		together_say_procs(&page->together, out);
		return STYLE_TEXT;
	case ROW_CHILD:
		return say_child(ctx, row, out);
	case ROW_THREAD:
		say_sym(ctx->model,
			process_thread(ctx->model, model_slot(ctx->model, row->ref2), row->ref)
				->name,
			out);
		return STYLE_TEXT;
	default:
		return STYLE_TEXT;
	}
}

static ns_t row_time(const struct view_ctx *ctx, const struct row *row)
{
	const struct page *page = ctx->view->private;
	const struct process *p;

	switch ((enum kind)row->kind) {
	case ROW_PART:
		return page->where.parts[row->ref].time;
	case ROW_SUM:
		return page->where.wall;
	case ROW_TOGETHER:
		return page->together.parts[row->ref].time;
	case ROW_PROCS:
		return page->together.procs_time;
	case ROW_CHILD:
		p = model_slot(ctx->model, row->ref2);
		return view_child_time(ctx, p, process_child(ctx->model, p, row->ref));
	default:
		p = model_slot(ctx->model, row->ref2);
		return thread_time(ctx, p, process_thread(ctx->model, p, row->ref));
	}
}

static void say_heading(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	const struct page *page = ctx->view->private;

	if (row->ref == HEADING_TOGETHER)
		together_say_heading(ctx->model, model_slot(ctx->model, row->ref2), &page->together,
				     out);
	else
		tr2_buf_addstr(out, headings[row->ref]);
}

/* What a row's time is a part of. */
static ns_t whole_of(const struct page *page, const struct row *row)
{
	if (row->kind == ROW_TOGETHER)
		return page->together.time;
	if (row->kind == ROW_PROCS)
		return page->together.procs_wall * page->together.nr_procs;
	return page->where.wall;
}

static void draw_what(const struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *out = say_line();
	enum style style;

	if (row->kind == ROW_HEADING) {
		say_heading(ctx, row, out);
		surface_text(slot->surface, slot->x, slot->y, slot->surface->cols - slot->x - 2,
			     STYLE_TITLE, tr2_buf_cstr(out), out->len);
		return;
	}
	if (row->kind == ROW_FACT) {
		style = say_fact(ctx, (enum fact)row->ref, out);
		surface_text(slot->surface, slot->x, slot->y, 10, STYLE_DIM, fact_names[row->ref],
			     SIZE_MAX);
		surface_text(slot->surface, slot->x + 11, slot->y,
			     slot->surface->cols - slot->x - 13, style, tr2_buf_cstr(out),
			     out->len);
		return;
	}
	if (row->kind == ROW_ERROR || row->kind == ROW_MORE) {
		draw_error(ctx, row, slot);
		return;
	}
	style = say_row(ctx, row, out);
	slot_text(slot, style, tr2_buf_cstr(out), out->len);
}

/* Of the last part less than a cell may be missing, so that nothing is drawn beyond. */
static void draw_bar(ns_t whole, ns_t time, const struct slot *slot)
{
	if (time > 0 && whole > 0)
		surface_bar(slot->surface, slot->x, slot->y, slot->cols, STYLE_BAR,
			    1 + (int64_t)((double)time / (double)whole * slot->cols * 8.0));
}

static void draw_share(double percent, const struct slot *slot)
{
	bool wide = percent >= 1000 || percent <= -1000;

	slot_printf(slot, STYLE_TEXT, wide ? "%.0f%%" : "%.1f%%", percent);
}

static void draw(struct view_ctx *ctx, const struct row *row, int column, const struct slot *slot)
{
	const struct page *page = ctx->view->private;
	ns_t time, whole;

	ctx->view->ticks |= page->ticks;
	if (column == COL_WHAT || row->kind == ROW_HEADING || row->kind == ROW_FACT ||
	    row->kind == ROW_ERROR || row->kind == ROW_MORE) {
		if (column == COL_WHAT)
			draw_what(ctx, row, slot);
		return;
	}
	time = row_time(ctx, row);
	whole = whole_of(page, row);
	if (column == COL_COUNT && row->kind == ROW_PART &&
	    page->where.parts[row->ref].kind != WHERE_OTHERS && page->where.parts[row->ref].count)
		slot_printf(slot, STYLE_TEXT, "%" PRIu64 "x", page->where.parts[row->ref].count);
	else if (column == COL_COUNT && row->kind == ROW_TOGETHER &&
		 page->together.parts[row->ref].count)
		slot_printf(slot, STYLE_TEXT, "%" PRIu64 "x", page->together.parts[row->ref].count);
	else if (column == COL_TIME && time < 0 && time != NS_NONE)
		slot_printf(slot, STYLE_DIM, "-%s", human_duration(-time).text);
	else if (column == COL_TIME)
		slot_duration(slot, row->kind == ROW_SUM ? STYLE_TITLE : duration_style(time),
			      time);
	else if (column == COL_SHARE && whole > 0 && time != NS_NONE)
		draw_share((double)time * 100 / (double)whole, slot);
	else if (column == COL_BAR && row->kind != ROW_SUM)
		draw_bar(whole, time, slot);
}

static void title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct page *page = ctx->view->private;

	if (page->of_process)
		say_subject(ctx, out);
	else if (has_command(ctx))
		tr2_buf_addf(out, " · %s", ctx->in->command_line);
	else
		tr2_buf_addstr(out, " · all processes");
}

static const char *empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "the process has left the list";
}

/* ---- keys ---- */

static bool act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	struct page *page = ctx->view->private;

	(void)key;
	if (action != ACTION_SCOPE)
		return false;
	page->of_process = !page->of_process;
	return true;
}

static enum view_id drill(const struct view_ctx *ctx, const struct row *row,
			  struct subject *subject)
{
	const struct page *page = ctx->view->private;
	const struct process *p;
	const struct child *child;
	uint32_t slot;

	switch ((enum kind)row->kind) {
	case ROW_PART:
		if (page->where.parts[row->ref].kind != WHERE_REGION)
			return NR_VIEWS;
		subject->category = page->where.parts[row->ref].category;
		subject->label = page->where.parts[row->ref].label;
		if (!page->of_process)
			subject->process = HANDLE_NONE;
		return VIEW_REGION;
	case ROW_TOGETHER:
		/* A row that stands for several labels leads to none of them. */
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
	default:
		return NR_VIEWS;
	}
}

static void release(void *private)
{
	struct page *page = private;

	where_release(&page->where);
	errors_release(&page->errors);
	together_release(&page->together);
	spans_release(&page->spans);
}

const struct view_ops page_summary = {
	.name = "Summary",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.private_bytes = sizeof(struct page),
	.title = title,
	.gather = gather,
	.draw = draw,
	.empty = empty,
	.drill = drill,
	.act = act,
	.release = release,
};
