/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <string.h>

#include "monitor/base/platform.h"

#include "monitor/read/tracelog/tl_line.h"

static const struct {
	char type[4], subtype[4];
} known[] = {
#define X(ID, type, subtype) [TL_##ID] = { type, subtype },
	TL_LINES(X)
#undef X
};

static bool tl_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_lower(const char *text)
{
	for (unsigned i = 0; i < 3; i++)
		if (text[i] < 'a' || text[i] > 'z')
			return false;
	return true;
}

enum tl_kind tl_line_begin(const char *bytes, size_t len, struct tl_line *line)
{
	const char *end = bytes + len;

	while (bytes < end && tl_is_blank(*bytes))
		bytes++;
	while (end > bytes && tl_is_blank(end[-1]))
		end--;
	if (bytes == end)
		return TL_BLANK;
	if (end - bytes < 7 || bytes[3] != ' ' || (end - bytes > 7 && bytes[7] != ' ') ||
	    !is_lower(bytes) || !is_lower(bytes + 4) || memchr(bytes, '\0', (size_t)(end - bytes)))
		return TL_BAD;
	*line = (struct tl_line){ bytes + 7, end };
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!memcmp(bytes, known[i].type, 3) && !memcmp(bytes + 4, known[i].subtype, 3))
			return (enum tl_kind)i;
	return TL_UNKNOWN;
}

bool tl_at_end(const struct tl_line *line)
{
	const char *at = line->at;

	while (at < line->end && *at == ' ')
		at++;
	return at == line->end;
}

bool tl_word(struct tl_line *line, const char **text, size_t *len)
{
	while (line->at < line->end && *line->at == ' ')
		line->at++;
	*text = line->at;
	while (line->at < line->end && *line->at != ' ')
		line->at++;
	*len = (size_t)(line->at - *text);
	return *len > 0;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool tl_part(const char **at, const char *end, uint64_t *value)
{
	const char *p = *at;
	unsigned base = 10;
	uint64_t v = 0;

	if (p < end && *p == '?') {
		*value = TL_NO_ID;
		*at = p + 1;
		return p + 1 == end || p[1] == ':';
	}
	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x') {
		base = 16;
		p += 2;
	}
	if (p == end || digit(*p) >= (int)base)
		return false;
	for (; p < end && digit(*p) < (int)base; p++)
		if (__builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, (unsigned)digit(*p), &v))
			return false;
	*value = v;
	*at = p;
	return p == end || *p == ':';
}

bool tl_id(struct tl_line *line, uint64_t *id)
{
	const char *text, *end;
	size_t len;

	if (!tl_word(line, &text, &len))
		return false;
	end = text + len;
	return tl_part(&text, end, id) && text == end;
}

bool tl_number(struct tl_line *line, uint64_t *value)
{
	const char *before = line->at;

	if (!tl_id(line, value))
		return false;
	while (*before == ' ')
		before++;
	return *before != '?';
}

bool tl_texts(struct tl_line *line, struct tl_text *texts, unsigned nr)
{
	const char *at = line->at, *last = line->end - 1;

	while (at < line->end && *at == ' ')
		at++;
	if (line->end - at < 2 || *at != '"' || *last != '"' || at == last)
		return false;
	at++;
	for (unsigned i = 0; i + 1 < nr; i++) {
		const char *cut = platform_find(at, (size_t)(last - at), "\" \"", 3);

		if (!cut)
			return false;
		texts[i] = (struct tl_text){ at, (size_t)(cut - at) };
		at = cut + 3;
	}
	texts[nr - 1] = (struct tl_text){ at, (size_t)(last - at) };
	return true;
}
