/* SPDX-License-Identifier: MIT */
/*
 * Page of the heat map: durations of a command, of all commands, or of a region, over time. The
 * rows are those of the map. The cursor is a cell: the selected row, and a column.
 */
#include "config.h"

#include "views/ui/heat_draw.h"
#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/occurrences.h"
#include "monitor/base/humanize.h"

#define MIN_COLUMNS 8
#define MAX_LISTED  16 /* maximum number of runs listed below the map; Enter lists all */
/* assumed width in cells of the columns other than the map, before the map was first drawn */
#define OTHER_COLUMNS 20

/* A cell of the map, by numbers that do not change with scrolling. */
struct heat_corner {
	int64_t column; /* number of the cell's column, counted from the epoch */
	uint32_t row;   /* number of the cell's row, counted from the shortest possible duration */
};

enum heat_box_state { BOX_NONE, BOX_OPEN, BOX_SET };

struct heat_page {
	struct heat heat;
	/* cache keys for the points and for the layout of `heat`; 0: none */
	uint64_t points_key, layout_key;
	struct occurrences found; /* occurrences of the page's region, if any */
	bool all;                 /* show all commands, regardless of the page's subject */
	bool zoomed;              /* the user chose the visible times; false: all */
	/* if zoomed: a column is 2^shift seconds wide; number of the first column */
	int shift;
	int64_t first;
	bool has_cursor; /* the cursor is in column `cursor`; false: in the last one */
	int64_t cursor;  /* number of the cursor's column, counted from the epoch */
	enum heat_box_state box;
	struct heat_corner from, to;
	int x, cols; /* screen column and width of the map, as last drawn */
};

static bool is_of_region(const struct view_ctx *ctx)
{
	const struct heat_page *page = ctx->view->private;
	const struct subject *subject = &ctx->view->subject;

	return !page->all && (subject->category != SYM_NONE || subject->label != SYM_NONE);
}

static bool is_of_group(const struct view_ctx *ctx)
{
	const struct heat_page *page = ctx->view->private;

	return !page->all && !is_of_region(ctx) && ctx->view->subject.has_group;
}

static bool heat_is_chosen(void *data, const struct model *model, uint32_t slot)
{
	return filter_process(data, model, slot);
}

static void add_occurrences(const struct view_ctx *ctx, struct heat_page *page)
{
	occurrences_read(&page->found, &ctx->what);
	ctx->view->working |= page->found.percent < 100;
	heat_add_occurrences(&page->heat, ctx->model, &page->found);
}

static void add_commands(const struct view_ctx *ctx, struct heat_page *page)
{
	const struct subject *subject = &ctx->view->subject;
	struct heat_of of = { .processes = { .model = ctx->model, .depth = ctx->what.limits.depth },
			      .all = !is_of_group(ctx),
			      .by = subject->group_by,
			      .id = subject->group };

	if (ctx->what.filter) {
		of.processes.keep = heat_is_chosen;
		of.processes.keep_data = ctx->what.filter;
	}
	heat_add_commands(&page->heat, &of);
	if (of.all && !ctx->what.filter && ctx->what.limits.depth < 0)
		heat_add_evicted(&page->heat, ctx->model);
}

static uint32_t map_columns(const struct view_ctx *ctx)
{
	const struct heat_page *page = ctx->view->private;
	int cols = page->cols ? page->cols : ctx->width - OTHER_COLUMNS;

	return (uint32_t)(cols < MIN_COLUMNS ? MIN_COLUMNS : cols);
}

static void gather_points(const struct view_ctx *ctx, struct heat_page *page)
{
	const struct subject *subject = &ctx->view->subject;
	uint64_t key = heat_key(ctx, is_of_group(ctx) ? subject->group : 0);

	if (!is_of_region(ctx) && key == page->points_key)
		return;
	heat_clear(&page->heat);
	page->layout_key = 0;
	page->points_key = is_of_region(ctx) ? 0 : key;
	if (is_of_region(ctx))
		add_occurrences(ctx, page);
	else
		add_commands(ctx, page);
}

