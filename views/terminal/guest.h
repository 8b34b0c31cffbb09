/* SPDX-License-Identifier: MIT */
/*
 * The terminal in the hands of a guest (terminal_lend()): what runs on a terminal of its own
 * elsewhere, whose bytes come here and which gets what is typed here, all of it raw. The last row
 * is kept out of what scrolls and says which key comes back. Of the terminal thread, while no
 * screen is up.
 *
 *   guest_begin()  modes, the row, then all that the guest has written so far: that brings the
 *                  terminal into the state that the guest believes it to be in
 *   guest_serve()  bytes both ways; true where the key was pressed
 *   guest_end()    the row is given back
 */
#ifndef VIEWS_GUEST_H
#define VIEWS_GUEST_H

#include "engine/base/clock.h"
#include "views/terminal/terminal.h"

/* What takes back all that a guest may have set: rows that scroll, mouse, pasting, keypad, cursor,
 * colours. For restore_arm_with(), which does that after guest_end(), and where the program dies. */
#define GUEST_LEAVES                                                                               \
	"\0337\033[r\0338\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?1l\033>"     \
	"\033[?25h\033[0m"

struct guest {
	struct terminal_guest of;
	int in_fd, out_fd;
	int rows;
	bool has_row;            /* the terminal can keep a row out of what scrolls */
	bool over;               /* its row may be written over */
	bool has_escapes;        /* what it has written is more than text */
	ns_t wrote_ns, quiet_ns; /* monotonic: the last bytes; until when what comes is no key */
	char typed[4096];        /* not taken yet */
	size_t nr_typed;
};

void guest_begin(struct guest *guest, const struct terminal_guest *of, int in_fd, int out_fd);
void guest_end(struct guest *guest);

/* The terminal has another size, as it says itself. */
void guest_resized(struct guest *guest);

/* `readable`: bytes wait at in_fd. Blocks on the terminal alone, and not where a signal came. */
bool guest_serve(struct guest *guest, bool readable);

/* After how many milliseconds to serve it although nothing has come; -1: not at all. */
int guest_wait_ms(const struct guest *guest);

#endif
