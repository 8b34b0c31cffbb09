/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "monitor/base/die.h"
#include "views/ui/ui_priv.h"

/* Time limit of the search for findings before an answer. */
#define FINDINGS_NS NS_PER_SEC

void ui_check(struct ui *ui, const struct ui_input *input)
{
	ui->in = *input;
	ui->has_in = ui->is_said = true;
}

struct subject subject_none(void)
{
	return (struct subject){ .process = HANDLE_NONE, .category = SYM_NONE, .label = SYM_NONE };
}

struct view *rows_open(struct ui *ui, enum view_id id, const struct subject *subject,
		       const char **why)
{
	struct view *view;
	const struct view_ops *ops = ui->config.views[id];

	*why = ops->refuses ? ops->refuses(&ui->config) : NULL;
	if (*why)
		return NULL;
	view = xcalloc(1, sizeof(*view));
	ui_view_init(ui, view, id);
	view->subject = *subject;
	return view;
}

void rows_close(struct view *view)
{
	if (!view)
		return;
	ui_view_release(view);
	free(view);
}

struct view_ctx rows_gather(struct ui *ui, struct view *view)
{
	filter_frame(ui->filter);
	filter_frame(view->filter);
	if (view->id == VIEW_FINDINGS || view->id == VIEW_SUMMARY)
		ui_find_findings(ui, view, FINDINGS_NS);
	ui_gather(ui, view);
	return ui_context(ui, view);
}

static enum ask ask_of(enum action action)
{
	switch ((int)action) {
	case ACTION_FILTER:
		return ASK_FILTER;
	case ACTION_PAST_TIME:
		return ASK_TIME;
	case ACTION_EXPORT:
		return ASK_EXPORT;
	case ACTION_SQL:
		return ASK_QUERY;
	default:
		return ASK_NONE;
	}
}

unsigned ui_enter(struct ui *ui, enum action action, const char *text, char *why, size_t why_bytes)
{
	enum ask ask = ask_of(action);
	struct prompt *prompt = &ui->prompts[ask];
	unsigned reaction;

	if (strlen(text) >= sizeof(prompt->text)) {
		snprintf(why, why_bytes, "the line is too long");
		return UI_NOTHING;
	}
	ui->focus = VIEW_PROCESSES;
	ui_ask(ui, ask);
	prompt_open(prompt, "", text);
	reaction = ui_ask_key(ui, '\n');
	if (ui->asking == ASK_NONE)
		return reaction;
	snprintf(why, why_bytes, "%s", prompt->message);
	prompt_close(prompt, false);
	ui->asking = ASK_NONE;
	return UI_NOTHING;
}

bool ui_take_notice(struct ui *ui, char *out, size_t bytes)
{
	snprintf(out, bytes, "%s", ui->notice);
	ui->notice[0] = '\0';
	return *out != '\0';
}
