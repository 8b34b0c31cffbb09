/* SPDX-License-Identifier: MIT */
/*
 * Replaces a text by a pseudonym: a letter or word for its kind and a number, such as `p1` or `w4`.
 * Numbers are given per kind, in the order of first use. A table gives equal texts of a kind equal
 * pseudonyms. Unlike a hash, such a pseudonym cannot be used to test a guess of the text.
 *
 * The table keeps only 64-bit hashes of the texts, with a seed per run. One thread.
 *
 * If a secret key is set, the number is a hash with that key, and no table is kept: equal texts of
 * a kind get equal pseudonyms in all files redacted with the key. A guess cannot be tested without
 * the key.
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

/* Create an empty table. Texts after the first 4 Mi (4,194,304) get the number 0. Exits if out of
 * memory (die.h). */
struct pseudonyms *pseudonyms_new(void);
void pseudonyms_free(struct pseudonyms *pseudonyms);
/* Set a secret key of at least 16 bytes, before the first pseudonym is made. */
void pseudonyms_set_key(struct pseudonyms *pseudonyms, const char *key, size_t len);

/* Append the pseudonym of `text` to `out`. */
void pseudonyms_add(struct pseudonyms *pseudonyms, enum pseudonym_kind kind, const char *text,
		    size_t len, struct tr2_buf *out);

#endif
