/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/redact/redact_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "monitor/base/platform.h"
#include "monitor/redact/vocabulary.h"

/* Maximum bytes of a text that is redacted by parts: a pseudonym for each short part could make a
 * text much longer. */
#define PARTS_MAX_BYTES  4096
#define NUMBER_MAX_BYTES 6

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t redact_text_digits(const char *text, size_t len)
{
	size_t nr = 0;

	while (nr < len && is_digit(text[nr]))
		nr++;
	return nr;
}

static bool is_number(const char *text, size_t len)
{
	size_t sign = len && *text == '-';

	return len > sign && len - sign <= NUMBER_MAX_BYTES &&
	       redact_text_digits(text + sign, len - sign) == len - sign;
}

void redact_keep(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	(void)all;
	tr2_buf_add(out, text, len);
}

/* Return true, and append the text, if it is empty, a number of up to NUMBER_MAX_BYTES digits or a
 * word of the vocabulary. */
static bool kept(const char *text, size_t len, struct tr2_buf *out)
{
	if (len && !is_number(text, len) && !vocabulary_has(text, len))
		return false;
	tr2_buf_add(out, text, len);
	return true;
}

static void known_or(struct pseudonyms *all, enum pseudonym_kind kind, const char *text, size_t len,
		     struct tr2_buf *out)
{
	if (!kept(text, len, out))
		pseudonyms_add(all, kind, text, len, out);
}

void redact_whole(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	if (len)
		pseudonyms_add(all, PSEUDONYM_TEXT, text, len, out);
}

void redact_vocab(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	known_or(all, PSEUDONYM_WORD, text, len, out);
}

void redact_thread(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	size_t behind = 0;

	if (len == 4 && !memcmp(text, "main", 4)) {
		tr2_buf_add(out, text, len);
		return;
	}
	if (len > 2 && !memcmp(text, "th", 2)) {
		size_t nr = redact_text_digits(text + 2, len - 2);

		if (nr && nr <= NUMBER_MAX_BYTES && 2 + nr < len && text[2 + nr] == ':')
			behind = 2 + nr + 1;
	}
	tr2_buf_add(out, text, behind);
	known_or(all, PSEUDONYM_WORD, text + behind, len - behind, out);
}

static bool is_between(char c, const char *separators)
{
	return c && strchr(separators, c);
}

static void by_part(struct pseudonyms *all, enum pseudonym_kind kind, const char *separators,
		    const char *text, size_t len, struct tr2_buf *out)
{
	size_t at = 0;

	if (len > PARTS_MAX_BYTES) {
		redact_whole(all, text, len, out);
		return;
	}
	while (at < len) {
		size_t from = at;

		/* Keep `+` or `^` before a part, as in refspecs and excluded revisions. */
		if (kind == PSEUDONYM_PART && (text[at] == '+' || text[at] == '^'))
			tr2_buf_addch(out, text[from++]);
		for (at = from; at < len && !is_between(text[at], separators); at++)
			;
		known_or(all, kind, text + from, at - from, out);
		if (at < len)
			tr2_buf_addch(out, text[at++]);
	}
}

void redact_names(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	by_part(all, PSEUDONYM_WORD, "/", text, len, out);
}

/* True if the vocabulary has the configuration key that consists of `section` (with its dot),
 * `between` and `key`, ignoring case. */
static bool is_config(const char *section, size_t section_len, const char *between, const char *key,
		      size_t key_len)
{
	char name[VOCABULARY_MAX_BYTES];
	size_t between_len = strlen(between), len = section_len + between_len + key_len;

	if (section_len > sizeof(name) || key_len > sizeof(name) || len > sizeof(name))
		return false;
	memcpy(name, section, section_len);
	memcpy(name + section_len, between, between_len);
	memcpy(name + section_len + between_len, key, key_len);
	for (size_t i = 0; i < len; i++)
		if (name[i] >= 'A' && name[i] <= 'Z')
			name[i] = (char)(name[i] - 'A' + 'a');
	return vocabulary_has(name, len);
}

/* If the text is a configuration key of the vocabulary, append it, with subsection and unknown
 * variable name redacted, and return true. */
static bool config_kept(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	const char *first = memchr(text, '.', len), *last = platform_find_last(text, '.', len),
		   *key;
	size_t section, key_len;
	bool is_known;

	if (!first)
		return false;
	section = (size_t)(first + 1 - text);
	key = last + 1;
	key_len = len - (size_t)(key - text);
	/* In the vocabulary, `SECTION.*.KEY` stands for the key with any subsection. */
	is_known = is_config(text, section, "", key, key_len) ||
		   (first != last && is_config(text, section, "*.", key, key_len));
	/* In the vocabulary, `SECTION.*` stands for any variable name, such as in `alias.st`. */
	if (!is_known && (first != last || !is_config(text, section, "*", "", 0)))
		return false;
	tr2_buf_add(out, text, section);
	if (first != last) {
		known_or(all, PSEUDONYM_WORD, first + 1, (size_t)(last - first - 1), out);
		tr2_buf_addch(out, '.');
	}
	if (is_known)
		tr2_buf_add(out, key, key_len);
	else
		known_or(all, PSEUDONYM_WORD, key, key_len, out);
	return true;
}

void redact_param(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	if (!kept(text, len, out) && !config_kept(all, text, len, out))
		pseudonyms_add(all, PSEUDONYM_WORD, text, len, out);
}

