/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/forward_ack.h"

#include <stdio.h>
#include <string.h>

#include "monitor/base/json.h"
#include "monitor/base/scan.h"
#include "monitor/base/visible.h"

/* Maximum bytes of an answer; a longer answer is FORWARD_UNCLEAR. */
#define MAX_ACK 4000

struct ack {
	bool has_seq, has_error;
	char text[MAX_ACK + 1]; /* text of the answer's error, decoded from JSON */
};

static bool is_key(const struct json_members *member, const char *word)
{
	size_t len = (size_t)(member->key_end - member->key);

	return len == strlen(word) && !memcmp(member->key, word, len);
}

static void description_read(const struct json_check *check, const char *p, struct ack *ack)
{
	struct json_members m = json_members(check, p, 1);

	if (*p != '{')
		return;
	while (json_members_next(&m))
		if (is_key(&m, "description") && *m.value == '"')
			ack->text[json_decode(m.value + 1, m.value_end - 1, ack->text)] = '\0';
}

/* Returns false if the text at `p` is not a JSON object. */
static bool ack_read(const struct json_check *check, const char *p, struct ack *ack)
{
	struct json_members m = json_members(check, p, 0);

	if (*p != '{')
		return false;
	while (json_members_next(&m)) {
		if (is_key(&m, "seq"))
			ack->has_seq = scan_is_digit(*m.value);
		if (is_key(&m, "error")) {
			ack->has_error = true;
			description_read(check, m.value, ack);
		}
	}
	return m.end;
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
	if (!ack_read(&check, scan_blanks(text), &ack))
		return FORWARD_UNCLEAR;
	if (ack.has_error) {
		snprintf(why, why_bytes, "%s", *ack.text ? ack.text : "no reason given");
		visible_mask(why);
		return FORWARD_REFUSED;
	}
	return ack.has_seq ? FORWARD_STORED : FORWARD_UNCLEAR;
}
