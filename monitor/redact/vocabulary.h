/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary: Git's own words from vocabulary.txt, which reveal nothing about a user. They are
 * commands, options, names of configuration variables and environment variables, categories,
 * labels, keys and file names. Any thread.
 */
#ifndef MONITOR_VOCABULARY_H
#define MONITOR_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum bytes of a word of the vocabulary. */
#define VOCABULARY_MAX_BYTES 100

bool vocabulary_has(const char *text, size_t len);

#endif
