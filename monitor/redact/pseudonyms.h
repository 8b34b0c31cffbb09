/* SPDX-License-Identifier: MIT */
/*
 * Replaces texts by pseudonyms: the prefix of a kind and a number, such as `p1` or `w4`. One thread
 * per table.
 *
 * Without a key, a table numbers the texts of each kind in the order of first use, because a hash
 * without a key would allow testing guesses of a text.
 *
 * With a secret key, the number is a keyed hash: equal texts of a kind get equal pseudonyms in all
 * files redacted with the key.
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

/* Create an empty table. Without a key, it numbers up to 4 Mi different texts of all kinds
 * together; further texts get the number 0. Exits if out of memory (die.h). */
struct pseudonyms *pseudonyms_new(void);
void pseudonyms_free(struct pseudonyms *pseudonyms);
/* Set a secret key of at least 16 bytes, before the first pseudonym is made. */
void pseudonyms_set_key(struct pseudonyms *pseudonyms, const char *key, size_t len);

void pseudonyms_add(struct pseudonyms *pseudonyms, enum pseudonym_kind kind, const char *text,
		    size_t len, struct tr2_buf *out);

#endif
