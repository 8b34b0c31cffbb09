/* SPDX-License-Identifier: MIT */
/*
 * Texts of a trace within a sentence: up to their first line break, as long as one wants to hear,
 * without passwords, and with whatever a terminal would obey made visible. Loop thread.
 */
#ifndef VIEWS_LINE_SENTENCE_H
#define VIEWS_LINE_SENTENCE_H

#include <stdbool.h>

#include "engine/base/buf.h"

/* Cells of a command line, and of a message. */
#define SENTENCE_COMMAND 160
#define SENTENCE_MESSAGE 400

/* Append the text; `ascii`: with ASCII only. */
void sentence_text(struct tr2_buf *out, const char *text, size_t len, int max_cells, bool ascii);

/* A buffer for a text that is to be appended so, cleared at each call; not for two at once. */
struct tr2_buf *sentence_scratch(void);

#endif
