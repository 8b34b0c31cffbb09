/* SPDX-License-Identifier: MIT */
/* Menus, such as that of the columns to sort by. Also finds the source line of a row's event. */
#include "config.h"

#include "views/ui/ui_priv.h"
#include "views/ui/view_text.h"
#include "views/ui/view_row.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/event_log.h"
#include "monitor/base/die.h"
#include "monitor/base/visible.h"

static void open_sort(struct ui *ui)
{
	const struct view *view = ui_front(ui);
	const struct table *table = &view->table;

	menu_open(&ui->menu, "Sort by");
	menu_add(&ui->menu, 0, SORT_NATURAL, "(own order)", table->sort == SORT_NATURAL);
	for (int i = 0; i < view->ops->nr_columns; i++) {
		const struct column *column = &view->ops->columns[i];
		const char *heading = i < TABLE_MAX_HEADINGS ? table->headings[i] : NULL;
		const char *title = heading ? heading : column->title;

		if (title && *title && !column->no_sort)
			menu_add(&ui->menu, 0, i, title, i == table->sort);
	}
	if (ui->menu.nr > 1)
		return;
	menu_close(&ui->menu);
	ui_notice(ui, "These rows cannot be sorted");
}

static unsigned chosen_sort(struct ui *ui, int column)
{
	table_sort_by(&ui_front(ui)->table, column);
	return UI_REDRAW;
}

const struct row *ui_take_row(struct ui *ui, struct view_ctx *ctx)
{
	struct view *view = ui_front(ui);

	if (!ui->has_in)
		return NULL;
	if (table_selected(&view->table)) {
		ui_hold_rows(ui, view);
		ui_gather(ui, view);
	}
	*ctx = ui_context(ui, view);
	return table_selected(&view->table);
}

const struct process *ui_row_process(const struct view_ctx *ctx, const struct row *row)
{
	const struct view_ops *ops = ctx->view->ops;
	struct subject subject = ctx->view->subject;
	enum view_id about = ops->drill ? ops->drill(ctx, row, &subject) : NR_VIEWS;
	struct log_record record;
	uint32_t slot;

	if (about == VIEW_RECORD) {
		slot = log_find(&ctx->what, subject.record - 1, &record)
			       ? log_slot(&ctx->what, &record)
			       : SLOT_NONE;
		return slot == SLOT_NONE ? NULL : model_slot(ctx->model, slot);
	}
	/* In a pane about a process, a row that does not open the page of a process belongs to the
	 * pane's process; a child that is not traced has no process. */
	if (about != VIEW_PROCESS && ctx->view->id < NR_PANES &&
	    (!ops->of_process || ops->filter_rows == FILTER_ROWS_CHILD))
		return NULL;
	return model_process(ctx->model, subject.process);
}

enum copy { COPY_ROW, COPY_SID, COPY_COMMAND, COPY_ADVICE };

static int finding_of_row(const struct view_ctx *ctx, const struct row *row)
{
	return row && ctx->view->ops->finding ? ctx->view->ops->finding(ctx, row) : -1;
}

static void open_copy(struct ui *ui)
{
	struct view_ctx ctx = { 0 };
	const struct row *row = ui_take_row(ui, &ctx);
	const struct process *process = row ? ui_row_process(&ctx, row) : NULL;

	if (!row) {
		ui_notice(ui, ctx.view && ctx.view->ops->of_input ? "These rows cannot be copied"
								  : "No row is selected");
		return;
	}
	menu_open(&ui->menu, "Copy");
	menu_add(&ui->menu, 'r', COPY_ROW, "r  the row", true);
	if (process)
		menu_add(&ui->menu, 's', COPY_SID, "s  the session id (SID)", false);
	if (process && process->argv.nr)
		menu_add(&ui->menu, 'c', COPY_COMMAND, "c  the command line", false);
	if (finding_of_row(&ctx, row) >= 0)
		menu_add(&ui->menu, 'a', COPY_ADVICE, "a  the advice", false);
}

/* Set the text to copy, without control characters, line ends and passwords: it passes through a
 * terminal, and the user may paste it into a shell. */
static void set_copied(struct ui *ui, const char *text, size_t len)
{
	struct tr2_buf *line;

	line = format_line();
	text_visible(line, text, len);
	free(ui->copied);
	ui->copied = xstrdup(tr2_buf_cstr(line));
}

static unsigned chosen_copy(struct ui *ui, int what)
{
	struct view_ctx ctx;
	const struct row *row = ui_take_row(ui, &ctx);
	const struct process *process = row ? ui_row_process(&ctx, row) : NULL;
	struct tr2_buf text;
	const char *sid;

	tr2_buf_init(&text, SAY_MAX_BYTES);
	if (row && what == COPY_ROW) {
		view_row_text(&ctx, row, &text);
	} else if (process && what == COPY_SID) {
		sid = model_text(ctx.model, process->sid);
		tr2_buf_add(&text, sid, process->sid.len);
	} else if (what == COPY_ADVICE && finding_of_row(&ctx, row) >= 0) {
		tr2_buf_addstr(&text, finding_rows[finding_of_row(&ctx, row)].advice);
	} else if (process) {
		format_shell(ctx.model, &process->argv, &text);
	}
	set_copied(ui, tr2_buf_cstr(&text), text.len);
	tr2_buf_release(&text);
	if (!*ui->copied) {
		ui_notice(ui, "The row no longer exists: nothing was copied");
		return UI_REDRAW;
	}
	ui_notice(ui, "Copied, if the terminal supports it; also printed after quitting");
	return UI_COPY | UI_REDRAW;
}

