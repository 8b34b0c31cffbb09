/* SPDX-License-Identifier: MIT */
/*
 * Keys, the mouse and pasted text from curses. Only the terminal thread, between newterm() and
 * endwin(). Initialise with zeros.
 */
#ifndef VIEWS_INPUT_H
#define VIEWS_INPUT_H

#include <stdbool.h>

#include "engine/base/clock.h"
#include "views/terminal/background.h"
#include "views/terminal/presses.h"
#include "views/widget/keys.h"

struct input {
	struct background background; /* the terminal's answer arrives among the keys */
	struct presses presses;
	bool pasting;   /* between the terminal's marks */
	ns_t pasted_ns; /* monotonic: time of the last pasted character */
};

/* Set the Esc delay and the marks of pasted text; once per terminal. */
void input_set_up(void);

/* Milliseconds until input_read() must be called without input; -1: never. */
int input_wait_ms(const struct input *input);

/* Read all pending keys; never blocks. */
void input_read(struct input *input, void (*take)(void *data, const struct key_event *key),
		void *data);

#endif
