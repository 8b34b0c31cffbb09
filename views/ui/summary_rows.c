/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/summary_rows.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/analysis/formats.h"
#include "monitor/base/humanize.h"

/* width in cells from which the processes of parts have a column of their own */
#define PROCESS_COLUMN_CELLS 70
/* width in cells from which the text of ROW_SMALL is not shortened */
#define WORDY_CELLS 100

static const char *const headings[NR_HEADINGS] = {
	[HEADING_WHERE] = "Parts of the wall time",
	[HEADING_PATH] = "Critical path, in order of time",
	[HEADING_PIECES] = NULL,   /* the heading is the name of the part */
	[HEADING_TOGETHER] = NULL, /* formats.def has the heading */
};

struct row *summary_add(struct table *table, enum summary_kind kind, uint32_t ref, uint32_t ref2,
			bool fixed)
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

ns_t summary_thread_time(const struct view_ctx *ctx, const struct process *p,
			 const struct thread *thread)
{
	ns_t end = thread_end(p, thread, ctx->what.now);

	if (thread->elapsed != NS_NONE)
		return thread->elapsed;
	return thread->first_time == NS_NONE || end == NS_NONE ? 0 : end - thread->first_time;
}

static uint64_t nr_roots(const struct model *m)
{
	uint64_t nr = 0;

	for (uint32_t s = model_first_root(m); s != SLOT_NONE; s = model_next_sibling(m, s))
		nr++;
	return nr;
}

static void format_below(const struct view_ctx *ctx, const struct summary *page,
			 struct tr2_buf *out)
{
	const struct model_totals *totals = model_totals(ctx->model);
	uint64_t trees;

	if (page->of_process) {
		const struct format *format = format_of(ctx->model, ctx->process);

		format_count(ctx->process->children.nr, out);
		tr2_buf_addf(out, " %s, ",
			     ctx->process->children.nr == 1 ? format->a_child
							    : format->nr_children);
		format_count(ctx->process->threads.nr, out);
		tr2_buf_addstr(out, ctx->process->threads.nr == 1 ? " thread" : " threads");
		return;
	}
	trees = nr_roots(ctx->model);
	format_count(totals->processes, out);
	tr2_buf_addstr(out, " traced, in ");
	format_count(trees, out);
	tr2_buf_addstr(out, trees == 1 ? " tree; " : " trees; ");
	format_count(totals->children, out);
	tr2_buf_addstr(out, totals->children == 1 ? " child, " : " children, ");
	format_count(totals->failed + totals->by_state[STATE_SIGNALED], out);
	tr2_buf_addstr(out, " failed");
}

enum style summary_format_fact(const struct view_ctx *ctx, enum summary_fact fact,
			       struct tr2_buf *out)
{
	const struct summary *page = ctx->view->private;
	char state[32];

	switch (fact) {
	case FACT_COMMAND:
		if (page->of_process && ctx->process->format == SYM_NONE)
			format_strings(ctx->model, &ctx->process->argv, 0, out);
		if (page->of_process && !out->len)
			format_process(ctx->model, ctx->process, out);
		if (!page->of_process)
			tr2_buf_addstr(out, ctx->in->command_line);
		return STYLE_NAME;
	case FACT_STATE:
		if (page->of_process) {
			enum style style = process_state_text(ctx->process, state, sizeof(state));

			tr2_buf_addstr(out, state);
			format_death(ctx, out);
			return style;
		}
		tr2_buf_addstr(out, ctx->in->command_state ? ctx->in->command_state : "");
		return ctx->in->command_failed ? STYLE_FAILED : STYLE_TEXT;
	case FACT_WALL:
		format_duration(page->parts.wall, out);
		if (page->ticks)
			tr2_buf_addstr(out, " so far");
		return STYLE_TEXT;
	case FACT_REMOTE:
		remote_time_format(&page->remote, out);
		return STYLE_TEXT;
	default:
		format_below(ctx, page, out);
		return STYLE_TEXT;
	}
}

bool summary_has_process_column(const struct view_ctx *ctx)
{
	const struct summary *page = ctx->view->private;

	return !ctx->said && page->mode == MODE_PARTS && ctx->width >= PROCESS_COLUMN_CELLS &&
	       page->parts.nr_processes > 1;
}