static void lay_out(const struct view_ctx *ctx, struct heat_page *page)
{
	uint32_t width = map_columns(ctx);
	enum heat_rows rows = HEAT_HALF_OCTAVES;
	uint64_t key = tr2_hash_pair(width, (uint64_t)ctx->height);

	if (page->zoomed)
		key = tr2_hash_pair(tr2_hash_pair(key, (uint64_t)page->first),
				    (uint64_t)(page->shift + 100));
	if (key == page->layout_key)
		return;
	page->layout_key = key;
	heat_fit(&page->heat, width, rows);
	if ((int64_t)page->heat.nr_rows > ctx->height / 2)
		rows = HEAT_OCTAVES;
	if (page->zoomed)
		heat_layout(&page->heat, page->shift, page->first, width, rows);
	else if (rows == HEAT_OCTAVES)
		heat_fit(&page->heat, width, rows);
}

static void heat_gather(struct view_ctx *ctx, struct table *table)
{
	struct heat_page *page = ctx->view->private;
	struct heat *heat = &page->heat;

	gather_points(ctx, page);
	table->sort = SORT_NATURAL;
	table->reverse = false;
	if (!heat->nr)
		return;
	lay_out(ctx, page);
	for (uint32_t i = heat->nr_rows; i-- > 0;) {
		struct row *row = table_add(table, heat->first_row + i + 1);

		row->ref = i;
		row->key = table->nr_rows;
	}
}

static uint32_t cursor_column(const struct heat_page *page)
{
	int64_t at = page->has_cursor ? page->cursor - page->heat.first : INT64_MAX;

	if (at < 0)
		return 0;
	return at < page->heat.nr_columns ? (uint32_t)at : page->heat.nr_columns - 1;
}

static struct heat_corner corner_at_cursor(const struct heat_page *page, uint32_t row)
{
	return (struct heat_corner){ page->heat.first + cursor_column(page),
				     page->heat.first_row + row };
}

static uint32_t clamp_to(int64_t number, uint32_t nr)
{
	return number < 0 ? 0 : number < nr ? (uint32_t)number : nr - 1;
}

static struct heat_box box_between(const struct heat *heat, struct heat_corner a,
				   struct heat_corner b)
{
	uint32_t x1 = clamp_to(a.column - heat->first, heat->nr_columns);
	uint32_t x2 = clamp_to(b.column - heat->first, heat->nr_columns);
	uint32_t y1 = clamp_to((int64_t)a.row - heat->first_row, heat->nr_rows);
	uint32_t y2 = clamp_to((int64_t)b.row - heat->first_row, heat->nr_rows);

	return (struct heat_box){ y1 < y2 ? y1 : y2, y1 < y2 ? y2 : y1, x1 < x2 ? x1 : x2,
				  x1 < x2 ? x2 : x1 };
}

/* Get the box or, without one, the cell of the cursor. Returns false if the map has no cells. */
static bool chosen_box(const struct view_ctx *ctx, struct heat_box *box)
{
	const struct heat_page *page = ctx->view->private;
	const struct row *row = table_selected(&ctx->view->table);
	struct heat_corner cursor;

	if (!page->heat.nr_columns || !page->heat.nr_rows)
		return false;
	cursor = corner_at_cursor(page, row ? row->ref : 0);
	*box = box_between(&page->heat, page->box == BOX_NONE ? cursor : page->from,
			   page->box == BOX_SET ? page->to : cursor);
	return true;
}

static void heat_draw_duration(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct heat_page *page = ctx->view->private;

	slot_text(slot, STYLE_TEXT, human_duration(heat_row_bound(&page->heat, row->ref)).text,
		  SIZE_MAX);
}

static void heat_draw_map(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct heat_page *page = ctx->view->private;
	struct heat_box box;
	int cursor;

	page->x = slot->x;
	page->cols = slot->cols;
	heat_draw_cells(slot->surface, slot->x, slot->y, slot->cols, &page->heat, row->ref);
	if (page->box != BOX_NONE && chosen_box(ctx, &box) && row->ref >= box.first_row &&
	    row->ref <= box.last_row)
		surface_overlay(slot->surface,
				(struct rect){ slot->x + (int)box.first_column, slot->y,
					       (int)(box.last_column - box.first_column) + 1, 1 },
				STYLE_FOUND);
	cursor = (int)cursor_column(page);
	if (cursor < slot->cols)
		surface_overlay(slot->surface, (struct rect){ slot->x + cursor, slot->y, 1, 1 },
				STYLE_CHOSEN);
}