const char *ui_copied(const struct ui *ui)
{
	return ui->copied ? ui->copied : "";
}

enum ignore { IGNORE_NOW, IGNORE_ALWAYS };

static void open_ignore(struct ui *ui)
{
	struct view_ctx ctx;
	const struct row *row = ui_take_row(ui, &ctx);

	if (finding_of_row(&ctx, row) < 0) {
		ui_notice(ui, "Only findings can be ignored: press i");
		return;
	}
	menu_open(&ui->menu, "Ignore this finding");
	menu_add(&ui->menu, 'n', IGNORE_NOW, "n  until trace2top ends", true);
	if (ui->setup->path)
		menu_add(&ui->menu, 'a', IGNORE_ALWAYS, "a  always (configuration file)", false);
}

static unsigned chosen_ignore(struct ui *ui, int how)
{
	struct view_ctx ctx;
	const struct row *row = ui_take_row(ui, &ctx);
	int id = finding_of_row(&ctx, row);

	if (id < 0)
		return UI_REDRAW;
	ui->setup->options.findings_off |= 1ull << id;
	ui_notice(ui, "Ignored: C, findings.off lists what is ignored");
	return UI_REDRAW | UI_SETTINGS | (how == IGNORE_ALWAYS ? UI_SAVE : 0);
}

static bool find_record(const struct view_ctx *ctx, const struct row *row,
			struct log_record *record)
{
	const struct view_ops *ops = ctx->view->ops;
	struct subject subject = ctx->view->subject;
	struct tr2_buf filter;
	bool is_record = ctx->view->id == VIEW_RECORD;

	if (!ctx->in->journal)
		return false;
	if (!is_record && ops->drill && ops->drill(ctx, row, &subject) == VIEW_RECORD)
		is_record = true;
	if (!is_record && ops->events) {
		subject = ctx->view->subject;
		subject.event = 0;
		tr2_buf_init(&filter, 1 << 16);
		ops->events(ctx, row, &subject, &filter);
		tr2_buf_release(&filter);
		if (subject.event)
			subject.record = log_key_of(&ctx->what, subject.event - 1) + 1;
		is_record = subject.event != 0;
	}
	return is_record && subject.record && log_find(&ctx->what, subject.record - 1, record);
}

bool ui_has_place(struct ui *ui)
{
	struct view *view = ui_front(ui);
	const struct row *row = table_selected(&view->table);
	struct view_ctx ctx;
	struct log_record record;
	size_t len;

	if (!row || !ui->has_in)
		return false;
	ctx = ui_context(ui, view);
	return find_record(&ctx, row, &record) &&
	       model_sym(ctx.model, event_sym(&record.ev, TR2_F_FILE), &len) && len;
}

bool ui_take_place(struct ui *ui)
{
	struct view_ctx ctx;
	const struct row *row = ui_take_row(ui, &ctx);
	struct log_record record;
	const char *file;
	size_t len;

	if (!row || !find_record(&ctx, row, &record)) {
		ui_notice(ui, "This row has no source line; events, errors and occurrences have");
		return false;
	}
	file = model_sym(ctx.model, event_sym(&record.ev, TR2_F_FILE), &len);
	if (!file || !len) {
		ui_notice(ui, "This event has no source line");
		return false;
	}
	free(ui->place.file);
	ui->place.file = xcalloc(len + 1, 1);
	memcpy(ui->place.file, file, len);
	ui->place.line = event_get(&record.ev, TR2_F_LINE, 0);
	return true;
}

const char *ui_place(const struct ui *ui, int64_t *line)
{
	*line = ui->place.line;
	return ui->place.file;
}

static const struct {
	void (*open)(struct ui *ui);
	/* Execute the item that the user chose. Returns enum ui_reaction. */
	unsigned (*chosen)(struct ui *ui, int value);
} menus[] = {
	[UI_MENU_SORT] = { open_sort, chosen_sort },
	[UI_MENU_COPY] = { open_copy, chosen_copy },
	[UI_MENU_IGNORE] = { open_ignore, chosen_ignore },
	[UI_MENU_WITH] = { ui_chips_open_with, ui_chips_chosen_with },
	[UI_MENU_WITHOUT] = { ui_chips_open_without, ui_chips_chosen_without },
	[UI_MENU_START] = { ui_start_open, ui_start_chosen },
	[UI_MENU_GROUP] = { ui_groups_open, ui_groups_chosen },
};

void ui_menu(struct ui *ui, enum ui_menu which)
{
	ui->menu_of = which;
	menus[which].open(ui);
}

unsigned ui_menu_key(struct ui *ui, const struct key_event *key)
{
	if (key->pasted || menu_key(&ui->menu, key) != MENU_CHOSEN)
		return UI_REDRAW;
	menu_close(&ui->menu);
	return menus[ui->menu_of].chosen(ui, ui->menu.items[ui->menu.at].value);
}

void ui_menu_draw(struct ui *ui, struct surface *surface)
{
	const struct rect *body = &ui->layout.body;
	struct rect area = ui->nr_pages ? *body : ui->layout.panes[ui->focus];

	if (menu_is_open(&ui->menu) && ui->menu_of == UI_MENU_START)
		ui_start_draw(ui, surface, area);
	else if (menu_is_open(&ui->menu))
		menu_draw(&ui->menu, surface,
			  (struct rect){ body->x + 2, body->y + 1, body->cols - 4, body->rows - 1 },
			  area.x + 2, area.y + 1);
}
