/* SPDX-License-Identifier: MIT */
/*
 * Restores the terminal from any context, such as a signal handler or another thread. The terminal
 * thread prepares the bytes in advance; terminal_restore() (see terminal.h) then uses only
 * async-signal-safe functions.
 */
#ifndef VIEWS_RESTORE_H
#define VIEWS_RESTORE_H

#include <stdbool.h>
#include <termios.h>

/*
 * Start an empty restore sequence for descriptor `fd`; `was`: the terminal's original modes. If
 * permitted, opens the terminal again, because O_NONBLOCK on `fd` would affect the parent process,
 * too.
 */
void restore_begin(int fd, const struct termios *was);
/* Call when no screen is shown any more: closes the descriptors that restore_begin() opened. */
void restore_end(void);

/* Append a copy of these bytes to the restore sequence. NULL and (char *)-1, which curses returns
 * for missing capabilities, are ignored, and so are bytes that do not fit (255 in total). */
void restore_add(const char *bytes);

/* Allow terminal_restore() to write the prepared sequence; restore_arm_with(): the constant `bytes`
 * instead. */
void restore_arm(void);
void restore_arm_with(const char *bytes);
bool restore_is_armed(void);

/*
 * Restore the terminal, once after each restore_arm() or restore_arm_with(). `by_drawer`: called by
 * the thread that draws; otherwise bytes drawn later are discarded. Async-signal-safe. Waits up to
 * about 0.2 s for a terminal that accepts no bytes, or 0.3 s for another thread that is restoring
 * the terminal.
 */
void restore_now(bool by_drawer);

/* Install handlers that restore the terminal if a signal such as SIGSEGV ends the program. No
 * effect with a sanitizer. */
void restore_crashes(void);

#endif
