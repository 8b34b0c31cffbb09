/* SPDX-License-Identifier: MIT */
/*
 * Redacts records: makes records with texts and symbols of their own, which consumers of records
 * accept like others.
 *
 * REDACTION_TEXT replaces texts that may reveal users or their data. The column `share` of
 * fields.def and records.def names the rule (redact_text.h) for each field. Values of unknown keys,
 * and values of a wrong type, are replaced completely. Fields with times and numbers are kept, so
 * that totals and timings stay the same.
 *
 * One thread per redactor.
 */
#ifndef MONITOR_REDACT_H
#define MONITOR_REDACT_H

#include "engine/base/intern.h"
#include "monitor/base/secrets.h"
#include "monitor/event/batch.h"

struct redactor;

/*
 * Create a redactor. `syms`, borrowed, has the symbols of the batches. `what` is REDACTION_TEXT, or
 * REDACTION_SECRETS to replace only secrets that secrets.h finds. Exits if out of memory.
 */
struct redactor *redactor_new(const struct tr2_intern *syms, enum redaction what);
void redactor_free(struct redactor *redactor);

/*
 * Set a secret key of at least 16 bytes, before the first record: redactors with the same key give
 * equal texts of a kind equal pseudonyms.
 */
void redactor_set_key(struct redactor *redactor, const char *key, size_t len);

/*
 * Redact the record `ev` of `batch` into `own`. Returns the batch with the texts of `own`, which is
 * valid until the next call.
 */
const struct batch *redactor_event(struct redactor *redactor, const struct batch *batch,
				   const struct event *ev, struct event *own);

const struct tr2_intern *redactor_syms(const struct redactor *redactor);

#endif
