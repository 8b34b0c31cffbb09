/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/base/jw.h"

#include "engine/base/digits.h"
#include "engine/base/utf8.h"

void tr2_jw_init(struct tr2_jw *jw, struct tr2_buf *out, unsigned inline_from)
{
	*jw = (struct tr2_jw){ .out = out, .inline_from = inline_from };
}

static void json_newline(struct tr2_jw *jw)
{
	if (jw->depth > jw->inline_from) {
		return;
	}
	tr2_buf_addch(jw->out, '\n');
	tr2_buf_fill(jw->out, ' ', 2 * (size_t)jw->depth);
}

static void json_between_items(struct tr2_jw *jw)
{
	if (jw->need_comma) {
		tr2_buf_addch(jw->out, ',');
		if (jw->depth > jw->inline_from && !jw->tight)
			tr2_buf_addch(jw->out, ' ');
	}
	if (jw->depth)
		json_newline(jw);
}

static inline void json_before_item(struct tr2_jw *jw)
{
	if (jw->after_key)
		jw->after_key = false;
	else
		json_between_items(jw);
}

static void json_open_with(struct tr2_jw *jw, char c)
{
	json_before_item(jw);
	tr2_buf_addch(jw->out, c);
	jw->depth++;
	jw->need_comma = false;
}

static void json_close_with(struct tr2_jw *jw, char c)
{
	bool had_items = jw->need_comma;

	jw->depth--;
	if (had_items && jw->depth + 1 <= jw->inline_from)
		json_newline(jw);
	tr2_buf_addch(jw->out, c);
	jw->need_comma = true;
}

void tr2_jw_object(struct tr2_jw *jw)
{
	json_open_with(jw, '{');
}

void tr2_jw_end_object(struct tr2_jw *jw)
{
	json_close_with(jw, '}');
}

void tr2_jw_array(struct tr2_jw *jw)
{
	json_open_with(jw, '[');
}

void tr2_jw_end_array(struct tr2_jw *jw)
{
	json_close_with(jw, ']');
}

static void json_add_escape(struct tr2_buf *out, unsigned char c)
{
	static const char short_form[32] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'
	};

	tr2_buf_addch(out, '\\');
	if (c == '"' || c == '\\')
		tr2_buf_addch(out, (char)c);
	else if (c < 0x20 && short_form[c])
		tr2_buf_addch(out, short_form[c]);
	else
		tr2_buf_addf(out, "u%04x", c);
}

#define ONES  0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

/* Return nonzero if a byte of `w` is below 0x20, above 0x7E, a quote or a backslash. */
static uint64_t json_special_mask(uint64_t w)
{
	uint64_t quote = w ^ (ONES * '"'), slash = w ^ (ONES * '\\');

	return (w | (w + ONES) | (w - ONES * 0x20) | (quote - ONES) | (slash - ONES)) & HIGHS;
}

static bool json_is_special(unsigned char c)
{
	return c < 0x20 || c >= 0x7F || c == '"' || c == '\\';
}

/* Append `s` with ill-formed UTF-8 replaced by U+FFFD and the control characters DEL and C1
 * escaped; with `escape`, also C0, quotes and backslashes. */
static void json_add_repaired(struct tr2_buf *out, const char *s, size_t len, bool escape)
{
	size_t at = 0, from = 0;

	while (at < len) {
		unsigned char c = (unsigned char)s[at];
		uint32_t ch;
		size_t n;

		if (!json_is_special(c)) {
			at++;
			continue;
		}
		if (c < 0x80) {
			if (escape || c == 0x7F) {
				tr2_buf_add(out, s + from, at - from);
				json_add_escape(out, c);
				from = at + 1;
			}
			at++;
			continue;
		}
		n = tr2_utf8_decode(s + at, len - at, &ch);
		if (ch == UTF8_REPLACEMENT) {
			tr2_buf_add(out, s + from, at - from);
			tr2_buf_add(out, "\xEF\xBF\xBD", 3);
			from = at + n;
		} else if (ch < 0xA0) {
			tr2_buf_add(out, s + from, at - from);
			json_add_escape(out, (unsigned char)ch);
			from = at + n;
		}
		at += n;
	}
	tr2_buf_add(out, s + from, len - from);
}

