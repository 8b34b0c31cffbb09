/* SPDX-License-Identifier: MIT */
/*
 * A program on a pseudo-terminal, and its screen as libvterm renders it. All functions that wait
 * do so for a marker, with a deadline; nothing sleeps. A failure fails the running cmocka test.
 */
#ifndef TESTS_PTY_H
#define TESTS_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#include <vterm.h>

#include "engine/base/buf.h"

/* Long enough for a busy machine and sanitizers. */
#define PTY_DEADLINE_MS 120000

struct pty {
	pid_t pid;
	int fd;    /* the master side */
	int slave; /* kept open to read the modes; -1 once closed */
	int cols, rows;
	VTerm *vterm;
	VTermScreen *screen;
	struct termios before; /* modes before the program started */
	struct tr2_buf raw;    /* all output of the program */
};

/* Run `argv` (TERM and NAME=VALUE settings in `env`, NULL-terminated) on a terminal. */
void pty_spawn(struct pty *pty, const char *const *argv, const char *const *env, int cols,
	       int rows);

/* The same with a function, in a forked copy of the test. Its result is the exit status. */
void pty_call(struct pty *pty, int (*function)(void *), void *data, const char *const *env,
	      int cols, int rows);

/* End the program if it still runs, free everything. */
void pty_close(struct pty *pty);

/* Returns the screen as text: one line per row, without trailing blanks; valid until the next
 * call. */
const char *pty_text(struct pty *pty);

/* Read until the screen shows `text`, or until it no longer does. */
void pty_wait(struct pty *pty, const char *text);
void pty_wait_gone(struct pty *pty, const char *text);

/* The same, for at most `ms`. Returns false on timeout. */
bool pty_comes(struct pty *pty, const char *text, int ms);

/* Read the output that arrives within `ms`. Returns false if none existed. */
bool pty_feed(struct pty *pty, int ms);

/* True if the output contains `bytes`. */
bool pty_wrote(const struct pty *pty, const char *bytes);

void pty_send(struct pty *pty, const char *bytes);
void pty_resize(struct pty *pty, int cols, int rows);

/* Wait for the program's end, reading its output or not. Returns the status of waitpid(). */
int pty_wait_exit(struct pty *pty, bool reading);

/* True if the terminal's modes are restored. */
bool pty_is_restored(struct pty *pty);

#endif
