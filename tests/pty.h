/* SPDX-License-Identifier: MIT */
/*
 * Runs a program on a pseudo-terminal, with its screen as libvterm renders it. Waiting for a text,
 * for bytes or for the program's end has a deadline; a timeout fails the running cmocka test unless
 * the function returns it.
 */
#ifndef TESTS_PTY_H
#define TESTS_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#include <vterm.h>

#include "engine/base/buf.h"

/* Default time after which waiting fails: long enough for a busy machine and sanitizers. */
#define PTY_DEADLINE_MS 120000

struct pty {
	pid_t pid;
	int fd;
	int slave; /* the slave side, kept open to read the modes and to write */
	int cols, rows;
	VTerm *vterm;
	VTermScreen *screen;
	struct termios before;
	struct tr2_buf raw;
};

/* Start a program on a pseudo-terminal. `env`: NULL-terminated settings NAME=VALUE. */
void pty_spawn(struct pty *pty, const char *const *argv, const char *const *env, int cols,
	       int rows);

/* Run a function in a forked copy of the test, on a terminal. Its result is the exit status. */
void pty_call(struct pty *pty, int (*function)(void *), void *data, const char *const *env,
	      int cols, int rows);

void pty_close(struct pty *pty);

/* Return the screen as text: one line per row, without trailing blanks; valid until the next
 * call. */
const char *pty_text(struct pty *pty);

/* Read the program's output until the screen shows `text`; pty_wait_gone(): until it does not. */
void pty_wait(struct pty *pty, const char *text);
void pty_wait_gone(struct pty *pty, const char *text);

/* Like pty_wait(), for at most `ms`. Returns false on timeout. */
bool pty_comes(struct pty *pty, const char *text, int ms);

/* Wait at most `ms` for output and read up to 8 KiB of it. Returns false if none arrived. */
bool pty_feed(struct pty *pty, int ms);

bool pty_wrote(const struct pty *pty, const char *bytes);

void pty_wait_wrote(struct pty *pty, const char *bytes);

void pty_send(struct pty *pty, const char *bytes);
void pty_resize(struct pty *pty, int cols, int rows);

/* Wait for the program's end, with or without reading its output meanwhile. Returns the status of
 * waitpid(). */
int pty_wait_exit(struct pty *pty, bool reading);

bool pty_is_restored(struct pty *pty);

#endif
