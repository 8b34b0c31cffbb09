/* SPDX-License-Identifier: MIT */
/*
 * A program on a pseudo-terminal, and what its screen shows, through libvterm. Everything waits
 * for a marker with a deadline; nothing sleeps. A failure fails the running cmocka test.
 */
#ifndef TESTS_PTY_H
#define TESTS_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#include <vterm.h>

#include "engine/base/buf.h"

/* Tells what hangs from what is slow, on a machine with much to do and under a sanitizer. */
#define PTY_DEADLINE_MS 120000

struct pty {
	pid_t pid;
	int fd;    /* the master side */
	int slave; /* kept open to look at the modes; -1 once closed */
	int cols, rows;
	VTerm *vterm;
	VTermScreen *screen;
	struct termios before; /* modes before the program began */
	struct tr2_buf raw;    /* every byte that it has written */
};

/* Run `argv` (TERM and NAME=VALUE settings in `env`, NULL-terminated) on a terminal. */
void pty_spawn(struct pty *pty, const char *const *argv, const char *const *env, int cols,
	       int rows);

/* The same with a function, in a forked copy of the test. Its result is the exit status. */
void pty_call(struct pty *pty, int (*function)(void *), void *data, const char *const *env,
	      int cols, int rows);

/* End the program if it still runs, free everything. */
void pty_close(struct pty *pty);

/* The screen as text, a line a row without trailing blanks; valid until the next call. */
const char *pty_text(struct pty *pty);

/* Read until the screen shows `text`, or until it no longer does. */
void pty_wait(struct pty *pty, const char *text);
void pty_wait_gone(struct pty *pty, const char *text);

/* The same within `ms`; false where it does not come. */
bool pty_comes(struct pty *pty, const char *text, int ms);

/* Take what comes within `ms`; false where nothing came. */
bool pty_feed(struct pty *pty, int ms);

/* Is `bytes` among what was written? */
bool pty_wrote(const struct pty *pty, const char *bytes);

void pty_send(struct pty *pty, const char *bytes);
void pty_resize(struct pty *pty, int cols, int rows);

/* Wait for the end, reading or not; the status of waitpid(). */
int pty_wait_exit(struct pty *pty, bool reading);

/* The terminal's modes are what they were. */
bool pty_is_restored(struct pty *pty);

#endif
