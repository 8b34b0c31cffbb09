/* SPDX-License-Identifier: MIT */
/*
 * The ui without a screen, for the line mode: the rows of a view as text, and input for prompts.
 *
 * ui_check(input) --> rows_open(view, subject) --> rows_gather() --> view_format_row() per row
 *
 * A ui that the line mode uses draws no frames. Loop thread.
 */
#ifndef VIEWS_ROWS_H
#define VIEWS_ROWS_H

#include "views/ui/view.h"

/* Set the input of the ui; its content is borrowed until the next call. */
void ui_check(struct ui *ui, const struct ui_input *input);

/* Return a subject for a view that is about all processes. */
struct subject subject_none(void);

/* Open a separate view about a copy of `subject`; the view is not one of the ui's pages. Returns
 * NULL with the reason in `*why` (static) if the view cannot be opened in this run. */
struct view *rows_open(struct ui *ui, enum view_id id, const struct subject *subject,
		       const char **why);
void rows_close(struct view *view);

/* Gather the rows of a view, in order. Rows and context are valid until ui_check() or the next
 * call. */
struct view_ctx rows_gather(struct ui *ui, struct view *view);

/*
 * Enter `text` into the prompt that `action` opens over the panes: the filter of processes, a time
 * to look back to, an export, or an SQL query. Returns enum ui_reaction, or UI_NOTHING with the
 * error in `why`. Call ui_check() first.
 */
unsigned ui_enter(struct ui *ui, enum action action, const char *text, char *why, size_t why_bytes);

/* Move the text that ui_notice() got last to `out`. Returns false if no text is pending. */
bool ui_take_notice(struct ui *ui, char *out, size_t bytes);

#endif
