/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary: the words of vocabulary.txt, which reveal nothing about a user: Git's commands,
 * options, names of variables, categories, labels, keys and file names, and words of every machine.
 * Any thread.
 */
#ifndef MONITOR_VOCABULARY_H
#define MONITOR_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum bytes of a word of the vocabulary. */
#define VOCABULARY_MAX_BYTES 100

bool vocabulary_has(const char *text, size_t len);

#endif
