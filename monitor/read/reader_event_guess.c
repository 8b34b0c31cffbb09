/* SPDX-License-Identifier: MIT */
/* Read values of EVENT records that differ from the reader's guess, and replace the guess. */
#include "config.h"
#include "monitor/read/reader_event_guess.h"

#include "monitor/base/json.h"
#include "monitor/base/timestamp.h"

const char *event_take_escaped(struct batch *batch, const char *p, char **text, size_t *len)
{
	struct diag why;
	struct json_check check = { .base = p, .why = &why };
	const char *end = json_skip_string(&check, p);

	if (!end)
		return NULL;
	*text = batch_reserve_text(batch, (size_t)(end - p));
	*len = json_decode(p, end - 1, *text);
	return end;
}

sym_t event_sym_find(struct event_reader *reader, const char *p, size_t len,
		     struct sym_cache_entry *entry, const struct sym_cache_entry *want)
{
	sym_t sym = tr2_intern(reader->syms, p, len);

	if (entry && sym != reader->syms->sym_other) {
		*entry = *want;
		entry->sym = sym;
	}
	return sym;
}

sym_t event_sym_plain(struct event_reader *reader, const char *p, size_t len)
{
	return sym_plain(reader, p, len);
}

const char *event_sym_unguessed(struct event_reader *reader, struct batch *batch, const char *p,
				struct sym_guess *guess, uint32_t *word)
{
	const char *end = scan_string(p);
	size_t len = (size_t)(end - p);

	if (__builtin_expect(*end != '"', 0)) {
		char *text;

		end = event_take_escaped(batch, p, &text, &len);
		if (end)
			*word = tr2_intern(reader->syms, text, len);
		return end;
	}
	*word = sym_plain(reader, p, len);
	if (len + 1 < sizeof(guess->text) && *word != reader->syms->sym_other) {
		memcpy(guess->text, p, sizeof(guess->text));
		guess->len = (uint32_t)len + 1;
		guess->sym = *word;
	}
	return end + 1;
}

bool event_minute_learn(struct event_reader *reader, const char *p)
{
	char text[MINUTE_BYTES + 3];
	ns_t wall;

	memcpy(text, p + 1, MINUTE_BYTES - 1);
	memcpy(text + MINUTE_BYTES - 1, "00Z", 3);
	if (*p != '"' || !timestamp_parse(text, MINUTE_BYTES + 2, &wall))
		return false;
	memcpy(reader->minute, p, MINUTE_BYTES);
	reader->minute_us = wall / NS_PER_US;
	return true;
}

static uint8_t site_learn(struct event_reader *reader, const char *text, size_t len,
			  const uint32_t *words)
{
	uint8_t at = (uint8_t)((words[0] * 0x9e3779b1u + words[1] * 0x85ebca6bu) >> 24);
	struct site_guess *guess;

	/* Use the first of four slots that is free or holds this site, else the last of the
	 * four. */
	for (int i = 0; i < 4; i++) {
		guess = &reader->site_guesses[at++];
		if (!guess->file || (guess->file == words[0] && guess->line == words[1]))
			break;
	}
	if (len < sizeof(guess->text) && words[0] != reader->syms->sym_other) {
		memcpy(guess->text, text, sizeof(guess->text));
		guess->len = (uint32_t)len;
		guess->file = words[0];
		guess->line = words[1];
	}
	return (uint8_t)(guess - reader->site_guesses);
}

const char *event_site_unguessed(struct event_reader *reader, struct batch *batch, const char *p,
				 uint8_t *next, uint32_t *words, uint32_t *site)
{
	const char *text = p;

	*site = SITE_NONE;
	if (memcmp(p, key_of_FILE, sizeof(key_of_FILE) - 1))
		return p;
	*site = SITE_FILE_ALONE;
	p = event_take_sym(reader, batch, p + sizeof(key_of_FILE) - 1, TR2_F_FILE, words);
	if (!p || memcmp(p, key_of_LINE, sizeof(key_of_LINE) - 1))
		return p;
	p = event_take_num(p + sizeof(key_of_LINE) - 1, words + 1);
	if (p)
		*site = *next = site_learn(reader, text, (size_t)(p + 1 - text), words);
	return p;
}
