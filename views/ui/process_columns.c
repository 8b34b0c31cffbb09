/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/process_columns.h"
#include "views/ui/view_text.h"

#include <inttypes.h>

int64_t column_pid(const struct view_ctx *ctx, const struct row *row)
{
	return row_process(ctx, row)->pid;
}

void column_draw_pid(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	if (column_pid(ctx, row) != NUM_NONE)
		slot_printf(slot, STYLE_TEXT, "%" PRId64, column_pid(ctx, row));
}

const char *column_agent(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	return model_sym(ctx->model, row_process(ctx, row)->agent, len);
}

/* A name SITE.HOST that does not fit keeps more of its end than of its beginning, unless
 * scrolled. */
void column_draw_agent(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	size_t len;
	const char *agent = column_agent(ctx, row, &len);

	if (slot->left)
		slot_text(slot, STYLE_DIM, agent, len);
	else
		surface_text_ends(slot->surface, slot->x, slot->y, slot->cols, STYLE_DIM, agent,
				  len, slot->cols / 3);
}

int64_t column_state(const struct view_ctx *ctx, const struct row *row)
{
	const struct process *process = row_process(ctx, row);

	return process_failed(process) ? -1 : process->state;
}

void column_draw_state(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	char text[32];
	enum style style = process_state_text(row_process(ctx, row), text, sizeof(text));

	slot_state(slot, style, text);
}

int64_t column_elapsed(const struct view_ctx *ctx, const struct row *row)
{
	return view_process_time(ctx, row_process(ctx, row));
}

void column_draw_elapsed(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	ns_t time = column_elapsed(ctx, row);
	bool live = process_is_live(row_process(ctx, row));

	slot_duration(slot, live ? STYLE_LIVE : duration_style(time), time);
}

int64_t column_start(const struct view_ctx *ctx, const struct row *row)
{
	return row_process(ctx, row)->start;
}

const char *column_command(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	return command_name(ctx->model, row_process(ctx, row), len);
}

const char *column_worktree(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	return process_worktree(ctx->model, row_process(ctx, row), len);
}

void column_draw_worktree(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	size_t len;
	const char *path = column_worktree(ctx, row, &len);

	if (!path)
		return;
	if (slot->left)
		slot_text(slot, STYLE_TEXT, path, len);
	else
		surface_text_ends(slot->surface, slot->x, slot->y, slot->cols, STYLE_TEXT, path,
				  len, slot->cols / 4);
}
