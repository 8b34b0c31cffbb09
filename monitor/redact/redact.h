/* SPDX-License-Identifier: MIT */
/*
 * Redaction (REDACTION_TEXT) hides who ran commands on which data. It keeps times, durations,
 * counts and Git's own commands. It converts records to records with texts and symbols of their
 * own, so that every consumer of records accepts redacted ones.
 *
 * The column `share` of fields.def and records.def names the rule by which each field is redacted;
 * redact_text.h has the rules. The values of unknown keys, and values of a wrong type, are replaced
 * completely.
 * Times, numbers and kinds of records are kept, so totals, timings and the tree of processes equal
 * those of the original.
 *
 * Use each redactor in one thread. A record takes about 0.1 us if its texts were redacted before, 1
 * us or more if they are new.
 */
#ifndef MONITOR_REDACT_H
#define MONITOR_REDACT_H

#include "engine/base/intern.h"
#include "monitor/base/secrets.h"
#include "monitor/event/batch.h"

struct redactor;

/*
 * Create a redactor. Its pseudonyms of a text stay the same while it exists. `syms`, borrowed, is
 * the table of the symbols in the batches. `what` is REDACTION_TEXT, or REDACTION_SECRETS to
 * replace only passwords and other secrets that secrets.h finds. If memory is exhausted, the
 * program ends.
 */
struct redactor *redactor_new(const struct tr2_intern *syms, enum redaction what);
void redactor_free(struct redactor *redactor);

/*
 * Set a secret key of at least 16 bytes: pseudonyms become hashes with that key, so that redactors
 * with the same key give a text the same pseudonym, and no table is kept. Call before the first
 * record.
 */
void redactor_set_key(struct redactor *redactor, const char *key, size_t len);

/*
 * Redact the record `ev` of `batch` into `own`. Returns the batch with the texts of `own`. Both are
 * valid until the next call.
 */
const struct batch *redactor_event(struct redactor *redactor, const struct batch *batch,
				   const struct event *ev, struct event *own);

/* Return the table of the symbols in redacted records. */
const struct tr2_intern *redactor_syms(const struct redactor *redactor);

#endif
