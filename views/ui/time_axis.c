/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/time_axis.h"

#include <stdio.h>
#include <time.h>

#include "monitor/base/humanize.h"

#define NS_PER_MIN  (60 * NS_PER_SEC)
#define NS_PER_HOUR (60 * NS_PER_MIN)
#define NS_PER_DAY  (24 * NS_PER_HOUR)
#define GAP_CELLS   4 /* least distance of a label from the next mark, in cells */
#define LABEL_BYTES 24

static const ns_t distances[] = { 1 * NS_PER_SEC,  2 * NS_PER_SEC,  5 * NS_PER_SEC,
				  10 * NS_PER_SEC, 15 * NS_PER_SEC, 30 * NS_PER_SEC,
				  1 * NS_PER_MIN,  2 * NS_PER_MIN,  5 * NS_PER_MIN,
				  10 * NS_PER_MIN, 15 * NS_PER_MIN, 30 * NS_PER_MIN,
				  1 * NS_PER_HOUR, 2 * NS_PER_HOUR, 3 * NS_PER_HOUR,
				  6 * NS_PER_HOUR, 12 * NS_PER_HOUR };

static int label_cells(ns_t distance)
{
	return distance < NS_PER_SEC   ? 12 /* 09:00:00.000 */
	       : distance < NS_PER_MIN ? 8  /* 09:00:00 */
				       : 5; /* 09:00, 01-02 */
}

static bool axis_has_room(ns_t distance, double cells_per_ns)
{
	return (double)distance * cells_per_ns >= label_cells(distance) + GAP_CELLS;
}

/* Return the smallest distance of marks at which their labels have room. */
static ns_t axis_distance(double cells_per_ns)
{
	ns_t distance;

	for (distance = NS_PER_MS; distance < NS_PER_SEC; distance = human_step(distance + 1))
		if (axis_has_room(distance, cells_per_ns))
			return distance;
	for (size_t i = 0; i < sizeof(distances) / sizeof(*distances); i++)
		if (axis_has_room(distances[i], cells_per_ns))
			return distances[i];
	for (distance = NS_PER_DAY; !axis_has_room(distance, cells_per_ns); distance *= 2)
		if (distance > INT64_MAX / 4)
			break;
	return distance;
}

/* Return the last local midnight up to a time, or the time itself if it is before 1970 or not a
 * valid date. Changes of the clock on that day are ignored. */
static ns_t midnight_before(ns_t time)
{
	time_t seconds = (time_t)(time / NS_PER_SEC);
	struct tm tm;

	if (time < 0 || !localtime_r(&seconds, &tm))
		return time;
	return (seconds - tm.tm_sec - 60 * (tm.tm_min + 60 * (ns_t)tm.tm_hour)) * NS_PER_SEC;
}

static void format_mark(ns_t time, ns_t distance, char label[LABEL_BYTES])
{
	const char *format = distance >= NS_PER_DAY   ? "%m-%d"
			     : distance >= NS_PER_MIN ? "%H:%M"
						      : "%H:%M:%S";
	time_t seconds = (time_t)(time / NS_PER_SEC);
	size_t len = 0;
	struct tm tm;

	if (time >= 0 && localtime_r(&seconds, &tm))
		len = strftime(label, LABEL_BYTES, format, &tm);
	label[len] = '\0';
	if (len && distance < NS_PER_SEC)
		snprintf(label + len, LABEL_BYTES - len, ".%03d",
			 (int)(time % NS_PER_SEC / NS_PER_MS));
}

/* Draw a mark, and its label if both fit into `room` cells. */
static void draw_axis_mark(struct surface *surface, int x, int y, int room, const char *label)
{
	surface_glyph(surface, x, y, STYLE_DIM, GLYPH_VLINE);
	if (surface_text_cells(label, SIZE_MAX, surface->ascii) < room)
		surface_text(surface, x + 1, y, room - 1, STYLE_DIM, label, SIZE_MAX);
}

void time_axis_draw(struct surface *surface, int x, int y, int cols, int room, ns_t from, ns_t end)
{
	/* The difference of integers could overflow for times before 1970. */
	double width = from > 0 ? (double)(end - from) : (double)end - (double)from, cells_per_ns;
	ns_t begin = from > 0 ? from : 0, distance, origin, mark;
	char label[LABEL_BYTES];
	bool any = false;

	if (end <= begin)
		return;
	cells_per_ns = cols / width;
	distance = axis_distance(cells_per_ns);
	origin = midnight_before(begin);
	if (__builtin_add_overflow(origin, (begin - origin + distance - 1) / distance * distance,
				   &mark))
		return;
	while (mark < end) {
		int cell = (int)((from > 0 ? (double)(mark - from) : (double)mark - (double)from) *
					 cells_per_ns +
				 1e-6);

		format_mark(mark, distance, label);
		draw_axis_mark(surface, x + cell, y, room - cell, label);
		any = true;
		if (__builtin_add_overflow(mark, distance, &mark))
			break;
	}
	if (any)
		return;
	format_mark(from, distance < NS_PER_MIN ? distance : NS_PER_SEC, label);
	draw_axis_mark(surface, x, y, room, label);
}
