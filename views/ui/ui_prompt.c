/* SPDX-License-Identifier: MIT */
/* The prompts on the bottom line, each with a row in the table `asks`. */
#include "config.h"

#include "views/ui/ui_priv.h"
#include "views/ui/view_text.h"
#include "views/ui/view_row.h"

#include <stdio.h>
#include <string.h>

#include "monitor/base/when.h"

/* The functions of a prompt; all except `open` and `enter` may be NULL. */
struct ask_ops {
	void (*open)(struct ui *ui, struct prompt *prompt);
	/* callback: called after each key, except Tab, Shift-Tab, Enter and keys that close the
	 * prompt */
	void (*changed)(struct ui *ui, struct prompt *prompt);
	void (*left)(struct ui *ui); /* callback: called when Esc or C-c has closed the prompt */
	/* Tab (`step` 1) or Shift-Tab (-1) was pressed: complete the line. */
	void (*complete)(struct ui *ui, struct prompt *prompt, int step);
	/* Enter was pressed: close the prompt, or keep it open, such as with an error. Returns enum
	 * ui_reaction. */
	unsigned (*enter)(struct ui *ui, struct prompt *prompt);
};

static void blame(struct prompt *prompt, const char *message, size_t column)
{
	snprintf(prompt->message, sizeof(prompt->message), "%s", message);
	prompt->message_column = column;
}

static void close_prompt(struct ui *ui)
{
	prompt_close(&ui->prompts[ui->asking], true);
	ui->asking = ASK_NONE;
}

static void offered(void *data, const char *word)
{
	struct completion *c = data;

	size_t len = strlen(word);

	if (c->nr == MAX_COMPLETIONS || len >= sizeof(*c->words))
		return;
	for (int i = 0; i < c->nr; i++)
		if (!strcmp(c->words[i], word))
			return;
	memcpy(c->words[c->nr++], word, len + 1);
}

static void show_completions(const struct completion *c, struct prompt *prompt)
{
	int first = c->at > 3 ? c->at - 3 : 0;
	size_t len = 0;

	prompt->hint[0] = '\0';
	for (int i = first; c->nr > 1 && i < c->nr && len < sizeof(prompt->hint); i++)
		len += (size_t)snprintf(prompt->hint + len, sizeof(prompt->hint) - len,
					i == c->at ? "%s[%s]" : "%s%s", i > first ? " " : "",
					c->words[i]);
}

static void hinted(void *data, const char *word)
{
	struct prompt *prompt = data;
	size_t len = strlen(prompt->hint);

	snprintf(prompt->hint + len, sizeof(prompt->hint) - len, "%s%s", len ? " " : "", word);
}

static void filter_show_words(struct ui *ui, struct prompt *prompt)
{
	struct filter_offers offers = { .rows = ui_front(ui)->ops->filter_rows,
					.offer = hinted,
					.data = prompt };

	prompt->hint[0] = '\0';
	filter_complete(prompt->text, prompt->cursor, &offers);
}

static void ui_prompt_filter_open(struct ui *ui, struct prompt *prompt)
{
	struct filter *filter = *ui_filter_of(ui, ui_front(ui));

	prompt_open(prompt, "Filter: ", filter ? filter_text(filter) : "");
	filter_show_words(ui, prompt);
}

/* Insert the next (`step` 1) or previous (-1) completion into the line, in a circle; of completions
 * that were just `made`, the first or the last. */
static void completion_step(struct completion *c, struct prompt *prompt, bool made, int step)
{
	if (!c->nr)
		return;
	if (made)
		c->at = step > 0 ? 0 : c->nr - 1;
	else
		c->at = (c->at + step + c->nr) % c->nr;
	prompt_replace(prompt, c->from, c->words[c->at]);
	show_completions(c, prompt);
}

static void filter_tab(struct ui *ui, struct prompt *prompt, int step)
{
	struct completion *c = &ui->completion;
	struct view_ctx ctx = ui_context(ui, ui_front(ui));
	const struct view_ops *ops = ctx.view->ops;
	struct filter_offers offers = { .rows = ops->filter_rows,
					.values = ui->has_in ? view_every_value : NULL,
					.subject = &ctx,
					.offer = offered,
					.data = c };
	bool made = !c->nr;

	if (made) {
		if (ui->has_in && ops->filter_rows != FILTER_ROWS_PROCESS && !ops->every_value)
			ui_gather(ui, ctx.view);
		c->from = filter_complete(prompt->text, prompt->cursor, &offers);
	}
	completion_step(c, prompt, made, step);
}

