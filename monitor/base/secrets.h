/* SPDX-License-Identifier: MIT */
/*
 * Hide passwords in URLs: `https://user:password@host` is shown as `https://user:<REDACTED>@host`,
 * as Git writes it.
 *
 * Rule: text of a trace passes through these functions before people see it.
 *
 * Any thread. secrets_redact() must be called before other threads start.
 */
#ifndef MONITOR_SECRETS_H
#define MONITOR_SECRETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/base/word.h"

enum redaction {
#define REDACTION(ID, name, doc) REDACTION_##ID,
#include "monitor/base/redactions.def"
	NR_REDACTIONS
};

/* Text that replaces a password, as in Git. */
#define SECRETS_HIDDEN "<REDACTED>"

extern const struct word redaction_words[NR_REDACTIONS];

/* Select which secrets are hidden. Default: the first row of redactions.def. */
void secrets_redact(enum redaction redaction);

/* True if `text` has a password that must be hidden. */
bool secrets_found(const char *text, size_t len);
/* Append `text` with its passwords hidden, at most `max` bytes of the result. Returns the length of
 * the whole result. Do not truncate `text`: the end of a password is needed to detect it. */
size_t secrets_add(struct tr2_buf *out, const char *text, size_t len, size_t max);
/*
 * Return `text` itself if it has no password to hide. Otherwise return a copy in `copy` with
 * passwords hidden, and set `*len` to its length. Initialise `copy` with SECRETS_COPY, and release
 * it afterwards.
 */
const char *secrets_hide(struct tr2_buf *copy, const char *text, size_t *len);
#define SECRETS_COPY                                                                               \
	{                                                                                          \
		.max = SIZE_MAX / 2                                                                \
	}

#endif
