/* SPDX-License-Identifier: MIT */
/*
 * Reads keys, mouse events and pasted text from curses. Only the terminal thread, while a screen is
 * up. Initially all zeros.
 */
#ifndef VIEWS_INPUT_H
#define VIEWS_INPUT_H

#include <stdbool.h>

#include "engine/base/clock.h"
#include "views/terminal/background.h"
#include "views/terminal/presses.h"
#include "views/widget/keys.h"

struct input {
	struct background background;
	struct presses presses;
	bool pasting;   /* the terminal is sending a pasted text */
	ns_t pasted_ns; /* monotonic time of the last input of the paste */
};

/* Set the delay of Esc and define the marks around pasted text; once per terminal. */
void input_set_up(void);

/* Return the milliseconds until input_read() must be called even without input; -1: never. */
int input_wait_ms(const struct input *input);

/* Read pending input and call `take` for each key. Waits only for the rest of an escape sequence,
 * about 25 ms. */
void input_read(struct input *input, void (*take)(void *data, const struct key_event *key),
		void *data);

#endif
