/* SPDX-License-Identifier: MIT */
/*
 * Git's own words, as vocabulary.def has them: commands, options, names of configuration and
 * environment, categories, labels, keys, file names. Whoever says one of them says nothing of
 * himself. Any thread.
 */
#ifndef MONITOR_VOCABULARY_H
#define MONITOR_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

/* No word is longer. */
#define VOCABULARY_MAX_BYTES 100

bool vocabulary_has(const char *text, size_t len);

#endif
