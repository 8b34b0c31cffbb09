/* SPDX-License-Identifier: MIT */
/*
 * The rules for redacting texts, which the column `share` of fields.def names. Each function
 * appends the redaction of `len` bytes at `text` to `out`. Words of the vocabulary, numbers of up
 * to six digits, one-letter options and separators (`/`, `=`, `:`) are kept; other text becomes a
 * pseudonym. Only the rules KEEP, SID and JSON keep more.
 *
 * An empty text stays empty. Use each table of pseudonyms in one thread.
 */
#ifndef MONITOR_REDACT_TEXT_H
#define MONITOR_REDACT_TEXT_H

#include <stddef.h>

#include "engine/base/buf.h"
#include "monitor/redact/pseudonyms.h"

/* A function that redacts a text by one rule. */
typedef void redact_rule(struct pseudonyms *pseudonyms, const char *text, size_t len,
			 struct tr2_buf *out);

/* Rule KEEP: the text is kept unchanged; only for texts that trace2top itself wrote. */
redact_rule redact_keep;
/* Rule TEXT: the whole text is replaced by a pseudonym such as `text3`. */
redact_rule redact_whole;
/* Rule VOCAB: a word of the vocabulary is kept; any other text is replaced by a pseudonym. */
redact_rule redact_vocab;
/* Rule NAMES: each part between slashes is redacted by rule VOCAB. */
redact_rule redact_names;
/* Rule THREAD, for names of threads: `main` and `thNN:` are kept; the text after `thNN:` is
 * redacted by rule VOCAB. */
redact_rule redact_thread;
/* Rule PARAM: a configuration key is kept, except its subsection; the name of an environment
 * variable of Git is kept. */
redact_rule redact_param;
/* Rule WORDS, for arguments of commands: words and options of the vocabulary, the scheme of a URL
 * and short numbers are kept; each part of a path is redacted by itself. */
redact_rule redact_words;
/* Rule EXE, for the field `exe`: the version of a program is kept; other text is redacted by rule
 * WORDS. */
redact_rule redact_exe;
/* Rule SID, for session ids: times and pids are kept; hosts are replaced by pseudonyms. */
redact_rule redact_sid;
/* Rule HOST: the host of a session id is replaced by a pseudonym. */
redact_rule redact_host;
/*
 * Rule JSON: keys are redacted by rule VOCAB and strings by rule WORDS; numbers and booleans are
 * kept. The text must be valid JSON (json.h). A text over JSON_MAX_BYTES is replaced by one
 * pseudonym.
 */
redact_rule redact_json;

#endif
