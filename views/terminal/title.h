/* SPDX-License-Identifier: MIT */
/* The title of the terminal's window: what is watched. */
#ifndef VIEWS_TITLE_H
#define VIEWS_TITLE_H

#include <stdbool.h>

/*
 * The title for these sources and this command (NULL, or NULL-terminated); malloc()ed. Names may
 * hold anything: what cannot be printed is made visible, and what is not ASCII is "?" where the
 * terminal has no UTF-8. Bounded, however long the names are. Any thread.
 */
char *title_new(const char *const *specs, int nr_specs, const char *const *command, bool utf8);

#endif