static bool is_option(const char *text, size_t len)
{
	char positive[VOCABULARY_MAX_BYTES] = "--";

	if (vocabulary_has(text, len))
		return true;
	if (len <= strlen("--no-") || len > sizeof(positive) || memcmp(text, "--no-", 5))
		return false;
	memcpy(positive + 2, text + 5, len - 5);
	return vocabulary_has(positive, len - 3);
}

/* If the text is `-x`, `-xVALUE` or a long option of the vocabulary, append it with its value
 * redacted, and return true. */
static bool option_kept(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	const char *equals;
	size_t name;

	if (len < 2 || *text != '-')
		return false;
	if (is_letter(text[1])) {
		tr2_buf_add(out, text, 2);
		known_or(all, PSEUDONYM_WORD, text + 2, len - 2, out);
		return true;
	}
	equals = memchr(text, '=', len);
	name = equals ? (size_t)(equals - text) : len;
	if (text[1] != '-' || !is_option(text, name))
		return false;
	tr2_buf_add(out, text, name);
	if (equals) {
		tr2_buf_addch(out, '=');
		redact_words(all, equals + 1, len - name - 1, out);
	}
	return true;
}

/* If the text is `NAME=VALUE` and kept() or config_kept() accepts NAME, append the text with VALUE
 * redacted, and return true. */
static bool setting_kept(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	const char *equals = memchr(text, '=', len);
	size_t name = equals ? (size_t)(equals - text) : 0;

	if (!name || (!kept(text, name, out) && !config_kept(all, text, name, out)))
		return false;
	tr2_buf_addch(out, '=');
	redact_words(all, equals + 1, len - name - 1, out);
	return true;
}

static bool url_kept(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	const char *behind = platform_find(text, len, "://", 3);
	size_t scheme = behind ? (size_t)(behind - text) : 0;

	if (!behind)
		return false;
	if (scheme && vocabulary_has(text, scheme)) {
		tr2_buf_add(out, text, scheme + 3);
		text += scheme + 3;
		len -= scheme + 3;
	}
	if (len)
		pseudonyms_add(all, PSEUDONYM_URL, text, len, out);
	return true;
}

void redact_words(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	if (kept(text, len, out))
		return;
	if (len > PARTS_MAX_BYTES)
		redact_whole(all, text, len, out);
	else if (option_kept(all, text, len, out) || setting_kept(all, text, len, out) ||
		 url_kept(all, text, len, out) || config_kept(all, text, len, out))
		;
	else if (memchr(text, '/', len) || memchr(text, '\\', len))
		by_part(all, PSEUDONYM_PART, "/\\:", text, len, out);
	else
		pseudonyms_add(all, PSEUDONYM_WORD, text, len, out);
}

void redact_exe(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	size_t major = redact_text_digits(text, len);

	if (major && major < 3 && major < len && text[major] == '.')
		by_part(all, PSEUDONYM_WORD, ".-+() ", text, len, out);
	else
		redact_words(all, text, len, out);
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* True if the text starts with `pattern`: 9 stands for a digit and x for a hexadecimal digit. */
static bool is_pattern(const char *text, size_t len, const char *pattern)
{
	if (len < strlen(pattern))
		return false;
	for (; *pattern; pattern++, text++) {
		if (*pattern == '9'   ? !is_digit(*text)
		    : *pattern == 'x' ? !is_hex(*text)
				      : *text != *pattern)
			return false;
	}
	return true;
}

#define TIME_PATTERN "99999999T999999.999999Z"
#define HOST_PATTERN "Hxxxxxxxx"
#define NO_HOST      "Localhost"

#define PID_MAX_DIGITS 8

/* Return the length of a suffix that is `-P` and a hexadecimal pid; 0: none. */
static size_t pid_bytes(const char *text, size_t len)
{
	size_t nr = 0;

	while (nr < len && nr < PID_MAX_DIGITS && is_hex(text[len - nr - 1]))
		nr++;
	return nr && len - nr >= 2 && !memcmp(text + len - nr - 2, "-P", 2) ? nr + 2 : 0;
}

void redact_host(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	if (len && (len != strlen(NO_HOST) || memcmp(text, NO_HOST, len)))
		pseudonyms_add(all, PSEUDONYM_HOST, text, len, out);
	else
		tr2_buf_add(out, text, len);
}

static void component(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	size_t time = is_pattern(text, len, TIME_PATTERN) ? strlen(TIME_PATTERN) : 0;
	size_t pid = pid_bytes(text + time, len - time), middle;
	bool is_host;

	tr2_buf_add(out, text, time);
	text += time;
	middle = len - time - pid;
	is_host = time && pid && middle == 1 + strlen(HOST_PATTERN) && *text == '-' &&
		  (is_pattern(text + 1, middle - 1, HOST_PATTERN) ||
		   !memcmp(text + 1, NO_HOST, middle - 1));
	if (is_host) {
		tr2_buf_addch(out, '-');
		redact_host(all, text + 1, middle - 1, out);
	} else if (middle) {
		pseudonyms_add(all, PSEUDONYM_SID, text, middle, out);
	}
	tr2_buf_add(out, text + middle, pid);
}

void redact_sid(struct pseudonyms *all, const char *text, size_t len, struct tr2_buf *out)
{
	const char *end = text + len, *slash;

	while ((slash = memchr(text, '/', (size_t)(end - text)))) {
		component(all, text, (size_t)(slash - text), out);
		tr2_buf_addch(out, '/');
		text = slash + 1;
	}
	component(all, text, (size_t)(end - text), out);
}
