/* SPDX-License-Identifier: MIT */
/*
 * Keys, the mouse and pasted text, from curses. Only the terminal thread, between newterm() and
 * endwin(). Plain memory, zeroed to begin with.
 */
#ifndef VIEWS_INPUT_H
#define VIEWS_INPUT_H

#include <stdbool.h>

#include "engine/base/clock.h"
#include "views/terminal/background.h"
#include "views/terminal/presses.h"
#include "views/widget/keys.h"

struct input {
	struct background background; /* what the terminal answers comes among the keys */
	struct presses presses;
	bool pasting;   /* between the terminal's marks */
	ns_t pasted_ns; /* monotonic: of the last character of it */
};

/* How long an Esc waits for more, and the marks around what is pasted; once a terminal. */
void input_set_up(void);

/* After how many milliseconds input_read() is to be called although nothing has come; -1: never. */
int input_wait_ms(const struct input *input);

/* Take all keys that wait; never blocks. */
void input_read(struct input *input, void (*take)(void *data, const struct key_event *key),
		void *data);

#endif
