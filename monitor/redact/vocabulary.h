/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary (vocabulary.txt): words that reveal nothing about a user, such as Git's commands,
 * options and labels. Any thread.
 */
#ifndef MONITOR_VOCABULARY_H
#define MONITOR_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum bytes of a word of the vocabulary. */
#define VOCABULARY_MAX_BYTES 100

bool vocabulary_has(const char *text, size_t len);

#endif
