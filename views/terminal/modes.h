/* SPDX-License-Identifier: MIT */
/*
 * What the terminal can do, and how it is set while a screen is up; restore.h takes it back. Only
 * the terminal thread, between newterm() and endwin().
 */
#ifndef VIEWS_MODES_H
#define VIEWS_MODES_H

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

struct terminal_look;

#define TITLE_KEEP "\033[22;2t"
#define TITLE_BACK "\033[23;2t"

/* Has it the capability of that name, a string? */
bool modes_can(const char *capability);

/* Is it of the xterm family, or has a status line? Others would show such sequences as text. */
bool modes_takes_title(void);

/* Keys one by one and without echo, pasted text between marks; `was`: as it was before us. */
void modes_set(FILE *out, const struct termios *was);
/* The mouse, and whether the cursor is seen. */
void modes_set_look(FILE *out, const struct terminal_look *look);
/* The one that is there is kept by the terminal until we are done. */
void modes_set_title(FILE *out, const char *title);

#endif
