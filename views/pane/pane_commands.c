/* SPDX-License-Identifier: MIT */
/*
 * Pane 5: statistics by command, or by another attribute that the user chose. Below: heat map and
 * distribution of the selected row's durations.
 */
#include "config.h"

#include "views/ui/group_rows.h"
#include "views/ui/spread.h"
#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <math.h>

#include "monitor/analysis/command_trends.h"
#include "views/ui/heat_draw.h"

#define HEAT_MIN_ROWS 4 /* with fewer rows below the table, no heat map is computed */

struct commands_state {
	struct commands commands;
	struct command_trends trends;
	struct heat heat;
	uint64_t heat_key;     /* cache key of the points and layout of `heat`; 0: none */
	struct commands_by by; /* attributes by which processes are grouped; nr 0: by name */
	/* lines below the table for the heat map and its title; 0: it is not shown */
	int map_rows;
};

static const struct command *command_of(const struct view_ctx *ctx, const struct row *row)
{
	return &((const struct commands_state *)ctx->view->private)->commands.items[row->ref];
}

static struct commands_by commands_grouping(const struct view_ctx *ctx)
{
	const struct commands_state *state = ctx->view->private;

	return state->by.nr ? state->by : COMMANDS_BY_NAME;
}

static void commands_set_grouping(struct view_ctx *ctx, const struct commands_by *by)
{
	((struct commands_state *)ctx->view->private)->by = *by;
}

static struct row_group commands_row_group(const struct view_ctx *ctx, const struct row *row)
{
	const struct command *command = command_of(ctx, row);

	return (struct row_group){ commands_grouping(ctx), command->text, command->len,
				   command->slot == SLOT_NONE
					   ? NULL
					   : model_slot(ctx->model, command->slot) };
}

static bool commands_is_chosen(void *data, const struct model *model, uint32_t slot)
{
	return filter_process(data, model, slot);
}

static void commands_gather(struct view_ctx *ctx, struct table *table)
{
	struct commands_state *state = ctx->view->private;
	struct commands_of of = { .model = ctx->model, .depth = ctx->what.limits.depth };

	if (ctx->what.filter) {
		of.keep = commands_is_chosen;
		of.keep_data = ctx->what.filter;
	}
	commands_make(&state->commands, &of, commands_grouping(ctx));
	for (uint32_t i = 0; i < state->commands.nr; i++) {
		struct row *row = table_add(table, state->commands.items[i].id);

		row->ref = i;
		row->key = -state->commands.items[i].total;
		row->text = state->commands.items[i].text;
		row->text_len = (uint32_t)state->commands.items[i].len;
	}
	command_trends_make(&state->trends, &state->commands, ctx->model);
}

static const char *commands_name(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	*len = command_of(ctx, row)->len;
	return command_of(ctx, row)->text;
}

static void commands_draw_name(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct row_group group = commands_row_group(ctx, row);

	row_group_draw(&group, command_of(ctx, row)->running ? STYLE_NAME : STYLE_TEXT, slot);
}

static int64_t commands_count(const struct view_ctx *ctx, const struct row *row)
{
	return (int64_t)command_of(ctx, row)->count;
}

static int64_t running(const struct view_ctx *ctx, const struct row *row)
{
	return (int64_t)command_of(ctx, row)->running;
}

static void draw_running(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	uint64_t nr = command_of(ctx, row)->running;

	slot_count(slot, nr ? STYLE_LIVE : STYLE_DIM, nr);
}

static int64_t commands_failed(const struct view_ctx *ctx, const struct row *row)
{
	return (int64_t)command_of(ctx, row)->failed;
}

static void commands_draw_failed(struct view_ctx *ctx, const struct row *row,
				 const struct slot *slot)
{
	uint64_t nr = command_of(ctx, row)->failed;

	slot_count(slot, nr ? STYLE_FAILED : STYLE_DIM, nr);
}

static int64_t commands_total(const struct view_ctx *ctx, const struct row *row)
{
	const struct command *command = command_of(ctx, row);

	return command->timed ? command->total : NS_NONE;
}

