/* SPDX-License-Identifier: MIT */
/*
 * Chips: the parts of the filter of processes. `+` and `-` add one for an attribute of the selected
 * row, without typing; Backspace in the panes removes the last one. A filter that the user typed is
 * one chip.
 *
 * The filter in force is always the conjunction of the chips; without chips there is none.
 */
#include "config.h"

#include "views/ui/ui_priv.h"
#include "views/ui/view_row.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/filter/filter_process.h"

/* The attributes that are offered, with the key that chooses each. */
static const struct {
	enum filter_field field;
	char key;
} offered_fields[] = {
	{ FILTER_NAME, 'n' },     { FILTER_REPO, 'r' },   { FILTER_USER, 'u' },
	{ FILTER_WORKTREE, 'w' }, { FILTER_HOST, 'h' },   { FILTER_AGENT, 'a' },
	{ FILTER_EXE, 'x' },      { FILTER_HOOK, 'o' },   { FILTER_ALIAS, 's' },
	{ FILTER_MODE, 'm' },     { FILTER_CODE, 'c' },   { FILTER_FAILED, 'f' },
	{ FILTER_LIVE, 'v' },     { FILTER_FORMAT, 't' }, { FILTER_CATEGORY, 'g' },
	{ FILTER_LABEL, 'l' },
};

#define NR_OFFERED (sizeof(offered_fields) / sizeof(*offered_fields))

struct term {
	enum filter_field field;
	struct tr2_buf *out;
};

/* Callback: append the term of the first value of a field. */
static bool append_term(void *data, const struct value *value)
{
	const struct term *term = data;
	const struct filter_field_desc *desc = &filter_fields[term->field];

	if (desc->type == ATTRIBUTE_TYPE_TEXT)
		format_term_text(desc->name, value->text, value->len, term->out);
	else if (desc->type == ATTRIBUTE_TYPE_FLAG && value->number)
		tr2_buf_addstr(term->out, desc->name);
	else if (desc->type == ATTRIBUTE_TYPE_NUMBER)
		tr2_buf_addf(term->out, "%s = %" PRId64, desc->name, value->number);
	return true;
}

/* Append the term of a field of the row: of its process, else of the row itself; nothing if it has no
 * value. */
static void format_row_term(const struct view_ctx *ctx, const struct row *row,
			    enum filter_field field, struct tr2_buf *out)
{
	const struct process *process = ui_row_process(ctx, row);
	struct term term = { field, out };
	/* Of a process, category and label are those of any of its regions. */
	bool is_of_row = field == FILTER_CATEGORY || field == FILTER_LABEL;

	if (!(filter_fields[field].rows & FILTER_ROWS_PROCESS))
		return;
	if (process && !is_of_row)
		filter_process_value(ctx->model, process, field, append_term, &term);
	else if (ctx->view->ops->filter_rows != FILTER_ROWS_PROCESS)
		view_row_value(ctx, row, field, append_term, &term);
}

static void open_chips(struct ui *ui, const char *title)
{
	struct view_ctx ctx;
	const struct row *row = ui_take_row(ui, &ctx);
	struct tr2_buf term;

	tr2_buf_init(&term, SAY_MAX_BYTES);
	menu_open(&ui->menu, title);
	for (size_t i = 0; row && i < NR_OFFERED; i++) {
		struct tr2_buf *line = format_line();

		tr2_buf_clear(&term);
		format_row_term(&ctx, row, offered_fields[i].field, &term);
		if (!term.len)
			continue;
		tr2_buf_addf(line, "%c  %s", offered_fields[i].key, tr2_buf_cstr(&term));
		menu_add(&ui->menu, (uint32_t)offered_fields[i].key, (int)i, tr2_buf_cstr(line),
			 !ui->menu.nr);
	}
	tr2_buf_release(&term);
	if (ui->menu.nr)
		return;
	menu_close(&ui->menu);
	ui_notice(ui, "The row has no attribute to filter by; \\ takes a typed filter");
}

void ui_chips_open_with(struct ui *ui)
{
	open_chips(ui, "Show only");
}

void ui_chips_open_without(struct ui *ui)
{
	open_chips(ui, "Hide");
}

/* Set the filter of processes to the conjunction of the chips. */
static void apply_chips(struct ui *ui)
{
	struct filter_error error;
	struct tr2_buf text;

	tr2_buf_init(&text, SAY_MAX_BYTES);
	for (int i = 0; i < ui->nr_chips; i++)
		tr2_buf_addf(&text,
			     ui->nr_chips > 1 && strstr(ui->chips[i], " or ") ? "%s(%s)" : "%s%s",
			     i ? " and " : "", ui->chips[i]);
	filter_free(ui->filter);
	ui->filter = text.len ? filter_new(tr2_buf_cstr(&text), FILTER_ROWS_PROCESS, ui->in.wall_ns,
					   &error)
			      : NULL;
	tr2_buf_release(&text);
}

static bool has_chip(const struct ui *ui, const char *text)
{
	for (int i = 0; i < ui->nr_chips; i++)
		if (!strcmp(ui->chips[i], text))
			return true;
	return false;
}

static unsigned add_chip(struct ui *ui, int offered, bool without)
{
	struct view_ctx ctx;
	const struct row *row = ui_take_row(ui, &ctx);
	struct tr2_buf term;

	if (!row)
		return UI_REDRAW;
	if (ui->nr_chips == MAX_CHIPS) {
		ui_notice(ui, "Too many filters: Backspace removes the last one");
		return UI_REDRAW;
	}
	tr2_buf_init(&term, SAY_MAX_BYTES);
	format_row_term(&ctx, row, offered_fields[offered].field, &term);
	if (term.len) {
		struct tr2_buf *line = format_line();

		tr2_buf_addf(line, without ? "not %s" : "%s", tr2_buf_cstr(&term));
		if (!has_chip(ui, tr2_buf_cstr(line)))
			ui->chips[ui->nr_chips++] = xstrdup(tr2_buf_cstr(line));
		apply_chips(ui);
	}
	tr2_buf_release(&term);
	return UI_REDRAW;
}

unsigned ui_chips_chosen_with(struct ui *ui, int offered)
{
	return add_chip(ui, offered, false);
}

unsigned ui_chips_chosen_without(struct ui *ui, int offered)
{
	return add_chip(ui, offered, true);
}

void ui_chips_typed(struct ui *ui)
{
	while (ui->nr_chips)
		free(ui->chips[--ui->nr_chips]);
	if (ui->filter)
		ui->chips[ui->nr_chips++] = xstrdup(filter_text(ui->filter));
}

bool ui_chips_remove_last(struct ui *ui)
{
	if (!ui->nr_chips)
		return false;
	free(ui->chips[--ui->nr_chips]);
	apply_chips(ui);
	return true;
}

void ui_chips_format(const struct ui *ui, struct tr2_buf *out)
{
	for (int i = 0; i < ui->nr_chips; i++)
		tr2_buf_addf(out, ui->nr_chips > 1 ? "%s[%s]" : "%s%s", i ? " " : "", ui->chips[i]);
}
