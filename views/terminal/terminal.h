/* SPDX-License-Identifier: MIT */
/*
 * The terminal: curses, in a thread of its own, which displays finished surfaces and returns keys.
 *
 *   loop ---- terminal_show() ----> mailbox (the latest surface wins) ----> terminal thread
 *   loop <--- terminal_next_key() -- queue of keys <---- wake() -----------/
 *
 * Only the terminal thread draws, so a terminal that is stopped with Ctrl-S, or an unread pty, does
 * not delay terminal_show(). die() and crashes restore the terminal, too.
 */
#ifndef VIEWS_TERMINAL_H
#define VIEWS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "views/widget/keys.h"
#include "views/draw/surface.h"

struct terminal;

/* Settings of the terminal that may change at run time. */
struct terminal_look {
	int colour; /* enum colour */
	int theme;  /* enum theme */
	bool mouse; /* report the mouse */
	/* show the terminal's cursor; if hidden, it is still at the surface's position */
	bool cursor;
};

struct terminal_config {
	struct terminal_look look;
	const char *title; /* title of the terminal's window, printable; NULL: unchanged */
	/* Callback: called from the terminal thread when keys are pending or the terminal is gone;
	 * must not block. */
	void (*wake)(void *data);
	void *wake_data;
};

/* True if a screen can be shown: stdout is a terminal, and stdin is one or /dev/tty can be
 * opened. */
bool terminal_is_there(void);

/* True if the locale's encoding is UTF-8. Call after setlocale(LC_ALL, ""). */
bool terminal_has_utf8(void);

/* Get the current size of the terminal, limited to the largest size of a surface. Returns false and
 * 80 x 24 if the size is unknown. Any thread. */
bool terminal_size(int *cols, int *rows);

/*
 * Start the terminal's thread, and wait until it has started curses. Returns NULL with the reason
 * in `why` if the terminal cannot be used. Only one terminal may exist.
 */
struct terminal *terminal_start(const struct terminal_config *config, char *why, size_t why_bytes);

/* Show a copy of `surface` soon. Does not wait for the terminal. */
void terminal_show(struct terminal *terminal, const struct surface *surface);

/* Draw everything again with the next surface. */
void terminal_repaint(struct terminal *terminal);

/* Set theme, colours, mouse and cursor; the next surface is then drawn completely. */
void terminal_set_look(struct terminal *terminal, struct terminal_look look);

/* Handle a new size of the terminal (SIGWINCH). The loop gets the size from terminal_size() and
 * then shows a surface of that size. */
void terminal_resize(struct terminal *terminal, int cols, int rows);

/* Get the next key. Returns false if no key is pending. After wake(), call it until it returns
 * false. */
bool terminal_next_key(struct terminal *terminal, struct key_event *key);

/* True if the terminal is gone: poll(2) reported that it hung up or failed. */
bool terminal_is_gone(const struct terminal *terminal);

/* Restore the terminal for a while (Ctrl-Z); this waits as terminal_stop() does. terminal_resume()
 * lets the thread set it up again, and waits at most 100 ms for that. */
void terminal_suspend(struct terminal *terminal);
void terminal_resume(struct terminal *terminal);

/*
 * A command that gets the terminal. The callbacks are called from the terminal thread and must not
 * block.
 */
#define TERMINAL_FOREGROUND_KEY  0x1d /* Ctrl-] */
#define TERMINAL_FOREGROUND_ROWS 1    /* number of rows by which the command's terminal is lower */

struct terminal_foreground {
	/* Callback: rewind, so that `output` returns the command's output from the beginning. */
	void (*rewind)(void *data);
	/* Callback: get at most `bytes` bytes of the command's output. Returns their number; 0 if
	 * nothing is pending. */
	size_t (*output)(void *data, char *out, size_t bytes);
	/* Callback: pass typed bytes to the command. Returns how many bytes the command accepted;
	 * the others are passed again later. */
	size_t (*input)(void *data, const char *bytes, size_t len);
	void *data;
	const char
		/* text of the last row, which names the key that returns to trace2top; printable;
		 * borrowed until terminal_resume() */
		*told;
};

/* Restore the terminal as terminal_suspend() does, then hand it over to the command until
 * terminal_resume(). TERMINAL_FOREGROUND_KEY goes to terminal_next_key(), other keys go to the
 * command (at first they may be dropped). */
void terminal_hand_over(struct terminal *terminal, const struct terminal_foreground *foreground);
/* Call after the command has written output. */
void terminal_foreground_wrote(struct terminal *terminal);

/* Copy a text to the terminal's clipboard, if the terminal supports this. Asynchronous; `text` is
 * copied. */
void terminal_copy(struct terminal *terminal, const char *text);

/* Restore the terminal, end its thread and free everything; if the thread stays blocked, neither
 * end it nor free its memory. Takes at most about 1 s if the terminal accepts no bytes, and about
 * 5 s if the machine is too busy to run the thread. NULL is allowed. */
void terminal_stop(struct terminal *terminal);

/* Restore the terminal now, from any thread, before the program ends. No effect if it was restored
 * already. Async-signal-safe. */
void terminal_restore(void);

/* Return the version of curses, such as "ncurses 6.4.20221231"; static. Any thread. */
const char *terminal_library(void);

#endif
