/* SPDX-License-Identifier: MIT */
/*
 * Connects the terminal to a command on a pseudo-terminal of its own (terminal_hand_over()): raw
 * bytes in both directions. The last row does not scroll and names the key that returns to
 * trace2top; terminals that cannot do this, or are too small, show that line once, before the
 * output. Terminal thread, while no screen is up.
 *
 *   foreground_begin()  set modes and the row; write the command's output again, so that the
 *                       terminal is in the state that the command expects
 *   foreground_serve()  copy bytes both ways; returns true if the key was pressed
 *   foreground_end()    release the row
 */
#ifndef VIEWS_FOREGROUND_H
#define VIEWS_FOREGROUND_H

#include "engine/base/clock.h"
#include "views/terminal/terminal.h"

/* Escape sequences that reset modes which a command may have set: scrolling region, mouse, pasting,
 * keypad, cursor, colours. For restore_arm_with(). */
#define GUEST_LEAVES                                                                               \
	"\0337\033[r\0338\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?1l\033>"     \
	"\033[?25h\033[0m"

struct foreground {
	struct terminal_foreground of;
	int in_fd, out_fd;
	int rows;
	bool has_row;     /* the terminal can keep the last row and has room for it */
	bool over;        /* the command may have overwritten the last row */
	bool has_escapes; /* the command's output contained an Esc */
	/* monotonic: time of the command's last output; time until which input is ignored */
	ns_t wrote_ns, quiet_ns;
	char typed[4096]; /* input that the command has not accepted yet */
	size_t nr_typed;
};

void foreground_begin(struct foreground *foreground, const struct terminal_foreground *of,
		      int in_fd, int out_fd);
void foreground_end(struct foreground *foreground);

void foreground_resized(struct foreground *foreground);

/* Copy pending bytes in both directions. `readable`: in_fd has input. Blocks only on the
 * terminal, until a signal. Returns true if the key that returns was pressed. */
bool foreground_serve(struct foreground *foreground, bool readable);

/* Return the milliseconds until foreground_serve() must be called even without input or output; -1:
 * never. */
int foreground_wait_ms(const struct foreground *foreground);

#endif
