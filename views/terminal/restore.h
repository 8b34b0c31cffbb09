/* SPDX-License-Identifier: MIT */
/*
 * Restores the terminal from any context: a signal handler, another thread, with a terminal that is
 * not read. The bytes are prepared in advance by the terminal thread; terminal_restore() (see
 * terminal.h) then uses only async-signal-safe functions, once per arming.
 */
#ifndef VIEWS_RESTORE_H
#define VIEWS_RESTORE_H

#include <stdbool.h>
#include <termios.h>

/*
 * Start with an empty restore sequence for descriptor `fd` with the original modes `was`. The
 * terminal is opened again if permitted: file status flags are shared with the parent, so
 * O_NONBLOCK would affect the shell, too.
 */
void restore_begin(int fd, const struct termios *was);
/* Call when no screen is up: closes what restore_begin() opened. */
void restore_end(void);

/* Append bytes to the restore sequence (copied). NULL and curses' (char *)-1 are ignored. */
void restore_add(const char *bytes);

/* Let terminal_restore() write the sequence that was prepared; restore_arm_with(): write the
 * constant `bytes` instead. */
void restore_arm(void);
void restore_arm_with(const char *bytes);
bool restore_is_armed(void);

/*
 * Restore the terminal; terminal_restore() is restore_now(false). `by_drawer`: called by the thread
 * that draws; otherwise all later drawing is discarded. Async-signal-safe. Waits at most 0.2 s for
 * a terminal that accepts no bytes, or 0.3 s for another thread that restores it.
 */
void restore_now(bool by_drawer);

/* Install signal handlers that restore the terminal if the program crashes. */
void restore_crashes(void);

#endif
