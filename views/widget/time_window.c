/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/widget/time_window.h"

#define MIN_WIDTH_NS (10 * NS_PER_US)

void window_reset(struct time_window *w)
{
	w->zoomed = w->has_whole = false;
	w->zoom_asked = 0;
	w->cursor = NS_NONE;
	w->follow = true;
}

ns_t window_cursor(const struct time_window *w)
{
	return w->cursor == NS_NONE ? w->edge : w->cursor;
}

static void keep_within(struct time_window *w)
{
	ns_t latest_from = w->edge - w->width;

	if (w->from > latest_from)
		w->from = latest_from;
	if (w->from < w->first)
		w->from = w->first;
}

static void zoom(struct time_window *w, double factor)
{
	ns_t at = window_cursor(w);
	double part;

	if (at < w->from || at > w->from + w->width)
		at = w->from + w->width / 2;
	part = (double)(at - w->from) / (double)w->width;
	w->width = (ns_t)((double)w->width * factor);
	if (w->width < MIN_WIDTH_NS)
		w->width = MIN_WIDTH_NS;
	w->zoomed = w->width < w->edge - w->first;
	w->from = at - (ns_t)(part * (double)w->width);
	w->follow = w->cursor == NS_NONE;
	keep_within(w);
}

static void fit(struct time_window *w)
{
	if (!w->zoomed || w->width >= w->edge - w->first) {
		w->zoomed = false;
		w->from = w->first;
		w->width = w->edge - w->first;
	} else if (w->follow) {
		w->from = w->edge - w->width;
	}
	if (w->width < MIN_WIDTH_NS)
		w->width = MIN_WIDTH_NS;
	keep_within(w);
}

void window_fit(struct time_window *w, ns_t first, ns_t edge)
{
	w->first = edge < first ? 0 : first;
	w->edge = edge < first ? 0 : edge;
	fit(w);
	if (w->zoom_asked > 0) {
		zoom(w, w->zoom_asked);
		fit(w);
	}
	w->zoom_asked = 0;
	w->has_whole = true;
}

void window_zoom(struct time_window *w, double factor)
{
	if (w->has_whole)
		zoom(w, factor);
	else
		w->zoom_asked = (w->zoom_asked > 0 ? w->zoom_asked : 1) * factor;
}

void window_pan(struct time_window *w, ns_t by)
{
	w->follow = false;
	w->from += by;
	keep_within(w);
}

void window_move_cursor(struct time_window *w, int cells, int cols)
{
	ns_t step = w->width / (cols > 0 ? cols : 1);

	w->follow = false;
	w->cursor = window_cursor(w) + cells * (step > 0 ? step : 1);
	if (w->cursor < w->first)
		w->cursor = w->first;
	if (w->cursor > w->edge)
		w->cursor = w->edge;
	if (w->cursor < w->from)
		window_pan(w, w->cursor - w->from - w->width / 4);
	else if (w->cursor > w->from + w->width)
		window_pan(w, w->cursor - w->from - w->width + w->width / 4);
}

void window_follow(struct time_window *w)
{
	w->follow = true;
	w->cursor = NS_NONE;
}

int window_cell(const struct time_window *w, ns_t time, int cols)
{
	ns_t after;
	double at;

	/* Subtract as integers before converting: a double has a resolution of only 256 ns for
	 * wall times of these years. */
	if (__builtin_sub_overflow(time, w->from, &after))
		return time < w->from ? -1 : cols;
	at = (double)after / (double)w->width * cols + 1e-6;
	return at < 0 ? -1 : at >= cols ? cols : (int)at;
}

int window_cursor_cell(const struct time_window *w, int cols)
{
	int cell = window_cell(w, window_cursor(w), cols);

	return cell < 0 ? 0 : cell >= cols ? cols - 1 : cell;
}
