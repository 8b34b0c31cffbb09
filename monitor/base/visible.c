/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/visible.h"

#include <stdio.h>

#include "engine/base/utf8.h"
#include "monitor/base/secrets.h"

/* Ranges, in ascending order, of characters that are not shown as they are. */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x0000, 0x001F }, /* control characters (C0) */
	{ 0x007F, 0x009F }, /* control characters DEL and C1 */
	{ 0x00AD, 0x00AD }, /* soft hyphen, whose width differs between terminals */
	{ 0x061C, 0x061C }, /* Arabic letter mark */
	{ 0x180E, 0x180E }, /* Mongolian vowel separator */
	{ 0x200B, 0x200F }, /* zero-width characters and direction marks */
	/* line and paragraph separators, and characters that embed or override the direction of
	 * text */
	{ 0x2028, 0x202E },
	/* invisible characters, such as joiners and those that isolate the direction of text */
	{ 0x2060, 0x206F },
	{ 0xD800, 0xF8FF }, /* surrogates, private use */
	{ 0xFDD0, 0xFDEF }, /* noncharacters */
	{ 0xFEFF, 0xFEFF }, /* byte order mark */
	{ 0xFFF0, 0xFFFB }, /* interlinear annotation and unassigned characters */
	/* noncharacters; in the next row: tags and variation selectors */
	{ 0xFFFE, 0xFFFF },
	{ 0xE0000, 0xE0FFF },
	{ 0xF0000, 0x10FFFF }, /* private use */
};

static bool visible_is_plain(uint32_t ch)
{
	if (ch >= 0x20 && ch < 0x7F)
		return true;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (ch <= hidden[i].last)
			return ch < hidden[i].first;
	return false;
}

bool visible_is_control(uint32_t ch)
{
	return ch < 0x20 || (ch >= 0x7F && ch < 0xA0) || ch == 0x061C || ch == 0x200E ||
	       ch == 0x200F || (ch >= 0x2028 && ch <= 0x202E) || (ch >= 0x2066 && ch <= 0x2069);
}

void visible_mask(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

size_t visible_next(const char *s, size_t len, char out[VISIBLE_BYTES], size_t *out_len)
{
	uint32_t ch;
	size_t n = tr2_utf8_decode(s, len, &ch);
	int wrote;

	/* The decoder returns U+FFFD for ill-formed bytes, too; U+FFFD itself has three bytes. Each
	 * ill-formed byte is shown separately. */
	if (ch == UTF8_REPLACEMENT && (n != 3 || memcmp(s, "\xEF\xBF\xBD", 3))) {
		wrote = snprintf(out, VISIBLE_BYTES, "<%02X>", (unsigned char)*s);
		n = 1;
	} else if (visible_is_plain(ch)) {
		memcpy(out, s, n);
		out[n] = '\0';
		wrote = (int)n;
	} else if (ch < 0x80) {
		wrote = snprintf(out, VISIBLE_BYTES, "^%c", (char)(ch ^ 0x40));
	} else {
		wrote = snprintf(out, VISIBLE_BYTES, "<U+%04X>", (unsigned)ch & 0x1FFFFF);
	}
	*out_len = (size_t)wrote;
	return n;
}

static void visible_add(struct tr2_buf *out, const char *s, size_t len)
{
	size_t at = 0;

	while (at < len) {
		char form[VISIBLE_BYTES];
		size_t form_len, from = at;

		while (at < len && s[at] >= 0x20 && s[at] < 0x7F)
			at++;
		tr2_buf_add(out, s + from, at - from);
		if (at == len)
			break;
		at += visible_next(s + at, len - at, form, &form_len);
		tr2_buf_add(out, form, form_len);
	}
}

size_t text_visible_cut(struct tr2_buf *out, const char *s, size_t len, size_t max)
{
	struct tr2_buf copy = SECRETS_COPY;

	s = secrets_hide(&copy, s, &len);
	visible_add(out, s, len < max ? len : max);
	tr2_buf_release(&copy);
	return len;
}

void text_visible(struct tr2_buf *out, const char *s, size_t len)
{
	text_visible_cut(out, s, len, SIZE_MAX);
}
