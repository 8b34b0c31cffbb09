/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/ui_priv.h"
#include "views/ui/wrap.h"
#include "views/ui/view_text.h"
#include "views/ui/view_row.h"
#include "views/ui/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Minimum size of the screen; on smaller ones the bottom line shows this size instead of keys. */
#define LEAST_COLS 40
#define LEAST_ROWS 10

void ui_draw_lines(struct surface *surface, struct rect area, enum style style, const char *text)
{
	for (int y = area.y; *text && y < area.y + area.rows; y++) {
		size_t len = text_fitting(text, strcspn(text, "\n"), area.cols - 3);
		size_t shown = len;

		while (shown && text[shown - 1] == ' ')
			shown--;
		surface_text(surface, area.x + 2, y, area.cols - 3, style, text, shown);
		text += len + (text[len] == '\n');
	}
}

/* Append " 48 of 640" if rows are hidden, or " +592 hidden" if the items of the view are not rows.
 * Returns the number of bytes appended. */
static int format_shown(const struct view *view, struct tr2_buf *out)
{
	const struct table *table = &view->table;
	size_t before = out->len;
	uint32_t nr = 0, fixed = 0;

	for (uint32_t i = 0; i < table->nr_rows && table->nr_hidden; i++) {
		fixed += table->rows[i].fixed;
		nr += !table->rows[i].fixed && !table->rows[i].dimmed;
	}
	if (table->nr_hidden && view->ops->items)
		tr2_buf_addf(out, " +%" PRIu32 " hidden", table->nr_hidden);
	else if (table->nr_hidden)
		tr2_buf_addf(out, " %" PRIu32 " of %" PRIu64, nr,
			     (uint64_t)table->nr_rows - fixed + table->nr_hidden);
	return (int)(out->len - before);
}

static void format_range(const struct table *table, struct tr2_buf *out)
{
	uint32_t end = table->top + (uint32_t)(table->page_rows > 0 ? table->page_rows : 0);

	if (table->nr_rows <= (uint32_t)table->page_rows)
		return;
	tr2_buf_addf(out, " %" PRIu32 "-%" PRIu32, table->top + 1,
		     end < table->nr_rows ? end : table->nr_rows);
	if (table->nr_hidden)
		tr2_buf_addch(out, ',');
	else
		tr2_buf_addf(out, " of %" PRIu32, table->nr_rows);
}

/* Draw `text` from byte `from` on at the right end of the title, if it fits after column `free_x`.
 * Returns the column where it begins; 0: it was not drawn. */
static int draw_at_end(struct surface *surface, struct rect area, int free_x,
		       const struct tr2_buf *text, size_t from)
{
	int cells = surface_text_cells(text->data + from, text->len - from, surface->ascii);
	int x = area.x + area.cols - 1 - cells;

	if (x <= free_x)
		return 0;
	surface_text(surface, x, area.y, cells, STYLE_DIM, text->data + from, text->len - from);
	return x;
}

/* Draw at the right end of the title, as far as there is space: the order, the visible rows, and
 * the number of matching rows if some are hidden. Returns the column where the text begins, or that
 * of the frame's corner. */
static int draw_extent(const struct view *view, struct surface *surface, struct rect area,
		       int free_x)
{
	const struct table *table = &view->table;
	struct tr2_buf *line = format_line();
	bool is_natural = table->sort == SORT_NATURAL && !table->reverse;
	bool has_more = table->nr_hidden || table->nr_rows > (uint32_t)table->page_rows;
	size_t range, shown;
	int x;

	if (view->ops->order && is_natural && table->nr_rows > 1)
		tr2_buf_addf(line, has_more ? " %s ·" : " %s", view->ops->order);
	range = line->len;
	format_range(table, line);
	shown = line->len;
	format_shown(view, line);
	if (!line->len)
		return area.x + area.cols - 1;
	tr2_buf_addch(line, ' ');
	x = draw_at_end(surface, area, free_x, line, 0);
	if (!x && has_more && range)
		x = draw_at_end(surface, area, free_x, line, range);
	if (!x && shown + 1 < line->len)
		x = draw_at_end(surface, area, area.x, line, shown);
	return x ? x : area.x + area.cols - 1;
}