/* Return a word that contains each byte of a string of at most 7 bytes, and no others except
 * spaces. */
static uint64_t load_short_word(const char *s, size_t len)
{
	uint32_t first, last;

	if (len >= sizeof(first)) {
		memcpy(&first, s, sizeof(first));
		memcpy(&last, s + len - sizeof(last), sizeof(last));
		return first | (uint64_t)last << 32;
	}
	if (!len)
		return ONES * ' ';
	return (ONES * ' ' & ~0xffffffull) | (unsigned char)s[0] |
	       (uint64_t)(unsigned char)s[len / 2] << 8 | (uint64_t)(unsigned char)s[len - 1] << 16;
}

/* True if all bytes are ASCII and need no escaping. */
static bool json_is_plain(const char *s, size_t len)
{
	uint64_t w, special = 0;

	if (len < sizeof(w))
		return !json_special_mask(load_short_word(s, len));
	for (size_t at = 0; at + sizeof(w) <= len; at += sizeof(w)) {
		memcpy(&w, s + at, sizeof(w));
		special |= json_special_mask(w);
	}
	memcpy(&w, s + len - sizeof(w), sizeof(w));
	return !(special | json_special_mask(w));
}

/* Append `s` in quotes if it is ASCII that needs no escaping. Otherwise, or on failure, appends
 * nothing and returns false. */
static bool json_add_plain(struct tr2_buf *out, const char *s, size_t len)
{
	char *to;

	if (!json_is_plain(s, len) ||
	    (out->cap - out->len <= len + 2 && !tr2_buf_reserve(out, len + 2)))
		return false;
	to = out->data + out->len;
	*to++ = '"';
	if (len)
		memcpy(to, s, len);
	to[len] = '"';
	out->len += len + 2;
	return true;
}

static void json_add_quoted(struct tr2_jw *jw, const char *s, size_t len)
{
	if (json_add_plain(jw->out, s, len))
		return;
	tr2_buf_addch(jw->out, '"');
	json_add_repaired(jw->out, s, len, true);
	tr2_buf_addch(jw->out, '"');
}

void tr2_jw_key_bytes(struct tr2_jw *jw, const char *key, size_t len)
{
	json_before_item(jw);
	json_add_quoted(jw, key, len);
	tr2_buf_add(jw->out, ": ", jw->tight ? 1 : 2);
	jw->after_key = true;
}

void tr2_jw_prepared_key(struct tr2_jw *jw, const struct tr2_jw_key *key)
{
	struct tr2_buf *out = jw->out;

	json_before_item(jw);
	if (out->cap - out->len > sizeof(key->text) || tr2_buf_reserve(out, sizeof(key->text))) {
		memcpy(out->data + out->len, key->text, sizeof(key->text));
		out->len += key->len;
	}
	if (!jw->tight)
		tr2_buf_addch(out, ' ');
	jw->after_key = true;
}

void tr2_jw_key(struct tr2_jw *jw, const char *key)
{
	tr2_jw_key_bytes(jw, key, strlen(key));
}

void tr2_jw_string(struct tr2_jw *jw, const char *s, size_t len)
{
	json_before_item(jw);
	json_add_quoted(jw, s, len);
	jw->need_comma = true;
}

void tr2_jw_cstring(struct tr2_jw *jw, const char *s)
{
	tr2_jw_string(jw, s, strlen(s));
}

void tr2_jw_int(struct tr2_jw *jw, int64_t v)
{
	json_before_item(jw);
	if (v < 0)
		tr2_buf_addch(jw->out, '-');
	tr2_buf_addu(jw->out, v < 0 ? -(uint64_t)v : (uint64_t)v, 1);
	jw->need_comma = true;
}

void tr2_jw_uint(struct tr2_jw *jw, uint64_t v)
{
	json_before_item(jw);
	tr2_buf_addu(jw->out, v, 1);
	jw->need_comma = true;
}

