/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/secrets.h"

#include <stdint.h>
#include <string.h>

const struct word redaction_words[NR_REDACTIONS] = {
#define REDACTION(ID, name, doc) { name, doc },
#include "monitor/base/redactions.def"
};

static enum redaction in_force;

void secrets_redact(enum redaction redaction)
{
	in_force = redaction;
}

/* True if the character at `at` ends a URL's user and password: a slash, a blank, a control
 * character, or the end of a JSON string. */
static bool is_end(const char *text, size_t at)
{
	return text[at] == '/' || (unsigned char)text[at] <= ' ' ||
	       (text[at] == '"' && text[at - 1] != '\\');
}

/* Return the position after the next "://" (JSON may write "\/" for "/"), or NULL. */
static const char *next_host(const char *text, const char *end)
{
	for (const char *at = text; (at = memchr(at, ':', (size_t)(end - at))); at++) {
		const char *p = at + 1;
		int slashes = 0;

		while (slashes < 2 && p < end) {
			p += *p == '\\';
			if (p == end || *p != '/')
				break;
			p++;
			slashes++;
		}
		if (slashes == 2)
			return p;
	}
	return NULL;
}

/* Find the next password from `*at` on that is not hidden yet. Sets `*begin` and `*at` to its start
 * and end. */
static bool next_password(const char *text, size_t len, size_t *at, size_t *begin)
{
	const char *behind;

	while ((behind = next_host(text + *at, text + len))) {
		size_t host = (size_t)(behind - text), colon = 0, end = 0;

		for (size_t i = host; i < len && !is_end(text, i); i++) {
			if (text[i] == ':' && !colon)
				colon = i;
			if (text[i] == '@')
				/* the last '@': a password may contain one, a host name may not */
				end = i;
		}
		*at = end ? end : host;
		*begin = colon + 1;
		if (colon && colon < end &&
		    (end - *begin != strlen(SECRETS_HIDDEN) ||
		     memcmp(text + *begin, SECRETS_HIDDEN, strlen(SECRETS_HIDDEN))))
			return true;
	}
	return false;
}

bool secrets_found(const char *text, size_t len)
{
	size_t at = 0, begin;

	/* Search for '@' first: it follows a password, and few texts contain it. */
	return in_force != REDACTION_NONE && memchr(text, '@', len) &&
	       next_password(text, len, &at, &begin);
}

size_t secrets_add(struct tr2_buf *out, const char *text, size_t len, size_t max)
{
	size_t before = out->len, at = 0, from = 0, begin, whole;

	if (!secrets_found(text, len)) {
		tr2_buf_add(out, text, len < max ? len : max);
		return len;
	}
	while (next_password(text, len, &at, &begin)) {
		tr2_buf_add(out, text + from, begin - from);
		tr2_buf_addstr(out, SECRETS_HIDDEN);
		from = at;
	}
	tr2_buf_add(out, text + from, len - from);
	whole = out->len - before;
	if (whole > max)
		out->len = before + max;
	return whole;
}

const char *secrets_hide(struct tr2_buf *copy, const char *text, size_t *len)
{
	if (!secrets_found(text, *len))
		return text;
	tr2_buf_clear(copy);
	*len = secrets_add(copy, text, *len, SIZE_MAX);
	return tr2_buf_cstr(copy);
}
