/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_config_env.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/buf.h"
#include "engine/tr2_env.h"

#define ENV_MAX_BYTES   (1u << 20)
#define ENV_MAX_ENTRIES 100000

bool tr2_config_int(const char *value, int *out)
{
	static const char suffixes[] = "kKmMgG";
	intmax_t n, factor = 1;
	const char *at;
	char *end;

	errno = 0;
	n = value ? strtoimax(value, &end, 0) : 0;
	if (!value || end == value || errno)
		return false;
	if (*end) {
		at = strchr(suffixes, *end);
		if (!at || end[1])
			return false;
		factor <<= 10 * ((at - suffixes) / 2 + 1);
	}
	if (n > INT_MAX / factor || n < INT_MIN / factor)
		return false;
	*out = (int)(n * factor);
	return true;
}

bool tr2_config_bool(const char *value, bool *out)
{
	static const char *const yes[] = { "true", "yes", "on" };
	static const char *const no[] = { "false", "no", "off", "" };
	int n;

	if (!value) {
		*out = true;
		return true;
	}
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!strcasecmp(value, yes[i]))
			return *out = true, true;
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (!strcasecmp(value, no[i]))
			return *out = false, true;
	if (!tr2_config_int(value, &n))
		return false;
	*out = n != 0;
	return true;
}

static bool is_env_key_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/* Set `key` to `raw` with the section and name in lower case. Returns false if Git rejects the key,
 * or on failure. */
static bool canonicalize_key(struct tr2_buf *key, const char *raw, size_t len)
{
	size_t first = 0, last = len;

	while (first < len && raw[first] != '.')
		first++;
	while (last > 0 && raw[last - 1] != '.')
		last--;
	if (last < 2 || last == len)
		return false;
	tr2_buf_clear(key);
	for (size_t i = 0; i < len; i++) {
		bool plain = i < first || i >= last;
		char c = raw[i];

		if (plain && c >= 'A' && c <= 'Z')
			c = (char)(c + ('a' - 'A'));
		if (plain ? !is_env_key_char(c) || (i == last && (c < 'a' || c > 'z')) : c == '\n')
			return false;
		tr2_buf_addch(key, c);
	}
	return !key->failed;
}

static void read_config_count(tr2_config_fn *fn, void *data, struct tr2_buf *key)
{
	const char *text = tr2_env("GIT_CONFIG_COUNT");
	char name[40], *end = NULL;
	unsigned long count = text ? strtoul(text, &end, 10) : 0;

	if (!text || *end)
		return;
	for (unsigned long i = 0; i < count && i < ENV_MAX_ENTRIES; i++) {
		const char *raw, *value;

		snprintf(name, sizeof(name), "GIT_CONFIG_KEY_%lu", i);
		raw = tr2_env(name);
		snprintf(name, sizeof(name), "GIT_CONFIG_VALUE_%lu", i);
		value = tr2_env(name);
		if (!raw || !value || !canonicalize_key(key, raw, strlen(raw)))
			return;
		fn(data, tr2_buf_cstr(key), value, TR2_SCOPE_COMMAND);
	}
}

/* Set `out` to the text of the shell-quoted word at `p`. Returns the text after the word; NULL on
 * failure. */
static const char *dequote_word(const char *p, struct tr2_buf *out)
{
	tr2_buf_clear(out);
	if (*p++ != '\'')
		return NULL;
	for (;;) {
		size_t run = strcspn(p, "'");

		tr2_buf_add(out, p, run);
		p += run;
		if (!*p++)
			return NULL;
		if (p[0] != '\\' || (p[1] != '\'' && p[1] != '!') || p[2] != '\'')
			return out->failed ? NULL : p;
		tr2_buf_addch(out, p[1]);
		p += 3;
	}
}

static bool is_end_of_word(char c)
{
	return !c || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Parse one entry of GIT_CONFIG_PARAMETERS: 'key=value', 'key'='value', or 'key'= or 'key' without
 * a value. Returns the text after the entry; NULL on failure. */
static const char *read_parameter(const char *p, struct tr2_buf *key, struct tr2_buf *word,
				  tr2_config_fn *fn, void *data)
{
	const char *text, *equals, *value;

	p = dequote_word(p, word);
	if (!p)
		return NULL;
	text = tr2_buf_cstr(word);
	if (*p != '=') {
		equals = strchr(text, '=');
		if (!is_end_of_word(*p) ||
		    !canonicalize_key(key, text, equals ? (size_t)(equals - text) : strlen(text)))
			return NULL;
		fn(data, tr2_buf_cstr(key), equals ? equals + 1 : NULL, TR2_SCOPE_COMMAND);
		return p;
	}
	if (!canonicalize_key(key, text, strlen(text)))
		return NULL;
	value = NULL;
	if (*++p == '\'') {
		p = dequote_word(p, word);
		if (!p)
			return NULL;
		value = tr2_buf_cstr(word);
	}
	if (!is_end_of_word(*p))
		return NULL;
	fn(data, tr2_buf_cstr(key), value, TR2_SCOPE_COMMAND);
	return p;
}

static void read_config_parameters(tr2_config_fn *fn, void *data, struct tr2_buf *key)
{
	const char *p = tr2_env("GIT_CONFIG_PARAMETERS");
	struct tr2_buf word;

	tr2_buf_init(&word, ENV_MAX_BYTES);
	while (p && *p) {
		p += strspn(p, " \t\n\r");
		if (*p)
			p = read_parameter(p, key, &word, fn, data);
	}
	tr2_buf_release(&word);
}

void tr2_config_read_env(tr2_config_fn *fn, void *data)
{
	struct tr2_buf key;

	tr2_buf_init(&key, ENV_MAX_BYTES);
	read_config_count(fn, data, &key);
	read_config_parameters(fn, data, &key);
	tr2_buf_release(&key);
}
