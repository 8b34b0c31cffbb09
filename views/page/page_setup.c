/* SPDX-License-Identifier: MIT */
/*
 * Page of the setup: every setting, and the sort order and columns of each table that can be
 * arranged. A change takes effect at once, except for settings of setup_is_later().
 */
#include "config.h"

#include "views/ui/view.h"

#include <stdio.h>
#include <string.h>

#include "monitor/settings/option_values.h"
#include "views/ui/setup.h"
#include "views/ui/wrap.h"
#include "views/ui/view_text.h"

enum { COL_NAME, COL_VALUE, COL_HELP };

static const struct column columns[] = {
	[COL_NAME] = { .title = "SETTING", .min_cells = 17, .exact = true, .no_sort = true },
	[COL_VALUE] = { .title = "VALUE", .min_cells = 14, .exact = true, .no_sort = true },
	[COL_HELP] = { .title = "DESCRIPTION",
		       .min_cells = 12,
		       .grow = 1,
		       .rank = 1,
		       .no_sort = true },
};

/* ref: number of the setting or of the view; ref2: position of the column in the arrangement. */
enum setup_row_kind { KIND_HEADING, KIND_SETTING, KIND_SORT, KIND_COLUMN };

static struct row *setup_add(struct table *table, uint64_t id, enum setup_row_kind kind,
			     uint32_t ref)
{
	struct row *row = table_add(table, id);

	row->key = table->nr_rows;
	row->kind = (uint8_t)kind;
	row->ref = ref;
	row->fixed = kind == KIND_HEADING;
	return row;
}

/* The id of a row belongs to the column, not to its position, so that the selection follows a moved
 * column. */
static void gather_view(struct table *table, struct setup *setup, uint32_t view)
{
	const struct view_ops *ops = setup->ops[view];
	struct arrangement *arrangement = &setup->views[view];
	uint64_t id = (uint64_t)(view + 1) << 16;
	char name[24];

	arrangement_begin(arrangement, ops->columns, ops->nr_columns);
	setup_add(table, id, KIND_HEADING, view);
	if (setup_can_sort(setup, (enum view_id)view))
		setup_add(table, id + 1, KIND_SORT, view);
	for (uint32_t i = 0; i < arrangement->nr; i++) {
		column_name(&ops->columns[arrangement->at[i].column], name);
		if (*name)
			setup_add(table, id + 2 + arrangement->at[i].column, KIND_COLUMN, view)
				->ref2 = i;
	}
}

static void setup_gather(struct view_ctx *ctx, struct table *table)
{
	for (int i = 0; option_setting(i); i++)
		setup_add(table, (uint64_t)i + 1, KIND_SETTING, (uint32_t)i);
	for (uint32_t view = 0; view < NR_VIEWS; view++)
		if (setup_has_columns(ctx->setup, (enum view_id)view))
			gather_view(table, ctx->setup, view);
}

