/* SPDX-License-Identifier: MIT */
/*
 * Actions of keys and the mouse. Each KEY row of keys.def names a function ui_act_NAME() of this
 * file, which returns enum ui_reaction. The view in front may handle a key first (view_ops.act).
 */
#include "config.h"

#include "monitor/base/humanize.h"
#include "views/ui/ui_priv.h"
#include "views/ui/views.h"

#define NESTING_TOP 4 /* nesting limit that the key for less nesting sets if there is no limit */

struct pressed {
	enum action action;
	uint32_t key; /* the pressed key; 0: mouse wheel or double click */
};

typedef unsigned ui_act(struct ui *ui, struct pressed pressed);

static unsigned ui_act_quit_now(struct ui *ui, struct pressed pressed)
{
	(void)ui;
	(void)pressed;
	return UI_QUIT;
}

/* Quitting ends a running command, so ask the user first. */
static unsigned ui_act_quit(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	if (ui->quits || !ui->in.command_state || ui->in.command_ended)
		return UI_QUIT;
	ui->asks_to_quit = true;
	return UI_REDRAW;
}

static unsigned ui_act_leave(struct ui *ui, struct pressed pressed)
{
	if (!ui->nr_pages)
		return ui_act_quit(ui, pressed);
	ui_pop_page(ui);
	return UI_REDRAW;
}

/* Handle the answer to the question before quitting; any key except y and Y means no. */
static unsigned answer_to_quit(struct ui *ui, uint32_t key)
{
	ui->asks_to_quit = false;
	ui->quits = key == 'y' || key == 'Y';
	return ui->quits ? UI_QUIT : UI_REDRAW;
}

static unsigned ui_act_pause(struct ui *ui, struct pressed pressed)
{
	(void)ui;
	(void)pressed;
	return UI_PAUSE | UI_REDRAW;
}

static unsigned ui_act_slower(struct ui *ui, struct pressed pressed)
{
	(void)ui;
	(void)pressed;
	return UI_SLOWER | UI_REDRAW;
}

static unsigned ui_act_faster(struct ui *ui, struct pressed pressed)
{
	(void)ui;
	(void)pressed;
	return UI_FASTER | UI_REDRAW;
}

static unsigned ui_act_suspend(struct ui *ui, struct pressed pressed)
{
	(void)ui;
	(void)pressed;
	return UI_SUSPEND;
}

static unsigned ui_act_repaint(struct ui *ui, struct pressed pressed)
{
	(void)ui;
	(void)pressed;
	return UI_REPAINT | UI_REDRAW;
}

static unsigned ui_act_report(struct ui *ui, struct pressed pressed)
{
	(void)ui;
	(void)pressed;
	return UI_WRITE_REPORT | UI_REDRAW;
}

static unsigned ui_act_export(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_ask(ui, ASK_EXPORT);
	return UI_REDRAW;
}

static unsigned ui_keys_look_back(struct ui *ui, enum ui_past_kind kind, int64_t amount)
{
	ui->past_asked = (struct ui_past){ kind, amount };
	return UI_PAST | UI_REDRAW;
}

static unsigned ui_act_past_back(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	return ui_keys_look_back(ui, UI_PAST_EVENTS, -1);
}

static unsigned ui_act_past_on(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	return ui_keys_look_back(ui, UI_PAST_EVENTS, 1);
}

static unsigned ui_act_past_back_second(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	return ui_keys_look_back(ui, UI_PAST_SECONDS, -1);
}

static unsigned ui_act_past_on_second(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	return ui_keys_look_back(ui, UI_PAST_SECONDS, 1);
}

static unsigned ui_act_graphs(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	graphs_cycle(&ui->graphs);
	return UI_REDRAW;
}

static unsigned step_column(struct ui *ui, int step)
{
	ns_t time;

	if (!ui->has_in || !graphs_rows(&ui->graphs)) {
		ui_notice(ui, "No graph is shown: ; shows the graphs");
		return UI_REDRAW;
	}
	return graphs_step(&ui->graphs, &ui->in, step, &time)
		       ? ui_keys_look_back(ui, UI_PAST_TIME, time)
		       : ui_keys_look_back(ui, UI_PAST_LIVE, 0);
}

