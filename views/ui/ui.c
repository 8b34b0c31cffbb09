/* SPDX-License-Identifier: MIT */
/*
 * The screen: four panes, a stack of pages above them, limits, and what keys do. What a view
 * shows is the view's; what is where is layout.c's.
 */
#include "config.h"

#include "views/ui/ui.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "views/ui/ui_priv.h"

#define NESTING_TOP 4 /* `-` from "all" begins here */

const struct view_ops *const view_table[NR_VIEWS] = {
#define PANE(ID, ops) [VIEW_##ID] = &ops,
#define PAGE(ID, ops) [VIEW_##ID] = &ops,
#include "views/ui/panes.def"
};

static void view_init(struct ui *ui, struct view *view, enum view_id id)
{
	*view = (struct view){ .ops = view_table[id] };
	view->table.sort = SORT_NATURAL;
	view->table.arrangement = setup_has_columns(id) ? &ui->setup->views[id] : NULL;
	view->subject = (struct subject){
		.process = HANDLE_NONE, .category = SYM_NONE, .label = SYM_NONE
	};
	if (view->ops->private_bytes)
		view->private = xcalloc(1, view->ops->private_bytes);
}

static void view_release(struct view *view)
{
	if (view->ops->release)
		view->ops->release(view->private);
	filter_free(view->filter);
	free(view->private);
	table_release(&view->table);
}

static char *join_specs(const struct ui_config *config)
{
	struct tr2_buf line;

	tr2_buf_init(&line, 1 << 16);
	for (int i = 0; i < config->nr_specs; i++)
		tr2_buf_addf(&line, "%s%s", i ? " " : "", config->specs[i]);
	char *text = xstrdup(tr2_buf_cstr(&line));

	tr2_buf_release(&line);
	return text;
}

struct ui *ui_new(const struct ui_config *config)
{
	struct ui *ui = xcalloc(1, sizeof(*ui));
	struct filter_error error;

	struct options options;

	ui->config = *config;
	ui->selected = HANDLE_NONE;
	options_init(&options);
	setup_init(&ui->own_setup, &options);
	ui->setup = config->setup ? config->setup : &ui->own_setup;
	ui->setup->options.nesting = config->nesting;
	ui->setup->options.depth = config->depth;
	ui->specs = join_specs(config);
	ui->wait_hint = config->wait_hint ? xstrdup(config->wait_hint) : NULL;
	ui->limits = (struct timing_limits){ config->nesting, config->depth };
	ui->cols = 80;
	ui->rows = 24;
	ui->selected = HANDLE_NONE;
	ui->asking = ASK_NONE;
	for (int i = 0; i < NR_PANES; i++)
		view_init(ui, &ui->panes[i], (enum view_id)i);
	ui->panes[VIEW_PROCESSES].table.follow = config->follow;
	if (config->filter)
		ui->filter = filter_new(config->filter, FILTER_ROWS_PROCESS, tr2_clock_wall(),
					&error);
	return ui;
}

static void pop_page(struct ui *ui)
{
	struct view *view = ui->pages[--ui->nr_pages];

	find_forget(&ui->find);
	view_release(view);
	free(view);
}

void ui_free(struct ui *ui)
{
	if (!ui)
		return;
	while (ui->nr_pages)
		pop_page(ui);
	for (int i = 0; i < NR_PANES; i++)
		view_release(&ui->panes[i]);
	filter_free(ui->filter);
	find_release(&ui->find);
	free(ui->specs);
	free(ui->wait_hint);
	free(ui);
}

void ui_resize(struct ui *ui, int cols, int rows)
{
	ui->cols = cols < 1 ? 1 : cols > SURFACE_MAX_COLS ? SURFACE_MAX_COLS : cols;
	ui->rows = rows < 1 ? 1 : rows > SURFACE_MAX_ROWS ? SURFACE_MAX_ROWS : rows;
}

bool ui_is_undrawn(struct ui *ui)
{
	return ui->has_in && ui->drawn != ui_front(ui);
}

bool ui_is_working(const struct ui *ui)
{
	return ui->working || find_is_working(&ui->find);
}

bool ui_needs_ticks(const struct ui *ui)
{
	return ui->ticks || ui_is_working(ui);
}

void ui_notice(struct ui *ui, const char *text)
{
	snprintf(ui->notice, sizeof(ui->notice), "%s", text);
}