static void heat_draw_count(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct heat_page *page = ctx->view->private;

	slot_count(slot, STYLE_TEXT, heat_row_sum(&page->heat, row->ref).nr);
}

static const struct column columns[] = {
	{ .title = "DURATION",
	  .min_cells = 8,
	  .right = true,
	  .no_sort = true,
	  .draw = heat_draw_duration },
	{ .title = "OVER TIME",
	  .min_cells = MIN_COLUMNS,
	  .grow = 1,
	  .fills = FILLS_ALL,
	  .no_sort = true,
	  .draw = heat_draw_map },
	{ .title = "COUNT",
	  .min_cells = 6,
	  .rank = 1,
	  .right = true,
	  .no_sort = true,
	  .draw = heat_draw_count },
};

static void heat_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct heat_page *page = ctx->view->private;
	const struct heat *heat = &page->heat;

	tr2_buf_addstr(out, " · ");
	if (is_of_region(ctx))
		format_region(ctx->model, ctx->view->subject.category, ctx->view->subject.label,
			      out);
	else if (is_of_group(ctx) && heat->nr)
		commands_format_group(ctx->model, model_slot(ctx->model, heat->points[0].slot),
				      ctx->view->subject.group_by, out);
	else
		tr2_buf_addstr(out, is_of_group(ctx) ? "no runs" : "all commands");
	tr2_buf_addstr(out, " · ");
	format_runs(heat->nr + heat->untimed, out);
	if (heat->untimed)
		tr2_buf_addf(out, ", %" PRIu64 " without a time", heat->untimed);
	if (heat->nr)
		tr2_buf_addf(out, " · %s per column", human_mark(heat_column_width(heat)).text);
	if (model_dropped(ctx->model)->finished)
		tr2_buf_addstr(out,
			       heat->evicted ? " · dotted: evicted" : " · of processes in memory");
}

static int heat_foot_rows(const struct view_ctx *ctx, int rows)
{
	const struct heat_page *page = ctx->view->private;
	int free = rows - 1 - (int)page->heat.nr_rows;

	if (!page->heat.nr || rows < 4)
		return 0;
	/* If the screen is low, leave out the legend of the map. */
	return free > 3 ? free : rows < 10 ? 2 : 3;
}

/* Collect at most MAX_LISTED points in the box, the longest durations first. Returns their
 * number. */
static uint32_t longest_points(const struct heat *heat, const struct heat_box *box,
			       uint32_t points[MAX_LISTED])
{
	uint32_t nr = 0;

	for (uint32_t i = heat_next_in_box(heat, box, UINT32_MAX); i != UINT32_MAX;
	     i = heat_next_in_box(heat, box, i)) {
		uint32_t at = nr;

		while (at && heat->points[points[at - 1]].duration < heat->points[i].duration)
			at--;
		if (at == MAX_LISTED)
			continue;
		nr += nr < MAX_LISTED;
		memmove(points + at + 1, points + at, (nr - 1 - at) * sizeof(*points));
		points[at] = i;
	}
	return nr;
}

static void draw_heat_point(const struct view_ctx *ctx, const struct heat_point *point,
			    struct surface *surface, struct rect line)
{
	struct slot slot = {
		.surface = surface, .x = line.x + 1, .y = line.y, .cols = 8, .right = true
	};
	struct tr2_buf *text = format_line();
	size_t name_len = 0;

	slot_duration(&slot, point->failed ? STYLE_FAILED : STYLE_TEXT, point->duration);
	slot.x += 9;
	slot.right = false;
	format_time(point->time, false, text);
	slot_text(&slot, STYLE_DIM, tr2_buf_cstr(text), text->len);
	slot.x += 9;
	slot.cols = line.x + line.cols - 1 - slot.x;
	if (point->slot == SLOT_NONE)
		return;
	text = format_line();
	format_command(ctx->model, model_slot(ctx->model, point->slot), text, &name_len);
	slot_command(&slot, STYLE_TEXT, tr2_buf_cstr(text), text->len, name_len);
}

