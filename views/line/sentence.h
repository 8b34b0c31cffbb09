/* SPDX-License-Identifier: MIT */
/*
 * Texts of a trace within a sentence: only the first line, cut to a length, without passwords, with
 * control characters made visible. Loop thread.
 */
#ifndef VIEWS_LINE_SENTENCE_H
#define VIEWS_LINE_SENTENCE_H

#include <stdbool.h>

#include "engine/base/buf.h"

/* Maximum width of a command line and of a message, in cells. */
#define SENTENCE_COMMAND 160
#define SENTENCE_MESSAGE 400

/* Append the text; with `ascii` only ASCII characters. */
void sentence_text(struct tr2_buf *out, const char *text, size_t len, int max_cells, bool ascii);

/* A scratch buffer for such a text, cleared by each call; not for two texts at once. */
struct tr2_buf *sentence_scratch(void);

#endif
