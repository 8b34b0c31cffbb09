/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/redact/vocabulary.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/hash.h"

static const struct {
	const char *text;
	size_t len;
} words[] = {
#define WORD(word) { word, sizeof(word) - 1 },
#include "monitor/redact/vocabulary.inc" /* generated from vocabulary.txt */
};

#define NR_WORDS  (sizeof(words) / sizeof(words[0]))
#define NR_PLACES 16384u

_Static_assert(NR_WORDS * 3 < NR_PLACES, "keep the table sparse: most texts are not in it");

/* Hash table with linear probing: index in `words` + 1; 0: free. */
static uint16_t places[NR_PLACES];
static pthread_once_t is_filled = PTHREAD_ONCE_INIT;

static uint32_t vocabulary_place_of(const char *text, size_t len)
{
	return (uint32_t)tr2_hash(text, len) % NR_PLACES;
}

static void fill(void)
{
	for (uint32_t i = 0; i < NR_WORDS; i++) {
		uint32_t at = vocabulary_place_of(words[i].text, words[i].len);

		while (places[at])
			at = (at + 1) % NR_PLACES;
		places[at] = (uint16_t)(i + 1);
	}
}

bool vocabulary_has(const char *text, size_t len)
{
	if (!len || len > VOCABULARY_MAX_BYTES)
		return false;
	pthread_once(&is_filled, fill);
	for (uint32_t at = vocabulary_place_of(text, len); places[at]; at = (at + 1) % NR_PLACES) {
		uint32_t i = places[at] - 1u;

		if (words[i].len == len && !memcmp(words[i].text, text, len))
			return true;
	}
	return false;
}
