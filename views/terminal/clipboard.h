/* SPDX-License-Identifier: MIT */
#ifndef VIEWS_CLIPBOARD_H
#define VIEWS_CLIPBOARD_H

/* Return the escape sequence that makes the terminal copy a text; the caller frees the sequence.
 * Terminals do not confirm that they copied. */
char *clipboard_sequence(const char *text);

#endif
