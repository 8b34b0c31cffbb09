/* SPDX-License-Identifier: MIT */
/* The distribution of durations. */
#ifndef VIEWS_SPREAD_H
#define VIEWS_SPREAD_H

#include "views/draw/surface.h"

/* Draw the distribution of durations on one line, if the histogram `sums` (hist.h) is not empty. */
void draw_spread(struct surface *surface, struct rect area, const uint64_t *sums);

#endif
