/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/redact/vocabulary.h"

#include <string.h>

static const char *const words[] = {
#define WORD(word) word,
#include "monitor/redact/vocabulary.def"
};

#define NR_WORDS (sizeof(words) / sizeof(words[0]))

bool vocabulary_has(const char *text, size_t len)
{
	size_t from = 0, to = NR_WORDS;

	if (len > VOCABULARY_MAX_BYTES || memchr(text, '\0', len))
		return false;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int diff = strncmp(words[middle], text, len);

		if (!diff && !words[middle][len])
			return true;
		if (diff < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return false;
}