/* True if the view is filtered, panned or sorted by a column, follows a row, or has marked or
 * hidden rows. */
static bool is_special(struct ui *ui, struct view *view)
{
	return *ui_filter_of(ui, view) || view->table.follow || view->table.nr_marked ||
	       view->table.left || view->table.nr_hidden || view->table.sort != SORT_NATURAL;
}

static void ui_draw_format_state(const struct table *table, struct tr2_buf *out)
{
	if (table->follow == FOLLOW_NEWEST)
		tr2_buf_addstr(out, " · following the newest");
	else if (table->follow == FOLLOW_SELECTED)
		tr2_buf_addstr(out, table->lost ? " · following a row that is hidden"
						: " · following the selected");
	if (table->left)
		tr2_buf_addf(out, " · panned %d", table->left);
	if (table->nr_marked)
		tr2_buf_addf(out, " · %" PRIu32 " marked", table->nr_marked);
}

/* Append the direction of sorting, after the sort column if that is not visible; nothing for the
 * natural order unless it is reversed. */
static void format_order(const struct view *view, bool ascii, struct tr2_buf *out)
{
	const struct table *table = &view->table;
	bool is_natural = table->sort == SORT_NATURAL || table->sort >= view->ops->nr_columns;
	bool up = is_natural || table->reverse == view->ops->columns[table->sort].descending;

	if (is_natural && !table->reverse)
		return;
	if (!is_natural && table->heads[table->sort] < 0)
		tr2_buf_addf(out, " · by %s", view->ops->columns[table->sort].title);
	tr2_buf_addf(out, " %s", ascii ? up ? "^" : "v" : up ? "▲" : "▼");
}

static void format_filter(struct ui *ui, struct view *view, struct tr2_buf *out)
{
	const struct filter *filter = *ui_filter_of(ui, view);

	if (!filter)
		return;
	tr2_buf_addstr(out, " · filter");
	/* Matching some texts took too long, so matching rows may be hidden. */
	if (filter_limit_hits(filter))
		tr2_buf_addstr(out, " (too slow)");
	tr2_buf_addstr(out, ": ");
	if (filter == ui->filter)
		ui_chips_format(ui, out);
	else
		tr2_buf_addstr(out, filter_text(filter));
}

/* Draw the title at the left of the frame, but not into the last `right` cells. Returns the column
 * after it. */
static int ui_draw_draw_title(struct ui *ui, struct view_ctx *ctx, struct surface *surface,
			      struct rect area, bool focused, int right)
{
	struct view *view = ctx->view;
	struct tr2_buf *line = format_line();
	enum style style = focused ? STYLE_FOCUS : STYLE_TITLE;
	int hidden = format_shown(view, line);
	const char *name;

	tr2_buf_clear(line);
	tr2_buf_addch(line, ' ');
	if (!ui->nr_pages)
		tr2_buf_addf(line, "%d ", (int)(view - ui->panes) + 1);
	/* In a narrow area use only the first word of the name if is_special(): filter and order
	 * are more important. */
	name = view->ops->named ? view->ops->named(ctx) : view->ops->name;
	tr2_buf_add(line, name,
		    area.cols < 60 && is_special(ui, view) ? strcspn(name, " ") : strlen(name));
	format_filter(ui, view, line);
	if (view->ops->title)
		view->ops->title(ctx, line);
	ui_draw_format_state(&view->table, line);
	format_order(view, surface->ascii, line);
	tr2_buf_addch(line, ' ');
	return area.x + 2 +
	       surface_text(surface, area.x + 2, area.y,
			    area.cols - 4 - right - (hidden ? hidden + 1 : 0), style,
			    tr2_buf_cstr(line), line->len);
}