static const char *heading_doc(const char *setup_title)
{
	static const struct {
		const char *word, *doc;
	} words[] = {
#define SIGN(ID, doc)
#define WORD(word, doc) { word, doc },
#include "views/ui/legend.def"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].word, setup_title))
			return words[i].doc;
	return NULL;
}

/* A column generated from an attribute has neither number() nor text(); its help is the
 * attribute's. */
static const char *column_doc(const struct column *column)
{
	if (column->field && !column->number && !column->text)
		return filter_fields[column->field].doc;
	return heading_doc(column->title);
}

static void format_help(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	const struct arrangement *arrangement = &ctx->setup->views[row->ref % NR_VIEWS];
	char key[64], setting[SETUP_HELP_BYTES];
	const char *help = NULL;

	if (row->kind == KIND_SETTING && setup_key(ctx->setup, (int)row->ref, key, setting)) {
		help = setting;
		if (setup_is_later(option_setting_name(option_setting((int)row->ref))))
			tr2_buf_addstr(out, "from the next start: ");
	} else if (row->kind == KIND_SORT) {
		help = arrangement->reverse ? "reversed; r toggles" : "r: reverse";
	} else if (row->kind == KIND_COLUMN) {
		help = column_doc(
			&ctx->setup->ops[row->ref]->columns[arrangement->at[row->ref2].column]);
	}
	tr2_buf_addstr(out, help ? help : "");
}

static void draw_help(const struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	format_help(ctx, row, line);
	slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
}

static void draw_setting(const struct view_ctx *ctx, const struct row *row, int column,
			 const struct slot *slot)
{
	const struct option_row *option = option_setting((int)row->ref);
	const char *name = option_setting_name(option);
	struct tr2_buf *line = format_line();

	if (column == COL_NAME) {
		slot_text(slot, STYLE_TEXT, name, SIZE_MAX);
	} else if (column == COL_VALUE) {
		setup_say(ctx->setup, name, line);
		slot_text(slot, STYLE_HINT, tr2_buf_cstr(line), line->len);
	}
}

static void draw_sort(const struct view_ctx *ctx, const struct row *row, int column,
		      const struct slot *slot)
{
	const struct arrangement *arrangement = &ctx->setup->views[row->ref];
	struct tr2_buf *line = format_line();

	if (column == COL_NAME) {
		slot_text(slot, STYLE_TEXT, "sorted by", SIZE_MAX);
	} else if (column == COL_VALUE) {
		arrangement_format_sort(arrangement, ctx->setup->ops[row->ref]->columns, line);
		slot_text(slot, STYLE_HINT, tr2_buf_cstr(line), line->len);
	}
}

static void draw_column(const struct view_ctx *ctx, const struct row *row, int column,
			const struct slot *slot)
{
	const struct placed *placed = &ctx->setup->views[row->ref].at[row->ref2];
	char name[24];

	if (column == COL_NAME) {
		column_name(&ctx->setup->ops[row->ref]->columns[placed->column], name);
		slot_printf(slot, placed->hidden ? STYLE_DIM : STYLE_TEXT, "[%c] %s",
			    placed->hidden ? ' ' : 'x', name);
	} else if (column == COL_VALUE && placed->cells) {
		slot_printf(slot, STYLE_HINT, "%d wide", placed->cells);
	} else if (column == COL_VALUE) {
		slot_text(slot, STYLE_DIM, "auto", SIZE_MAX);
	}
}

static void setup_draw(struct view_ctx *ctx, const struct row *row, int column,
		       const struct slot *slot)
{
	if (column == COL_HELP) {
		draw_help(ctx, row, slot);
		return;
	}
	switch ((enum setup_row_kind)row->kind) {
	case KIND_HEADING:
		if (column == COL_NAME)
			surface_text(slot->surface, slot->x, slot->y, 30, STYLE_TITLE,
				     ctx->setup->ops[row->ref]->name, SIZE_MAX);
		break;
	case KIND_SETTING:
		draw_setting(ctx, row, column, slot);
		break;
	case KIND_SORT:
		draw_sort(ctx, row, column, slot);
		break;
	default:
		draw_column(ctx, row, column, slot);
	}
}

static int setup_foot_rows(const struct view_ctx *ctx, int rows)
{
	(void)ctx;
	return rows >= 8 ? 2 : rows >= 5;
}

static void setup_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct row *row = table_selected(&ctx->view->table);
	struct tr2_buf *line = format_line();
	int cols = area.cols - 2;
	uint32_t lines;

	if (row)
		format_help(ctx, row, line);
	lines = wrapped_lines(tr2_buf_cstr(line), line->len, cols);
	for (uint32_t i = 0; i < lines && (int)i < area.rows; i++) {
		size_t shown;
		const char *text = wrapped_line(tr2_buf_cstr(line), line->len, cols, i, &shown);

		surface_text(surface, area.x + 1, area.y + (int)i, cols, STYLE_HINT, text, shown);
	}
}

static void setup_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	tr2_buf_addf(out, " · %s", ctx->setup->path ? ctx->setup->path : "no file is written");
}

static int nr_shown(const struct arrangement *arrangement, const struct column *cols)
{
	char name[24];
	int nr = 0;

	for (int i = 0; i < arrangement->nr; i++) {
		column_name(&cols[arrangement->at[i].column], name);
		nr += *name && !arrangement->at[i].hidden;
	}
	return nr;
}

