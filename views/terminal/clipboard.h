/* SPDX-License-Identifier: MIT */
/* What puts a text where the terminal pastes from (OSC 52). Pure. */
#ifndef VIEWS_CLIPBOARD_H
#define VIEWS_CLIPBOARD_H

/* The sequence for a text; malloc()ed. Whether a terminal takes it, it does not say. */
char *clipboard_sequence(const char *text);

#endif
