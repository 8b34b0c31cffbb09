/* SPDX-License-Identifier: MIT */
/*
 * A word that a person types, and what it stands for. A family of rows whose words are values
 * of an option (exporters, themes ...) keeps them as an array of these, one a row, in the order
 * of the rows; `word` is NULL for a row that cannot be asked for, `help` where the word says it all.
 * Constant data.
 */
#ifndef MONITOR_WORD_H
#define MONITOR_WORD_H

#include <stddef.h>
#include <string.h>

struct word {
	const char *word, *help;
};

/* The length of what is typed as it stands: capitals begin what stands for something else. */
static inline size_t word_fixed(const struct word *word)
{
	return strcspn(word->word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

#endif
