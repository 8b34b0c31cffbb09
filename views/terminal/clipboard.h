/* SPDX-License-Identifier: MIT */
/* The escape sequence that copies text to the terminal's clipboard (OSC 52). */
#ifndef VIEWS_CLIPBOARD_H
#define VIEWS_CLIPBOARD_H

/* Return the escape sequence that makes the terminal copy a text; the caller frees the sequence.
 * Terminals do not confirm that they copied. */
char *clipboard_sequence(const char *text);

#endif