static void draw_both_ends(struct ui *ui, struct view_ctx *ctx, struct surface *surface,
			   struct rect area, bool focused)
{
	struct tr2_buf line = { .max = 1 << 12 };
	int cells = 0, end;

	if (ctx->view->ops->title_right)
		ctx->view->ops->title_right(ctx, &line);
	if (line.len)
		cells = surface_text_cells(tr2_buf_cstr(&line), line.len, surface->ascii) + 3;
	end = ui_draw_draw_title(ui, ctx, surface, area, focused, cells);
	end = draw_extent(ctx->view, surface, area, end + cells);
	if (cells)
		surface_printf(surface, end - cells + 1, area.y, cells - 1, STYLE_TITLE, " %s ",
			       tr2_buf_cstr(&line));
	tr2_buf_release(&line);
}

/* True if events were read and --since is in force: if there is no process, all are older. */
static bool is_before_since(const struct ui *ui)
{
	uint64_t events = 0;

	for (int i = 0; i < ui->in.nr_sources; i++)
		events += ui->in.sources[i].events;
	return events && ui->setup->options.since > 0;
}

/* Append why sources cannot be read. Returns false if there is no such source. */
static bool format_unread(struct ui *ui, struct tr2_buf *text)
{
	char why[400];
	bool any = false;

	for (int i = 0; i < ui->in.nr_sources; i++) {
		const struct source_stats *source = &ui->in.sources[i];

		source_stats_format_unread(source, why, sizeof(why));
		if (!*why && source->state != SOURCE_FAILED)
			continue;
		tr2_buf_addf(text, "%s%s: %s\n", any ? "" : "No source could be read.\n\n",
			     source->spec, *why ? why : source_stats_word(source));
		any = true;
	}
	return any;
}

static void format_attached(const struct ui *ui, struct tr2_buf *text)
{
	ns_t since = ui->in.wall_ns - (ui->in.monotonic_ns - ui->in.begun_ns);

	tr2_buf_addf(text, "Tracing %s since ", ui->specs);
	format_date(since, ui->in.wall_ns, text);
	format_time(since, false, text);
	tr2_buf_addstr(text, ".\n\nNo Git command has run yet. Each one appears here when it "
			     "starts, also in other terminals and in editors.\n\nWhen trace2top "
			     "exits, your Git configuration is as before.");
}

static const char *waiting_text(struct ui *ui)
{
	struct tr2_buf *text = &ui->waiting_text;

	tr2_buf_clear(text);
	if (format_unread(ui, text))
		return tr2_buf_cstr(text);
	if (ui->config.attached && !is_before_since(ui)) {
		format_attached(ui, text);
		return tr2_buf_cstr(text);
	}
	tr2_buf_addstr(text, is_before_since(ui) ? "All events so far are older than --since.\n\n"
						 : "Nothing has been traced yet.\n\n");
	for (int i = 0; i < ui->in.nr_sources && i < 8; i++)
		tr2_buf_addf(text, "%s: %s\n", ui->in.sources[i].spec,
			     source_stats_word(&ui->in.sources[i]));
	tr2_buf_addstr(text, ui->in.nr_sources ? "\n" : "");
	if (ui->config.has_command)
		tr2_buf_addstr(text, "The command has not written a trace so far. Git does, and "
				     "programs that trace like Git. O shows its output.");
	else if (ui->wait_hint)
		tr2_buf_addstr(text, ui->wait_hint);
	else
		tr2_buf_addstr(text,
			       "To trace every Git command:\n"
			       "  git config --global trace2.eventTarget TARGET\n"
			       "where TARGET is the source named above, as an absolute path.");
	if (ui_start_is_offered(ui))
		tr2_buf_addf(text, "\n\n%s: trace all Git commands, run a command or open a file",
			     key_rows[ACTION_START].keys);
	return tr2_buf_cstr(text);
}

