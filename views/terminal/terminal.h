/* SPDX-License-Identifier: MIT */
/*
 * The terminal: the only user of curses, in a thread of its own. It displays finished surfaces and
 * returns keys.
 *
 *   loop ---- terminal_show() ----> mailbox (the latest surface wins) ----> terminal thread
 *   loop <--- terminal_next_key() -- queue of keys <---- wake() -----------/
 *
 * Only the terminal thread may block on the terminal, and it holds no lock while it writes. A
 * terminal that is stopped with Ctrl-S, or an unread pty, therefore delays neither signals nor the
 * data path. terminal_stop() unblocks a thread that is stuck in write(2): it turns IXON off
 * (TCSANOW), flushes the output (TCOFLUSH) and sends the thread a signal. It waits for a thread
 * that is only late (the terminal accepts bytes).
 *
 * Every kind of exit restores the terminal: terminal_start() also sets die_hook
 * (monitor/base/die.h) to terminal_restore().
 */
#ifndef VIEWS_TERMINAL_H
#define VIEWS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "views/widget/keys.h"
#include "views/draw/surface.h"

struct terminal;

/* Settings that may change at run time. */
struct terminal_look {
	int colour; /* enum colour */
	int theme;  /* enum theme */
	bool mouse; /* report the mouse */
	/* make the terminal's cursor visible; it is always at the surface's position */
	bool cursor;
};

struct terminal_config {
	struct terminal_look look;
	const char *title; /* title of the terminal's window, printable; NULL: unchanged */
	/* Callback: called from the terminal thread when keys are pending; must not block. */
	void (*wake)(void *data);
	void *wake_data;
};

/* True if a screen can be shown: stdout is a terminal, and keys come from stdin or, if that is
 * data, from /dev/tty. */
bool terminal_is_there(void);

/* True if the locale and the terminal support UTF-8. Call after setlocale(LC_ALL, ""). */
bool terminal_has_utf8(void);

/* Get the current size of the terminal, limited to that of a surface. Returns false if it is
 * unknown (then 80 x 24). Any thread. */
bool terminal_size(int *cols, int *rows);

/*
 * Set the terminal up and start its thread, with all signals blocked except the one that unblocks
 * it. Returns NULL with `why` on error. One at a time.
 */
struct terminal *terminal_start(const struct terminal_config *config, char *why, size_t why_bytes);

/* Show a copy of `surface` soon. Never blocks. */
void terminal_show(struct terminal *terminal, const struct surface *surface);

/* Draw everything again with the next surface (Ctrl-L, after a resize). */
void terminal_repaint(struct terminal *terminal);

/* Set theme, colours, mouse, cursor and title; everything is drawn again with the next surface. */
void terminal_set_look(struct terminal *terminal, struct terminal_look look);

/* Handle a new size (SIGWINCH). The loop gets it from terminal_size() and then shows a surface of
 * that size. */
void terminal_resize(struct terminal *terminal, int cols, int rows);

/* Get the next key. Returns false if none is pending. Call repeatedly after every wake. */
bool terminal_next_key(struct terminal *terminal, struct key_event *key);

/* True if the terminal is gone: reading keys failed or reached EOF. */
bool terminal_is_gone(const struct terminal *terminal);

/* Restore the terminal for a while (Ctrl-Z), like terminal_stop(), and take it again, which waits
 * at most 100 ms. */
void terminal_suspend(struct terminal *terminal);
void terminal_resume(struct terminal *terminal);

/*
 * A command that gets the terminal: the terminal thread copies raw bytes in both directions; the
 * callbacks must not block. The last row of the terminal shows `told`.
 */
#define TERMINAL_FOREGROUND_KEY  0x1d /* Ctrl-] */
#define TERMINAL_FOREGROUND_ROWS 1    /* number of rows that the command's terminal lacks */

struct terminal_foreground {
	/* Callback: restart the command's output from the beginning. */
	void (*rewind)(void *data);
	/* Callback: get at most `bytes` of the command's output. Returns their number; 0 if
	 * nothing is pending. */
	size_t (*output)(void *data, char *out, size_t bytes);
	/* Callback: pass typed bytes to the command. Returns how many were accepted; the rest is
	 * passed again. */
	size_t (*input)(void *data, const char *bytes, size_t len);
	void *data;
	const char
		/* text of the last row, which names the key that returns; printable; borrowed
		 * until terminal_resume() */
		*told;
};

/* Hand the terminal over to the command, after restoring it as terminal_suspend() does;
 * terminal_resume() takes it again. TERMINAL_FOREGROUND_KEY goes to terminal_next_key(),
 * everything else to the command. */
void terminal_hand_over(struct terminal *terminal, const struct terminal_foreground *foreground);
/* Notify the thread that the command has written output. */
void terminal_foreground_wrote(struct terminal *terminal);

/* Copy a text to the terminal's clipboard, if the terminal supports that, which it does not
 * confirm. Asynchronous; the text is copied. */
void terminal_copy(struct terminal *terminal, const char *text);

/* Restore the terminal, end the thread and free everything. Takes about 200 ms, at most 600 ms,
 * if the terminal accepts no bytes; otherwise up to 5 s on a machine that is too busy to run the
 * thread. NULL is allowed. */
void terminal_stop(struct terminal *terminal);

/* Restore the terminal now, from any thread, before the program ends. No effect if no screen is
 * up. Async-signal-safe. */
void terminal_restore(void);

/* Return the version of curses, "ncurses 6.4"; static. Any thread. */
const char *terminal_library(void);

#endif
