/* SPDX-License-Identifier: MIT */
/*
 * Redaction: a trace that tells when, how long, how many and which commands of Git, and nothing of
 * who ran them on what. Records in, records out, with texts and symbols of
 * their own: whatever takes records takes redacted ones as well.
 *
 * What stays of a field is the rule in its column `share` (fields.def, records.def); the rules
 * are those of redact_text.h. Keys that the schema does not know, and values of a wrong type,
 * are replaced whole. Times, numbers and the kinds of records stay, so that totals, timings and
 * the tree of processes are those of the original.
 *
 * One thread for each redactor. A tenth of a microsecond for a record whose texts came before,
 * a microsecond or more for one of new ones.
 */
#ifndef MONITOR_REDACT_H
#define MONITOR_REDACT_H

#include "engine/base/intern.h"
#include "monitor/base/secrets.h"
#include "monitor/event/batch.h"

struct redactor;

/*
 * One for a run: pseudonyms are the same as long as it lives. `syms` has the texts of the symbols
 * in the batches that are to come, and is borrowed. `what` is REDACTION_TEXT, or
 * REDACTION_SECRETS: then all stays but what secrets.h hides. Out of memory ends the program.
 */
struct redactor *redactor_new(const struct tr2_intern *syms, enum redaction what);
void redactor_free(struct redactor *redactor);

/* Before the first record: pseudonyms are hashes under that key of at least 16 bytes, so that all
 * who have it make the same ones, and no table of texts is kept. */
void redactor_set_key(struct redactor *redactor, const char *key, size_t len);

/*
 * `own` becomes what stays of the record `ev` of `batch`; the batch that it refers to is
 * returned. Both are valid until the next call.
 */
const struct batch *redactor_event(struct redactor *redactor, const struct batch *batch,
				   const struct event *ev, struct event *own);

/* The texts of the symbols in what redactor_event() makes. */
const struct tr2_intern *redactor_syms(const struct redactor *redactor);

#endif
