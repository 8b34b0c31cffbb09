/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/json.h"

#include <string.h>

#include "engine/base/utf8.h"
#include "monitor/base/scan.h"

const char *json_fail(const struct json_check *check, const char *at, enum diag_code code,
		      const char *message)
{
	*check->why = (struct diag){ .code = code,
				     .message = message,
				     .offset = (size_t)(at - check->base) };
	return NULL;
}

static int hex_digit(char c)
{
	if (scan_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(p[i]);

		if (digit < 0)
			return -1;
		v = v << 4 | digit;
	}
	return v;
}

const char *json_skip_string(const struct json_check *check, const char *p)
{
	for (;;) {
		p = scan_string(p);
		if (*p == '"')
			return p + 1;
		if (*p != '\\')
			return json_fail(check, p, DIAG_JSON,
					 *p == '\n' ? "unterminated string"
						    : "control character in a string");
		p++;
		if (*p == 'u') {
			if (hex4(p + 1) < 0)
				return json_fail(check, p, DIAG_JSON, "bad \\u escape");
			p += 5;
		} else if (*p && strchr("\"\\/bfnrt", *p)) {
			p++;
		} else {
			return json_fail(check, p, DIAG_JSON, "bad escape");
		}
	}
}

static const char *skip_digits(const char *p)
{
	while (scan_is_digit(*p))
		p++;
	return p;
}

static const char *skip_number(const struct json_check *check, const char *p)
{
	const char *from;

	if (*p == '-')
		p++;
	from = p;
	p = skip_digits(p);
	if (p == from || (*from == '0' && p > from + 1))
		return json_fail(check, from, DIAG_JSON, "bad number");
	if (*p == '.') {
		from = ++p;
		p = skip_digits(p);
		if (p == from)
			return json_fail(check, p, DIAG_JSON, "bad number");
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '+' || *p == '-')
			p++;
		from = p;
		p = skip_digits(p);
		if (p == from)
			return json_fail(check, p, DIAG_JSON, "bad number");
	}
	return p;
}

static const char *skip_literal(const struct json_check *check, const char *p, const char *literal)
{
	size_t len = strlen(literal);

	/* memcmp() may read beyond the record: SCAN_PAD bytes are readable there. */
	if (memcmp(p, literal, len))
		return json_fail(check, p, DIAG_JSON, "unknown word");
	return p + len;
}

static const char *skip_key(const struct json_check *check, const char *p)
{
	if (*p != '"')
		return json_fail(check, p, DIAG_JSON, "expected a key");
	p = json_skip_string(check, p + 1);
	if (!p)
		return NULL;
	p = scan_blanks(p);
	if (*p != ':')
		return json_fail(check, p, DIAG_JSON, "expected a colon");
	return p + 1;
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
static const char *skip_items(const struct json_check *check, const char *p, unsigned depth,
			      char close)
{
	if (depth >= JSON_MAX_DEPTH)
		return json_fail(check, p, DIAG_DEPTH, "nested too deeply");
	p = scan_blanks(p + 1);
	if (*p == close)
		return p + 1;
	for (;;) {
		if (close == '}' && !(p = skip_key(check, scan_blanks(p))))
			return NULL;
		p = json_skip(check, scan_blanks(p), depth + 1);
		if (!p)
			return NULL;
		p = scan_blanks(p);
		if (*p == close)
			return p + 1;
		if (*p != ',')
			return json_fail(check, p, DIAG_JSON, "expected a comma or the end");
		p++;
	}
}

const char *json_skip(const struct json_check *check, const char *p, unsigned depth)
{
	switch (*p) {
	case '"':
		return json_skip_string(check, p + 1);
	case '{':
		return skip_items(check, p, depth, '}');
	case '[':
		return skip_items(check, p, depth, ']');
	case 't':
		return skip_literal(check, p, "true");
	case 'f':
		return skip_literal(check, p, "false");
	case 'n':
		return skip_literal(check, p, "null");
	default:
		if (*p == '-' || scan_is_digit(*p))
			return skip_number(check, p);
		return json_fail(check, p, DIAG_JSON,
				 *p == '\n' ? "truncated record" : "not a JSON value");
	}
}

/* Decode the escape \uXXXX whose digits are at `*p`, or a surrogate pair. Advances `*p`. */
static uint32_t decode_u(const char **p, const char *end)
{
	uint32_t ch = (uint32_t)hex4(*p);

	*p += 4;
	if (ch >= 0xd800 && ch < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
		uint32_t low = (uint32_t)hex4(*p + 2);

		if (low >= 0xdc00 && low < 0xe000) {
			*p += 6;
			return 0x10000 + ((ch - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	return ch;
}

static char decode_short(char c)
{
	switch (c) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	default:
		return c;
	}
}

size_t json_decode(const char *p, const char *end, char *out)
{
	char *to = out;

	while (p < end) {
		const char *escape = memchr(p, '\\', (size_t)(end - p));
		size_t len = (size_t)((escape ? escape : end) - p);

		memcpy(to, p, len);
		to += len;
		if (!escape)
			break;
		p = escape + 2;
		if (escape[1] == 'u')
			to += tr2_utf8_encode(decode_u(&p, end), to);
		else
			*to++ = decode_short(escape[1]);
	}
	return (size_t)(to - out);
}

/* Return the exponent at `p`, or 0 if there is none. A large exponent is limited. */
static int64_t exponent_of(const char *p)
{
	int64_t v = 0;
	bool negative;

	if (*p != 'e' && *p != 'E')
		return 0;
	p++;
	negative = *p == '-';
	if (*p == '-' || *p == '+')
		p++;
	for (; scan_is_digit(*p); p++)
		if (v < 1000000000)
			v = v * 10 + (*p - '0');
	return negative ? -v : v;
}

/* Append a digit to `*v`. Returns false if the result is above 2^63. */
static bool push_digit(uint64_t *v, unsigned digit)
{
	return !__builtin_mul_overflow(*v, 10ull, v) && !__builtin_add_overflow(*v, digit, v) &&
	       *v <= 1ull << 63;
}

bool json_decimal(const char *p, int scale, bool integral, int64_t *out)
{
	bool negative = *p == '-', up = false;
	const char *digits = p + negative;
	const char *point = skip_digits(digits);
	const char *end = *point == '.' ? skip_digits(point + 1) : point;
	/* position of the scaled number's decimal point, in digits */
	int64_t whole = point - digits + exponent_of(end) + scale;
	int64_t nr = 0;
	uint64_t v = 0;

	for (p = digits; p < end; p++) {
		if (p == point)
			continue;
		if (nr < whole) {
			if (!push_digit(&v, (unsigned)(*p - '0')))
				return false;
		} else if (integral && *p != '0') {
			return false;
		} else if (nr == whole) {
			up = *p >= '5';
		}
		nr++;
	}
	for (; v && nr < whole; nr++)
		if (!push_digit(&v, 0))
			return false;
	v += up;
	if (v > (uint64_t)INT64_MAX + negative)
		return false;
	*out = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}