static const char *empty_text(struct ui *ui, struct view_ctx *ctx)
{
	if (model_nr_processes(ctx->model) && *ui_filter_of(ui, ctx->view) &&
	    ctx->view->table.nr_hidden && !ctx->view->ops->every_value)
		return "nothing matches the filter; press \\ to change it";
	if (ctx->view == &ui->panes[VIEW_PROCESSES])
		return model_nr_processes(ctx->model)
			       ? "all processes are outside the depth limit: press d"
		       : ui->in.past ? "no earlier events"
				     : waiting_text(ui);
	return ctx->view->ops->empty ? ctx->view->ops->empty(ctx) : "no rows";
}

void ui_draw_cell(void *ctx, const struct row *row, int column, const struct slot *slot)
{
	view_draw_cell(ctx, row, column, slot);
}

void ui_draw_view(struct ui *ui, struct view *view, struct surface *surface, struct rect area,
		  bool focused)
{
	struct view_ctx ctx = ui_context(ui, view);
	struct rect inner = { area.x + 1, area.y + 1, area.cols - 2, area.rows - 2 };
	int foot = 0;

	if (area.cols < 4 || area.rows < 1)
		return;
	if (area.rows < 3) {
		surface_glyphs(surface, area.x, area.y, area.cols,
			       focused ? STYLE_FOCUS : STYLE_BORDER, GLYPH_HLINE);
		if (focused)
			surface_put_cursor(surface, area.x, area.y);
		ui_draw_draw_title(ui, &ctx, surface, area, focused, 0);
		return;
	}
	ctx.height = inner.rows;
	ctx.width = inner.cols;
	view->table.now_ns = ui->in.monotonic_ns;
	surface_frame(surface, area, focused ? STYLE_FOCUS : STYLE_BORDER);
	if (focused) /* put the cursor here in case the table has no selected row */
		surface_put_cursor(surface, inner.x, inner.y);
	if (view->ops->foot_rows)
		foot = view->ops->foot_rows(&ctx, inner.rows);
	inner.rows -= foot;
	table_draw(&view->table, surface, inner, view->ops->columns, view->ops->nr_columns, focused,
		   ui_draw_cell, &ctx);
	if (!view->table.nr_rows)
		ui_draw_lines(surface,
			      (struct rect){ inner.x, inner.y + 1, inner.cols, inner.rows - 1 },
			      STYLE_HINT, empty_text(ui, &ctx));
	if (foot)
		view->ops->foot(&ctx, surface,
				(struct rect){ inner.x, inner.y + inner.rows, inner.cols, foot });
	if (view == ui_front(ui))
		find_mark(&ui->find, &ctx, surface,
			  (struct rect){ inner.x, inner.y, inner.cols, inner.rows + foot });
	draw_both_ends(ui, &ctx, surface, area, focused);
	ui->ticks |= view->ticks;
	ui->working |= view->working;
}

void ui_draw_tabs(struct ui *ui, struct surface *surface)
{
	const struct view_ops *const *views = ui->config.views;
	struct rect tabs = ui->layout.tabs;
	int room = tabs.cols / NR_PANES;

	if (!tabs.rows)
		return;
	for (int i = 0; i < NR_PANES; i++)
		surface_printf(surface, tabs.x + i * room, tabs.y, room - 1,
			       i == ui->focus ? STYLE_SELECTED : STYLE_DIM, "%c%d %.*s%c",
			       i == ui->focus ? '[' : ' ', i + 1, (int)strcspn(views[i]->name, " "),
			       views[i]->name, i == ui->focus ? ']' : ' ');
}

/* Draw keys with their label, and store their positions for the mouse. Returns false if there is no
 * space. */
