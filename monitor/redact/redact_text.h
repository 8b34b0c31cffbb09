/* SPDX-License-Identifier: MIT */
/*
 * The rules for redacting texts. The column `share` of fields.def and records.def names them,
 * except JSON. Each function appends the redaction of a text to `out`; an empty text stays empty.
 *
 * Rules NAMES, WORDS and EXE replace a text of more than 4096 bytes by one pseudonym.
 */
#ifndef MONITOR_REDACT_TEXT_H
#define MONITOR_REDACT_TEXT_H

#include <stddef.h>

#include "engine/base/buf.h"
#include "monitor/redact/pseudonyms.h"

typedef void redact_rule(struct pseudonyms *pseudonyms, const char *text, size_t len,
			 struct tr2_buf *out);

/* Rule KEEP: the text is kept; only for texts that trace2top itself wrote. */
redact_rule redact_keep;
/* Rule TEXT: a pseudonym such as `text3` replaces the whole text. */
redact_rule redact_whole;
/* Rule VOCAB: a word of the vocabulary and a number of up to six digits are kept; a pseudonym
 * replaces any other text. */
redact_rule redact_vocab;
/* Rule NAMES: each part between slashes is redacted by rule VOCAB. */
redact_rule redact_names;
/* Rule THREAD, for names of threads: `main` and `thNN:` are kept; other text is redacted by rule
 * VOCAB. */
redact_rule redact_thread;
/*
 * Rule PARAM: like rule VOCAB, but of a configuration key in the vocabulary only the subsection and
 * an unknown variable name are redacted.
 */
redact_rule redact_param;
/* Rule WORDS, for arguments of commands: like rule PARAM, but one-letter options and, if in the
 * vocabulary, long options, names before `=` and schemes of URLs are kept, too; each part of a path
 * is redacted by itself. */
redact_rule redact_words;
/* Rule EXE, for the field `exe`: each part of a version is redacted by rule VOCAB, other text by
 * rule WORDS. */
redact_rule redact_exe;
/* Rule SID: of each component of a session id, the time, the pid and the host `Localhost` are kept;
 * a pseudonym replaces other text. */
redact_rule redact_sid;
/* Rule HOST: a pseudonym replaces the name of a host or an agent, except `Localhost`. */
redact_rule redact_host;
/*
 * Rule JSON: keys are redacted by rule VOCAB, other strings by rule WORDS; numbers, booleans and
 * null are kept. The text must be valid JSON (json.h). One pseudonym replaces a text over 64 KiB.
 */
redact_rule redact_json;

#endif
