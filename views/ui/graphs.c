/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/graphs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "monitor/base/humanize.h"
#include "monitor/model/model.h"

#define LABEL_CELLS    9   /* "commands " */
#define MOST_CELLS     120 /* maximum width of a graph: wider ones are hard to read at a glance */
#define LEAST_CELLS    20
#define FIGURE_CELLS   62 /* cells for the figures and the summary beside a graph */
#define RECENT_SECONDS 600
#define AUTO_ROWS      30

enum graph { GRAPH_COMMANDS, GRAPH_FAILED, GRAPH_P90, NR_GRAPHS };

static const char *const labels[NR_GRAPHS] = { "commands", "failed", "p90" };

static int cells_of(int cols)
{
	int cells = cols - LABEL_CELLS - FIGURE_CELLS;

	if (cells < 40)
		cells = cols < 80 ? cols - LABEL_CELLS - 31 : 40;
	return cells > MOST_CELLS ? MOST_CELLS : cells < LEAST_CELLS ? 0 : cells;
}

static bool has_recent(const struct graphs *graphs, ns_t now)
{
	const struct strip *strip = over_time_strip(graphs->over_time);
	const struct strip_slots *slots = strip_seconds(strip);

	uint32_t at = strip_slot_find(slots, now / NS_PER_SEC - RECENT_SECONDS);

	return at < slots->nr && slots->numbers[at] <= now / NS_PER_SEC;
}

static void choose_span(struct graphs *graphs, const struct ui_input *in)
{
	uint32_t columns = (uint32_t)graphs->cells;

	graphs->span.nr = 0;
	if (columns < LEAST_CELLS)
		return;
	if (graphs->shown == GRAPHS_WHOLE) {
		if (!over_time_whole(graphs->over_time, columns, &graphs->span))
			graphs->span.nr = 0;
	} else {
		over_time_last(graphs->over_time, RECENT_SECONDS, in->wall_ns, columns,
			       &graphs->span);
	}
}

void graphs_update(struct graphs *graphs, const struct ui_input *in, int cols, int rows,
		   bool all_read)
{
	graphs->shown = graphs->mode;
	if (graphs->mode == GRAPHS_AUTO)
		graphs->shown = rows < AUTO_ROWS ? GRAPHS_OFF
				: all_read       ? GRAPHS_WHOLE
						 : GRAPHS_RECENT;
	graphs->x = LABEL_CELLS;
	graphs->cells = cells_of(cols);
	graphs->span.nr = 0;
	if (graphs->shown == GRAPHS_OFF || !in->live)
		return;
	if (!graphs->over_time)
		graphs->over_time = over_time_new();
	over_time_update(graphs->over_time, in->live);
	if (graphs->mode == GRAPHS_AUTO && !has_recent(graphs, in->wall_ns))
		graphs->shown = GRAPHS_WHOLE;
	choose_span(graphs, in);
	/* GRAPHS_AUTO: draw no graph with a single column, which shows no development. */
	if (graphs->mode == GRAPHS_AUTO && graphs->span.nr < 2)
		graphs->span.nr = 0;
	if (graphs->span.nr)
		graphs->columns = over_time_columns(graphs->over_time, &graphs->span);
}

void graphs_release(struct graphs *graphs)
{
	if (graphs->over_time)
		over_time_free(graphs->over_time);
	*graphs = (struct graphs){ .mode = graphs->mode };
}

int graphs_rows(const struct graphs *graphs)
{
	return !graphs->span.nr ? 0 : graphs->shown == GRAPHS_ONE ? 1 : NR_GRAPHS;
}

void graphs_cycle(struct graphs *graphs)
{
	uint8_t mode = graphs->mode == GRAPHS_AUTO ? graphs->shown : graphs->mode;

	graphs->mode = mode + 1 < NR_GRAPHS_MODES ? mode + 1 : GRAPHS_OFF;
}

static uint64_t nr_failed(const struct strip_slot *slot)
{
	return (uint64_t)slot->failed + slot->signaled;
}

/*
 * Draw quantiles on a logarithmic scale that follows the visible range. One level is half an octave
 * to one octave.
 */
static void draw_quantiles(const struct graphs *graphs, struct surface *surface, int y)
{
	ns_t least = INT64_MAX, most = 0;
	double range, step;

	for (uint32_t i = 0; i < graphs->span.nr; i++) {
		ns_t p90 = graphs->columns[i].p90;

		least = p90 > 0 && p90 < least ? p90 : least;
		most = p90 > most ? p90 : most;
	}
	if (!most)
		return;
	range = log2((double)most / (double)least);
	step = range < 3 ? 0.5 : range > 6 ? 1 : range / 6;
	for (uint32_t i = 0; i < graphs->span.nr; i++) {
		ns_t p90 = graphs->columns[i].p90;
		int level;

		if (p90 <= 0)
			continue;
		level = range > 6 ? 8 - (int)lround(log2((double)most / (double)p90))
				  : 2 + (int)lround(log2((double)p90 / (double)least) / step);
		surface_glyph(surface, graphs->x + (int)i, y, STYLE_SPARK,
			      (enum glyph)(GLYPH_SPARK_1 + (level < 1 ? 0 : level - 1)));
	}
}

