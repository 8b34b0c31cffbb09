/* SPDX-License-Identifier: MIT */
/* A word that users type to select a row of a table, with its help text. `word` NULL: the row
 * cannot be selected. `help` may be NULL. */
#ifndef MONITOR_WORD_H
#define MONITOR_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct word {
	const char *word, *help;
};

/* Another word for a row, accepted but not listed. */
struct synonym {
	const char *word;
	int row;
};

static inline bool word_is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}

/* True if `text` is a word of `list`. Blanks separate its words. */
static inline bool word_is_in(const char *text, size_t len, const char *list)
{
	for (size_t n; (n = strcspn(list, " ")); list += n, list += strspn(list, " "))
		if (n == len && !memcmp(list, text, len))
			return true;
	return false;
}

/* Return the length of the word without its placeholder, which begins with a capital. */
static inline size_t word_fixed(const struct word *word)
{
	return strcspn(word->word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

#endif