/* Return the length of the hierarchy of the page's process, with a slash, if a part's hierarchy
 * begins with it; else 0. */
static size_t common_hierarchy(const struct view_ctx *ctx, const char *name, size_t len)
{
	const struct process *process = summary_process(ctx);
	struct tr2_buf root = { .max = 1 << 16 };
	size_t common = 0;

	if (process)
		format_process_hierarchy(ctx->model, process, &root);
	if (root.len && root.len < len && name[root.len] == '/' &&
	    !memcmp(name, root.data, root.len))
		common = root.len + 1;
	tr2_buf_release(&root);
	return common;
}

void summary_format_in(const struct view_ctx *ctx, const struct part *part, struct tr2_buf *out)
{
	const struct summary *page = ctx->view->private;
	struct tr2_buf line = { .max = 1 << 16 };
	size_t len, common, tail;
	const char *name = part_name(&page->parts, part, &len);

	if (!name)
		return;
	common = common_hierarchy(ctx, name, len);
	part_format_process(&page->parts, part, &line);
	/* part_format_process() wrote SAY_BELOW for each '/', so measure the rest from the end of
	 * the text. */
	tail = len - common;
	for (size_t i = common; i < len; i++)
		tail += name[i] == '/' ? strlen(SAY_BELOW) - 1 : 0;
	tr2_buf_add(out, line.data + line.len - tail, tail);
	tr2_buf_release(&line);
}

/* True if another part has the same name as this one and differs only in its process. */
static bool is_ambiguous(const struct parts *parts, const struct part *part)
{
	if (part->kind != PART_REGION && part->kind != PART_UNTRACED)
		return false;
	for (uint32_t i = 0; i < parts->nr; i++) {
		const struct part *other = &parts->items[i];

		if (other != part && other->kind == part->kind && other->label == part->label &&
		    other->category == part->category && other->text == part->text)
			return true;
	}
	return false;
}

static enum style summary_rows_format_part(const struct view_ctx *ctx, const struct part *part,
					   struct tr2_buf *out)
{
	const struct summary *page = ctx->view->private;

	/* If there is only one process, the parts need not name it. */
	if (summary_has_process_column(ctx) || (!ctx->said && page->parts.nr_processes == 1))
		part_format_within(&page->parts, ctx->model, part, out);
	else
		part_format_whole(&page->parts, ctx->model, part, out);
	if (!summary_has_process_column(ctx) && is_ambiguous(&page->parts, part)) {
		tr2_buf_addstr(out, " of ");
		summary_format_in(ctx, part, out);
	}
	return part->kind == PART_REGION ? STYLE_TEXT : STYLE_DIM;
}

static enum style format_path_line(const struct view_ctx *ctx, const struct row *row,
				   struct tr2_buf *out)
{
	const struct summary *page = ctx->view->private;
	const struct path_line *line = &page->path.lines[row->ref];
	const struct part *part;

	if (page->mode == MODE_PATH)
		tr2_buf_fill(out, ' ', 2 * (size_t)(line->level < 16 ? line->level : 16));
	format_duration(line->begin, out);
	tr2_buf_addstr(out, "  ");
	if (line->piece == SLOT_NONE) {
		format_process(ctx->model, model_slot(ctx->model, line->slot), out);
		return STYLE_NAME;
	}
	part = &page->parts.items[page->parts.pieces[line->piece].part];
	if (page->mode == MODE_PATH)
		part_format_within(&page->parts, ctx->model, part, out);
	else
		summary_rows_format_part(ctx, part, out);
	return part->kind == PART_REGION ? STYLE_TEXT : STYLE_DIM;
}

static enum style summary_rows_format_child(const struct view_ctx *ctx, const struct row *row,
					    struct tr2_buf *out)
{
	const struct child *child =
		process_child(ctx->model, model_slot(ctx->model, row->ref2), row->ref);

	if (is_child_class(ctx->model, child->child_class)) {
		format_symbol(ctx->model, child->child_class, out);
		tr2_buf_addstr(out, ": ");
	}
	format_strings(ctx->model, &child->argv, 0, out);
	return child->state == CHILD_EXITED && child->code > 0 ? STYLE_FAILED : STYLE_TEXT;
}