static void draw_graph_columns(const struct graphs *graphs, enum graph graph,
			       struct surface *surface, int y, uint64_t *values)
{
	for (uint32_t i = 0; i < graphs->span.nr; i++) {
		values[i] = graphs->columns[i].sum.ended;
		if (graph == GRAPH_FAILED && nr_failed(&graphs->columns[i].sum))
			surface_glyph(surface, graphs->x + (int)i, y, STYLE_FAILED, GLYPH_FAILED);
	}
	if (graph == GRAPH_COMMANDS)
		surface_spark(surface, graphs->x, y, STYLE_SPARK, values, (int)graphs->span.nr);
	else if (graph == GRAPH_P90)
		draw_quantiles(graphs, surface, y);
}

void graphs_format_rate(double per_second, struct tr2_buf *out)
{
	static const struct {
		double seconds;
		const char *unit;
	} units[] = { { 1, "s" }, { 60, "min" }, { 3600, "h" } };
	size_t i = 0;

	if (per_second <= 0) {
		tr2_buf_addstr(out, "0/s");
		return;
	}
	while (i < 2 && per_second * units[i].seconds < 0.95)
		i++;
	tr2_buf_addf(out, per_second * units[i].seconds < 9.95 ? "%.1f/%s" : "%.0f/%s",
		     per_second * units[i].seconds, units[i].unit);
}

static void format_commands(const struct graphs *graphs, struct tr2_buf *out)
{
	const struct over_time_column *last = &graphs->columns[graphs->span.nr - 1];
	double seconds = (double)graphs->span.seconds;
	uint32_t most = 0;

	for (uint32_t i = 0; i < graphs->span.nr; i++)
		if (graphs->columns[i].sum.ended > most)
			most = graphs->columns[i].sum.ended;
	if (graphs->shown != GRAPHS_WHOLE) {
		graphs_format_rate(last->sum.ended / seconds, out);
		tr2_buf_addstr(out, "  ");
	}
	tr2_buf_addstr(out, "max ");
	graphs_format_rate(most / seconds, out);
}

static struct strip_slot sum_of(const struct graphs *graphs)
{
	struct strip_slot sum = { 0 };

	for (uint32_t i = 0; i < graphs->span.nr; i++)
		strip_slot_add(&sum, &graphs->columns[i].sum);
	return sum;
}

uint64_t graphs_nr_failed(const struct graphs *graphs)
{
	struct strip_slot sum = sum_of(graphs);

	return nr_failed(&sum);
}

static void format_sums(const struct graphs *graphs, enum graph graph, struct tr2_buf *out)
{
	struct strip_slot sum = sum_of(graphs);

	if (graph == GRAPH_FAILED) {
		tr2_buf_addf(out, "%" PRIu64 " of %" PRIu32, nr_failed(&sum), sum.ended);
		if (nr_failed(&sum) && sum.ended)
			tr2_buf_addf(out, " (%.0f %%)", (double)nr_failed(&sum) * 100 / sum.ended);
		return;
	}
	tr2_buf_addstr(out, over_time_quantile_text(strip_quantile(&sum, 0.9)).text);
	tr2_buf_addf(out, "  p50 %s", over_time_quantile_text(strip_quantile(&sum, 0.5)).text);
}

int graphs_draw(const struct graphs *graphs, int number, struct surface *surface, int y,
		const struct ui_input *in)
{
	uint64_t values[MOST_CELLS];
	struct tr2_buf line = { .max = 256 };
	int x = graphs->x + (int)graphs->span.nr + 2;
	uint32_t at;

	surface_text(surface, 0, y, LABEL_CELLS, STYLE_DIM, labels[number], SIZE_MAX);
	draw_graph_columns(graphs, (enum graph)number, surface, y, values);
	if (in->past && in->past_ns != NS_NONE) {
		at = over_time_column_of(&graphs->span, in->past_ns);
		if (at < graphs->span.nr)
			surface_overlay(surface, (struct rect){ graphs->x + (int)at, y, 1, 1 },
					STYLE_SELECTED);
	}
	if (number == GRAPH_COMMANDS)
		format_commands(graphs, &line);
	else
		format_sums(graphs, (enum graph)number, &line);
	x += surface_text(surface, x, y, surface->cols - x, STYLE_TEXT, tr2_buf_cstr(&line),
			  line.len);
	tr2_buf_release(&line);
	return x;
}

bool graphs_step(const struct graphs *graphs, const struct ui_input *in, int step, ns_t *time)
{
	uint32_t at = graphs->span.nr;
	int64_t to;

	if (in->past && in->past_ns != NS_NONE)
		at = over_time_column_of(&graphs->span, in->past_ns);
	else if (graphs->span.nr)
		at = graphs->span.nr - 1;
	to = (int64_t)at + step;
	if (!graphs->span.nr || to >= graphs->span.nr)
		return false;
	*time = over_time_column_end(&graphs->span, to < 0 ? 0 : (uint32_t)to);
	return true;
}

bool graphs_press(const struct graphs *graphs, int x, ns_t *time)
{
	int at = x - graphs->x;

	if (at < 0 || (uint32_t)at >= graphs->span.nr)
		return false;
	*time = over_time_column_end(&graphs->span, (uint32_t)at);
	return true;
}
