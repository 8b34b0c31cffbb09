/* SPDX-License-Identifier: MIT */
/*
 * Replaces a text by a pseudonym: a letter or word for its kind and a number, such as `p1` or `w4`.
 * Numbers are given per kind, in the order of first use. Equal texts of a kind get equal pseudonyms
 * as long as the table exists. Unlike a hash, such a pseudonym cannot be used to test a guess of
 * the text.
 *
 * The table keeps only 64-bit hashes of the texts, with a seed per run. One thread per table.
 *
 * If a secret key is set, the number comes from a hash with that key, and no table is kept: equal
 * texts of a kind get equal pseudonyms in all files that are redacted with the same key. A guess of
 * a text cannot be tested without knowing the key.
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

/* Create an empty table of pseudonyms. It holds at most 4 Mi (4,194,304) texts; all further texts
 * get the number 0. If memory is exhausted, the program ends (die.h). */
struct pseudonyms *pseudonyms_new(void);
void pseudonyms_free(struct pseudonyms *pseudonyms);
/* Set a secret key of at least 16 bytes, so that pseudonyms are hashes with that key. Call before
 * the first pseudonym is made. */
void pseudonyms_set_key(struct pseudonyms *pseudonyms, const char *key, size_t len);

/* Append the pseudonym of `text` to `out`. */
void pseudonyms_add(struct pseudonyms *pseudonyms, enum pseudonym_kind kind, const char *text,
		    size_t len, struct tr2_buf *out);

#endif
