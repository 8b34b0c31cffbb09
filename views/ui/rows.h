/* SPDX-License-Identifier: MIT */
/*
 * The ui without a screen: what a view says, row by row, and what a prompt takes, for whoever has a
 * voice or a pipe in place of a terminal. It has the limits, filter, columns and moment that the
 * screen would have.
 *
 *   ui_look(input) --> rows_open(view, subject) --> rows_gather() --> view_say_row() of each row
 *
 * A ui that was looked at so draws no frames. Loop thread.
 */
#ifndef VIEWS_ROWS_H
#define VIEWS_ROWS_H

#include "views/ui/view.h"

/* What all of this is about, until the next call; borrowed until then. */
void ui_look(struct ui *ui, const struct ui_input *input);

/* What a view of nothing in particular is about. */
struct subject subject_none(void);

/* A view of its own, about a copy of `subject`; no page of the ui. NULL where the view cannot be
 * opened in this run: `*why` says why (static). */
struct view *rows_open(struct ui *ui, enum view_id id, const struct subject *subject,
		       const char **why);
void rows_close(struct view *view);

/* Gather its rows as they are now, in order; they and the context hold until ui_look() or the next
 * call. */
struct view_ctx rows_gather(struct ui *ui, struct view *view);

/*
 * As if the prompt that this key opens over the panes had got the text, and Enter: the filter of
 * processes, a time to look back to, an export. Returns enum ui_reaction; UI_NOTHING where the text
 * is not right, and what is wrong in `why`. Needs ui_look().
 */
unsigned ui_enter(struct ui *ui, enum action action, const char *text, char *why, size_t why_bytes);

/* Take what ui_notice() was given last, into `out`; false: nothing. */
bool ui_take_notice(struct ui *ui, char *out, size_t bytes);

#endif
