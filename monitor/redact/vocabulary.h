/* SPDX-License-Identifier: MIT */
/*
 * Git's own words from vocabulary.txt: commands, options, names of configuration and environment,
 * categories, labels, keys, file names. They reveal nothing about a user. Any thread.
 */
#ifndef MONITOR_VOCABULARY_H
#define MONITOR_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum length of a word of the vocabulary. */
#define VOCABULARY_MAX_BYTES 100

bool vocabulary_has(const char *text, size_t len);

#endif
