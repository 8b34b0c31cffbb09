/* SPDX-License-Identifier: MIT */
/*
 * Hide passwords in URLs: `https://user:password@host` is shown as `https://user:<REDACTED>@host`,
 * the form that Git writes when it redacts. Git does not redact messages, and other programs may
 * not redact at all.
 *
 * All text of a trace that people see, or that is compared with text they typed, goes through it.
 * text_visible() (visible.h) and surfaces (views/draw) do so themselves. Output for programs (JSON)
 * is not changed.
 *
 * Any thread, except secrets_hide(); secrets_redact() must be called before other threads start.
 */
#ifndef MONITOR_SECRETS_H
#define MONITOR_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/buf.h"
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

/* True if `text` has a password that must be hidden. */
bool secrets_found(const char *text, size_t len);
/*
 * Append `text` with its passwords hidden, at most `max` bytes of the result. Returns the length of
 * the whole result. Truncate with `max`, not before the call: the end of a password is needed to
 * detect it. Idempotent.
 */
size_t secrets_add(struct tr2_buf *out, const char *text, size_t len, size_t max);
/*
 * The same without a buffer of the caller, on the loop thread only. Returns `text` itself if it has
 * no password, else a copy that is valid until the next call, with its length in `*len`.
 */
const char *secrets_hide(const char *text, size_t *len);

#endif
