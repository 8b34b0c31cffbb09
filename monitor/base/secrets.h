/* SPDX-License-Identifier: MIT */
/*
 * Hide passwords in URLs: `https://user:password@host` is shown as `https://user:<REDACTED>@host`,
 * the form that Git writes when it redacts. Git does not redact messages, and other programs may
 * not redact at all.
 *
 * All text of a trace that is shown to people, or compared with text that the user typed, is passed
 * through these functions. Output for programs (JSON) is not changed.
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

/* Text that replaces a password, as Git writes it. */
#define SECRETS_HIDDEN "<REDACTED>"

extern const struct word redaction_words[NR_REDACTIONS];

/* Select which secrets are hidden. Default: the first row of redactions.def. */
void secrets_redact(enum redaction redaction);

/* True if `text` has a password that must be hidden. */
bool secrets_found(const char *text, size_t len);
/*
 * Append `text` with its passwords hidden, at most `max` bytes of the result. Returns the length of
 * the whole result. Truncate with `max`, not before the call: the end of a password is needed to
 * detect it. A second application changes nothing.
 */
size_t secrets_add(struct tr2_buf *out, const char *text, size_t len, size_t max);
/*
 * Return `text` itself if it has no password, else a copy with its passwords hidden in `copy`, with
 * its length in `*len`. Initialise `copy` with SECRETS_COPY, and release it afterwards. It holds
 * memory only if there was a password.
 */
const char *secrets_hide(struct tr2_buf *copy, const char *text, size_t *len);
#define SECRETS_COPY                                                                               \
	{                                                                                          \
		.max = SIZE_MAX / 2                                                                \
	}

#endif
