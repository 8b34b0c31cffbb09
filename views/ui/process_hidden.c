/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/ui/process_hidden.h"

#include <string.h>

#include "monitor/analysis/live.h"
#include "monitor/base/user.h"
#include "views/ui/view_text.h"

void column_draw_start(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	if (column_start(ctx, row) == NS_NONE)
		return;
	format_time(column_start(ctx, row), false, line);
	slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
}

int64_t column_age(const struct view_ctx *ctx, const struct row *row)
{
	ns_t begun = column_start(ctx, row),
	     now = process_now(row_process(ctx, row), ctx->what.now);

	if (begun == NS_NONE || now == NS_NONE)
		return NS_NONE;
	ctx->view->ticks = true;
	return now > begun ? now - begun : 0;
}

void column_draw_age(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	if (column_age(ctx, row) != NS_NONE)
		slot_duration(slot, STYLE_DIM, column_age(ctx, row));
}

int64_t column_errors(const struct view_ctx *ctx, const struct row *row)
{
	return row_process(ctx, row)->nr_errors;
}

void column_draw_errors(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	slot_count(slot, column_errors(ctx, row) ? STYLE_FAILED : STYLE_DIM,
		   (uint64_t)column_errors(ctx, row));
}

/* Return the last kept error of a process, which is usually the fatal one. */
const char *column_error(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	const struct process *process = row_process(ctx, row);
	const struct error_item *item;

	*len = 0;
	if (!process->errors.nr)
		return NULL;
	item = PROCESS_ITEM(ctx->model, &process->errors, error_item, process->errors.nr - 1);
	if (!item->has_msg)
		return model_sym(ctx->model, item->fmt, len);
	*len = item->msg.len;
	return model_text(ctx->model, item->msg);
}

void column_draw_error(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	size_t len;
	const char *text = column_error(ctx, row, &len);

	if (!text)
		return;
	slot_text(slot, STYLE_FAILED, text, len);
}

const char *column_host(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	*len = strlen(row_process(ctx, row)->host);
	return row_process(ctx, row)->host;
}

void column_draw_host(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	slot_text(slot, STYLE_DIM, row_process(ctx, row)->host, SIZE_MAX);
}

int64_t column_user(const struct view_ctx *ctx, const struct row *row)
{
	return row_process(ctx, row)->uid;
}

void column_draw_user(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	char name[USER_BYTES];

	if (column_user(ctx, row) != NUM_NONE)
		slot_text(slot, STYLE_DIM, user_name(column_user(ctx, row), name), SIZE_MAX);
}

const char *column_exe(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	return model_sym(ctx->model, row_process(ctx, row)->exe, len);
}

void column_draw_exe(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	size_t len;
	const char *text = column_exe(ctx, row, &len);

	slot_text(slot, STYLE_DIM, text, len);
}

int64_t column_waited(const struct view_ctx *ctx, const struct row *row)
{
	return process_waited(ctx->model, row_process(ctx, row), ctx->what.now);
}

void column_draw_waited(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct process *process = row_process(ctx, row);

	ctx->view->ticks |= process_is_live(process) && process->children.nr;
	if (process->children.nr)
		slot_duration(slot, duration_style(column_waited(ctx, row)),
			      column_waited(ctx, row));
}

int64_t column_depth(const struct view_ctx *ctx, const struct row *row)
{
	return row_process(ctx, row)->depth;
}

void column_draw_depth(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	slot_printf(slot, STYLE_DIM, "%u", row_process(ctx, row)->depth);
}