int64_t ui_nesting(const struct ui *ui)
{
	return ui->limits.nesting;
}

int64_t ui_depth(const struct ui *ui)
{
	return ui->limits.depth;
}

struct filter *ui_filter(const struct ui *ui)
{
	return ui->filter;
}

/* ---- frames ---- */

struct view *ui_front(struct ui *ui)
{
	return ui->nr_pages ? ui->pages[ui->nr_pages - 1] : &ui->panes[ui->focus];
}

struct view_ctx ui_context(struct ui *ui, struct view *view)
{
	const struct ui_input *in = &ui->in;

	view->subject.process = model_handle_here(in->model, view->subject.process);
	return (struct view_ctx){
		.view = view,
		.in = in,
		.model = in->model,
		.process = model_process(in->model, view->subject.process),
		.selected = ui->selected,
		.what = { .model = in->model,
			  .journal = in->journal,
			  .limits = ui->limits,
			  .now = in->past && in->past_ns != NS_NONE
					 ? in->past_ns
					 : in->wall_ns - (in->paused ? in->paused_ns : 0),
			  .filter = ui->filter,
			  .events = view->filter,
			  .process = view->subject.process,
			  .category = view->subject.category,
			  .label = view->subject.label,
			  .past = in->past,
			  .past_position = in->past_position },
		.height = ui->nr_pages ? ui->layout.body.rows - 2 : 0,
		.setup = ui->setup,
		.process_scope = ui->process_scope && view == &ui->panes[VIEW_TIMINGS],
	};
}

struct filter **ui_filter_of(struct ui *ui, struct view *view)
{
	return view->ops->filter_rows == FILTER_ROWS_PROCESS ? &ui->filter : &view->filter;
}

void ui_gather(struct ui *ui, struct view *view)
{
	struct view_ctx ctx = ui_context(ui, view);

	view->working = false;
	table_clear(&view->table);
	view->ops->gather(&ctx, &view->table);
	view_filter_rows(&ctx);
	table_order(&view->table);
}

/* For a frame: the search reads on, too, and may choose another row. */
static void gather_frame(struct ui *ui, struct view *view)
{
	struct view_ctx ctx = ui_context(ui, view);

	ui_gather(ui, view);
	if (view == ui_front(ui))
		find_run(&ui->find, &ctx);
}

static void gather_panes(struct ui *ui)
{
	struct view *processes = &ui->panes[VIEW_PROCESSES];

	gather_frame(ui, processes);
	const struct row *row = table_selected(&processes->table);

	ui->selected = row ? model_handle(ui->in.model, row->ref) : HANDLE_NONE;
	for (int i = 0; i < NR_PANES; i++) {
		struct view *view = &ui->panes[i];

		if (!handle_equal(view->subject.process, ui->selected) &&
		    (i == VIEW_THREADS || i == VIEW_CHILDREN)) {
			view->table.has_selection = view->table.touched = false;
			view->table.at = view->table.top = 0;
		}
		view->subject.process = ui->selected;
		if (i == VIEW_THREADS || i == VIEW_CHILDREN)
			view->table.owner = ui->selected.sid_hash;
		if (i != VIEW_PROCESSES && ui->layout.panes[i].cols)
			gather_frame(ui, view);
	}
}

static void push_page(struct ui *ui, enum view_id id, const struct subject *subject)
{
	struct view *view = xcalloc(1, sizeof(*view));

	if (ui->nr_pages == MAX_PAGES) {
		struct view *oldest = ui->pages[0];

		memmove(ui->pages, ui->pages + 1, (MAX_PAGES - 1) * sizeof(*ui->pages));
		ui->nr_pages--;
		view_release(oldest);
		free(oldest);
	}
	find_forget(&ui->find);
	view_init(ui, view, id);
	if (subject)
		view->subject = *subject;
	ui->pages[ui->nr_pages++] = view;
	ui->drawn = NULL; /* another may have stood at this address */
}

/* The command has ended: where its time went, or where to look, for whoever is elsewhere. */
static void summary_show(struct ui *ui)
{
	if (ui->has_summary || !ui->in.command_ended)
		return;
	ui->has_summary = true;
	if (!ui->nr_pages && ui->asking == ASK_NONE)
		push_page(ui, VIEW_SUMMARY, NULL);
	else
		ui_notice(ui, "The command has ended: S shows where its time went");
}

