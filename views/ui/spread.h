/* SPDX-License-Identifier: MIT */
#ifndef VIEWS_SPREAD_H
#define VIEWS_SPREAD_H

#include "views/draw/surface.h"

/* Draw the distribution of the durations in the histogram `sums` (hist.h) on one line; nothing
 * if it is empty. */
void draw_spread(struct surface *surface, struct rect area, const uint64_t *sums);

#endif
