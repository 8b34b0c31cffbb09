/* SPDX-License-Identifier: MIT */
/*
 * Passwords in URLs: `https://user:password@host` is shown as `https://user:<REDACTED>@host`, as
 * Git writes it itself where it redacts. Other programs may not, and Git does not in a message.
 * Whatever brings text of a trace to a person, or compares it with what a person typed, hides
 * them; what a program reads (JSON) stays as it came.
 *
 * One thread, but secrets_redact(), which comes before there are others.
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

/* What stands in place of a password; Git writes the same. */
#define SECRETS_HIDDEN "<REDACTED>"

extern const struct word redaction_words[NR_REDACTIONS];

/* From here on that is hidden; before, what the first row says. */
void secrets_redact(enum redaction redaction);

/*
 * `*len` bytes of `text` without passwords: `text` itself where there is none, else a copy that is
 * valid until the next call, with its length in `*len`. To hide twice changes nothing. A text is
 * hidden before it is cut, since the end of a password tells that it is one.
 */
const char *secrets_hide(const char *text, size_t *len);

#endif
