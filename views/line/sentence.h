/* SPDX-License-Identifier: MIT */
/* Texts of a trace within a sentence: the first line that is not empty, cut to a length, with
 * hidden passwords (secrets.h) and visible control characters. Loop thread. */
#ifndef VIEWS_LINE_SENTENCE_H
#define VIEWS_LINE_SENTENCE_H

#include <stdbool.h>

#include "engine/base/buf.h"

/* Maximum width of a command line and of a message, in cells. */
#define SENTENCE_COMMAND 160
#define SENTENCE_MESSAGE 400

/* Append a text of a trace; if `ascii`, characters that are not ASCII are replaced. */
void sentence_text(struct tr2_buf *out, const char *text, size_t len, int max_cells, bool ascii);

#endif
