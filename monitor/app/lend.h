/* SPDX-License-Identifier: MIT */
/*
 * The terminal in other hands for a while: the command's, until it ends or a key comes back, or an
 * editor's, until that ends. Nothing is drawn meanwhile; what is traced is read and applied as ever.
 *
 * The command has a terminal of its own: the terminal's thread carries its bytes (terminal_lend()).
 * An editor gets ours; it stays in our process group, so that Ctrl-Z stops both, as the shell has
 * it, and Ctrl-C is for the editor alone.
 *
 * Loop thread.
 */
#ifndef MONITOR_LEND_H
#define MONITOR_LEND_H

#include <ev.h>

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "monitor/intake/intake.h"
#include "views/terminal/terminal.h"

enum lent_to { LENT_NOBODY, LENT_COMMAND, LENT_EDITOR };

struct lend {
	struct ev_loop *ev;
	struct terminal *terminal;
	struct intake *intake;
	/* It is back; `notice` says what went wrong, or is NULL. */
	void (*back)(void *data, const char *notice);
	void *data;
	enum lent_to to; /* ro */
	/* private: */
	pid_t editor;
	ev_timer look;
	struct sigaction quit_was;
	uint64_t at; /* of the command's output; the terminal thread's while it is lent */
};

/* Give it to the command. */
void lend_command(struct lend *lend);

/* A key while the command has it, typed before it had it, or the one that comes back. */
void lend_key(struct lend *lend, const struct key_event *key);

/* The terminal has another size: so has the command's. */
void lend_resized(const struct lend *lend);

/* Take it back from the command; no effect where it has not got it. */
void lend_end(struct lend *lend);

/*
 * Open a file that a trace names, at that line (0: none), in an editor. False with one line on why
 * where that is no regular file below the working directory: no more of what a trace says is
 * believed, whatever it is called.
 */
bool lend_editor(struct lend *lend, const char *file, int64_t line, char *why, size_t why_bytes);

#endif
