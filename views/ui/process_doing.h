/* SPDX-License-Identifier: MIT */
/* The column DOING of the processes pane. */
#ifndef VIEWS_PROCESS_DOING_H
#define VIEWS_PROCESS_DOING_H

#include "views/ui/view.h"

/* True if the process is not running and DOING is empty in its row, so that the command may also
 * use its cells. */
bool column_has_no_doing(const struct view_ctx *ctx, const struct row *row);
/* Return how long the current activity of the process has lasted; NS_NONE: none or unknown. */
int64_t column_doing_time(const struct view_ctx *ctx, const struct row *row);
/*
 * Draw the activity of a running process, the region in which a process died, the last error of a
 * failed one, or how the time of a slow one compares with its median.
 */
void column_draw_doing(struct view_ctx *ctx, const struct row *row, const struct slot *slot);

#endif