static void list_points(const struct view_ctx *ctx, const struct heat_box *box,
			struct surface *surface, struct rect area)
{
	const struct heat_page *page = ctx->view->private;
	uint32_t points[MAX_LISTED], nr = longest_points(&page->heat, box, points);

	for (int i = 0; i < (int)nr && i < area.rows; i++)
		draw_heat_point(ctx, &page->heat.points[points[i]], surface,
				(struct rect){ area.x, area.y + i, area.cols, 1 });
}

static void list_chosen(const struct view_ctx *ctx, const struct heat_box *box,
			struct surface *surface, struct rect area)
{
	const struct heat *heat = &((const struct heat_page *)ctx->view->private)->heat;
	struct heat_box all = { 0, heat->nr_rows - 1, 0, heat->nr_columns - 1 };

	if (heat_next_in_box(heat, box, UINT32_MAX) != UINT32_MAX) {
		list_points(ctx, box, surface, area);
		return;
	}
	if (area.rows < 3)
		return;
	surface_text(surface, area.x + 1, area.y + 1, area.cols - 2, STYLE_TITLE,
		     "Longest runs in sight", SIZE_MAX);
	list_points(ctx, &all, surface,
		    (struct rect){ area.x, area.y + 2, area.cols, area.rows - 2 });
}

static void heat_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct heat_page *page = ctx->view->private;
	struct tr2_buf *line;
	struct heat_box box;
	int y = area.y + 1;

	if (page->cols > 0)
		heat_draw_axis(surface, page->x, area.y, page->cols, &page->heat);
	if (!chosen_box(ctx, &box) || area.rows < 2)
		return;
	if (area.rows > 2)
		heat_draw_legend(surface,
				 (struct rect){ page->x, y++, area.x + area.cols - page->x, 1 },
				 &page->heat);
	line = format_line();
	heat_format_box(&page->heat, &box, line);
	if (page->box == BOX_OPEN)
		tr2_buf_addstr(line, "; m sets the opposite corner");
	surface_text(surface, area.x + 1, y++, area.cols - 2, STYLE_TITLE, tr2_buf_cstr(line),
		     line->len);
	list_chosen(ctx, &box, surface,
		    (struct rect){ area.x, y, area.cols, area.y + area.rows - y });
}

static const char *heat_empty(const struct view_ctx *ctx)
{
	return is_of_region(ctx) ? "no occurrence with a time\n"
				   "press a to show all commands"
				 : "no command with a known duration has ended";
}

static void heat_zoom(struct heat_page *page, int step)
{
	struct heat *heat = &page->heat;
	int shift = heat->shift + step;
	int64_t middle = heat->first + cursor_column(page);

	if (shift < HEAT_MIN_SHIFT || shift > HEAT_MAX_SHIFT || !heat->nr_columns)
		return;
	/* Keep the cursor's time in the middle. A right shift of a negative number rounds down, as
	 * needed. */
	middle = step > 0 ? middle >> 1 : middle * 2;
	page->zoomed = true;
	page->shift = shift;
	page->first = middle - page->cols / 2;
	page->has_cursor = true;
	page->cursor = middle;
	page->box = BOX_NONE;
}

static void heat_pan(struct heat_page *page, int direction)
{
	int64_t cells = direction * (page->cols / 2 > 0 ? page->cols / 2 : 1);

	page->first = (page->zoomed ? page->first : page->heat.first) + cells;
	page->shift = page->heat.shift;
	page->zoomed = true;
	if (page->has_cursor)
		page->cursor += cells;
}

static void heat_move_cursor(struct heat_page *page, int step)
{
	page->cursor = page->heat.first + cursor_column(page) + step;
	page->has_cursor = true;
	if (page->zoomed && page->cursor < page->first)
		page->first = page->cursor;
	else if (page->zoomed && page->cursor >= page->first + page->heat.nr_columns)
		page->first = page->cursor - page->heat.nr_columns + 1;
	else if (!page->zoomed)
		page->cursor = page->heat.first + cursor_column(page);
}

