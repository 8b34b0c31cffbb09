/* SPDX-License-Identifier: MIT */
/*
 * Columns that tables of processes share, for `number`, `text` and `draw` of struct column. A row's
 * `ref` is the process's slot in the model. Loop thread; no state.
 */
#ifndef VIEWS_PROCESS_COLUMNS_H
#define VIEWS_PROCESS_COLUMNS_H

#include "views/ui/view.h"

static inline const struct process *row_process(const struct view_ctx *ctx, const struct row *row)
{
	return model_slot(ctx->model, row->ref);
}

int64_t column_pid(const struct view_ctx *ctx, const struct row *row);
void column_draw_pid(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

/* Return the name of the agent that sent the process, borrowed; "" if no agent did. */
const char *column_agent(const struct view_ctx *ctx, const struct row *row, size_t *len);
void column_draw_agent(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

/* Return the number by which states are sorted: processes with an exit code other than 0 first,
 * then running ones. */
int64_t column_state(const struct view_ctx *ctx, const struct row *row);
void column_draw_state(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

/* Return the duration of the process in ns (live.h), or NS_NONE. If the process is live, mark the
 * view as ticking. */
int64_t column_elapsed(const struct view_ctx *ctx, const struct row *row);
void column_draw_elapsed(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

/* Return the wall time of the process's start, or NS_NONE. */
int64_t column_start(const struct view_ctx *ctx, const struct row *row);

/* Return command_name() of the process, borrowed. */
const char *column_command(const struct view_ctx *ctx, const struct row *row, size_t *len);

/* Return the worktree that the process reported last, borrowed, or NULL. */
const char *column_worktree(const struct view_ctx *ctx, const struct row *row, size_t *len);
void column_draw_worktree(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

#endif
