/* SPDX-License-Identifier: MIT */
/*
 * Redaction (REDACTION_TEXT) hides who ran commands on which data. It converts records to records
 * with texts and symbols of their own, so that every consumer of records accepts redacted ones.
 *
 * The column `share` of fields.def and records.def names the rule (redact_text.h) for each field.
 * Values of unknown keys, and values of a wrong type, are replaced completely. Times, numbers,
 * kinds of records and Git's own commands are kept, so totals, timings and the tree of processes
 * equal the original.
 *
 * One thread per redactor. A record takes about 0.1 us if its texts were redacted before, 1 us or
 * more if they are new.
 */
#ifndef MONITOR_REDACT_H
#define MONITOR_REDACT_H

#include "engine/base/intern.h"
#include "monitor/base/secrets.h"
#include "monitor/event/batch.h"

struct redactor;

/*
 * Create a redactor. A text's pseudonym stays the same while it exists. `syms`, borrowed, has the
 * symbols of the batches. `what` is REDACTION_TEXT, or REDACTION_SECRETS to replace only secrets
 * that secrets.h finds. Exits if out of memory.
 */
struct redactor *redactor_new(const struct tr2_intern *syms, enum redaction what);
void redactor_free(struct redactor *redactor);

/*
 * Set a secret key of at least 16 bytes, before the first record: redactors with the same key give
 * a text the same pseudonym.
 */
void redactor_set_key(struct redactor *redactor, const char *key, size_t len);

/*
 * Redact the record `ev` of `batch` into `own`. Returns the batch with its texts. Both are valid
 * until the next call.
 */
const struct batch *redactor_event(struct redactor *redactor, const struct batch *batch,
				   const struct event *ev, struct event *own);

/* Return the symbols of redacted records. */
const struct tr2_intern *redactor_syms(const struct redactor *redactor);

#endif
