/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/line.h"

#include <string.h>

#include "monitor/base/platform.h"
#include "monitor/event/sid.h"

/* Bytes of an EVENT line that are searched for keys. */
#define HEAD_BYTES 512u

/* Return the value of `key` (with quotes and colon) in the first bytes of an EVENT line, or
 * NULL. */
static const char *line_value_of(const char *line, size_t len, const char *key, size_t *value_len)
{
	size_t key_len = strlen(key);
	const char *at, *end;

	len = len < HEAD_BYTES ? len : HEAD_BYTES;
	at = platform_find(line, len, key, key_len);
	if (!at)
		return NULL;
	at += key_len;
	end = memchr(at, '"', len - (size_t)(at - line));
	*value_len = end ? (size_t)(end - at) : 0;
	return end ? at : NULL;
}

const char *line_sid(const char *line, size_t len, size_t *sid_len)
{
	return line_value_of(line, len, "\"sid\":\"", sid_len);
}

bool line_is_last_word(const char *line, size_t len)
{
	size_t nr;
	const char *event = line_value_of(line, len, "\"event\":\"", &nr);

	return event && ((nr == 6 && !memcmp(event, "atexit", 6)) ||
			 (nr == 6 && !memcmp(event, "signal", 6)));
}

bool line_file_name(const char *line, size_t len, char *out, size_t bytes)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
	size_t sid_len, own_len;
	const char *sid = line_sid(line, len, &sid_len);
	const char *own = sid ? sid_own(sid, sid_len, &own_len) : NULL;

	if (!own || !own_len || own_len >= bytes || *own == '.')
		return false;
	memcpy(out, own, own_len);
	out[own_len] = '\0';
	return strspn(out, plain) == own_len;
}
