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

int64_t column_pid(const struct view_ctx *ctx, const struct row *row); /* NUM_NONE if unknown */
void column_draw_pid(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

/* Name of the agent that sent it, borrowed; "" if none. */
const char *column_agent(const struct view_ctx *ctx, const struct row *row, size_t *len);
void column_draw_agent(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

/* Sort failed processes first, then running ones. */
int64_t column_state(const struct view_ctx *ctx, const struct row *row);
void column_draw_state(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

/* From its start to its end or to now, in ns, or NS_NONE. Marks the view as ticking if it is
 * live. */
int64_t column_elapsed(const struct view_ctx *ctx, const struct row *row);
void column_draw_elapsed(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

int64_t column_start(const struct view_ctx *ctx,
		     const struct row *row); /* wall clock, or NS_NONE */

/* Its command_name(), borrowed. */
const char *column_command(const struct view_ctx *ctx, const struct row *row, size_t *len);

/* The worktree that it used last, borrowed, or NULL. */
const char *column_worktree(const struct view_ctx *ctx, const struct row *row, size_t *len);
void column_draw_worktree(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

#endif
