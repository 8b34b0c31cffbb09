/* SPDX-License-Identifier: MIT */
/*
 * A line that the user types at the bottom of the screen: a filter, a time. Editing, history
 * and drawing; what the line means is the owner's. Keys are code points or KEY_CODE_*. One
 * owner, one thread; nothing is allocated.
 */
#ifndef VIEWS_PROMPT_H
#define VIEWS_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "views/draw/surface.h"

#define PROMPT_MAX_BYTES 512
#define PROMPT_HISTORY   16

struct prompt {
	const char *label;           /* ro: before the line; NULL: not open */
	char text[PROMPT_MAX_BYTES]; /* ro: UTF-8, NUL-terminated */
	size_t len, cursor;          /* ro: bytes */
	char message[200];           /* rw: what is wrong, shown above the line; "" none */
	char hint[200];              /* rw: in the row above, where no message is; "" none */
	char status[64];             /* rw: at the right end of the line; "" none */
	size_t message_column;       /* rw: byte of the line that it points at */
	char history[PROMPT_HISTORY][PROMPT_MAX_BYTES];
	int nr_history, at_history;
};

enum prompt_result {
	PROMPT_GOES_ON,
	PROMPT_ENTERED, /* Enter: judge `text`, then close or set `message` */
	PROMPT_LEFT,    /* Esc, C-c: it is closed */
};

/* Open with this text, the cursor at its end. `label` is borrowed while open. */
void prompt_open(struct prompt *prompt, const char *label, const char *text);

/* Close; `keep` puts the line into the history. */
void prompt_close(struct prompt *prompt, bool keep);

/* Replace the bytes from `from` to the cursor, as a completion does. No effect where full. */
void prompt_replace(struct prompt *prompt, size_t from, const char *word);

enum prompt_result prompt_key(struct prompt *prompt, uint32_t key);

/* Draw into row `y`, and `message` into the row above it, under no less than its column. */
void prompt_draw(const struct prompt *prompt, struct surface *surface, int y);

#endif
