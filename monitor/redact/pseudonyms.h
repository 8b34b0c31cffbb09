/* SPDX-License-Identifier: MIT */
/*
 * Pseudonyms: in place of a text its kind and a number, in the order in which texts were first
 * seen: `p1`, `w4`. The same text of a kind has the same one as long as the table lives, and
 * nobody can tell from it what the text was, nor test a guess, as one could with a hash of it.
 *
 * Texts themselves are not kept, only hashes of 64 bits under a seed of this run. One thread.
 *
 * With a key the number is a hash of 32 bits under it, and nothing is kept at all: the same text
 * has the same one wherever the key is the same. Who does not have it cannot test a guess.
 */
#ifndef MONITOR_PSEUDONYMS_H
#define MONITOR_PSEUDONYMS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"

enum pseudonym_kind {
#define PSEUDONYM(ID, prefix, nr_digits, doc) PSEUDONYM_##ID,
#include "monitor/redact/pseudonyms.def"
	NR_PSEUDONYMS
};

struct pseudonyms;

/* An empty table. It holds so many texts that it takes some hundred megabytes at most; each that
 * comes later gets the number 0. Out of memory ends the program (die.h). */
struct pseudonyms *pseudonyms_new(void);
void pseudonyms_free(struct pseudonyms *pseudonyms);
/* Before the first: from here on with a key of at least 16 bytes. */
void pseudonyms_set_key(struct pseudonyms *pseudonyms, const char *key, size_t len);

/* Append that of a text to `out`. */
void pseudonyms_add(struct pseudonyms *pseudonyms, enum pseudonym_kind kind, const char *text,
		    size_t len, struct tr2_buf *out);

#endif
