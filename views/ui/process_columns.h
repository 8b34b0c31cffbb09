/* SPDX-License-Identifier: MIT */
/*
 * Columns that tables of processes share, for `number`, `text` and `draw` of a struct column. A
 * row's `ref` is its process's slot in the model that is shown. Loop thread; nothing is kept.
 */
#ifndef VIEWS_PROCESS_COLUMNS_H
#define VIEWS_PROCESS_COLUMNS_H

#include "views/ui/view.h"

static inline const struct process *row_process(const struct view_ctx *ctx, const struct row *row)
{
	return model_slot(ctx->model, row->ref);
}

int64_t column_pid(const struct view_ctx *ctx, const struct row *row); /* NUM_NONE: not known */
void column_draw_pid(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

/* What the agent that sent it calls itself, borrowed; "" where there is none. */
const char *column_agent(const struct view_ctx *ctx, const struct row *row, size_t *len);
void column_draw_agent(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

/* The failed first, then what runs. */
int64_t column_state(const struct view_ctx *ctx, const struct row *row);
void column_draw_state(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

/* From its start to its end, or until now; notes that it ticks. Nanoseconds; NS_NONE. */
int64_t column_elapsed(const struct view_ctx *ctx, const struct row *row);
void column_draw_elapsed(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

int64_t column_start(const struct view_ctx *ctx, const struct row *row); /* wall; NS_NONE */

/* Its command_name(), borrowed. */
const char *column_command(const struct view_ctx *ctx, const struct row *row, size_t *len);

/* The working tree that it used last, borrowed; NULL. */
const char *column_worktree(const struct view_ctx *ctx, const struct row *row, size_t *len);
void column_draw_worktree(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

#endif
