/* SPDX-License-Identifier: MIT */
/*
 * An input line at the bottom of the screen, for example for a filter or a time: editing, history
 * and drawing. The owner interprets the line. Keys are code points or KEY_CODE_*. One owner, one
 * thread; nothing is allocated.
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
	const char *label;           /* ro: text before the line; NULL: the prompt is not open */
	char text[PROMPT_MAX_BYTES]; /* ro: the line: UTF-8, NUL-terminated */
	/* ro: length of the line and position of the cursor, in bytes */
	size_t len, cursor;
	char message[200];     /* rw: error shown above the line; "": none */
	char hint[200];        /* rw: text above the line, unless a message is shown; "": none */
	char status[64];       /* rw: text at the right end of the line; "": none */
	size_t message_column; /* rw: byte of the line that the message is about */
	char history[PROMPT_HISTORY][PROMPT_MAX_BYTES];
	int nr_history, at_history;
};

enum prompt_result {
	PROMPT_GOES_ON,
	/* Enter was pressed: evaluate `text`, then close the prompt or set `message` */
	PROMPT_ENTERED,
	PROMPT_LEFT, /* Esc or C-c was pressed: the prompt was closed */
};

/* Open the prompt with this text, the cursor at its end. `label` is borrowed while open. */
void prompt_open(struct prompt *prompt, const char *label, const char *text);

/* Close the prompt; `keep` puts the line into the history. */
void prompt_close(struct prompt *prompt, bool keep);

/* Replace the bytes of the line from `from` to the cursor, for completion. No effect if the line
 * is full. */
void prompt_replace(struct prompt *prompt, size_t from, const char *word);

enum prompt_result prompt_key(struct prompt *prompt, uint32_t key);

/* Draw the prompt into row `y`, and its `message` above, aligned with the column it is about. */
void prompt_draw(const struct prompt *prompt, struct surface *surface, int y);

#endif