/* The page that the user set up to see first. */
static void begin(struct ui *ui)
{
	const struct option_row *row = option_setting_named("page");
	char wanted[64], name[24];

	if (ui->begun)
		return;
	ui->begun = true;
	option_say(&ui->setup->options, row, wanted, sizeof(wanted));
	for (int id = 0; id < NR_VIEWS; id++) {
		setup_view_name((enum view_id)id, name);
		if (strcmp(name, wanted))
			continue;
		if (id < NR_PANES)
			ui->focus = id;
		else
			push_page(ui, (enum view_id)id, NULL);
	}
}

void ui_frame(struct ui *ui, const struct ui_input *input, struct surface *surface)
{
	char path[256];

	ui->in = *input;
	ui->has_in = true;
	ui->ticks = ui->working = false;
	summary_show(ui);
	if (surface->cols != ui->cols || surface->rows != ui->rows)
		surface_resize(surface, ui->cols, ui->rows);
	else
		surface_clear(surface);
	surface->ascii = ui->config.ascii || ui->setup->options.ascii;
	begin(ui);
	layout_make(&ui->layout, ui->cols, ui->rows, ui->nr_pages ? -1 : ui->focus, ui->zoomed);
	header_rate_update(&ui->rate, input);
	ui_say_path(ui, path, sizeof(path));
	ui->reading = header_is_reading(input);
	header_draw(surface, ui->layout.header_rows, &ui->rate, input, ui->specs, path,
		    !ui->nr_pages && !ui->zoomed);
	trace2_region_enter("frame", "gather", NULL);
	if (ui->nr_pages)
		gather_frame(ui, ui_front(ui));
	else
		gather_panes(ui);
	trace2_region_leave("frame", "gather", NULL);
	trace2_region_enter("frame", "draw", NULL);
	if (ui->nr_pages) {
		ui_draw_view(ui, ui_front(ui), surface, ui->layout.body, true);
	} else {
		for (int i = 0; i < NR_PANES; i++)
			ui_draw_view(ui, &ui->panes[i], surface, ui->layout.panes[i],
				  i == ui->focus);
	}
	ui_draw_tabs(ui, surface);
	ui_draw_keys(ui, surface);
	ui->drawn = ui_front(ui);
	trace2_region_leave("frame", "draw", NULL);
	ui->ticks = (ui->ticks || ui->reading) && !input->paused;
	memset(&ui->in.sources, 0, sizeof(ui->in.sources));
	ui->in.nr_sources = 0;
	ui->in.output_len = 0;
}

void ui_draw_work(struct ui *ui, struct surface *surface, const char *what, uint64_t done,
		  uint64_t total)
{
	int y = ui->layout.keys_y, cells = surface->cols >= 80 ? 30 : 10, x;
	double share = total ? (double)done / (double)total : 0;

	for (x = 0; x < surface->cols; x++)
		surface_text(surface, x, y, 1, STYLE_NOTICE, " ", 1);
	x = surface_text(surface, 0, y, surface->cols, STYLE_NOTICE, what, SIZE_MAX) + 1;
	surface_bar(surface, x, y, cells, STYLE_BAR, 1 + (int64_t)(share * (cells * 8 - 1)));
	surface_printf(surface, x + cells + 1, y, surface->cols - x - cells - 1, STYLE_NOTICE,
		       "%d%% · Esc breaks it off", (int)(share * 100));
}

/* ---- keys ---- */

/* A page without a subject opens once: its key closes it again. */
static void toggle_page(struct ui *ui, enum view_id id)
{
	if (ui->nr_pages && ui_front(ui)->ops == view_table[id])
		pop_page(ui);
	else
		push_page(ui, id, NULL);
}

/* The key is meant for the row that was shown, and for what the other panes show of it. */
static void hold_rows(struct ui *ui, struct view *view)
{
	table_hold(&view->table);
	table_hold(&ui->panes[VIEW_PROCESSES].table);
}