static unsigned ui_act_column_back(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	return step_column(ui, -1);
}

static unsigned ui_act_column_on(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	return step_column(ui, 1);
}

static unsigned ui_act_ask_search(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_ask(ui, ASK_SEARCH);
	return UI_REDRAW;
}

static unsigned ui_act_ask_filter(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_ask(ui, ASK_FILTER);
	return UI_REDRAW;
}

static unsigned ui_act_ask_time(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_ask(ui, ASK_TIME);
	return UI_REDRAW;
}

static unsigned ui_act_search_next(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_search_next(ui, 1);
	return UI_REDRAW;
}

static unsigned ui_act_search_previous(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_search_next(ui, -1);
	return UI_REDRAW;
}

static unsigned change_nesting(struct ui *ui, int step)
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
		*limit = -1; /* the limit already showed all nesting levels, so remove it */
	ui->setup->options.nesting = *limit;
	return UI_REDRAW;
}

static unsigned ui_act_nesting_less(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	return change_nesting(ui, -1);
}

static unsigned ui_act_nesting_more(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	return change_nesting(ui, 1);
}

/* Step the limit on depth: all, 0, 1, ... 4, all. */
static unsigned ui_act_depth(struct ui *ui, struct pressed pressed)
{
	int64_t *limit = &ui->limits.depth;

	(void)pressed;
	if (++*limit > 4)
		*limit = -1;
	ui->setup->options.depth = *limit;
	return UI_REDRAW;
}

static unsigned ui_act_scope(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_hold_rows(ui, ui_front(ui));
	ui->process_scope = !ui->process_scope;
	return UI_REDRAW;
}

static unsigned ui_act_group(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_menu(ui, UI_MENU_GROUP);
	return UI_REDRAW;
}

static unsigned ui_act_sort_list(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_menu(ui, UI_MENU_SORT);
	return UI_REDRAW;
}

static unsigned ui_act_copy(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_menu(ui, UI_MENU_COPY);
	return UI_REDRAW;
}

static unsigned ui_act_open(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	return ui_take_place(ui) ? UI_OPEN | UI_REDRAW : UI_REDRAW;
}

static unsigned ui_act_filter_with(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_menu(ui, UI_MENU_WITH);
	return UI_REDRAW;
}

static unsigned ui_act_filter_without(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_menu(ui, UI_MENU_WITHOUT);
	return UI_REDRAW;
}

static unsigned ui_act_ignore(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_menu(ui, UI_MENU_IGNORE);
	return UI_REDRAW;
}

static unsigned ui_act_start(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	if (ui_start_is_offered(ui))
		ui_menu(ui, UI_MENU_START);
	else
		ui_notice(ui, "Events are being traced: start trace2top again to choose others");
	return UI_REDRAW;
}

static unsigned ui_act_path(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_notice(ui, "The critical path is on the summary: press S, then p");
	return UI_REDRAW;
}

static unsigned focus_pane(struct ui *ui, int pane)
{
	while (ui->nr_pages)
		ui_pop_page(ui);
	ui_hold_rows(ui, ui_front(ui));
	ui->focus = (pane + NR_PANES) % NR_PANES;
	return UI_REDRAW;
}

static unsigned ui_act_pane(struct ui *ui, struct pressed pressed)
{
	return focus_pane(ui, (int)view_of_action(pressed.action));
}

static unsigned ui_act_pane_next(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	return focus_pane(ui, ui->focus + 1);
}

static unsigned ui_act_pane_previous(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	return focus_pane(ui, ui->focus - 1);
}

static unsigned ui_act_zoom(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui->zoomed = !ui->zoomed;
	return UI_REDRAW;
}

static unsigned ui_act_page(struct ui *ui, struct pressed pressed)
{
	enum view_id id = view_of_action(pressed.action);

	/* On the page of queries, its key does not close the page but opens the prompt for another
	 * query. */
	if (id != VIEW_SQL || ui_front(ui)->id != id)
		ui_open_page(ui, id);
	if (id == VIEW_SQL && ui_front(ui)->id == id)
		ui_ask(ui, ASK_QUERY);
	return UI_REDRAW;
}

