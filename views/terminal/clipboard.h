/* SPDX-License-Identifier: MIT */
/* Copies text to the terminal's clipboard (OSC 52). Pure. */
#ifndef VIEWS_CLIPBOARD_H
#define VIEWS_CLIPBOARD_H

/* Return the escape sequence that copies a text; the caller frees it. Terminals do not confirm
 * it. */
char *clipboard_sequence(const char *text);

#endif
