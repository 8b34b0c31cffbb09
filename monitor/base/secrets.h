/* SPDX-License-Identifier: MIT */
/*
 * Hide passwords in URLs: `https://user:password@host` is shown as `https://user:<REDACTED>@host`,
 * the form that Git writes when it redacts. Git does not redact messages, and other programs may
 * not redact at all.
 *
 * Use it for all text of a trace that people see or that is compared with text they typed. Output
 * for programs (JSON) is not changed.
 *
 * One thread, except secrets_redact(), which must be called before other threads start.
 */
#ifndef MONITOR_SECRETS_H
#define MONITOR_SECRETS_H

#include <stddef.h>

#include "monitor/base/word.h"

enum redaction {
#define REDACTION(ID, name, doc) REDACTION_##ID,
#include "monitor/base/redactions.def"
	NR_REDACTIONS
};

/* Replacement of a password, as Git writes it. */
#define SECRETS_HIDDEN "<REDACTED>"

extern const struct word redaction_words[NR_REDACTIONS];

/* Select what is hidden. Default: the first row of redactions.def. */
void secrets_redact(enum redaction redaction);

/*
 * Hide passwords in `*len` bytes of `text`. Returns `text` itself if it has none, else a copy that
 * is valid until the next call, with its length in `*len`. Idempotent. Call it before truncating,
 * because the end of a password is needed to detect it.
 */
const char *secrets_hide(const char *text, size_t *len);

#endif
