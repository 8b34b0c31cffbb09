/* SPDX-License-Identifier: MIT */
#ifndef VIEWS_CLIPBOARD_H
#define VIEWS_CLIPBOARD_H

/* Return the escape sequence (OSC 52) that copies a text to the terminal's clipboard. The caller
 * frees it. */
char *clipboard_sequence(const char *text);

#endif
