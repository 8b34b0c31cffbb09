/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/forward_ack.h"

#include <stdio.h>
#include <string.h>

#include "monitor/base/json.h"
#include "monitor/base/scan.h"

/* Limit of an answer. */
#define MAX_ACK 4000

struct ack {
	bool has_seq, has_error;
	char text[MAX_ACK + 1]; /* the description, decoded */
};

/* Call `key` for each member of the object whose brace precedes `p`. Returns the position after
 * the object, or NULL. */
static const char *members(const struct json_check *check, const char *p, struct ack *ack,
			   bool within);

static bool is_key(const char *key, const char *end, const char *word)
{
	return (size_t)(end - key) == strlen(word) && !memcmp(key, word, strlen(word));
}

static const char *forward_ack_value(const struct json_check *check, const char *key,
				     const char *key_end, const char *p, struct ack *ack,
				     bool within)
{
	const char *end = json_skip(check, p, 2);

	if (!end)
		return NULL;
	if (!within && is_key(key, key_end, "seq"))
		ack->has_seq = scan_is_digit(*p);
	if (!within && is_key(key, key_end, "error")) {
		ack->has_error = true;
		if (*p == '{')
			members(check, p + 1, ack, true);
	}
	if (within && is_key(key, key_end, "description") && *p == '"')
		ack->text[json_decode(p + 1, end - 1, ack->text)] = '\0';
	return end;
}

static const char *members(const struct json_check *check, const char *p, struct ack *ack,
			   bool within)
{
	p = scan_blanks(p);
	if (*p == '}')
		return p + 1;
	for (;;) {
		const char *key, *key_end;

		if (*p != '"')
			return NULL;
		key = p + 1;
		p = json_skip_string(check, key);
		if (!p)
			return NULL;
		key_end = p - 1;
		p = scan_blanks(p);
		if (*p != ':')
			return NULL;
		p = forward_ack_value(check, key, key_end, scan_blanks(p + 1), ack, within);
		if (!p)
			return NULL;
		p = scan_blanks(p);
		if (*p == '}')
			return p + 1;
		if (*p != ',')
			return NULL;
		p = scan_blanks(p + 1);
	}
}

enum forward_ack forward_ack_parse(const char *bytes, size_t len, char *why, size_t why_bytes)
{
	char text[MAX_ACK + 1 + SCAN_PAD];
	struct diag diag;
	struct json_check check = { .base = text, .why = &diag };
	struct ack ack = { .has_seq = false };

	if (len > MAX_ACK)
		return FORWARD_UNCLEAR;
	memcpy(text, bytes, len);
	memset(text + len, '\n', sizeof(text) - len);
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\n')
			text[i] = ' ';
	if (*scan_blanks(text) != '{' || !members(&check, scan_blanks(text) + 1, &ack, false))
		return FORWARD_UNCLEAR;
	if (ack.has_error) {
		snprintf(why, why_bytes, "%s", *ack.text ? ack.text : "no reason given");
		for (char *c = why; *c; c++)
			if ((unsigned char)*c < 0x20 || *c == 0x7f)
				*c = '?';
		return FORWARD_REFUSED;
	}
	return ack.has_seq ? FORWARD_STORED : FORWARD_UNCLEAR;
}
