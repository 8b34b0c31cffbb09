/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/nats/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CODING "zstd"

const char *const wire_kind_words[NR_WIRE_KINDS] = { "events", "now", "tenmin" };
const char *const wire_streams[NR_WIRE_KINDS] = { "EVENTS", "NOW", "TENMIN" };

static bool wire_is_plain(unsigned char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

/* Append a percent-encoded name to `out`, without a check for space. Returns the end of the
 * text. */
static char *encode(const char *text, char *out)
{
	static const char digits[] = "0123456789ABCDEF";

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (wire_is_plain(c)) {
			*out++ = (char)c;
			continue;
		}
		*out++ = '%';
		*out++ = digits[c >> 4];
		*out++ = digits[c & 15];
	}
	*out = '\0';
	return out;
}

static int wire_digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decode only what encode() writes, so that a name has one spelling. */
static bool decode(const char *text, size_t len, char *out)
{
	size_t nr = 0;

	for (size_t at = 0; at < len; at++) {
		int high, low;

		if (nr == WIRE_NAME_BYTES - 1)
			return false;
		if (wire_is_plain((unsigned char)text[at])) {
			out[nr++] = text[at];
			continue;
		}
		if (text[at] != '%' || len - at < 3)
			return false;
		high = wire_digit_of(text[at + 1]);
		low = wire_digit_of(text[at + 2]);
		if (high < 0 || low < 0 || !(high | low) ||
		    wire_is_plain((unsigned char)(high << 4 | low)))
			return false;
		out[nr++] = (char)(high << 4 | low);
		at += 2;
	}
	out[nr] = '\0';
	return nr > 0;
}

bool wire_name_parse(const char *text, struct wire_name *out)
{
	const char *dot = strchr(text, '.');
	size_t site = dot ? (size_t)(dot - text) : 0, host = dot ? strlen(dot + 1) : 0;

	if (!site || !host || site >= WIRE_NAME_BYTES || host >= WIRE_NAME_BYTES)
		return false;
	memcpy(out->site, text, site);
	out->site[site] = '\0';
	memcpy(out->host, dot + 1, host + 1);
	return true;
}

void wire_name_show(const struct wire_name *name, char *out, size_t bytes)
{
	snprintf(out, bytes, "%s.%s", name->site, name->host);
}

static char *wire_begin(enum wire_kind kind, char *out)
{
	return out +
	       snprintf(out, WIRE_SUBJECT_BYTES, WIRE_SUBJECT_ROOT ".%s.", wire_kind_words[kind]);
}

void wire_subject(enum wire_kind kind, const struct wire_name *name, char *out)
{
	out = encode(name->site, wire_begin(kind, out));
	*out++ = '.';
	encode(name->host, out);
}

static char *encode_or_any(const char *text, char *out)
{
	if (strcmp(text, "*") != 0)
		return encode(text, out);
	memcpy(out, "*", 2);
	return out + 1;
}

void wire_subject_pattern(enum wire_kind kind, const struct wire_name *name, char *out)
{
	out = encode_or_any(name->site, wire_begin(kind, out));
	*out++ = '.';
	encode_or_any(name->host, out);
}

bool wire_subject_parse(const char *subject, enum wire_kind *kind, struct wire_name *name)
{
	size_t root = strlen(WIRE_SUBJECT_ROOT ".");
	const char *at, *dot;

	if (strncmp(subject, WIRE_SUBJECT_ROOT ".", root) != 0)
		return false;
	at = subject + root;
	for (int i = 0; i < NR_WIRE_KINDS; i++) {
		size_t len = strlen(wire_kind_words[i]);

		if (strncmp(at, wire_kind_words[i], len) != 0 || at[len] != '.')
			continue;
		*kind = (enum wire_kind)i;
		at += len + 1;
		dot = strchr(at, '.');
		return dot && decode(at, (size_t)(dot - at), name->site) &&
		       decode(dot + 1, strlen(dot + 1), name->host);
	}
	return false;
}

void wire_head_print(const struct wire_head *head, char *out)
{
	snprintf(out, WIRE_HEAD_BYTES, "%d %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " " CODING,
		 WIRE_VERSION, (int64_t)head->wall_ns, head->events, head->lost, head->filtered);
}

static const char *wire_number(const char *p, uint64_t *out)
{
	uint64_t v = 0;

	if (*p < '0' || *p > '9')
		return NULL;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return NULL;
	*out = v;
	return p;
}

static const char *number_then(const char *p, char end, uint64_t *out)
{
	p = p ? wire_number(p, out) : NULL;
	return p && *p == end ? p + 1 : NULL;
}

enum wire_read wire_head_parse(const char *text, struct wire_head *out)
{
	struct wire_head head;
	uint64_t version, wall;
	const char *p = number_then(text, ' ', &version);

	if (!p)
		return WIRE_MALFORMED;
	if (version != WIRE_VERSION)
		return WIRE_NEWER;
	p = number_then(p, ' ', &wall);
	p = number_then(p, ' ', &head.events);
	p = number_then(p, ' ', &head.lost);
	p = number_then(p, ' ', &head.filtered);
	if (!p || strcmp(p, CODING) != 0 || wall > INT64_MAX)
		return WIRE_MALFORMED;
	head.wall_ns = (ns_t)wall;
	*out = head;
	return WIRE_OK;
}

void wire_id_print(const struct wire_name *name, const struct wire_id *id, char *out)
{
	char *at = encode(name->site, out);

	*at++ = '.';
	at = encode(name->host, at);
	snprintf(at, 64, ":%" PRId64 ":%" PRIu64, id->run, id->seq);
}

bool wire_id_parse(const char *text, struct wire_id *out)
{
	const char *colon = strchr(text, ':');
	uint64_t run;
	const char *p = colon ? number_then(colon + 1, ':', &run) : NULL;

	p = p && run <= INT64_MAX ? wire_number(p, &out->seq) : NULL;
	if (!p || *p)
		return false;
	out->run = (int64_t)run;
	return true;
}
