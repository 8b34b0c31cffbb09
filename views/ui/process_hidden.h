/* SPDX-License-Identifier: MIT */
/*
 * Columns of the processes pane, most of them hidden until the user shows them: functions for
 * `number`, `text` and `draw` of struct column. Durations are ns, or NS_NONE; texts are borrowed;
 * absent texts are NULL or "". Loop thread; no state.
 */
#ifndef VIEWS_PROCESS_HIDDEN_H
#define VIEWS_PROCESS_HIDDEN_H

#include "views/ui/process_columns.h"

void column_draw_start(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
int64_t column_depth(const struct view_ctx *ctx, const struct row *row);
void column_draw_depth(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
int64_t column_age(const struct view_ctx *ctx, const struct row *row);
void column_draw_age(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
int64_t column_errors(const struct view_ctx *ctx, const struct row *row);
void column_draw_errors(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
const char *column_error(const struct view_ctx *ctx, const struct row *row, size_t *len);
void column_draw_error(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
const char *column_host(const struct view_ctx *ctx, const struct row *row, size_t *len);
void column_draw_host(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
int64_t column_user(const struct view_ctx *ctx, const struct row *row);
void column_draw_user(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
const char *column_exe(const struct view_ctx *ctx, const struct row *row, size_t *len);
void column_draw_exe(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
int64_t column_waited(const struct view_ctx *ctx, const struct row *row);
void column_draw_waited(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

#endif
