/* SPDX-License-Identifier: MIT */
/*
 * Connects the terminal to a command that runs on a pseudo-terminal (terminal_hand_over()): raw
 * bytes in both directions. The last row names the key that returns to trace2top; if the terminal
 * cannot reserve that row, the key is named once, before the output. Terminal thread, while no
 * screen is up.
 */
#ifndef VIEWS_FOREGROUND_H
#define VIEWS_FOREGROUND_H

#include "engine/base/clock.h"
#include "views/terminal/terminal.h"

/* Escape sequences that reset modes that a command may have set, such as mouse reports. For
 * restore_arm_with(). */
#define GUEST_LEAVES                                                                               \
	"\0337\033[r\0338\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?1l\033>"     \
	"\033[?25h\033[0m"

struct foreground {
	struct terminal_foreground of;
	int in_fd, out_fd;
	int rows;
	bool has_row; /* the last row is reserved */
	bool over;    /* output was written after the last row was drawn */
	bool has_escapes;
	/* monotonic: time of the command's last output; time until which input is dropped */
	ns_t wrote_ns, quiet_ns;
	char typed[4096]; /* input that the command has not accepted yet */
	size_t nr_typed;
};

/* Set the terminal's modes and last row, and write the command's output again, so that the terminal
 * is in the state that the command expects. */
void foreground_begin(struct foreground *foreground, const struct terminal_foreground *of,
		      int in_fd, int out_fd);
void foreground_end(struct foreground *foreground);

void foreground_resized(struct foreground *foreground);

/* Copy pending bytes in both directions. `readable`: in_fd has input. May block in write(2) to the
 * terminal, until a signal. Returns true if TERMINAL_FOREGROUND_KEY was read and not dropped. */
bool foreground_serve(struct foreground *foreground, bool readable);

/* Return the milliseconds until foreground_serve() must be called even without input or output; -1:
 * never. */
int foreground_wait_ms(const struct foreground *foreground);

#endif
