/* SPDX-License-Identifier: MIT */
/*
 * An input line: editing, history and drawing. The owner interprets the line. Keys are code points
 * or KEY_CODE_*. One owner, one thread; nothing is allocated.
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
	char text[PROMPT_MAX_BYTES]; /* ro: the line that the user edits: UTF-8, NUL-terminated */
	/* ro: length of the line and position of the cursor, in bytes */
	size_t len, cursor;
	char message[200]; /* rw: error shown above the line; "": none */
	/* rw: hint shown above the line, unless a message is shown; "": none */
	char hint[200];
	char status[64];       /* rw: status at the right end of the line; "": none */
	size_t message_column; /* rw: offset in the line of the byte that the message is about */
	char history[PROMPT_HISTORY][PROMPT_MAX_BYTES];
	int nr_history, at_history;
};

enum prompt_result {
	PROMPT_GOES_ON,
	/* Enter was pressed: the owner evaluates `text`, then closes the prompt or, such as with a
	 * `message`, keeps it open */
	PROMPT_ENTERED,
	PROMPT_LEFT, /* Esc or C-c was pressed: the prompt was closed */
};

/* Open the prompt with a copy of `text` and the cursor at its end. `label` is borrowed while the
 * prompt is open. */
void prompt_open(struct prompt *prompt, const char *label, const char *text);

/* Close the prompt; if `keep`, add the line to the history, unless it is empty or equals the newest
 * line there. */
void prompt_close(struct prompt *prompt, bool keep);

/* Replace the bytes of the line from `from` to the cursor by `word`. No effect if the line would be
 * too long. */
void prompt_replace(struct prompt *prompt, size_t from, const char *word);

enum prompt_result prompt_key(struct prompt *prompt, uint32_t key);

/* Draw the prompt into row `y`, and its `message`, or else its `hint`, into row `y - 1`. */
void prompt_draw(const struct prompt *prompt, struct surface *surface, int y);

#endif