static unsigned ui_act_drill(struct ui *ui, struct pressed pressed)
{
	(void)pressed;
	ui_drill(ui);
	return UI_REDRAW;
}

static unsigned ui_act_back(struct ui *ui, struct pressed pressed)
{
	if (ui->nr_pages) {
		ui_pop_page(ui);
	} else if (ui->zoomed) {
		ui->zoomed = false;
	} else if (pressed.key != KEY_ESC && ui_chips_remove_last(ui)) {
		ui_notice(ui, ui->filter ? "The last filter is removed" : "All rows are shown");
	} else if (pressed.key == KEY_ESC && ui->reading) {
		ui_notice(ui, "The rest of the old content is skipped");
		return UI_LEAVE_OLD | UI_REDRAW;
	}
	return UI_REDRAW;
}

static unsigned ui_act_table(struct ui *ui, struct pressed pressed)
{
	struct view *view = ui_front(ui);

	if (view != &ui->panes[VIEW_PROCESSES])
		ui_hold_rows(ui, view);
	table_action(&view->table, pressed.action, view->ops->columns, view->ops->nr_columns);
	return UI_REDRAW;
}

static ui_act *const acts[NR_ACTIONS] = {
#define KEY(ID, act, keys, short_name, scope, group, doc) [ACTION_##ID] = ui_act_##act,
#include "views/widget/keys.def"
};

void ui_settings_take(struct ui *ui)
{
	ui->limits = (struct timing_limits){ ui->setup->options.nesting, ui->setup->options.depth };
}

static unsigned asked_by(struct ui *ui, const struct view_ctx *ctx)
{
	if (ctx->asked & UI_SETTINGS)
		ui_settings_take(ui);
	return UI_REDRAW | ctx->asked;
}

/* Pass the key to the view in front. Returns the view's requests; UI_NOTHING: not handled. */
static unsigned view_acts(struct ui *ui, struct pressed pressed)
{
	struct view *view = ui_front(ui);
	struct view_ctx ctx;

	if (!view->ops->act || !ui->has_in)
		return UI_NOTHING;
	ctx = ui_context(ui, view);
	if (!view->ops->act(&ctx, pressed.action, pressed.key))
		return UI_NOTHING;
	if (ctx.chip) {
		ui_chips_add(ui, ctx.chip);
		return UI_REDRAW;
	}
	ui_hold_rows(ui, view);
	return asked_by(ui, &ctx);
}

static unsigned do_action(struct ui *ui, enum action action, uint32_t key)
{
	unsigned asked;

	if (action == ACTION_END && ui->in.past)
		return ui_keys_look_back(ui, UI_PAST_LIVE, 0);
	if (action == ACTION_LAST)
		action = ACTION_END;
	if (key == KEY_ESC && ui_search_leave(ui))
		return UI_REDRAW;
	asked = view_acts(ui, (struct pressed){ action, key });
	return asked ? asked : acts[action](ui, (struct pressed){ action, key });
}

static bool inside(struct rect area, int x, int y)
{
	return x >= area.x && x < area.x + area.cols && y >= area.y && y < area.y + area.rows;
}

static void press_pane(struct ui *ui, const struct key_event *key)
{
	const struct rect *tabs = &ui->layout.tabs;

	if (!ui->nr_pages && key->button != MOUSE_DRAG)
		for (int i = 0; i < NR_PANES; i++)
			if (inside(ui->layout.panes[i], key->x, key->y)) {
				ui_hold_rows(ui, ui_front(ui));
				ui->focus = i;
			}
	if (inside(*tabs, key->x, key->y) && key->button == MOUSE_PRESS && tabs->cols >= NR_PANES)
		ui->focus = key->x / (tabs->cols / NR_PANES) % NR_PANES;
}

static unsigned press_key(struct ui *ui, const struct key_event *event)
{
	uint32_t key = ui_key_at(ui, event->x);

	if (!key || (event->button != MOUSE_PRESS && event->button != MOUSE_DOUBLE))
		return UI_REDRAW;
	return ui_key(ui, &(struct key_event){ .key = key });
}

