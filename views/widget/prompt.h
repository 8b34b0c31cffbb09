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
	const char *label;           /* ro: before the line; NULL: not open */
	char text[PROMPT_MAX_BYTES]; /* ro: UTF-8, NUL-terminated */
	size_t len, cursor;          /* ro: bytes */
	char message[200];           /* rw: error shown above the line; "": no error */
	char hint[200];              /* rw: shown in the row above without a message; "": no hint */
	char status[64];             /* rw: at the right end of the line; "": no status */
	size_t message_column;       /* rw: byte of the line that the message points at */
	char history[PROMPT_HISTORY][PROMPT_MAX_BYTES];
	int nr_history, at_history;
};

enum prompt_result {
	PROMPT_GOES_ON,
	PROMPT_ENTERED, /* Enter: evaluate `text`, then close or set `message` */
	PROMPT_LEFT,    /* Esc, C-c: the prompt was closed */
};

/* Open with this text, the cursor at its end. `label` is borrowed while open. */
void prompt_open(struct prompt *prompt, const char *label, const char *text);

/* Close; `keep` puts the line into the history. */
void prompt_close(struct prompt *prompt, bool keep);

/* Replace the bytes from `from` to the cursor, for completion. No effect if the line is full. */
void prompt_replace(struct prompt *prompt, size_t from, const char *word);

enum prompt_result prompt_key(struct prompt *prompt, uint32_t key);

/* Draw into row `y`, and `message` above it, aligned with its column. */
void prompt_draw(const struct prompt *prompt, struct surface *surface, int y);

#endif
