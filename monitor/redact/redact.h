/* SPDX-License-Identifier: MIT */
/*
 * Redaction keeps times, durations, counts and Git's own commands, and hides which user ran them on
 * which data. It converts records to records with their own texts and symbols, so that all
 * consumers of records accept redacted ones.
 *
 * The column `share` of fields.def and records.def names the rule of each field; redact_text.h has
 * the rules. Unknown keys, and values of a wrong type, are replaced whole. Times, numbers and kinds
 * of records are kept, so that totals, timings and the tree of processes equal the original.
 *
 * One thread per redactor. About 0.1 us for a record with known texts, 1 us or more with new ones.
 */
#ifndef MONITOR_REDACT_H
#define MONITOR_REDACT_H

#include "engine/base/intern.h"
#include "monitor/base/secrets.h"
#include "monitor/event/batch.h"

struct redactor;

/*
 * Create a redactor. Pseudonyms stay the same during its lifetime. `syms`, borrowed, has the
 * symbols of the batches. `what` is REDACTION_TEXT, or REDACTION_SECRETS to replace only what
 * secrets.h hides. Exhausted memory ends the program.
 */
struct redactor *redactor_new(const struct tr2_intern *syms, enum redaction what);
void redactor_free(struct redactor *redactor);

/* Set a key of at least 16 bytes: pseudonyms become hashes with it, so that equal keys give
 * equal pseudonyms and no table is kept. Call before the first record. */
void redactor_set_key(struct redactor *redactor, const char *key, size_t len);

/*
 * Redact record `ev` of `batch` into `own`. Returns the batch that `own` refers to. Both are valid
 * until the next call.
 */
const struct batch *redactor_event(struct redactor *redactor, const struct batch *batch,
				   const struct event *ev, struct event *own);

/* Return the table with the symbols of redacted records. */
const struct tr2_intern *redactor_syms(const struct redactor *redactor);

#endif
