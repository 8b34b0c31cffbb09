/* SPDX-License-Identifier: MIT */
#ifndef VIEWS_CLIPBOARD_H
#define VIEWS_CLIPBOARD_H

/* Return the escape sequence that makes the terminal copy a text, which terminals do not confirm.
 * The caller frees it. */
char *clipboard_sequence(const char *text);

#endif
