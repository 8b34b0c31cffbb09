/* SPDX-License-Identifier: MIT */
#ifndef VIEWS_TIME_AXIS_H
#define VIEWS_TIME_AXIS_H

#include "engine/base/clock.h"
#include "views/draw/surface.h"

/*
 * Draw an axis with round local times, such as 09:00 09:10 09:20, for the wall times [from, end),
 * which take `cols` cells from (x, y) on. Labels may extend to `room` cells. Times before 1970 have
 * no marks. If no round time is visible, the label at the left end shows the time of that end.
 */
void time_axis_draw(struct surface *surface, int x, int y, int cols, int room, ns_t from, ns_t end);

#endif
