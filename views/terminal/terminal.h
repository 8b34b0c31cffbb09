/* SPDX-License-Identifier: MIT */
/*
 * The terminal: the one place that knows curses, in a thread of its own. It takes finished
 * surfaces and gives keys back; it knows nothing of what they show.
 *
 *   loop ---- terminal_show() ----> mailbox (the latest surface wins) ----> terminal thread
 *   loop <--- terminal_next_key() -- queue of keys <---- wake() -----------/
 *
 * Only the terminal thread may block on the terminal, and it holds no lock while it writes. So
 * a terminal that is stopped with Ctrl-S, or a pty that nobody reads, holds up neither signals
 * nor the data path. terminal_stop() frees a thread that is stuck in write(2): it turns IXON
 * off (TCSANOW), throws away what is queued (TCOFLUSH) and sends the thread a signal. A thread
 * that is late, not stuck (the terminal takes bytes), is waited for.
 *
 * Whatever ends the program, the terminal is left as it was found: terminal_start() also puts
 * terminal_restore() into die_hook (monitor/base/die.h).
 */
#ifndef VIEWS_TERMINAL_H
#define VIEWS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "views/widget/keys.h"
#include "views/draw/surface.h"

struct terminal;

/* What may change while it runs. */
struct terminal_look {
	int colour;  /* enum colour */
	int theme;   /* enum theme */
	bool mouse;  /* it is ours */
	bool cursor; /* it is seen; it stands where the surface has it in any case */
};

struct terminal_config {
	struct terminal_look look;
	const char *title; /* of the terminal's window, printable; NULL: leave it alone */
	/* Called from the terminal thread when keys wait; must not block. */
	void (*wake)(void *data);
	void *wake_data;
};

/* Is there a terminal that a screen could be shown on: stdout, with keys from stdin or, where
 * that is data, from /dev/tty? */
bool terminal_is_there(void);

/* Can the locale and the terminal show UTF-8? Call after setlocale(LC_ALL, ""). */
bool terminal_has_utf8(void);

/* The size right now, at most that of a surface; false where it cannot be told (then 80 x 24 are
 * set). Any thread. */
bool terminal_size(int *cols, int *rows);

/*
 * Set the terminal up and start its thread, with all signals blocked in it but the one that
 * frees it. NULL and `why` where that cannot be. One at a time.
 */
struct terminal *terminal_start(const struct terminal_config *config, char *why, size_t why_bytes);

/* Show a copy of `surface`, soon. Never waits. */
void terminal_show(struct terminal *terminal, const struct surface *surface);

/* Draw everything anew with the next surface (Ctrl-L, after a resize). */
void terminal_repaint(struct terminal *terminal);

/* Another look: all is drawn anew with the next surface. */
void terminal_set_look(struct terminal *terminal, struct terminal_look look);

/* The terminal has another size (SIGWINCH). The loop then asks terminal_size(), and shows a
 * surface of that size. */
void terminal_resize(struct terminal *terminal, int cols, int rows);

/* The next key; false where none waits. Drain it at every wake. */
bool terminal_next_key(struct terminal *terminal, struct key_event *key);

/* Has the terminal gone (a read of keys gave an error or its end)? */
bool terminal_is_gone(const struct terminal *terminal);

/* Give the terminal back for a while (Ctrl-Z), as terminal_stop() does, and take it again; that
 * waits at most 100 ms. */
void terminal_suspend(struct terminal *terminal);
void terminal_resume(struct terminal *terminal);

/*
 * What has the terminal while it is lent: bytes go between it and the terminal as they are, in the
 * terminal's thread; its functions must not block. The last row of the terminal is kept for `told`.
 */
#define TERMINAL_GUEST_KEY  0x1d /* Ctrl-] */
#define TERMINAL_GUEST_ROWS 1    /* so many fewer than the terminal it has */

struct terminal_guest {
	/* Begin anew with what it has written. */
	void (*rewind)(void *data);
	/* The next of that, at most `bytes`; how many: 0 where nothing waits. */
	size_t (*output)(void *data, char *out, size_t bytes);
	/* What was typed; how much of it was taken: the rest is offered again. */
	size_t (*input)(void *data, const char *bytes, size_t len);
	void *data;
	const char *told; /* which key comes back; printable; borrowed until it is taken back */
};

/* Lend the terminal, as terminal_suspend() gives it back; terminal_resume() takes it again.
 * TERMINAL_GUEST_KEY goes to terminal_next_key(), all else to the guest. */
void terminal_lend(struct terminal *terminal, const struct terminal_guest *guest);
/* There is output of the guest. */
void terminal_guest_wrote(struct terminal *terminal);

/* Put a text where the terminal pastes from, if it does that: nobody can know. Soon; copied. */
void terminal_copy(struct terminal *terminal, const char *text);

/* Restore the terminal, end the thread, free everything. Takes some 200 ms, and never more than
 * 600, where the terminal takes no bytes; where it does, up to 5 s on a machine that is so busy
 * that the thread does not run. NULL is fine. */
void terminal_stop(struct terminal *terminal);

/* Put the terminal back as it was found, now, from any thread, where the program is about to
 * end. Does nothing where none is set up. Async-signal-safe. */
void terminal_restore(void);

/* The curses that runs, "ncurses 6.4"; static. Any thread. */
const char *terminal_library(void);

#endif
