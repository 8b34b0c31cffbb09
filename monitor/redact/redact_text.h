/* SPDX-License-Identifier: MIT */
/*
 * Rules for redacting texts, named in the column `share` of fields.def. Each appends the redaction
 * of `len` bytes at `text` to `out`; text without a rule is replaced whole. Only words of the
 * vocabulary, short numbers and separators (`/`, `=`, `:`) are kept, so no text of four bytes or
 * more passes except Git's own words.
 *
 * An empty text stays empty. One thread per table of pseudonyms.
 */
#ifndef MONITOR_REDACT_TEXT_H
#define MONITOR_REDACT_TEXT_H

#include <stddef.h>

#include "engine/base/buf.h"
#include "monitor/redact/pseudonyms.h"

/* A function that redacts a text by one rule. */
typedef void redact_rule(struct pseudonyms *pseudonyms, const char *text, size_t len,
			 struct tr2_buf *out);

/* Rule KEEP: unchanged; only for text that trace2top itself wrote. */
redact_rule redact_keep;
/* Rule TEXT: replaced whole by a pseudonym such as `text3`. */
redact_rule redact_whole;
/* Rule VOCAB: a word of the vocabulary is kept, other text becomes a pseudonym. */
redact_rule redact_vocab;
/* Rule NAMES: VOCAB for each part between slashes. */
redact_rule redact_names;
/* Rule THREAD: VOCAB for the text after `thNN:`; `main` is kept. */
redact_rule redact_thread;
/* Rule PARAM: a configuration key is kept without its subsection, and an environment variable of
 * Git. */
redact_rule redact_param;
/* Rule WORDS, for arguments: words and options of the vocabulary, the scheme of a URL and short
 * numbers are kept; each part of a path is redacted. */
redact_rule redact_words;
/* Rule EXE: the version of a program is kept; other text as WORDS. */
redact_rule redact_exe;
/* Rule SID: times and process numbers are kept; hosts are numbered. */
redact_rule redact_sid;
/* Rule HOST: the host of a session id is numbered. */
redact_rule redact_host;
/* Rule JSON: keys by VOCAB, strings by WORDS; numbers and booleans are kept. The text must be
 * valid (json.h); very long texts are replaced whole. */
redact_rule redact_json;

#endif