static unsigned filter_enter(struct ui *ui, struct prompt *prompt)
{
	struct view *view = ui_front(ui);
	struct filter **in_force = ui_filter_of(ui, view), *filter;
	struct filter_error error;

	filter = filter_new(prompt->text, view->ops->filter_rows, ui->in.wall_ns, &error);
	if (!filter) {
		blame(prompt, error.message, error.column);
		return UI_REDRAW;
	}
	filter_free(*in_force);
	*in_force = filter;
	if (!prompt->text[strspn(prompt->text, " ")]) {
		filter_free(filter);
		*in_force = NULL;
	}
	if (in_force == &ui->filter)
		ui_chips_typed(ui);
	close_prompt(ui);
	return UI_REDRAW;
}

static void search_open(struct ui *ui, struct prompt *prompt)
{
	struct view_ctx ctx = ui_context(ui, ui_front(ui));

	find_leave(&ui->find, false);
	find_begin(&ui->find, &ctx);
	prompt_open(prompt, "Search: ", "");
}

static void search_changed(struct ui *ui, struct prompt *prompt)
{
	find_pattern(&ui->find, prompt->text);
}

static void search_left(struct ui *ui)
{
	find_leave(&ui->find, true);
}

static unsigned search_enter(struct ui *ui, struct prompt *prompt)
{
	(void)prompt;
	ui->find_said = find_is_on(&ui->find);
	close_prompt(ui);
	return UI_REDRAW;
}

void ui_search_next(struct ui *ui, int step)
{
	if (!find_is_on(&ui->find)) {
		ui_notice(ui, "no search yet: press / and type");
		return;
	}
	find_next(&ui->find, step);
	ui->find_said = true;
}

bool ui_search_leave(struct ui *ui)
{
	bool has_marks =
		find_is_working(&ui->find) || (find_is_on(&ui->find) && find_nr_hits(&ui->find));

	if (has_marks)
		find_leave(&ui->find, false);
	return has_marks;
}

void ui_search_draw(struct ui *ui, struct surface *surface, int y)
{
	struct tr2_buf *line = format_line();

	tr2_buf_addf(line, "/%s: ", ui->prompts[ASK_SEARCH].text);
	find_format(&ui->find, line);
	surface_text(surface, 0, y, surface->cols, STYLE_NOTICE, line->data, line->len);
}

/*
 * Return the time to which a time of day or "-30s" is relative: the time that is shown while
 * looking back, otherwise now, or the last time of the model if that is more than an hour ago.
 */
static ns_t reference_time(const struct ui *ui)
{
	ns_t last = model_last_time(ui->in.model);

	if (ui->in.past && ui->in.past_ns != NS_NONE)
		return ui->in.past_ns;
	return last != NS_NONE && ui->in.wall_ns - last > 3600 * NS_PER_SEC ? last : ui->in.wall_ns;
}

static void time_open(struct ui *ui, struct prompt *prompt)
{
	(void)ui;
	prompt_open(prompt, "Look back to: ", "");
	snprintf(prompt->hint, sizeof(prompt->hint), "times: 12:28:42.5  2026-11-21T12:28Z  -30s");
}

static unsigned time_enter(struct ui *ui, struct prompt *prompt)
{
	size_t from = strspn(prompt->text, " ");
	struct time_error error;
	ns_t time;

	if (!prompt->text[from]) {
		close_prompt(ui);
		return UI_REDRAW;
	}
	if (!ui->has_in)
		return UI_REDRAW;
	if (!time_parse_why(prompt->text + from, reference_time(ui), &time, &error)) {
		blame(prompt, error.expected, from + error.column);
		return UI_REDRAW;
	}
	close_prompt(ui);
	ui->past_asked = (struct ui_past){ UI_PAST_TIME, time };
	return UI_PAST | UI_REDRAW;
}

