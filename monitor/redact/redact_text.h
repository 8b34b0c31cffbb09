/* SPDX-License-Identifier: MIT */
/*
 * What may stay of a text: the rules of the column `share` of fields.def for texts. Each appends to
 * `out` what stays of `len` bytes at `text`; what has no rule is replaced whole. Only words of
 * the vocabulary, short numbers and what holds them together (`/`, `=`, `:`) stay, so that no
 * text of four bytes or more comes through that is none of Git's own words.
 *
 * A text that is empty stays so. One thread for each table of pseudonyms.
 */
#ifndef MONITOR_REDACT_TEXT_H
#define MONITOR_REDACT_TEXT_H

#include <stddef.h>

#include "engine/base/buf.h"
#include "monitor/redact/pseudonyms.h"

/* A rule. */
typedef void redact_rule(struct pseudonyms *pseudonyms, const char *text, size_t len,
			 struct tr2_buf *out);

/* KEEP: all of it; only for what this program wrote itself. */
redact_rule redact_keep;
/* TEXT: nothing, `text3`. */
redact_rule redact_whole;
/* VOCAB: a word of the vocabulary, else a pseudonym. */
redact_rule redact_vocab;
/* NAMES: the same by part, between slashes. */
redact_rule redact_names;
/* THREAD: the same behind `thNN:`; `main` stays. */
redact_rule redact_thread;
/* PARAM: a name of configuration, but for its subsection; an environment variable of Git. */
redact_rule redact_param;
/* WORDS: an argument: a word, an option, a path by part, the scheme of a URL, a short number. */
redact_rule redact_words;
/* EXE: the version of a program, else WORDS. */
redact_rule redact_exe;
/* SID: times and process numbers; hosts are numbered. */
redact_rule redact_sid;
/* HOST: one of a session id. */
redact_rule redact_host;
/* JSON: keys by VOCAB, strings by WORDS; numbers and booleans. The text was checked, as json.h has
 * it; what is very long is replaced whole. */
redact_rule redact_json;

#endif