static bool ui_draw_draw_key(struct ui *ui, struct surface *surface, const char *keys,
			     size_t keys_len, const char *what)
{
	int y = ui->layout.keys_y, x = ui->keys_x, cells = (int)keys_len;
	int doc = surface_text_cells(what, SIZE_MAX, surface->ascii);

	if (x + cells + 1 + doc > surface->cols - ui->keys_kept ||
	    ui->nr_key_boxes == MAX_KEY_BOXES)
		return false;
	surface_text(surface, x, y, cells, STYLE_KEY, keys, keys_len);
	surface_text(surface, x + cells + 1, y, doc, STYLE_KEY_DOC, what, SIZE_MAX);
	for (size_t at = 0; at < keys_len && ui->nr_key_boxes < MAX_KEY_BOXES;) {
		size_t len = strcspn(keys + at, " ");

		len = len > keys_len - at ? keys_len - at : len;
		ui->key_boxes[ui->nr_key_boxes++] =
			(struct key_box){ x + (int)at, key_by_name(keys + at, len) };
		at += len + 1;
	}
	ui->keys_x += cells + 1 + doc + 2;
	return true;
}

static bool is_view_key(enum view_id id, const char *keys)
{
	for (uint32_t i = 0; i < nr_view_keys; i++)
		if (view_keys[i].view == id && view_keys[i].short_name &&
		    word_is_in(keys, strcspn(keys, " "), view_keys[i].keys))
			return true;
	return false;
}

static bool has_needs(struct ui *ui, enum key_needs needs)
{
	return needs == KEY_NEEDS_ROW       ? table_selected(&ui_front(ui)->table) != NULL
	       : needs == KEY_NEEDS_EVENTS  ? model_nr_processes(ui->in.model) > 0
	       : needs == KEY_NEEDS_SUBJECT ? subject_is_part(&ui_front(ui)->subject)
					    : true;
}

static bool draw_view_keys(struct ui *ui, struct surface *surface, enum view_id id)
{
	for (uint32_t i = 0; i < nr_view_keys; i++)
		if (view_keys[i].view == id && view_keys[i].short_name &&
		    has_needs(ui, (enum key_needs)view_keys[i].needs) &&
		    !ui_draw_draw_key(ui, surface, view_keys[i].keys, strlen(view_keys[i].keys),
				      view_keys[i].short_name))
			return false;
	return true;
}

static bool draw_action_key(struct ui *ui, struct surface *surface, enum action action)
{
	const struct key_row *row = &key_rows[action];

	return ui_draw_draw_key(ui, surface, row->keys, strcspn(row->keys, " "), row->short_name);
}

static void draw_help_key(struct ui *ui, struct surface *surface)
{
	ui->keys_kept = 0;
	draw_action_key(ui, surface, ACTION_HELP);
}

#define HELP_CELLS 8  /* "  ? help" */
#define BACK_CELLS 10 /* "  Esc back" */

static bool is_offered(struct ui *ui, enum action action)
{
	struct view *view = ui_front(ui);
	enum view_id page = view_of_action(action);

	if (action == ACTION_DRILL) {
		struct view_ctx ctx = ui_context(ui, view);
		struct subject subject = view->subject;
		const struct row *row = table_selected(&view->table);

		return row && view->ops->drill && view->ops->drill(&ctx, row, &subject) != NR_VIEWS;
	}
	if (action == ACTION_START)
		return ui_start_is_offered(ui);
	if (action == ACTION_FILTER)
		return view->ops->filter_rows != 0;
	if (action == ACTION_COPY || action == ACTION_FILTER_WITH || action == ACTION_EVENTS)
		return has_needs(ui, KEY_NEEDS_ROW) && !view->ops->of_input;
	if (page < NR_PANES && page == view->id)
		return false;
	return page == NR_VIEWS || !ui_page_refusal(ui, page);
}

static void draw_page_keys(struct ui *ui, struct surface *surface, enum view_id id)
{
	static const enum action others[] = { ACTION_SEARCH, ACTION_FILTER, ACTION_COPY,
					      ACTION_PAUSE };

	bool all;

	ui->keys_kept += BACK_CELLS;
	all = draw_view_keys(ui, surface, id) &&
	      (!ui_has_place(ui) || draw_action_key(ui, surface, ACTION_OPEN));
	ui->keys_kept -= BACK_CELLS;
	if (!ui_draw_draw_key(ui, surface, "Esc", 3, "back") || !all)
		return;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (!is_offered(ui, others[i]) || is_view_key(id, key_rows[others[i]].keys))
			continue;
		if (!draw_action_key(ui, surface, others[i]))
			return;
	}
}