enum style summary_format_row(const struct view_ctx *ctx, const struct row *row,
			      struct tr2_buf *out)
{
	const struct summary *page = ctx->view->private;

	switch ((enum summary_kind)row->kind) {
	case ROW_PART:
		return summary_rows_format_part(ctx, &page->parts.items[row->ref], out);
	case ROW_LINE:
		return format_path_line(ctx, row, out);
	case ROW_SMALL:
		tr2_buf_addf(out, "%" PRIu32 " smaller parts%s", page->parts.nr - row->ref,
			     ctx->width < WORDY_CELLS ? "" : ", each under 0.5 %");
		return STYLE_DIM;
	case ROW_LEFT_OUT:
		tr2_buf_addf(out, "%" PRIu32 " shorter pieces", page->path.nr_left_out);
		return STYLE_DIM;
	case ROW_SUM:
		tr2_buf_addstr(out, "Total");
		return STYLE_TITLE;
	case ROW_TOGETHER:
		thread_totals_format(ctx->model, &page->together.parts[row->ref], out);
		return page->together.parts[row->ref].kind == THREAD_TOTALS_RUNNABLE ? STYLE_NOTICE
										     : STYLE_TEXT;
	case ROW_PROCS:
		thread_totals_format_procs(&page->together, out);
		return STYLE_TEXT;
	case ROW_CHILD:
		return summary_rows_format_child(ctx, row, out);
	case ROW_THREAD:
		format_symbol(
			ctx->model,
			process_thread(ctx->model, model_slot(ctx->model, row->ref2), row->ref)
				->name,
			out);
		return STYLE_TEXT;
	default:
		return STYLE_TEXT;
	}
}

static ns_t small_parts_time(const struct parts *parts, uint32_t first)
{
	ns_t sum = 0;

	for (uint32_t i = first; i < parts->nr; i++)
		sum += parts->items[i].time;
	return sum;
}

ns_t summary_row_time(const struct view_ctx *ctx, const struct row *row)
{
	const struct summary *page = ctx->view->private;
	const struct process *p;

	switch ((enum summary_kind)row->kind) {
	case ROW_PART:
		return page->parts.items[row->ref].time;
	case ROW_SMALL:
		return small_parts_time(&page->parts, row->ref);
	case ROW_LINE:
		return page->path.lines[row->ref].time;
	case ROW_LEFT_OUT:
		return page->path.left_out;
	case ROW_SUM:
		return page->parts.wall;
	case ROW_TOGETHER:
		return page->together.parts[row->ref].time;
	case ROW_PROCS:
		return page->together.procs_time;
	case ROW_CHILD:
		p = model_slot(ctx->model, row->ref2);
		return view_child_time(ctx, p, process_child(ctx->model, p, row->ref));
	default:
		p = model_slot(ctx->model, row->ref2);
		return summary_thread_time(ctx, p, process_thread(ctx->model, p, row->ref));
	}
}

void summary_format_heading(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	const struct summary *page = ctx->view->private;

	if (row->ref == HEADING_PIECES && row->ref2 != UINT32_MAX) {
		summary_rows_format_part(ctx, &page->parts.items[row->ref2], out);
		tr2_buf_addstr(out, ": its pieces, in order of time");
	} else if (row->ref == HEADING_PIECES) {
		tr2_buf_addstr(out, "That part no longer has pieces");
	} else if (row->ref == HEADING_WHERE && !ctx->said) {
		tr2_buf_addstr(out, "WAITED FOR");
	} else if (row->ref == HEADING_TOGETHER)
		thread_totals_format_heading(ctx->model, model_slot(ctx->model, row->ref2),
					     &page->together, out);
	else
		tr2_buf_addstr(out, headings[row->ref]);
}

ns_t summary_whole_of(const struct summary *page, const struct row *row)
{
	if (row->kind == ROW_TOGETHER)
		return page->together.time;
	if (row->kind == ROW_PROCS)
		return page->together.procs_wall * page->together.nr_procs;
	return page->parts.wall;
}
