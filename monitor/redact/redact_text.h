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

/* A rule. */
typedef void redact_rule(struct pseudonyms *pseudonyms, const char *text, size_t len,
			 struct tr2_buf *out);

/* KEEP: unchanged; only for text of this program. */
redact_rule redact_keep;
/* TEXT: replaced whole, `text3`. */
redact_rule redact_whole;
/* VOCAB: a word of the vocabulary, else a pseudonym. */
redact_rule redact_vocab;
/* NAMES: the same for each part between slashes. */
redact_rule redact_names;
/* THREAD: the same after `thNN:`; `main` is kept. */
redact_rule redact_thread;
/* PARAM: a configuration key without its subsection, or an environment variable of Git. */
redact_rule redact_param;
/* WORDS: an argument: a word, an option, each part of a path, the scheme of a URL, a short
 * number. */
redact_rule redact_words;
/* EXE: the version of a program, else WORDS. */
redact_rule redact_exe;
/* SID: times and process numbers; hosts are numbered. */
redact_rule redact_sid;
/* HOST: the host of a session id. */
redact_rule redact_host;
/* JSON: keys by VOCAB, strings by WORDS; keeps numbers and booleans. The text must be valid
 * (json.h); very long texts are replaced whole. */
redact_rule redact_json;

#endif
