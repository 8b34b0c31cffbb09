/* SPDX-License-Identifier: MIT */
#ifndef VIEWS_TITLE_H
#define VIEWS_TITLE_H

#include <stdbool.h>

/*
 * Return the title for these sources and this command (NULL-terminated, or NULL); the caller frees
 * it. Unprintable characters are made visible; without UTF-8, each byte that is not ASCII becomes
 * "?". Any thread.
 */
char *title_new(const char *const *specs, int nr_specs, const char *const *command, bool utf8);

#endif