static void formats_format(const struct ui *ui, char *out, size_t bytes)
{
	size_t len = (size_t)snprintf(out, bytes, "formats:");

	for (int i = 0; i < ui->config.nr_exports && len < bytes; i++)
		if (ui->config.exports[i].word)
			len += (size_t)snprintf(out + len, bytes - len, " %s",
						ui->config.exports[i].word);
}

static void export_open(struct ui *ui, struct prompt *prompt)
{
	prompt_open(prompt, "Export FORMAT [FILE]: ", "");
	formats_format(ui, prompt->hint, sizeof(prompt->hint));
}

static size_t file_at(const struct prompt *prompt)
{
	size_t at = strspn(prompt->text, " ");

	at += strcspn(prompt->text + at, " ");
	return at + strspn(prompt->text + at, " ");
}

static void export_offer(struct ui *ui, struct prompt *prompt)
{
	struct completion *c = &ui->completion;
	char begun[PROMPT_MAX_BYTES];
	size_t from = strspn(prompt->text, " ");
	bool is_file = strcspn(prompt->text + from, " ") + from < prompt->cursor;

	c->from = is_file ? file_at(prompt) : from;
	if (c->from > prompt->cursor)
		return;
	snprintf(begun, sizeof(begun), "%.*s", (int)(prompt->cursor - c->from),
		 prompt->text + c->from);
	if (is_file && ui->config.files)
		ui->config.files(begun, offered, c);
	for (int i = 0; !is_file && i < ui->config.nr_exports; i++) {
		const char *word = ui->config.exports[i].word;

		if (word && !strncmp(word, begun, strlen(begun)))
			offered(c, word);
	}
}

static void export_tab(struct ui *ui, struct prompt *prompt, int step)
{
	struct completion *c = &ui->completion;
	bool made = !c->nr;

	if (made)
		export_offer(ui, prompt);
	completion_step(c, prompt, made, step);
}

static bool is_export_word(const char *word, const char *typed, size_t len)
{
	return word && strlen(word) == len && !memcmp(word, typed, len);
}

static int format_typed(const struct ui *ui, const char *typed, size_t len)
{
	const struct synonym *also = ui->config.export_synonyms;

	for (int i = 0; i < ui->config.nr_exports; i++)
		if (is_export_word(ui->config.exports[i].word, typed, len))
			return i;
	for (; also && also->word; also++)
		if (is_export_word(also->word, typed, len))
			return also->row;
	return len ? -1 : ui->config.default_export;
}

static unsigned export_enter(struct ui *ui, struct prompt *prompt)
{
	size_t from = strspn(prompt->text, " "), file = file_at(prompt);
	size_t len = strcspn(prompt->text + from, " "), end = strlen(prompt->text);
	int format = format_typed(ui, prompt->text + from, len);
	char formats[sizeof(prompt->message)];

	if (format < 0) {
		formats_format(ui, formats, sizeof(formats));
		blame(prompt, formats, from);
		return UI_REDRAW;
	}
	while (end > file && prompt->text[end - 1] == ' ')
		end--;
	ui->export_asked.format = format;
	snprintf(ui->export_asked.file, sizeof(ui->export_asked.file), "%.*s", (int)(end - file),
		 prompt->text + file);
	close_prompt(ui);
	return UI_EXPORT | UI_REDRAW;
}

static void query_open(struct ui *ui, struct prompt *prompt)
{
	prompt_open(prompt, "SQL: ", ui->query);
	snprintf(prompt->hint, sizeof(prompt->hint),
		 "a SELECT or the name of a stored query; Tab: "
		 "names, tables, columns");
}

static void query_offer(struct ui *ui, struct prompt *prompt)
{
	struct completion *c = &ui->completion;
	char begun[PROMPT_MAX_BYTES];
	size_t from = prompt->cursor;

	while (from && !strchr(" ,.()=<>\"'+-*/", prompt->text[from - 1]))
		from--;
	c->from = from;
	snprintf(begun, sizeof(begun), "%.*s", (int)(prompt->cursor - from), prompt->text + from);
	ui->config.query_words(begun, strspn(prompt->text, " ") == from, offered, c);
}

