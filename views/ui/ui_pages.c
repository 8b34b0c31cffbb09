/* SPDX-License-Identifier: MIT */
/*
 * pages[0 .. nr_pages) are in the order in which they were opened; only the last one is gathered
 * and drawn. Above MAX_PAGES the oldest is dropped. Without pages the focused pane is in front.
 *
 * A key refers to the row of the last frame, but the model may have changed since. Functions here
 * that read a row between frames therefore first fix the selection on that row and gather the view
 * again.
 */
#include "config.h"

#include "views/ui/ui_priv.h"
#include "views/ui/views.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"

void ui_view_init(struct ui *ui, struct view *view, enum view_id id)
{
	*view = (struct view){ .id = id, .ops = ui->config.views[id] };
	view->table.sort = SORT_NATURAL;
	view->table.arrangement = setup_has_columns(ui->setup, id) ? &ui->setup->views[id] : NULL;
	view->subject =
		(struct subject){ .process = HANDLE_NONE, .category = SYM_NONE, .label = SYM_NONE };
	if (view->ops->private_bytes)
		view->private = xcalloc(1, view->ops->private_bytes);
}

void ui_view_release(struct view *view)
{
	if (view->ops->release)
		view->ops->release(view->private);
	filter_free(view->filter);
	free(view->private);
	table_release(&view->table);
}

void ui_pop_page(struct ui *ui)
{
	struct view *view = ui->pages[--ui->nr_pages];

	find_forget(&ui->find);
	ui_view_release(view);
	free(view);
}

void ui_push_page(struct ui *ui, enum view_id id, const struct subject *subject)
{
	struct view *view = xcalloc(1, sizeof(*view));

	if (ui->nr_pages == MAX_PAGES) {
		struct view *oldest = ui->pages[0];

		memmove(ui->pages, ui->pages + 1, (MAX_PAGES - 1) * sizeof(*ui->pages));
		ui->nr_pages--;
		ui_view_release(oldest);
		free(oldest);
	}
	find_forget(&ui->find);
	ui_view_init(ui, view, id);
	if (subject)
		view->subject = *subject;
	ui->pages[ui->nr_pages++] = view;
	ui->drawn = NULL; /* a new view may be allocated at the address of the drawn one */
}

void ui_hold_rows(struct ui *ui, struct view *view)
{
	table_hold(&view->table);
	table_hold(&ui->panes[VIEW_PROCESSES].table);
}

void ui_drill(struct ui *ui)
{
	struct view *view = ui_front(ui);
	const struct row *row = table_selected(&view->table);
	struct view_ctx ctx;
	struct subject subject = view->subject;
	enum view_id id;

	if (!row || !view->ops->drill || !ui->has_in)
		return;
	ui_hold_rows(ui, view);
	ui_gather(ui, view);
	ctx = ui_context(ui, view);
	row = table_selected(&view->table);
	subject.has_box = false; /* a box of the heat map is only for the page that the map opens */
	id = row ? view->ops->drill(&ctx, row, &subject) : NR_VIEWS;
	subject.has_error = false; /* only the page of key A uses the error, see take_subject() */
	if (id != NR_VIEWS)
		ui_push_page(ui, id, &subject);
	else
		ui_notice(ui, "this row has no page");
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

/*
 * Determine the subject of page `id` over the view: that of the selected row if the page can be
 * about it, else the view's. Over another page, only the event log and the page of attributes use
 * the row.
 */
static void take_subject(struct ui *ui, struct view *view, enum view_id id, struct subject *subject)
{
	struct view_ctx ctx = ui_context(ui, view);
	struct subject found = view->subject;
	const struct row *row;
	enum view_id about;

	if ((ui->nr_pages && view_rows[id].about != ABOUT_EVENTS && id != VIEW_ATTRIBUTES) ||
	    !view->ops->drill || !ui->has_in)
		return;
	ui_hold_rows(ui, view);
	ui_gather(ui, view);
	row = table_selected(&view->table);
	about = row ? view->ops->drill(&ctx, row, &found) : NR_VIEWS;
	if (about == id || (about == VIEW_COMMAND && (id == VIEW_HEAT || id == VIEW_ATTRIBUTES)) ||
	    ((!ui->nr_pages || id == VIEW_ATTRIBUTES) &&
	     (about == VIEW_REGION || about == VIEW_PROCESS)))
		*subject = found;
}

static void open_events(struct ui *ui, enum view_id id)
{
	struct view *view = ui_front(ui);
	struct view_ctx ctx = ui_context(ui, view);
	struct subject subject = view->subject;
	struct filter_error error;
	struct tr2_buf text;

	tr2_buf_init(&text, 1 << 16);
	ui_hold_rows(ui, view);
	ui_gather(ui, view);
	if (view->ops->events(&ctx, table_selected(&view->table), &subject, &text)) {
		ui_push_page(ui, id, &subject);
		if (text.len)
			ui_front(ui)->filter = filter_new(tr2_buf_cstr(&text), FILTER_ROWS_EVENT,
							  ui->in.wall_ns, &error);
	} else {
		ui_notice(ui, "this row has no events of its own");
	}
	tr2_buf_release(&text);
}

const char *ui_page_refusal(const struct ui *ui, enum view_id id)
{
	const struct view_ops *ops = ui->config.views[id];

	return ops->refuses ? ops->refuses(&ui->config) : NULL;
}

bool ui_page_is_refused(struct ui *ui, enum view_id id)
{
	const char *why = ui_page_refusal(ui, id);

	if (why)
		ui_notice(ui, why);
	return why != NULL;
}

void ui_open_page(struct ui *ui, enum view_id id)
{
	struct view *view = ui_front(ui);
	struct subject subject = view->subject;
	enum view_about about = (enum view_about)view_rows[id].about;

	if (ui_page_is_refused(ui, id))
		return;
	if (about == ABOUT_EVENTS && view->ops->events && ui->has_in) {
		open_events(ui, id);
	} else if (view->id == id) {
		ui_pop_page(ui);
	} else if (about == ABOUT_NOTHING) {
		ui_push_page(ui, id, NULL);
	} else {
		take_subject(ui, view, id, &subject);
		ui_push_page(ui, id, &subject);
	}
}
