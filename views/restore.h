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

/* Nothing to write yet, to descriptor `fd`, whose settings were `was`. */
void restore_begin(int fd, const struct termios *was);

/* Add bytes to be written; copied; NULL and curses' (char *)-1 add nothing. */
void restore_add(const char *bytes);

/* A screen is up from now on. */
void restore_arm(void);
bool restore_is_armed(void);

/* Give the terminal back where the program crashes. */
void restore_crashes(void);

#endif
