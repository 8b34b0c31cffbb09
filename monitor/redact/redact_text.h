/* SPDX-License-Identifier: MIT */
/*
 * The rules for redacting texts, which the column `share` of fields.def names. Each function
 * appends the redaction of `len` bytes at `text` to `out`. Most rules keep words of the vocabulary,
 * short numbers and separators; other text becomes a pseudonym.
 *
 * An empty text stays empty. A text of more than 4096 bytes is not divided into parts: it becomes
 * one pseudonym. Use each table of pseudonyms in one thread.
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
/* Rule VOCAB: a word of the vocabulary and a number of up to six digits are kept; any other text is
 * replaced by a pseudonym. */
redact_rule redact_vocab;
/* Rule NAMES: each part between slashes is redacted by rule VOCAB. */
redact_rule redact_names;
/* Rule THREAD, for names of threads: `main` and `thNN:` are kept; the text after `thNN:`, or a
 * whole other name, is redacted by rule VOCAB. */
redact_rule redact_thread;
/*
 * Rule PARAM: like rule VOCAB, which keeps names of Git's environment variables; but of a
 * configuration key in the vocabulary only the subsection, and a variable name that the vocabulary
 * does not have, are redacted.
 */
redact_rule redact_param;
/* Rule WORDS, for arguments of commands: like rule PARAM, but one-letter options, options and names
 * of the vocabulary before `=`, and the scheme of a URL are kept, too; each part of a path is
 * redacted by itself. */
redact_rule redact_words;
/* Rule EXE, for the field `exe`: each part of a version is redacted by rule VOCAB, which keeps its
 * numbers; other text is redacted by rule WORDS. */
redact_rule redact_exe;
/* Rule SID, for session ids: slashes, times, pids and `Localhost` are kept; other text is replaced
 * by pseudonyms. */
redact_rule redact_sid;
/* Rule HOST: the host of a session id is replaced by a pseudonym; `Localhost` is kept. */
redact_rule redact_host;
/*
 * Rule JSON: keys are redacted by rule VOCAB and strings by rule WORDS; numbers, booleans and null
 * are kept. The text must be valid JSON (json.h). A text over 64 KiB is replaced by one pseudonym.
 */
redact_rule redact_json;

#endif
