/* SPDX-License-Identifier: MIT */
/*
 * The capabilities of the terminal, and its modes while a screen is up; restore.h resets the modes.
 * Only the terminal thread, after newterm().
 */
#ifndef VIEWS_MODES_H
#define VIEWS_MODES_H

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

struct terminal_look;

#define TITLE_KEEP "\033[22;2t"
#define TITLE_BACK "\033[23;2t"

/* True if the terminal has this string capability (terminfo). */
bool modes_can(const char *capability);

/* True if the terminal has the capability XT or tsl (terminfo). Other terminals might show the
 * escape sequence of a title as text. */
bool modes_takes_title(void);

/* Set the modes of a screen, such as no echo and marks around pasted text. `was`: the original
 * modes. */
void modes_set(FILE *out, const struct termios *was);
/* Set mouse reports and the visibility of the cursor. */
void modes_set_look(FILE *out, const struct terminal_look *look);
/* Set the title of the window; the terminal saves the previous title. */
void modes_set_title(FILE *out, const char *title);

#endif
