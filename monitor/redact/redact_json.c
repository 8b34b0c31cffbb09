/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/redact/redact_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/jw.h"
#include "monitor/base/die.h"
#include "monitor/base/json.h"

#define JSON_MAX_BYTES (64u << 10)

static void string_add(struct tr2_buf *out, const char *text, size_t len)
{
	struct tr2_jw jw;

	tr2_jw_init(&jw, out, 0);
	tr2_jw_string(&jw, text, len);
}

static bool redact_json_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Redact the string that begins at `at`. Returns the position after the string and the following
 * blanks; NULL: no closing quote. */
static const char *string_redact(struct pseudonyms *all, const char *at, const char *end,
				 struct tr2_buf *word, struct tr2_buf *out)
{
	const char *from = at + 1, *p = from;
	char *text;
	size_t len;

	while (p < end && *p != '"')
		p += *p == '\\' ? 2 : 1;
	if (p >= end)
		return NULL;
	text = xmalloc((size_t)(p - from) + 1);
	len = json_decode(from, p, text);
	for (p++; p < end && redact_json_is_blank(*p); p++)
		;
	tr2_buf_clear(word);
	(p < end && *p == ':' ? redact_vocab : redact_words)(all, text, len, word);
	free(text);
	string_add(out, tr2_buf_cstr(word), word->len);
	return p;
}

/* Copy the number or literal at `at`. Returns the position after it; NULL: none. */
static const char *bare_keep(const char *at, const char *end, struct tr2_buf *out)
{
	static const char *const literals[] = { "true", "false", "null" };
	const char *p = at;

	for (int i = 0; i < 3; i++) {
		size_t len = strlen(literals[i]);

		if ((size_t)(end - at) >= len && !memcmp(at, literals[i], len)) {
			tr2_buf_add(out, at, len);
			return at + len;
		}
	}
	if (*p != '-' && (*p < '0' || *p > '9'))
		return NULL;
	while (p < end && *p && strchr("+-.0123456789eE", *p))
		p++;
	tr2_buf_add(out, at, (size_t)(p - at));
	return p;
}

static bool all_redacted(struct pseudonyms *all, const char *at, const char *end,
			 struct tr2_buf *word, struct tr2_buf *out)
{
	while (at < end) {
		if (*at == '"') {
			at = string_redact(all, at, end, word, out);
		} else if (*at && strchr("{}[]:, \t\n\r", *at)) {
			tr2_buf_addch(out, *at++);
		} else {
			at = bare_keep(at, end, out);
		}
		if (!at)
			return false;
	}
	return true;
}

void redact_json(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	struct tr2_buf word = { .max = SIZE_MAX / 2 };
	size_t before = out->len;

	if (len > JSON_MAX_BYTES || !all_redacted(all, text, text + len, &word, out)) {
		out->len = before;
		tr2_buf_clear(&word);
		redact_whole(all, text, len, &word);
		string_add(out, tr2_buf_cstr(&word), word.len);
	}
	tr2_buf_release(&word);
}
