/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/process_doing.h"

#include <math.h>
#include <string.h>

#include "monitor/analysis/doing.h"
#include "monitor/analysis/live.h"
#include "monitor/analysis/past_median.h"
#include "monitor/base/humanize.h"
#include "views/ui/process_columns.h"
#include "views/ui/process_hidden.h"
#include "views/ui/view_text.h"

static bool was_slow(const struct view_ctx *ctx, const struct process *process,
		     struct past_median *usual)
{
	return process->state != STATE_RUNNING && !process->in_pieces &&
	       past_median_is_late(ctx->model, process, process_time(process, ctx->what.now),
				   usual);
}

bool column_has_no_doing(const struct view_ctx *ctx, const struct row *row)
{
	const struct process *process = row_process(ctx, row);
	struct past_median usual;

	return process->state != STATE_RUNNING && !process_died_in(ctx->model, process) &&
	       !(process_failed(process) && process->errors.nr) && !was_slow(ctx, process, &usual);
}

static struct doing doing(const struct view_ctx *ctx, const struct row *row)
{
	return process_doing(ctx->model, row_process(ctx, row));
}

int64_t column_doing_time(const struct view_ctx *ctx, const struct row *row)
{
	struct doing it = doing(ctx, row);

	if (it.child)
		return view_child_time(ctx, row_process(ctx, row), it.child);
	return it.region ? view_region_time(ctx, row_process(ctx, row), it.region) : NS_NONE;
}

#define CHILD "child "

/* If the text does not fit, leave out the words "died in". */
static void draw_died_in(const struct view_ctx *ctx, const struct open_region *region,
			 const struct slot *slot)
{
	struct tr2_buf *line = format_line();
	const char *text;

	format_died_in(ctx->model, region, line);
	text = tr2_buf_cstr(line);
	if (surface_text_cells(text, line->len, slot->surface->ascii) > slot->cols)
		text += strlen(DIED_IN);
	surface_text_ends(slot->surface, slot->x, slot->y, slot->cols, STYLE_LOST, text,
			  strlen(text), slot->cols / 2);
}

static void format_usually(const struct view_ctx *ctx, const struct process *process,
			   const struct doing *it, ns_t time, struct tr2_buf *out)
{
	struct past_median usual;
	bool known = it->child ? past_median_of_child(ctx->model, process, it->child, time, &usual)
			       : past_median_of_region(ctx->model, process, it->region->category,
						       it->region->label, time, &usual);

	if (known && usual.late)
		tr2_buf_addf(out, " (usually %s)", human_duration(usual.p50).text);
}

/* Draw the current activity, a region or a child, and its duration (if not live, only a positive
 * one). If the column is too narrow, the name is cut first. */
static void draw_activity(struct view_ctx *ctx, const struct row *row, const struct doing *it,
			  const struct slot *slot)
{
	const struct process *process = row_process(ctx, row);
	enum style style = process_is_live(process) ? STYLE_LIVE : STYLE_STALE;
	struct tr2_buf *line = format_line(), time = { .max = 128 };
	size_t name_len, from = 0;
	struct slot rest = *slot;
	int cells;

	if (process_is_live(process) || column_doing_time(ctx, row) > 0) {
		tr2_buf_addstr(&time, human_duration(column_doing_time(ctx, row)).text);
		if (process_is_live(process))
			format_usually(ctx, process, it, column_doing_time(ctx, row), &time);
	}
	if (it->child) {
		tr2_buf_addstr(line, CHILD);
		format_argv(ctx->model, &it->child->argv, it->child->use_shell > 0, line,
			    &name_len);
	} else {
		format_region(ctx->model, it->region->category, it->region->label, line);
	}
	rest.cols = slot->cols - (int)time.len - (time.len > 0);
	cells = surface_text_cells(tr2_buf_cstr(line), line->len, slot->surface->ascii);
	/* leave out the word "child": the child's name is more useful */
	if (it->child && cells > rest.cols)
		from = strlen(CHILD);
	cells = surface_text_ends(rest.surface, rest.x, rest.y, rest.cols, style,
				  tr2_buf_cstr(line) + from, line->len - from, rest.cols / 2);
	rest = slot_rest(slot, cells + 1);
	rest.left = 0;
	slot_text(&rest, STYLE_DIM, tr2_buf_cstr(&time), time.len);
	tr2_buf_release(&time);
}

static void draw_slow(ns_t time, const struct past_median *usual, const struct slot *slot)
{
	double times = usual->p50 > 0 ? (double)time / (double)usual->p50 : INFINITY;

	if (times < 10000)
		slot_printf(slot, STYLE_SLOW,
			    times < 9.95 ? "%.1fx its median" : "%.0fx its median", times);
	else
		slot_printf(slot, STYLE_SLOW, "usually %s", human_duration(usual->p50).text);
}

void column_draw_doing(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct process *process = row_process(ctx, row);
	const struct open_region *died_in = process_died_in(ctx->model, process);
	struct doing it = doing(ctx, row);
	struct past_median usual;

	if (died_in)
		draw_died_in(ctx, died_in, slot);
	else if (it.child || it.region)
		draw_activity(ctx, row, &it, slot);
	else if (process_failed(process) && process->errors.nr)
		column_draw_error(ctx, row, slot);
	else if (was_slow(ctx, process, &usual))
		draw_slow(process_time(process, ctx->what.now), &usual, slot);
}
