/* SPDX-License-Identifier: MIT */
/*
 * Chips: the parts of the filter of processes. `+` and `-` add one for an attribute of the selected
 * row; Backspace in the panes, unless one is zoomed, removes the last one. A filter that the user
 * typed is one chip.
 *
 * The filter in force is the conjunction of the chips; without chips nothing is filtered.
 */
#include "config.h"

#include "views/ui/ui_priv.h"
#include "views/ui/view_row.h"
#include "views/ui/view_text.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/filter/filter_process.h"

/*
 * The filter terms that a row offers, numbered in the order of attributes.def: the newest value per
 * key if the attribute has keys, else the first value. A number is valid until the row changes.
 */
struct offered_terms {
	void (*each)(struct offered_terms *terms);
	struct ui *ui;
	enum attribute attribute;
	bool negated;
	int nr;
	int wanted; /* number of the term that the user chose */
	/* keys whose newest value was visited; older values of a key are not offered */
	struct attribute_ref keys[MENU_MAX_ITEMS];
	int nr_keys;
	struct tr2_buf term;
};

static bool offer_term(void *data, const struct value *value)
{
	struct offered_terms *terms = data;
	struct attribute_ref ref = { terms->attribute, value->category, value->key,
				     value->category_len, value->key_len };

	if (ref.key) {
		if (attribute_is_in(terms->keys, terms->nr_keys, &ref))
			return false;
		if (terms->nr_keys == MENU_MAX_ITEMS)
			return true;
		terms->keys[terms->nr_keys++] = ref;
	}
	tr2_buf_clear(&terms->term);
	format_attribute_term(&ref, value, &terms->term);
	if (terms->term.len)
		terms->each(terms);
	terms->nr += terms->term.len > 0;
	return !attributes[terms->attribute].key;
}

/* Call terms->each for the filter terms of a row: those of its process or else, and for category
 * and label, its own. */
static void row_terms(const struct view_ctx *ctx, const struct row *row,
		      struct offered_terms *terms)
{
	const struct process *process = ui_row_process(ctx, row);

	tr2_buf_init(&terms->term, SAY_MAX_BYTES);
	for (int i = 0; i < NR_ATTRIBUTES; i++) {
		/* A process has the categories and labels of all its regions, so take these two
		 * from the row. */
		bool is_of_row = i == ATTRIBUTE_CATEGORY || i == ATTRIBUTE_LABEL;

		terms->attribute = (enum attribute)i;
		if (!attributes[i].letter && !attributes[i].key)
			continue;
		if (process && !is_of_row)
			attribute_visit_group(ctx->model, process, terms->attribute, offer_term,
					      terms);
		else if (ctx->view->ops->filter_rows != FILTER_ROWS_PROCESS && !attributes[i].key)
			view_row_value(ctx, row, filter_field_of(terms->attribute), offer_term,
				       terms);
	}
	tr2_buf_release(&terms->term);
}

static void add_item(struct offered_terms *terms)
{
	char letter = attributes[terms->attribute].letter;
	struct menu *menu = &terms->ui->menu;
	struct tr2_buf *line = format_line();

	tr2_buf_addf(line, "%c  %s", letter ? letter : ' ', tr2_buf_cstr(&terms->term));
	menu_add(menu, (uint32_t)(unsigned char)letter, terms->nr, tr2_buf_cstr(line), !menu->nr);
}

static void open_chips(struct ui *ui, const char *title)
{
	struct offered_terms terms = { .each = add_item, .ui = ui };
	struct view_ctx ctx;
	const struct row *row = ui_take_row(ui, &ctx);

	menu_open(&ui->menu, title);
	if (row)
		row_terms(&ctx, row, &terms);
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

static void take_term(struct offered_terms *terms)
{
	struct tr2_buf *line = format_line();
	struct ui *ui = terms->ui;

	if (terms->nr != terms->wanted)
		return;
	tr2_buf_addf(line, terms->negated ? "not %s" : "%s", tr2_buf_cstr(&terms->term));
	if (!has_chip(ui, tr2_buf_cstr(line)))
		ui->chips[ui->nr_chips++] = xstrdup(tr2_buf_cstr(line));
	apply_chips(ui);
}

static unsigned add_chip(struct ui *ui, int offered, bool without)
{
	struct offered_terms terms = {
		.each = take_term, .ui = ui, .negated = without, .wanted = offered
	};
	struct view_ctx ctx;
	const struct row *row = ui_take_row(ui, &ctx);

	if (!row)
		return UI_REDRAW;
	if (ui->nr_chips == MAX_CHIPS) {
		ui_notice(ui, "Too many filters: Backspace removes the last one");
		return UI_REDRAW;
	}
	row_terms(&ctx, row, &terms);
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

void ui_chips_add(struct ui *ui, char *term)
{
	if (ui->nr_chips == MAX_CHIPS)
		ui_notice(ui, "Too many filters: Backspace removes the last one");
	if (ui->nr_chips < MAX_CHIPS && !has_chip(ui, term)) {
		ui->chips[ui->nr_chips++] = xstrdup(term);
		apply_chips(ui);
	}
	free(term);
	while (ui->nr_pages)
		ui_pop_page(ui);
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