static int64_t pane_commands_quantile(const struct view_ctx *ctx, const struct row *row, double q)
{
	struct commands_state *state = ctx->view->private;

	return commands_quantile(&state->commands, ctx->model, row->ref, q);
}

static int64_t commands_p50(const struct view_ctx *ctx, const struct row *row)
{
	return pane_commands_quantile(ctx, row, 0.50);
}

static int64_t p90(const struct view_ctx *ctx, const struct row *row)
{
	return pane_commands_quantile(ctx, row, 0.90);
}

static int64_t commands_p99(const struct view_ctx *ctx, const struct row *row)
{
	return pane_commands_quantile(ctx, row, 0.99);
}

static int64_t commands_longest(const struct view_ctx *ctx, const struct row *row)
{
	return command_of(ctx, row)->max;
}

static int64_t last(const struct view_ctx *ctx, const struct row *row)
{
	return command_of(ctx, row)->last;
}

static void draw_last(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	if (last(ctx, row) == NS_NONE)
		return;
	format_time(last(ctx, row), false, line);
	slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
}

static const struct command_trend *trend_of(const struct view_ctx *ctx, const struct row *row)
{
	const struct commands_state *state = ctx->view->private;

	return &state->trends.rows[row->ref];
}

static int64_t newest_p90(const struct view_ctx *ctx, const struct row *row)
{
	const struct commands_state *state = ctx->view->private;
	const struct command_trend *trend = trend_of(ctx, row);

	return trend->nr_slices
		       ? state->trends.slices[trend->first_slice + trend->nr_slices - 1].p90
		       : INT64_MIN;
}

/* Draw the 90th percentile of the newest slices of the runs, as many as fit; one level is a factor
 * of 2. */
static void draw_p90_over_time(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct commands_state *state = ctx->view->private;
	const struct command_trend *trend = trend_of(ctx, row);
	const struct trend_slice *slices = state->trends.slices + trend->first_slice;
	uint64_t levels[TREND_SLICES];
	ns_t least = INT64_MAX;
	uint32_t first = trend->nr_slices > (uint32_t)slot->cols
				 ? trend->nr_slices - (uint32_t)slot->cols
				 : 0;

	for (uint32_t i = first; i < trend->nr_slices; i++)
		least = slices[i].p90 > 0 && slices[i].p90 < least ? slices[i].p90 : least;
	for (uint32_t i = first; i < trend->nr_slices; i++) {
		double factor = slices[i].p90 > 0 ? (double)slices[i].p90 / (double)least : 1;
		uint64_t level = 2 + (uint64_t)lround(log2(factor));

		levels[i - first] = level > 8 ? 8 : level;
	}
	for (uint32_t i = first; i < trend->nr_slices; i++)
		surface_glyph(slot->surface, slot->x + (int)(i - first), slot->y,
			      trend->tested && trend->sign > 0 && levels[i - first] > 2
				      ? STYLE_SLOW
				      : STYLE_SPARK,
			      (enum glyph)(GLYPH_SPARK_1 + levels[i - first] - 1));
}

static int64_t trend_number(const struct view_ctx *ctx, const struct row *row)
{
	const struct command_trend *trend = trend_of(ctx, row);

	if (!trend->tested || isnan(trend->ratio))
		return INT64_MIN;
	return trend->sign ? (int64_t)(trend->ratio * 1000) : 1000;
}

static void draw_trend(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct command_trend *trend = trend_of(ctx, row);
	double ratio = trend->sign < 0 ? 1 / trend->ratio : trend->ratio;

	if (!trend->tested)
		return;
	if (!trend->sign || isnan(trend->ratio))
		slot_text(slot, STYLE_DIM, slot->surface->said ? "no change" : "=", SIZE_MAX);
	else
		slot_printf(slot, trend->sign > 0 ? STYLE_SLOW : STYLE_LIVE,
			    ratio < 9.95 ? "%s %.1fx" : "%s %.0fx",
			    slot->surface->ascii ? trend->sign > 0 ? "up" : "down"
			    : trend->sign > 0    ? "↑"
						 : "↓",
			    ratio);
}