static void heat_mark(const struct view_ctx *ctx, struct heat_page *page)
{
	const struct row *row = table_selected(&ctx->view->table);

	if (!row || !page->heat.nr_columns)
		return;
	if (page->box == BOX_OPEN)
		page->to = corner_at_cursor(page, row->ref);
	else
		page->from = corner_at_cursor(page, row->ref);
	page->box = page->box == BOX_OPEN ? BOX_SET : BOX_OPEN;
}

static bool heat_act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	struct heat_page *page = ctx->view->private;

	if (key == '+' || key == '-') {
		heat_zoom(page, key == '+' ? -1 : 1);
		return true;
	}
	switch (action) {
	case ACTION_LEFT:
	case ACTION_RIGHT:
		heat_move_cursor(page, action == ACTION_LEFT ? -1 : 1);
		return true;
	case ACTION_SORT_LEFT:
	case ACTION_SORT_RIGHT:
		heat_pan(page, action == ACTION_SORT_LEFT ? -1 : 1);
		return true;
	case ACTION_FOLLOW:
		page->zoomed = page->has_cursor = false;
		page->box = BOX_NONE;
		return true;
	case ACTION_SCOPE:
		/* Also without effect, handle the key: its common action changes the scope of a
		 * pane. */
		if (!subject_is_part(&ctx->view->subject))
			return true;
		page->all = !page->all;
		page->zoomed = page->has_cursor = false;
		page->box = BOX_NONE;
		return true;
	case ACTION_MARK:
		heat_mark(ctx, page);
		return true;
	case ACTION_UNMARK:
		page->box = BOX_NONE;
		return true;
	case ACTION_BACK:
		if (page->box == BOX_NONE)
			return false;
		page->box = BOX_NONE;
		return true;
	default:
		return false;
	}
}

static bool heat_mouse(struct view_ctx *ctx, const struct key_event *event)
{
	struct heat_page *page = ctx->view->private;
	const struct table *table = &ctx->view->table;
	int64_t cell = event->x - page->x, row = event->y - table->body_y + table->top;

	if (cell < 0 || cell >= page->heat.nr_columns || row < 0 || row >= table->nr_rows)
		return false;
	if (event->button == MOUSE_PRESS) {
		page->has_cursor = true;
		page->cursor = page->heat.first + cell;
		page->box = BOX_NONE;
		return false;
	}
	if (event->button != MOUSE_DRAG)
		return false;
	if (page->box == BOX_NONE)
		heat_mark(ctx, page);
	page->to = (struct heat_corner){ page->heat.first + cell,
					 page->heat.first_row + table->rows[row].ref };
	page->box = BOX_SET;
	return true;
}

static enum view_id heat_drill(const struct view_ctx *ctx, const struct row *row,
			       struct subject *subject)
{
	const struct heat_page *page = ctx->view->private;
	uint32_t points[MAX_LISTED], nr;
	struct heat_box box;

	(void)row;
	if (!chosen_box(ctx, &box))
		return NR_VIEWS;
	nr = longest_points(&page->heat, &box, points);
	if (!nr)
		return NR_VIEWS;
	subject->has_box = true;
	subject->box = heat_box_bounds(&page->heat, &box);
	if (is_of_region(ctx))
		return VIEW_REGION;
	if (nr == 1) {
		subject->process = model_handle(ctx->model, page->heat.points[points[0]].slot);
		return VIEW_PROCESS;
	}
	subject->process = HANDLE_NONE;
	subject->has_group = is_of_group(ctx);
	return VIEW_COMMAND;
}

static void page_heat_release(void *private)
{
	struct heat_page *page = private;

	heat_release(&page->heat);
	occurrences_release(&page->found);
}

const struct view_ops page_heat = {
	.name = "Heat",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.private_bytes = sizeof(struct heat_page),
	.title = heat_title,
	.gather = heat_gather,
	.foot_rows = heat_foot_rows,
	.foot = heat_foot,
	.empty = heat_empty,
	.act = heat_act,
	.mouse = heat_mouse,
	.filter_rows = FILTER_ROWS_PROCESS,
	.drill = heat_drill,
	.release = page_heat_release,
};
