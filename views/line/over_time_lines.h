/* SPDX-License-Identifier: MIT */
/* The line command `over_time`. Loop thread. */
#ifndef VIEWS_LINE_OVER_TIME_LINES_H
#define VIEWS_LINE_OVER_TIME_LINES_H

#include "engine/base/buf.h"
#include "monitor/model/model.h"

/* Append a title and at most ten lines: counts and durations of commands over time, oldest first.
 * `now` (wall time) determines whether dates are printed. */
void over_time_lines(const struct model *model, ns_t now, struct tr2_buf *out);

#endif