static const struct column columns[] = {
	{ .title = "NAME",
	  .min_cells = 14,
	  .grow = 1,
	  .text = commands_name,
	  .draw = commands_draw_name },
	{ .title = "COUNT",
	  .field = FILTER_COUNT,
	  .min_cells = 6,
	  .right = true,
	  .descending = true,
	  .number = commands_count },
	{ .title = "RUN",
	  .field = FILTER_LIVE,
	  .min_cells = 4,
	  .rank = 8,
	  .right = true,
	  .descending = true,
	  .number = running,
	  .draw = draw_running },
	{ .title = "FAIL",
	  .field = FILTER_FAILED,
	  .min_cells = 5,
	  .rank = 1,
	  .right = true,
	  .descending = true,
	  .number = commands_failed,
	  .draw = commands_draw_failed },
	{ .title = "TOTAL",
	  .field = FILTER_TOTAL,
	  .min_cells = 7,
	  .right = true,
	  .descending = true,
	  .is_duration = true,
	  .number = commands_total },
	{ .title = "P50",
	  .min_cells = 7,
	  .rank = 3,
	  .right = true,
	  .descending = true,
	  .is_duration = true,
	  .number = commands_p50 },
	{ .title = "P90",
	  .min_cells = 7,
	  .rank = 7,
	  .right = true,
	  .descending = true,
	  .is_duration = true,
	  .number = p90 },
	{ .title = "P99",
	  .min_cells = 7,
	  .rank = 4,
	  .right = true,
	  .descending = true,
	  .is_duration = true,
	  .number = commands_p99 },
	{ .title = "MAX",
	  .field = FILTER_MAX,
	  .min_cells = 7,
	  .rank = 2,
	  .right = true,
	  .descending = true,
	  .is_duration = true,
	  .number = commands_longest },
	{ .title = "LAST",
	  .min_cells = 8,
	  .rank = 9,
	  .descending = true,
	  .number = last,
	  .draw = draw_last },
	{ .title = "P90 OVER TIME",
	  .min_cells = 10,
	  .rank = 6,
	  .fills = TREND_SLICES,
	  .descending = true,
	  .number = newest_p90,
	  .draw = draw_p90_over_time },
	{ .title = "TREND",
	  .min_cells = 6,
	  .rank = 2,
	  .right = true,
	  .descending = true,
	  .number = trend_number,
	  .draw = draw_trend },
};

/* True if the rows lack evicted processes: statistics by name without a filter include them. */
static bool only_kept(const struct view_ctx *ctx)
{
	const struct commands_state *state = ctx->view->private;

	return (!commands_is_by(&state->commands.by, ATTRIBUTE_NAME) || ctx->what.filter) &&
	       model_dropped(ctx->model)->finished;
}

static void commands_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	struct commands_by by = commands_grouping(ctx);

	tr2_buf_addstr(out, " · by ");
	commands_by_format(&by, out);
	if (ctx->what.limits.depth >= 0)
		tr2_buf_addf(out, " · depth ≤ %lld", (long long)ctx->what.limits.depth);
	if (ctx->what.filter)
		tr2_buf_addf(out, " · processes with %s", filter_text(ctx->what.filter));
	if (only_kept(ctx))
		tr2_buf_addstr(out, " · of processes in memory");
}

/* Compute the heat map of the selected row for the width of the pane, with rows of half octaves if
 * they fit into `rows`. */
static void make_row_heat(const struct view_ctx *ctx, int rows)
{
	struct commands_state *state = ctx->view->private;
	const struct row *row = table_selected(&ctx->view->table);
	struct heat_of of = { .processes = { .model = ctx->model, .depth = ctx->what.limits.depth },
			      .by = commands_grouping(ctx) };
	int cols = ctx->width - HEAT_LABEL_CELLS - HEAT_COUNT_CELLS - 2;

	uint64_t key;

	if (!row || cols < 2) {
		heat_clear(&state->heat);
		state->heat_key = 0;
		return;
	}
	of.id = command_of(ctx, row)->id;
	key = heat_key(ctx, tr2_hash_pair(of.id, (uint64_t)cols << 32 | (uint32_t)rows));
	if (key == state->heat_key)
		return;
	state->heat_key = key;
	heat_clear(&state->heat);
	if (ctx->what.filter) {
		of.processes.keep = commands_is_chosen;
		of.processes.keep_data = ctx->what.filter;
	}
	heat_add_commands(&state->heat, &of);
	heat_fit(&state->heat, (uint32_t)cols, HEAT_HALF_OCTAVES);
	if (heat_draw_rows(&state->heat) > rows)
		heat_fit(&state->heat, (uint32_t)cols, HEAT_OCTAVES);
}

