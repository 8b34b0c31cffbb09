/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/density.h"

#include <string.h>

#include "monitor/model/model_strip.h"

struct density_cell {
	ns_t longest; /* longest duration of the runs in the cell; NS_NONE: no runs */
	bool failed, live;
};

/* Get the first and the last visible cell of a run. Returns false if none is visible, or if its
 * start is unknown. */
static bool cells_of_run(const struct density *d, const struct lane *lane, int cols, int *from,
			 int *to)
{
	if (lane->start == NS_NONE)
		return false;
	*from = window_cell(d->window, lane->start, cols);
	*to = window_cell(d->window, lane->end, cols);
	if (*to < 0 || *from > cols ||
	    (*from == cols && lane->start > d->window->from + d->window->width))
		return false;
	*from = *from < 0 ? 0 : *from < cols ? *from : cols - 1;
	*to = *to < cols ? *to : cols - 1;
	return true;
}

bool density_in_sight(const struct density *d, const struct lane *lane)
{
	int from, to;

	return cells_of_run(d, lane, SURFACE_MAX_COLS, &from, &to);
}

/* True if the run failed and did not end after the visible part of the timeline. */
static bool fails_in_sight(const struct density *d, const struct lane *lane)
{
	return !lane->live && lane->failed && lane->end <= d->window->from + d->window->width;
}

static enum glyph duration_shade(ns_t duration)
{
	return duration < 10 * NS_PER_MS    ? GLYPH_SHADE_1
	       : duration < 100 * NS_PER_MS ? GLYPH_SHADE_2
	       : duration < NS_PER_SEC      ? GLYPH_SHADE_3
					    : GLYPH_BAR_8;
}

static void density_add_run(const struct density *d, const struct lane *lane,
			    struct density_cell *cells, int cols)
{
	int from, to;

	if (!cells_of_run(d, lane, cols, &from, &to))
		return;
	for (int i = from; i <= to; i++) {
		if (cells[i].longest == NS_NONE || lane->end - lane->start > cells[i].longest)
			cells[i].longest = lane->end - lane->start;
		cells[i].live |= lane->live;
	}
	cells[to].failed |= fails_in_sight(d, lane);
}

void density_draw_group(const struct density *d, const struct lane_group *group,
			const struct slot *slot)
{
	struct density_cell cells[SURFACE_MAX_COLS];
	int cols = slot->cols < SURFACE_MAX_COLS ? slot->cols : SURFACE_MAX_COLS;

	for (int i = 0; i < cols; i++)
		cells[i] = (struct density_cell){ .longest = NS_NONE };
	for (uint32_t i = 0; i < group->nr; i++)
		density_add_run(d, &d->lanes->items[d->groups->runs[group->first + i]], cells,
				cols);
	for (int i = 0; i < cols; i++)
		if (cells[i].failed)
			surface_glyph(slot->surface, slot->x + i, slot->y, STYLE_FAILED,
				      GLYPH_FAILED);
		else if (cells[i].longest != NS_NONE)
			surface_glyph(slot->surface, slot->x + i, slot->y,
				      cells[i].live                    ? STYLE_LIVE
				      : cells[i].longest >= NS_PER_SEC ? STYLE_SLOW
								       : STYLE_BAR,
				      duration_shade(cells[i].longest));
}

uint32_t density_run_at(const struct density *d, const struct lane_group *group, int cell, int cols)
{
	uint32_t best = LANE_NONE;
	ns_t longest = NS_NONE;
	int from, to;

	for (uint32_t i = 0; i < group->nr; i++) {
		uint32_t run = d->groups->runs[group->first + i];
		const struct lane *lane = &d->lanes->items[run];

		if (!cells_of_run(d, lane, cols, &from, &to) || cell < from || cell > to)
			continue;
		if (best == LANE_NONE || lane->end - lane->start > longest) {
			best = run;
			longest = lane->end - lane->start;
		}
	}
	return best;
}

static bool cells_of_slot(const struct density *d, const struct strip_slots *slots, uint32_t index,
			  int cols, int *from, int *to)
{
	ns_t width = ((ns_t)1 << slots->shift) * NS_PER_SEC, begin, end;

	if (__builtin_mul_overflow(slots->numbers[index], width, &begin) ||
	    __builtin_add_overflow(begin, width, &end))
		return false;
	*from = window_cell(d->window, begin, cols);
	*to = window_cell(d->window, end - 1, cols);
	if (*to < 0 || *from >= cols)
		return false;
	*from = *from < 0 ? 0 : *from;
	*to = *to < cols ? *to : cols - 1;
	return true;
}

/* Raise each column of most[] to the number of evicted commands that ran at the beginning or end of
 * one of its time slots; to at least 1 if a command began in the slot. */
