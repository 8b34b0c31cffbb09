/* SPDX-License-Identifier: MIT */
/*
 * Restores the terminal from any context: a signal handler, another thread, with an unread
 * terminal. The bytes are prepared in advance by the terminal thread; terminal_restore() (see
 * terminal.h) then uses only async-signal-safe functions, once per arming.
 */
#ifndef VIEWS_RESTORE_H
#define VIEWS_RESTORE_H

#include <stdbool.h>
#include <termios.h>

/*
 * Start with an empty sequence for descriptor `fd` with the original modes `was`. The terminal is
 * opened again if permitted: file status flags are shared with the parent, so O_NONBLOCK would
 * affect the shell, too.
 */
void restore_begin(int fd, const struct termios *was);
/* Call when no screen is up: closes what restore_begin() opened. */
void restore_end(void);

/* Append bytes to the sequence (copied). NULL and curses' (char *)-1 are ignored. */
void restore_add(const char *bytes);

/* Arm for a screen; or for something else that `bytes` (a constant) reset. */
void restore_arm(void);
void restore_arm_with(const char *bytes);
bool restore_is_armed(void);

/*
 * Restore the terminal; terminal_restore() is restore_now(false). `by_drawer`: called by the
 * drawing thread; otherwise all later drawing is discarded. Async-signal-safe. Waits at most 0.2 s
 * for a terminal that accepts no bytes, or 0.3 s for another restoring thread.
 */
void restore_now(bool by_drawer);

/* Restore the terminal if the program crashes. */
void restore_crashes(void);

#endif