static int commands_foot_rows(const struct view_ctx *ctx, int rows)
{
	struct commands_state *state = ctx->view->private;
	int free = rows - 1 - (int)ctx->view->table.nr_rows, most, wanted;

	state->map_rows = 0;
	if (rows < 6 || !ctx->view->table.nr_rows)
		return 0;
	most = (free > rows / 2 ? free : rows / 2) - 1;
	if (most >= HEAT_MIN_ROWS)
		make_row_heat(ctx, most - 2);
	wanted = state->heat.nr ? heat_draw_rows(&state->heat) + 2 : 0;
	if (!wanted || wanted > most)
		return 1;
	state->map_rows = wanted;
	/* Use all free rows, so that the heat map directly follows the table. */
	return wanted + 1 > free ? wanted + 1 : free;
}

static void commands_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	struct commands_state *state = ctx->view->private;
	const struct row *row = table_selected(&ctx->view->table);

	if (!row)
		return;
	if (state->map_rows) {
		struct tr2_buf *line = format_line();

		tr2_buf_add(line, command_of(ctx, row)->text ? command_of(ctx, row)->text : "",
			    command_of(ctx, row)->len);
		tr2_buf_addstr(line, ": durations of ");
		format_runs(state->heat.nr, line);
		tr2_buf_addstr(line, " over time; H: heat map");
		surface_text(surface, area.x + 1, area.y + 1, area.cols - 2, STYLE_TITLE,
			     tr2_buf_cstr(line), line->len);
		heat_draw(surface,
			  (struct rect){ area.x, area.y + 2, area.cols - 1, state->map_rows - 2 },
			  &state->heat);
	}
	draw_spread(surface, (struct rect){ area.x, area.y + state->map_rows, area.cols, 1 },
		    commands_sums(&state->commands, ctx->model, row->ref));
}

static const char *commands_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "no command has been traced yet";
}

static enum view_id commands_drill(const struct view_ctx *ctx, const struct row *row,
				   struct subject *subject)
{
	subject->process = HANDLE_NONE;
	subject->group = command_of(ctx, row)->id;
	subject->group_by = commands_grouping(ctx);
	subject->has_group = true;
	return VIEW_COMMAND;
}

static bool visit_group(const struct view_ctx *ctx, const struct row *row, enum filter_field field,
			value_visit *visit, void *data)
{
	struct row_group group = commands_row_group(ctx, row);

	return row_group_visit(ctx->model, &group, field, visit, data);
}

static const struct row_field fields[] = { { FILTER_ARGV, .visit = visit_group } };

static bool commands_events(const struct view_ctx *ctx, const struct row *row,
			    struct subject *subject, struct tr2_buf *filter)
{
	struct row_group group;

	subject->process = HANDLE_NONE;
	if (!row)
		return false;
	group = commands_row_group(ctx, row);
	return row_group_format_events(ctx->model, &group, filter);
}

static void pane_commands_release(void *private)
{
	struct commands_state *state = private;

	commands_release(&state->commands);
	command_trends_release(&state->trends);
	heat_release(&state->heat);
}

const struct view_ops pane_commands = {
	.name = "Commands",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.arranged = true,
	.private_bytes = sizeof(struct commands_state),
	.title = commands_title,
	.gather = commands_gather,
	.foot_rows = commands_foot_rows,
	.foot = commands_foot,
	.empty = commands_empty,
	.grouping = commands_grouping,
	.set_grouping = commands_set_grouping,
	.visit_group = visit_group,
	.filter_rows = FILTER_ROWS_COMMAND,
	.fields = fields,
	.nr_fields = sizeof(fields) / sizeof(*fields),
	.drill = commands_drill,
	.events = commands_events,
	.release = pane_commands_release,
};