static void drill(struct ui *ui)
{
	struct view *view = ui_front(ui);
	const struct row *row = table_selected(&view->table);
	struct view_ctx ctx;
	struct subject subject = view->subject;
	enum view_id id;

	if (!row || !view->ops->drill || !ui->has_in)
		return;
	/* The model may have moved on since the frame: its rows must still mean something. */
	hold_rows(ui, view);
	ui_gather(ui, view);
	ctx = ui_context(ui, view);
	row = table_selected(&view->table);
	id = row ? view->ops->drill(&ctx, row, &subject) : NR_VIEWS;
	if (id != NR_VIEWS)
		push_page(ui, id, &subject);
	else
		ui_notice(ui, "there is no page behind this row");
}

static void change_nesting(struct ui *ui, int step)
{
	int64_t *limit = &ui->limits.nesting;

	int64_t deepest = ui->has_in ? model_max_nesting(ui->in.model) : 0;

	if (*limit < 0 && step < 0)
		*limit = NESTING_TOP;
	else if (*limit >= 0)
		*limit += step;
	if (*limit >= 0 && *limit < 1)
		*limit = 1;
	if (step > 0 && *limit > deepest)
		*limit = -1; /* all there is was counted before */
	ui->setup->options.nesting = *limit;
}

static void cycle_depth(struct ui *ui)
{
	int64_t *limit = &ui->limits.depth;

	if (++*limit > 4)
		*limit = -1;
	ui->setup->options.depth = *limit;
}

static void set_focus(struct ui *ui, int pane)
{
	while (ui->nr_pages)
		pop_page(ui);
	hold_rows(ui, ui_front(ui));
	ui->focus = (pane + NR_PANES) % NR_PANES;
}

static unsigned look_back(struct ui *ui, enum ui_past_kind kind, int64_t amount)
{
	ui->past_asked = (struct ui_past){ kind, amount };
	return UI_PAST | UI_REDRAW;
}

bool ui_wants_story(const struct ui *ui)
{
	return ui->nr_pages && ui->pages[ui->nr_pages - 1]->ops->is_story;
}

void ui_places(struct ui *ui, struct places *places, bool moved)
{
	for (int i = 0; i < ui->nr_pages && ui->has_in; i++) {
		struct view_ctx ctx = ui_context(ui, ui->pages[i]);

		if (ctx.in->journal && ctx.view->ops->places)
			ctx.view->ops->places(&ctx, places, moved);
	}
	if (moved)
		find_forget(&ui->find);
}

struct ui_past ui_past_asked(const struct ui *ui)
{
	return ui->past_asked;
}

/* What a page opened over the view is about: of a region, where a region is. */
static void take_subject(struct ui *ui, struct view *view, enum view_id id,
			 struct subject *subject)
{
	struct view_ctx ctx = ui_context(ui, view);
	struct subject found = view->subject;
	const struct row *row;
	enum view_id about;

	if ((ui->nr_pages && id != VIEW_EVENTS) || !view->ops->drill || !ui->has_in)
		return;
	hold_rows(ui, view);
	ui_gather(ui, view);
	row = table_selected(&view->table);
	about = row ? view->ops->drill(&ctx, row, &found) : NR_VIEWS;
	if (about == id || (!ui->nr_pages && (about == VIEW_REGION || about == VIEW_PROCESS)))
		*subject = found;
}

/* The page of what is selected; its key closes it again. */
static void open_page(struct ui *ui, enum view_id id)
{
	struct view *view = ui_front(ui);
	struct subject subject = view->subject;

	if (view->ops == view_table[id]) {
		pop_page(ui);
		return;
	}
	take_subject(ui, view, id, &subject);
	push_page(ui, id, &subject);
}

/* The log of what is selected, with a filter where that is less than a process. */
static void open_events(struct ui *ui)
{
	struct view *view = ui_front(ui);
	struct view_ctx ctx = ui_context(ui, view);
	struct subject subject = view->subject;
	struct filter_error error;
	struct tr2_buf text;

	if (!view->ops->events || !ui->has_in) {
		open_page(ui, VIEW_EVENTS);
		return;
	}
	tr2_buf_init(&text, 1 << 16);
	hold_rows(ui, view);
	ui_gather(ui, view);
	if (view->ops->events(&ctx, table_selected(&view->table), &subject, &text)) {
		push_page(ui, VIEW_EVENTS, &subject);
		if (text.len)
			ui_front(ui)->filter = filter_new(tr2_buf_cstr(&text), FILTER_ROWS_EVENT,
							  ui->in.wall_ns, &error);
	} else {
		ui_notice(ui, "this row has no events of its own");
	}
	tr2_buf_release(&text);
}