static void step_sort(struct arrangement *arrangement, const struct view_ops *ops, int step)
{
	do {
		arrangement->sort += step;
		if (arrangement->sort < SORT_NATURAL)
			arrangement->sort = ops->nr_columns - 1;
		else if (arrangement->sort >= ops->nr_columns)
			arrangement->sort = SORT_NATURAL;
	} while (arrangement->sort != SORT_NATURAL && ops->columns[arrangement->sort].no_sort);
}

/* Change a setting, a sort order, or the width of a column by `step` (1 or -1); 0: change to the
 * next value, or show or hide the column. */
static void setup_change(struct setup *setup, const struct row *row, int step)
{
	const struct view_ops *ops = setup->ops[row->ref % NR_VIEWS];
	struct arrangement *arrangement = &setup->views[row->ref % NR_VIEWS];
	struct placed *placed = &arrangement->at[row->ref2 % MAX_COLUMNS];

	if (row->kind == KIND_SETTING)
		option_step(&setup->options, option_setting((int)row->ref), step ? step : 1);
	else if (row->kind == KIND_SORT)
		step_sort(arrangement, ops, step ? step : 1);
	else if (step)
		arrangement_widen(arrangement, (int)row->ref2, ops->columns, step);
	else if (placed->hidden || nr_shown(arrangement, ops->columns) > 1)
		placed->hidden = !placed->hidden;
}

static void setup_move(struct setup *setup, const struct row *row, int step)
{
	if (row->kind == KIND_COLUMN)
		arrangement_move(&setup->views[row->ref], (int)row->ref2, step);
	else
		setup_change(setup, row, step);
}

static bool act_on(struct setup *setup, const struct row *row, enum action action)
{
	switch (action) {
	case ACTION_PAUSE:
	case ACTION_DRILL:
		setup_change(setup, row, 0);
		return true;
	case ACTION_RIGHT:
	case ACTION_FILTER_WITH:
		setup_change(setup, row, 1);
		return true;
	case ACTION_LEFT:
	case ACTION_FILTER_WITHOUT:
		setup_change(setup, row, -1);
		return true;
	case ACTION_SORT_RIGHT:
		setup_move(setup, row, 1);
		return true;
	case ACTION_SORT_LEFT:
		setup_move(setup, row, -1);
		return true;
	case ACTION_REVERSE:
		if (row->kind == KIND_SORT)
			setup->views[row->ref].reverse = !setup->views[row->ref].reverse;
		return true;
	default:
		return false;
	}
}

/* Return the current position of a row's column: it may have changed since gathering. */
static uint32_t setup_place_of(const struct setup *setup, const struct row *row)
{
	const struct arrangement *arrangement = &setup->views[row->ref % NR_VIEWS];
	uint64_t column = row->id - ((uint64_t)(row->ref + 1) << 16) - 2;
	uint32_t i = 0;

	while (i < arrangement->nr && arrangement->at[i].column != column)
		i++;
	return i < arrangement->nr ? i : row->ref2;
}

static bool setup_act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	const struct row *row = table_selected(&ctx->view->table);
	struct row now;

	(void)key;
	if (action == ACTION_REPORT) {
		ctx->asked |= UI_SAVE;
		return true;
	}
	if (!row)
		return false;
	now = *row;
	if (row->kind == KIND_COLUMN)
		now.ref2 = setup_place_of(ctx->setup, row);
	if (!act_on(ctx->setup, &now, action))
		return false;
	ctx->asked |= UI_SETTINGS;
	return true;
}

static bool setup_mouse(struct view_ctx *ctx, const struct key_event *key)
{
	if (key->button != MOUSE_DOUBLE ||
	    !table_press(&ctx->view->table, key->x, key->y, columns, 3))
		return false;
	return setup_act(ctx, ACTION_DRILL, 0);
}

const struct view_ops page_setup = {
	.name = "Setup",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.title = setup_title,
	.gather = setup_gather,
	.draw = setup_draw,
	.foot_rows = setup_foot_rows,
	.foot = setup_foot,
	.act = setup_act,
	.mouse = setup_mouse,
};
