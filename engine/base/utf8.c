/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/base/utf8.h"

#include <string.h>

size_t tr2_utf8_decode(const char *s, size_t len, uint32_t *ch)
{
	const unsigned char *p = (const unsigned char *)s;
	/* range of the character's next byte, from table 3-7 of the Unicode Standard */
	unsigned char lo = 0x80, hi = 0xBF;
	uint32_t value;
	size_t need;

	if (p[0] < 0x80) {
		*ch = p[0];
		return 1;
	}
	*ch = UTF8_REPLACEMENT;
	if (p[0] >= 0xC2 && p[0] <= 0xDF) {
		need = 2;
		value = p[0] & 0x1F;
	} else if (p[0] >= 0xE0 && p[0] <= 0xEF) {
		need = 3;
		value = p[0] & 0x0F;
		if (p[0] == 0xE0)
			lo = 0xA0;
		if (p[0] == 0xED)
			hi = 0x9F;
	} else if (p[0] >= 0xF0 && p[0] <= 0xF4) {
		need = 4;
		value = p[0] & 0x07;
		if (p[0] == 0xF0)
			lo = 0x90;
		if (p[0] == 0xF4)
			hi = 0x8F;
	} else {
		return 1;
	}
	for (size_t i = 1; i < need; i++) {
		if (i >= len || p[i] < lo || p[i] > hi)
			return i;
		value = value << 6 | (p[i] & 0x3F);
		lo = 0x80;
		hi = 0xBF;
	}
	*ch = value;
	return need;
}

size_t tr2_utf8_encode(uint32_t ch, char *out)
{
	if (ch > 0x10FFFF || (ch >= 0xD800 && ch <= 0xDFFF))
		ch = UTF8_REPLACEMENT;
	if (ch < 0x80) {
		out[0] = (char)ch;
		return 1;
	}
	if (ch < 0x800) {
		out[0] = (char)(0xC0 | ch >> 6);
		out[1] = (char)(0x80 | (ch & 0x3F));
		return 2;
	}
	if (ch < 0x10000) {
		out[0] = (char)(0xE0 | ch >> 12);
		out[1] = (char)(0x80 | (ch >> 6 & 0x3F));
		out[2] = (char)(0x80 | (ch & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | ch >> 18);
	out[1] = (char)(0x80 | (ch >> 12 & 0x3F));
	out[2] = (char)(0x80 | (ch >> 6 & 0x3F));
	out[3] = (char)(0x80 | (ch & 0x3F));
	return 4;
}

size_t tr2_utf8_repair(const char *s, size_t len, char *out)
{
	size_t nr = 0;
	uint32_t ch;

	for (size_t at = 0; at < len;) {
		at += tr2_utf8_decode(s + at, len - at, &ch);
		nr += tr2_utf8_encode(ch, out + nr);
	}
	return nr;
}

size_t tr2_utf8_valid_prefix(const char *s, size_t len)
{
	size_t at = 0;

	while (at < len) {
		uint64_t eight;
		uint32_t ch;
		size_t n;

		if (len - at >= 8) {
			memcpy(&eight, s + at, 8);
			if (!(eight & 0x8080808080808080ull)) {
				at += 8;
				continue;
			}
		}
		n = tr2_utf8_decode(s + at, len - at, &ch);
		/* The text may contain the character U+FFFD itself. */
		if (ch == UTF8_REPLACEMENT && (n != 3 || memcmp(s + at, "\xEF\xBF\xBD", 3)))
			break;
		at += n;
	}
	return at;
}
