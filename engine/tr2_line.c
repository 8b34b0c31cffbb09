/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_line.h"

#include <stdlib.h>

#define LINE_FIRST_BYTES 4096

/* Replace the line's memory and record the new memory in `line->home`, if any. A signal handler may
 * jump out at any instant, so the capacity of `home` is 0 until the new memory is recorded. */
static void replace_memory(struct tr2_line *line, char *data, size_t cap)
{
	struct tr2_line *home = line->home;
	char *old = line->data;

	line->data = data;
	line->cap = cap;
	if (home) {
		home->cap = 0;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		home->data = data;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		home->cap = cap;
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!home || !home->kept)
		free(old);
}

struct tr2_line tr2_line_grown(struct tr2_line line, size_t nr_bytes)
{
	size_t cap = line.cap ? line.cap : LINE_FIRST_BYTES;
	char *data;

	line.failed = line.failed || line.fixed || nr_bytes > SIZE_MAX / 4;
	if (line.failed)
		return line;
	while (cap < line.len + nr_bytes + TR2_LINE_SLACK)
		cap *= 2;
	data = malloc(cap);
	if (!data) {
		line.failed = true;
		return line;
	}
	if (line.len)
		memcpy(data, line.data, line.len);
	replace_memory(&line, data, cap);
	return line;
}

void tr2_line_release(struct tr2_line *line)
{
	if (!line->fixed)
		replace_memory(line, NULL, 0);
	line->len = 0;
}

void tr2_line_fill(struct tr2_line *line, char c, size_t nr)
{
	if (tr2_line_reserve(line, nr)) {
		memset(line->data + line->len, c, nr);
		line->len += nr;
	}
}

unsigned tr2_line_digits(char *out, uint64_t v)
{
	char text[TR2_DIGITS_BYTES];
	unsigned at = tr2_digits(text, v);

	memcpy(out, text + at, sizeof(text) - at);
	return (unsigned)sizeof(text) - at;
}

void tr2_line_uint(struct tr2_line *line, uint64_t v)
{
	if (tr2_line_reserve(line, 0))
		tr2_line_put_uint(line, v);
}

void tr2_line_int(struct tr2_line *line, int64_t v)
{
	if (tr2_line_reserve(line, 0))
		tr2_line_put_int(line, v);
}

void tr2_line_micros(struct tr2_line *line, unsigned us)
{
	if (tr2_line_reserve(line, 0))
		tr2_line_put_micros(line, us);
}

void tr2_line_seconds(struct tr2_line *line, int64_t us, unsigned width)
{
	size_t from = line->len, got;

	if (!tr2_line_reserve(line, 32))
		return;
	tr2_line_put_seconds(line, us);
	got = line->len - from;
	if (got < width) {
		memmove(line->data + from + width - got, line->data + from, got);
		memset(line->data + from, ' ', width - got);
		line->len += width - got;
	}
}

/* How each byte is escaped in a JSON string. 0: not escaped; 'u': \u00xx; otherwise the letter
 * after the backslash. */
static const char json_escapes[256] = {
	['\b'] = 'b',  ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r', ['"'] = '"',
	['\\'] = '\\', [0x00] = 'u', [0x01] = 'u', [0x02] = 'u', [0x03] = 'u', [0x04] = 'u',
	[0x05] = 'u',  [0x06] = 'u', [0x07] = 'u', [0x0b] = 'u', [0x0e] = 'u', [0x0f] = 'u',
	[0x10] = 'u',  [0x11] = 'u', [0x12] = 'u', [0x13] = 'u', [0x14] = 'u', [0x15] = 'u',
	[0x16] = 'u',  [0x17] = 'u', [0x18] = 'u', [0x19] = 'u', [0x1a] = 'u', [0x1b] = 'u',
	[0x1c] = 'u',  [0x1d] = 'u', [0x1e] = 'u', [0x1f] = 'u',
};

static char *escape_json(char *out, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	*out++ = '\\';
	*out++ = json_escapes[c];
	if (json_escapes[c] == 'u') {
		*out++ = '0';
		*out++ = '0';
		*out++ = hex[c >> 4];
		*out++ = hex[c & 15];
	}
	return out;
}

#define ONES  0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

/* True if one of the eight bytes of `w` is below 0x20, a quote or a backslash. */
static bool has_special(uint64_t w)
{
	uint64_t quote = w ^ (ONES * '"'), slash = w ^ (ONES * '\\');

	return (((w - ONES * 0x20) & ~w) | ((quote - ONES) & ~quote) | ((slash - ONES) & ~slash)) &
	       HIGHS;
}

struct tr2_line tr2_line_json_escaped(struct tr2_line line, const char *s, size_t len)
{
	const char *end = s + len;
	char *out;

	if (len > SIZE_MAX / 8) {
		line.failed = true;
		return line;
	}
	if (!tr2_line_reserve(&line, TR2_JSON_GROWTH * len + 8))
		return line;
	out = line.data + line.len;
	while (s < end) {
		unsigned char c;
		uint64_t w;

		if (end - s >= 8) {
			memcpy(&w, s, 8);
			memcpy(out, &w, 8);
			if (!has_special(w)) {
				s += 8;
				out += 8;
				continue;
			}
		}
		c = (unsigned char)*s++;
		if (json_escapes[c])
			out = escape_json(out, c);
		else
			*out++ = (char)c;
	}
	line.len = (size_t)(out - line.data);
	return line;
}

struct tr2_line tr2_line_raw_json(struct tr2_line line, const char *json, bool pretty)
{
	while (pretty && *json) {
		size_t run = strcspn(json, "\n");

		tr2_line_add(&line, json, run);
		json += run;
		if (*json == '\n')
			json += 1 + strspn(json + 1, " ");
	}
	tr2_line_str(&line, json);
	return line;
}

static bool is_unquoted_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("+,-./:=@_^", c));
}

bool tr2_needs_quotes(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_unquoted_char(s[i]))
			return true;
	return !len;
}

void tr2_line_quoted(struct tr2_line *line, const char *s, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] != '\'' && s[i] != '!')
			continue;
		tr2_line_add(line, s + from, i - from);
		TR2_LINE_LIT(line, "'\\");
		tr2_line_ch(line, s[i]);
		tr2_line_ch(line, '\'');
		from = i + 1;
	}
	tr2_line_add(line, s + from, len - from);
}
