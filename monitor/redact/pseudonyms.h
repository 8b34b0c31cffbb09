/* SPDX-License-Identifier: MIT */
/*
 * Pseudonyms: replace a text by its kind and a number, in the order of first use: `p1`, `w4`. Equal
 * texts of a kind get equal pseudonyms during the life of the table. Unlike a hash, a pseudonym
 * cannot be used to test a guess of the text.
 *
 * Only 64-bit hashes of the texts, with a seed per run, are kept. One thread.
 *
 * With a key, the number is a 32-bit hash with this key, and no table is kept: equal texts get
 * equal pseudonyms in all files with the same key. Without the key, a guess cannot be tested.
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

/* Create an empty table. It is limited to some hundred megabytes; further texts get the number 0.
 * Exhausted memory ends the program (die.h). */
struct pseudonyms *pseudonyms_new(void);
void pseudonyms_free(struct pseudonyms *pseudonyms);
/* Set a key of at least 16 bytes, so that pseudonyms are hashes with it. Call before the first
 * pseudonym. */
void pseudonyms_set_key(struct pseudonyms *pseudonyms, const char *key, size_t len);

/* Append the pseudonym of a text to `out`. */
void pseudonyms_add(struct pseudonyms *pseudonyms, enum pseudonym_kind kind, const char *text,
		    size_t len, struct tr2_buf *out);

#endif