void tr2_jw_bool(struct tr2_jw *jw, bool v)
{
	json_before_item(jw);
	tr2_buf_addstr(jw->out, v ? "true" : "false");
	jw->need_comma = true;
}

void tr2_jw_null(struct tr2_jw *jw)
{
	json_before_item(jw);
	tr2_buf_addstr(jw->out, "null");
	jw->need_comma = true;
}

static void seconds_format(struct tr2_buf *out, ns_t ns)
{
	uint64_t abs = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	uint64_t sec = abs / 1000000000u, frac = abs % 1000000000u;

	if (ns < 0)
		tr2_buf_addch(out, '-');
	tr2_buf_addu(out, sec, 1);
	tr2_buf_addch(out, '.');
	if (frac % 1000)
		tr2_buf_addu(out, frac, 9);
	else
		tr2_buf_addu(out, frac / 1000, 6);
}

/* Write the last `nr` (even) digits of `v`, then `behind`. Returns the position after them. */
static inline char *put_date_part(char *at, unsigned v, unsigned nr, char behind)
{
	for (unsigned i = nr; i; v /= 100) {
		i -= 2;
		tr2_two_digits(at + i, v % 100);
	}
	at[nr] = behind;
	return at + nr + 1;
}

/* Write the date `days` days after 1970-01-01 as YYYY-MM-DDT. Returns the position after it. The
 * computation uses years that begin in March, so that the leap day is the last day. */
static char *put_date(char *at, ns_t days)
{
	ns_t since = days + 719468; /* days since 0000-03-01 */
	unsigned era = (unsigned)(since / 146097), of_era = (unsigned)(since % 146097);
	unsigned leaps = of_era / 1460 - of_era / 36524 + of_era / 146096;
	unsigned year = (of_era - leaps) / 365;
	unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
	unsigned month = (5 * of_year + 2) / 153, day = of_year - (153 * month + 2) / 5 + 1;

	month = month < 10 ? month + 3 : month - 9;
	at = put_date_part(at, era * 400 + year + (month <= 2), 4, '-');
	at = put_date_part(at, month, 2, '-');
	return put_date_part(at, day, 2, 'T');
}

/* An ns_t can only hold times of the years 1677 to 2262. */
void tr2_buf_add_wall_time(struct tr2_buf *out, ns_t wall)
{
	ns_t sec = wall / NS_PER_SEC, frac = wall % NS_PER_SEC, days, of_day;
	char text[28], *at = text;

	if (frac < 0) {
		frac += NS_PER_SEC;
		sec--;
	}
	days = sec / 86400;
	of_day = sec % 86400;
	if (of_day < 0) {
		of_day += 86400;
		days--;
	}
	at = put_date(at, days);
	at = put_date_part(at, (unsigned)of_day / 3600, 2, ':');
	at = put_date_part(at, (unsigned)of_day / 60 % 60, 2, ':');
	at = put_date_part(at, (unsigned)of_day % 60, 2, '.');
	at = put_date_part(at, (unsigned)(frac / NS_PER_US), 6, 'Z');
	tr2_buf_add(out, text, (size_t)(at - text));
}

void tr2_jw_seconds(struct tr2_jw *jw, ns_t ns)
{
	if (ns == NS_NONE) {
		tr2_jw_null(jw);
		return;
	}
	json_before_item(jw);
	seconds_format(jw->out, ns);
	jw->need_comma = true;
}

void tr2_jw_time(struct tr2_jw *jw, ns_t wall)
{
	if (wall == NS_NONE) {
		tr2_jw_null(jw);
		return;
	}
	json_before_item(jw);
	tr2_buf_addch(jw->out, '"');
	tr2_buf_add_wall_time(jw->out, wall);
	tr2_buf_addch(jw->out, '"');
	jw->need_comma = true;
}

void tr2_jw_raw(struct tr2_jw *jw, const char *json, size_t len)
{
	json_before_item(jw);
	json_add_repaired(jw->out, json, len, false);
	jw->need_comma = true;
}
