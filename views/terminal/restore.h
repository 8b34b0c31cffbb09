/* SPDX-License-Identifier: MIT */
/*
 * Giving the terminal back from anywhere: a signal handler, another thread, a terminal that
 * nobody reads. What is to be written is put together beforehand; terminal_restore() (see
 * terminal.h) then only uses what is safe in a handler, and does so once for each arming.
 * Prepared by the terminal thread.
 */
#ifndef VIEWS_RESTORE_H
#define VIEWS_RESTORE_H

#include <stdbool.h>
#include <termios.h>

/*
 * Nothing to write yet, to descriptor `fd`, whose settings were `was`. The terminal is opened
 * once more where that is permitted: what is set of an open file is shared with whoever started
 * the program, and writing without waiting would be set for the shell, too.
 */
void restore_begin(int fd, const struct termios *was);
/* When nothing is up any more: closes what restore_begin() opened. */
void restore_end(void);

/* Add bytes to be written; copied; NULL and curses' (char *)-1 add nothing. */
void restore_add(const char *bytes);

/* A screen is up from now on; or something else, that these bytes (a constant) take back. */
void restore_arm(void);
void restore_arm_with(const char *bytes);
bool restore_is_armed(void);

/*
 * What terminal_restore() does; that is restore_now(false). `by_drawer`: it is the thread that
 * draws; else whatever that one still draws goes nowhere, for good. Async-signal-safe. Waits
 * 0.2 s at most for a terminal that takes nothing, or 0.3 s for another thread that is at it.
 */
void restore_now(bool by_drawer);

/* Give the terminal back where the program crashes. */
void restore_crashes(void);

#endif