static unsigned do_mouse(struct ui *ui, const struct key_event *key)
{
	struct view *view;
	bool on = false;
	ns_t time;

	if (key->y == ui->layout.keys_y && ui->has_in)
		return press_key(ui, key);
	if (key->y > 0 && key->y <= graphs_rows(&ui->graphs) && ui->has_in &&
	    key->button == MOUSE_PRESS && graphs_press(&ui->graphs, key->x, &time))
		return ui_keys_look_back(ui, UI_PAST_TIME, time);
	press_pane(ui, key);
	view = ui_front(ui);
	if (key->button == MOUSE_WHEEL_UP || key->button == MOUSE_WHEEL_DOWN)
		return do_action(ui, key->button == MOUSE_WHEEL_UP ? ACTION_UP : ACTION_DOWN, 0);
	if (view->ops->mouse && ui->has_in) {
		struct view_ctx ctx = ui_context(ui, view);

		if (view->ops->mouse(&ctx, key))
			return asked_by(ui, &ctx);
	}
	if (key->button == MOUSE_PRESS || key->button == MOUSE_DOUBLE)
		on = table_press(&view->table, key->x, key->y, view->ops->columns,
				 view->ops->nr_columns);
	/* A double click acts as Enter. On a heading it only sorts, as two clicks. */
	if (key->button == MOUSE_DOUBLE && key->y >= view->table.body_y && (on || view->ops->mouse))
		return do_action(ui, ACTION_DRILL, 0);
	return UI_REDRAW;
}

/* Without a prompt a pasted character must not act as a key: it could quit, sort or write files. */
static unsigned paste(struct ui *ui, uint32_t ch)
{
	if (ui->asking != ASK_NONE)
		return ui_ask_paste(ui, ch);
	ui_notice(ui, "Paste text into a prompt: / searches, \\ filters, @ looks back");
	return UI_REDRAW;
}

static unsigned handle_key(struct ui *ui, const struct key_event *key)
{
	enum action action;

	ui->notice[0] = 0;
	ui->find_said = false;
	ui->resettle = true;
	ui_front(ui)->table.resettle = true;
	if (ui->asks_to_quit && !key->pasted && key->key != KEY_CTRL('c'))
		return answer_to_quit(ui, key->key);
	if (menu_is_open(&ui->menu) && key->key == KEY_CODE_MOUSE && key->y == ui->layout.keys_y)
		return press_key(ui, key);
	if (menu_is_open(&ui->menu))
		return ui_menu_key(ui, key);
	if (key->key == KEY_CODE_MOUSE)
		return do_mouse(ui, key);
	if (key->pasted)
		return paste(ui, key->key);
	if (ui->asking != ASK_NONE)
		return ui_ask_key(ui, key->key);
	action = key_action(key->key, ui->nr_pages ? KEY_SCOPE_PAGES : KEY_SCOPE_PANES);
	return action == ACTION_NONE ? UI_NOTHING : do_action(ui, action, key->key);
}

unsigned ui_key(struct ui *ui, const struct key_event *key)
{
	enum human_form form = human_set_form(HUMAN_SCREEN);
	unsigned asked = handle_key(ui, key);

	human_set_form(form);
	return asked;
}

const char *ui_query(const struct ui *ui)
{
	return ui->query;
}

struct ui_export ui_export(const struct ui *ui)
{
	return (struct ui_export){ ui->export_asked.format, ui->export_asked.file };
}

int ui_roots(struct ui *ui, struct handle *roots)
{
	const struct marks *marks = &ui->panes[VIEW_PROCESSES].table.marks;
	struct handle of_page =
		ui->nr_pages ? ui_front(ui)->subject.process : (struct handle){ 0, SLOT_NONE };
	int nr = 0;

	if (of_page.slot != SLOT_NONE) {
		roots[0] = of_page;
		return 1;
	}
	for (; nr < marks->nr && nr < UI_MAX_ROOTS; nr++)
		roots[nr] = (struct handle){ marks->at[nr].id, 0 };
	return nr;
}

struct ui_past ui_past_asked(const struct ui *ui)
{
	return ui->past_asked;
}