static void add_evicted(const struct density *d, uint32_t *most, int cols)
{
	const struct strip_slots *slots = &model_strip_evicted(d->model)->all;
	int64_t running = 0;
	int from, to;

	for (uint32_t i = 0; d->has_evicted && i < slots->nr; i++) {
		const struct strip_slot *slot = strip_slot_at(slots, i);
		int64_t at_once = running > 0 ? running : slot->began > 0;

		running += (int64_t)slot->began - slot->ended;
		at_once = running > at_once ? running : at_once;
		if (at_once <= 0 || !cells_of_slot(d, slots, i, cols, &from, &to))
			continue;
		for (int x = from; x <= to; x++)
			if (at_once > most[x])
				most[x] = (uint32_t)at_once;
	}
}

static void draw_evicted_failures(const struct density *d, const struct slot *slot)
{
	const struct strip_slots *slots = &model_strip_evicted(d->model)->all;
	int from, to;

	for (uint32_t i = 0; d->has_evicted && i < slots->nr; i++) {
		const struct strip_slot *counts = strip_slot_at(slots, i);

		if (counts->failed + counts->signaled &&
		    cells_of_slot(d, slots, i, slot->cols, &from, &to))
			surface_glyph(slot->surface, slot->x + from, slot->y, STYLE_DIM,
				      GLYPH_FAILED);
	}
}

static int at_once_of(const struct density *d, int cols, uint32_t most[SURFACE_MAX_COLS])
{
	cols = cols < SURFACE_MAX_COLS ? cols : SURFACE_MAX_COLS;
	lane_groups_at_once(d->groups, d->window->from, d->window->width,
			    (uint32_t)(cols > 0 ? cols : 0), most);
	return cols;
}

void density_draw_at_once(const struct density *d, const struct slot *slot)
{
	uint32_t kept[SURFACE_MAX_COLS], most[SURFACE_MAX_COLS];
	uint64_t values[SURFACE_MAX_COLS];
	int cols = at_once_of(d, slot->cols, kept);

	if (cols <= 0)
		return;
	memcpy(most, kept, (size_t)cols * sizeof(*most));
	add_evicted(d, most, cols);
	for (int i = 0; i < cols; i++)
		values[i] = most[i];
	surface_spark(slot->surface, slot->x, slot->y, STYLE_SPARK, values, cols);
	for (int i = 0; i < cols; i++)
		if (most[i] > kept[i])
			surface_restyle(slot->surface, (struct rect){ slot->x + i, slot->y, 1, 1 },
					STYLE_DIM);
}

uint32_t density_at_once(const struct density *d, int cols)
{
	uint32_t most[SURFACE_MAX_COLS], highest = 0;

	cols = at_once_of(d, cols, most);
	if (cols > 0)
		add_evicted(d, most, cols);
	for (int i = 0; i < cols; i++)
		highest = most[i] > highest ? most[i] : highest;
	return highest;
}

void density_draw_failed(const struct density *d, const struct slot *slot)
{
	int from, to;

	draw_evicted_failures(d, slot);
	for (uint32_t i = 0; i < d->groups->nr_runs; i++) {
		const struct lane *lane = &d->lanes->items[d->groups->runs[i]];

		if (fails_in_sight(d, lane) && cells_of_run(d, lane, slot->cols, &from, &to))
			surface_glyph(slot->surface, slot->x + to, slot->y, STYLE_FAILED,
				      GLYPH_FAILED);
	}
}

uint32_t density_failed(const struct density *d)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < d->groups->nr; i++)
		nr += d->groups->items[i].failed;
	return nr;
}

void density_draw_legend(struct surface *surface, struct rect line)
{
	static const struct {
		enum glyph glyph;
		enum style style;
		const char *text;
	} signs[] = {
		{ GLYPH_SHADE_1, STYLE_BAR, "under 10ms" },
		{ GLYPH_SHADE_2, STYLE_BAR, "to 100ms" },
		{ GLYPH_SHADE_3, STYLE_BAR, "to 1s" },
		{ GLYPH_BAR_8, STYLE_SLOW, "over 1s" },
		{ GLYPH_FAILED, STYLE_FAILED, "failed" },
	};
	static const char about[] = "(shade: the longest run in the column)";
	int x = line.x, end = line.x + line.cols;

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		if (x + 2 + (int)strlen(signs[i].text) > end)
			return;
		surface_glyph(surface, x, line.y, signs[i].style, signs[i].glyph);
		x += 2 + surface_text(surface, x + 2, line.y, end - x - 2, STYLE_DIM, signs[i].text,
				      SIZE_MAX);
		x += 2;
	}
	if (x + (int)sizeof(about) - 1 <= end)
		surface_text(surface, x, line.y, end - x, STYLE_DIM, about, SIZE_MAX);
}