/* What a view asked for; the limits may have been set up. */
static unsigned asked_by(struct ui *ui, const struct view_ctx *ctx)
{
	if (ctx->asked & UI_SETTINGS)
		ui->limits = (struct timing_limits){ ui->setup->options.nesting,
						     ui->setup->options.depth };
	return UI_REDRAW | ctx->asked;
}

/* What the view in front wants where it takes the key for itself; else UI_NOTHING. */
static unsigned view_acts(struct ui *ui, enum action action, uint32_t key)
{
	struct view *view = ui_front(ui);
	struct view_ctx ctx;

	if (!view->ops->act || !ui->has_in)
		return UI_NOTHING;
	ctx = ui_context(ui, view);
	if (!view->ops->act(&ctx, action, key))
		return UI_NOTHING;
	hold_rows(ui, view);
	return asked_by(ui, &ctx);
}

/* Nowhere to go back to, Esc breaks off what goes on. */
static unsigned back(struct ui *ui, uint32_t key)
{
	if (ui->nr_pages) {
		pop_page(ui);
	} else if (ui->zoomed) {
		ui->zoomed = false;
	} else if (key == KEY_ESC && ui->reading) {
		ui_notice(ui, "The rest of what was there before is left unread");
		return UI_LEAVE_OLD | UI_REDRAW;
	}
	return UI_REDRAW;
}

/* What is the loop's to do; UI_NOTHING where the action is not of that kind. */
static unsigned ask_loop(struct ui *ui, enum action action)
{
	switch ((int)action) {
	case ACTION_QUIT:
		return UI_QUIT;
	case ACTION_PAUSE:
		return UI_PAUSE | UI_REDRAW;
	case ACTION_PAST_BACK:
		return look_back(ui, UI_PAST_EVENTS, -1);
	case ACTION_PAST_ON:
		return look_back(ui, UI_PAST_EVENTS, 1);
	case ACTION_PAST_BACK_SECOND:
		return look_back(ui, UI_PAST_SECONDS, -1);
	case ACTION_PAST_ON_SECOND:
		return look_back(ui, UI_PAST_SECONDS, 1);
	case ACTION_SUSPEND:
		return UI_SUSPEND;
	case ACTION_REPAINT:
		return UI_REPAINT | UI_REDRAW;
	case ACTION_REPORT:
		return UI_WRITE_REPORT | UI_REDRAW;
	default:
		return UI_NOTHING;
	}
}

/* Pages and prompts; false where the action opens none. */
static bool open_what(struct ui *ui, enum action action)
{
	switch ((int)action) {
	case ACTION_SETUP:
		toggle_page(ui, VIEW_SETUP);
		break;
	case ACTION_HELP:
		toggle_page(ui, VIEW_HELP);
		break;
	case ACTION_SOURCES:
		toggle_page(ui, VIEW_SOURCES);
		break;
	case ACTION_TIMELINE:
		open_page(ui, VIEW_TIMELINE);
		break;
	case ACTION_EVENTS:
		open_events(ui);
		break;
	case ACTION_FLAME:
		open_page(ui, VIEW_FLAME);
		break;
	case ACTION_SUMMARY:
		open_page(ui, VIEW_SUMMARY);
		break;
	case ACTION_OUTPUT:
		if (ui->config.has_command)
			toggle_page(ui, VIEW_OUTPUT);
		else
			ui_notice(ui, "no command is run: trace2top -- COMMAND has an output");
		break;
	case ACTION_SEARCH:
		ui_ask(ui, ASK_SEARCH);
		break;
	case ACTION_PAST_TIME:
		ui_ask(ui, ASK_TIME);
		break;
	case ACTION_FILTER:
		ui_ask(ui, ASK_FILTER);
		break;
	case ACTION_DRILL:
		drill(ui);
		break;
	default:
		return false;
	}
	return true;
}