/* On the bottom line, the keys of the pane in front follow the key Enter. */
static void draw_pane_keys(struct ui *ui, struct surface *surface, enum view_id id)
{
	for (int i = 1; i < NR_ACTIONS; i++) {
		if (i == ACTION_DRILL + 1 && !draw_view_keys(ui, surface, id))
			return;
		if (key_rows[i].short_name && key_rows[i].scope & KEY_SCOPE_PANES &&
		    i != ACTION_HELP && i != ACTION_OPEN && is_offered(ui, (enum action)i) &&
		    !draw_action_key(ui, surface, (enum action)i))
			return;
	}
}

static void draw_may_wait(struct ui *ui, struct surface *surface, enum view_id id)
{
	const char *key = id == VIEW_OUTPUT ? "Enter" : key_rows[ACTION_OUTPUT].keys;

	ui->keys_x = surface_text(surface, 0, ui->layout.keys_y, surface->cols, STYLE_NOTICE,
				  "The command may wait for input:", SIZE_MAX) +
		     1;
	ui_draw_draw_key(ui, surface, key, strlen(key), "");
	ui->keys_x--;
}

void ui_draw_keys(struct ui *ui, struct surface *surface)
{
	int y = ui->layout.keys_y;
	enum view_id id = ui_front(ui)->id;

	ui->nr_key_boxes = ui->keys_x = ui->keys_kept = 0;
	if (ui->asks_to_quit) {
		int end = surface_text(surface, 0, y, surface->cols, STYLE_NOTICE,
				       "The command is still running: y stops it and quits, any "
				       "other key continues",
				       SIZE_MAX);

		surface_put_cursor(surface, end, y);
		return;
	}
	if (ui->asking != ASK_NONE) {
		ui_ask_draw(ui, surface, y);
		return;
	}
	if (ui->find_said) {
		ui_search_draw(ui, surface, y);
		return;
	}
	if (menu_is_open(&ui->menu)) {
		ui_draw_draw_key(ui, surface, "Enter", strlen("Enter"), "choose");
		ui_draw_draw_key(ui, surface, "Esc", strlen("Esc"), "close");
		return;
	}
	if (*ui->notice) {
		surface_text(surface, 0, y, surface->cols, STYLE_NOTICE, ui->notice, SIZE_MAX);
		return;
	}
	if (surface->cols < LEAST_COLS || surface->rows < LEAST_ROWS) {
		surface_printf(surface, 0, y, surface->cols, STYLE_NOTICE,
			       "too small: at least %dx%d", LEAST_COLS, LEAST_ROWS);
		return;
	}
	if (ui->in.command_may_wait)
		draw_may_wait(ui, surface, id);
	ui->keys_kept = id == VIEW_HELP ? 0 : HELP_CELLS;
	if (ui->in.past)
		ui_draw_draw_key(ui, surface, "End", strlen("End"), "live");
	if (ui->nr_pages)
		draw_page_keys(ui, surface, id);
	else
		draw_pane_keys(ui, surface, id);
	if (id != VIEW_HELP)
		draw_help_key(ui, surface);
}

uint32_t ui_key_at(const struct ui *ui, int x)
{
	uint32_t key = 0;

	for (int i = 0; i < ui->nr_key_boxes && ui->key_boxes[i].x <= x && x + 1 < ui->keys_x; i++)
		key = ui->key_boxes[i].key;
	return key;
}

void ui_format_path(struct ui *ui, char *path, size_t bytes)
{
	size_t len = 0;

	path[0] = 0;
	for (int i = 0; i < ui->nr_pages && len + 1 < bytes; i++) {
		int n = snprintf(path + len, bytes - len, "%s%s", i ? " > " : "> ",
				 ui->pages[i]->ops->name);

		len += n > 0 ? (size_t)n : 0;
	}
}