static void query_tab(struct ui *ui, struct prompt *prompt, int step)
{
	struct completion *c = &ui->completion;

	if (!c->nr) {
		query_offer(ui, prompt);
		c->at = step > 0 ? 0 : c->nr - 1;
	} else {
		c->at = (c->at + step + c->nr) % c->nr;
	}
	if (!c->nr)
		return;
	prompt_replace(prompt, c->from, c->words[c->at]);
	show_completions(c, prompt);
}

static unsigned query_enter(struct ui *ui, struct prompt *prompt)
{
	bool is_empty = !prompt->text[strspn(prompt->text, " ")];

	if (!is_empty)
		snprintf(ui->query, sizeof(ui->query), "%s",
			 prompt->text + strspn(prompt->text, " "));
	close_prompt(ui);
	return is_empty ? UI_REDRAW : UI_QUERY | UI_REDRAW;
}

static void start_tab(struct ui *ui, struct prompt *prompt, int step)
{
	struct completion *c = &ui->completion;

	if (!c->nr && ui->start_asked.kind == UI_START_FILE && ui->config.files) {
		c->from = 0;
		ui->config.files(prompt->text, offered, c);
		c->at = step > 0 ? 0 : c->nr - 1;
	} else if (c->nr) {
		c->at = (c->at + step + c->nr) % c->nr;
	}
	if (!c->nr)
		return;
	prompt_replace(prompt, c->from, c->words[c->at]);
	show_completions(c, prompt);
}

static unsigned start_enter(struct ui *ui, struct prompt *prompt)
{
	unsigned reaction = ui_start_enter(ui, prompt);

	close_prompt(ui);
	return reaction;
}

static const struct ask_ops asks[NR_ASKS] = {
	[ASK_SEARCH] = { .open = search_open,
			 .changed = search_changed,
			 .left = search_left,
			 .enter = search_enter },
	[ASK_EXPORT] = { .open = export_open, .complete = export_tab, .enter = export_enter },
	[ASK_START] = { .open = ui_start_prompt, .complete = start_tab, .enter = start_enter },
	[ASK_QUERY] = { .open = query_open, .complete = query_tab, .enter = query_enter },
	[ASK_TIME] = { .open = time_open, .enter = time_enter },
	[ASK_FILTER] = { .open = ui_prompt_filter_open,
			 .changed = filter_show_words,
			 .complete = filter_tab,
			 .enter = filter_enter },
};

void ui_ask(struct ui *ui, enum ask ask)
{
	ui->asking = ask;
	asks[ask].open(ui, &ui->prompts[ask]);
}

unsigned ui_ask_key(struct ui *ui, uint32_t key)
{
	const struct ask_ops *ops = &asks[ui->asking];
	struct prompt *prompt = &ui->prompts[ui->asking];

	if (key == '\t' || key == KEY_CODE_BACKTAB) {
		if (ops->complete)
			ops->complete(ui, prompt, key == '\t' ? 1 : -1);
		return UI_REDRAW;
	}
	ui->completion.nr = 0;
	prompt->hint[0] = '\0';
	switch (prompt_key(prompt, key)) {
	case PROMPT_ENTERED:
		return ops->enter(ui, prompt);
	case PROMPT_LEFT:
		ui->asking = ASK_NONE;
		if (ops->left)
			ops->left(ui);
		break;
	default:
		if (ops->changed)
			ops->changed(ui, prompt);
	}
	return UI_REDRAW;
}

unsigned ui_ask_paste(struct ui *ui, uint32_t ch)
{
	if (ch == '\r' || ch == '\n' || ch == '\t')
		ch = ' ';
	return ch >= ' ' && ch != 0x7f && ch < KEY_CODE_FIRST ? ui_ask_key(ui, ch) : UI_NOTHING;
}

void ui_ask_draw(struct ui *ui, struct surface *surface, int y)
{
	struct prompt *prompt = &ui->prompts[ui->asking];
	struct tr2_buf *line = format_line();

	if (ui->asking == ASK_SEARCH)
		find_format(&ui->find, line);
	snprintf(prompt->status, sizeof(prompt->status), "%s", tr2_buf_cstr(line));
	prompt_draw(prompt, surface, y);
}