static unsigned do_action(struct ui *ui, enum action action, uint32_t key)
{
	struct view *view = ui_front(ui);
	unsigned asked;

	if (action == ACTION_END && ui->in.past)
		return look_back(ui, UI_PAST_LIVE, 0);
	if (action == ACTION_LAST)
		action = ACTION_END;
	if (key == '\033' && ui_search_leave(ui))
		return UI_REDRAW;
	asked = view_acts(ui, action, key);
	if (!asked)
		asked = ask_loop(ui, action);
	if (asked)
		return asked;
	if (open_what(ui, action))
		return UI_REDRAW;
	switch ((int)action) {
	case ACTION_SEARCH_NEXT:
	case ACTION_SEARCH_PREVIOUS:
		ui_search_next(ui, action == ACTION_SEARCH_NEXT ? 1 : -1);
		break;
	case ACTION_BACK:
		return back(ui, key);
	case ACTION_ZOOM:
		ui->zoomed = !ui->zoomed;
		break;
	case ACTION_SCOPE:
		hold_rows(ui, view);
		ui->process_scope = !ui->process_scope;
		break;
	case ACTION_NESTING_LESS:
	case ACTION_NESTING_MORE:
		change_nesting(ui, action == ACTION_NESTING_MORE ? 1 : -1);
		break;
	case ACTION_DEPTH:
		cycle_depth(ui);
		break;
	case ACTION_PANE_NEXT:
	case ACTION_PANE_PREVIOUS:
		set_focus(ui, ui->focus + (action == ACTION_PANE_NEXT ? 1 : -1));
		break;
	case ACTION_PANE_1:
	case ACTION_PANE_2:
	case ACTION_PANE_3:
	case ACTION_PANE_4:
		set_focus(ui, (int)(action - ACTION_PANE_1));
		break;
	default:
		if (view != &ui->panes[VIEW_PROCESSES])
			hold_rows(ui, view);
		table_action(&view->table, action, view->ops->columns, view->ops->nr_columns);
	}
	return UI_REDRAW;
}

static bool inside(struct rect area, int x, int y)
{
	return x >= area.x && x < area.x + area.cols && y >= area.y && y < area.y + area.rows;
}

static unsigned do_mouse(struct ui *ui, const struct key_event *key)
{
	struct view *view;
	bool on = false;

	if (!ui->nr_pages && key->button != MOUSE_DRAG)
		for (int i = 0; i < NR_PANES; i++)
			if (inside(ui->layout.panes[i], key->x, key->y)) {
				hold_rows(ui, ui_front(ui));
				ui->focus = i;
			}
	if (inside(ui->layout.tabs, key->x, key->y) && key->button == MOUSE_PRESS &&
	    ui->layout.tabs.cols >= NR_PANES)
		ui->focus = key->x / (ui->layout.tabs.cols / NR_PANES) % NR_PANES;
	view = ui_front(ui);
	if (key->button == MOUSE_WHEEL_UP || key->button == MOUSE_WHEEL_DOWN)
		return do_action(ui, key->button == MOUSE_WHEEL_UP ? ACTION_UP : ACTION_DOWN,
				 0);
	if (view->ops->mouse && ui->has_in) {
		struct view_ctx ctx = ui_context(ui, view);

		if (view->ops->mouse(&ctx, key))
			return asked_by(ui, &ctx);
	}
	if (key->button == MOUSE_PRESS || key->button == MOUSE_DOUBLE)
		on = table_press(&view->table, key->x, key->y, view->ops->columns,
				 view->ops->nr_columns);
	/* A heading is pressed twice to turn the order round; the log has its own rows. */
	if (key->button == MOUSE_DOUBLE && key->y >= view->table.body_y &&
	    (on || view->ops->mouse))
		drill(ui);
	return UI_REDRAW;
}

/* Text is no keys: pasting a command line must not quit, sort or write anything. */
static unsigned paste(struct ui *ui, uint32_t ch)
{
	if (ui->asking != ASK_NONE)
		return ui_ask_paste(ui, ch);
	ui_notice(
		ui,
		"Text can be pasted where a line is typed: / searches, \\ filters, @ looks back");
	return UI_REDRAW;
}

unsigned ui_key(struct ui *ui, const struct key_event *key)
{
	enum action action;

	ui->notice[0] = 0;
	ui->find_said = false;
	if (key->key == KEY_CODE_MOUSE)
		return do_mouse(ui, key);
	if (key->pasted)
		return paste(ui, key->key);
	if (ui->asking != ASK_NONE)
		return ui_ask_key(ui, key->key);
	action = key_action(key->key, ui->nr_pages ? KEY_SCOPE_PAGES : KEY_SCOPE_PANES);
	return action == ACTION_NONE ? UI_NOTHING : do_action(ui, action, key->key);
}
