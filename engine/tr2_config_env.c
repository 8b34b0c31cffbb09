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

#define ENV_MAX_BYTES (1u << 20)
#define ENV_MAX_ENTRIES 100000

/* Whether `n` times what the suffix at `end` says fits an int, as Git's booleans must. */
static bool in_int(intmax_t n, const char *end)
{
	static const char suffixes[] = "kKmMgG";
	const char *at = *end ? strchr(suffixes, *end) : NULL;
	intmax_t factor = at ? (intmax_t)1 << 10 * ((at - suffixes) / 2 + 1) : 1;

	if (*end && (!at || end[1]))
		return false;
	return n <= INT_MAX / factor && n >= INT_MIN / factor;
}

bool tr2_config_bool(const char *value, bool *out)
{
	static const char *const yes[] = { "true", "yes", "on" };
	static const char *const no[] = { "false", "no", "off", "" };
	char *end;
	intmax_t n;

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
	errno = 0;
	n = strtoimax(value, &end, 0);
	if (end == value || errno || !in_int(n, end))
		return false;
	*out = n != 0;
	return true;
}

/* Section and name in lower case; false for a key that Git would refuse. */
static bool canonical(struct tr2_buf *key, const char *raw, size_t len)
{
	size_t first = 0, last = len;

	while (first < len && raw[first] != '.')
		first++;
	while (last > 0 && raw[last - 1] != '.')
		last--;
	if (!first || first == len || last == len)
		return false;
	tr2_buf_clear(key);
	for (size_t i = 0; i < len; i++) {
		char c = raw[i];

		if ((i < first || i >= last) && c >= 'A' && c <= 'Z')
			c = (char)(c + ('a' - 'A'));
		tr2_buf_addch(key, c);
	}
	return !key->failed;
}

static void read_count(tr2_config_fn *fn, void *data, struct tr2_buf *key)
{
	const char *text = tr2_env("GIT_CONFIG_COUNT");
	unsigned long count = text && *text ? strtoul(text, NULL, 10) : 0;
	char name[40];

	for (unsigned long i = 0; i < count && i < ENV_MAX_ENTRIES; i++) {
		const char *raw, *value;

		snprintf(name, sizeof(name), "GIT_CONFIG_KEY_%lu", i);
		raw = tr2_env(name);
		snprintf(name, sizeof(name), "GIT_CONFIG_VALUE_%lu", i);
		value = tr2_env(name);
		if (!raw || !value || !canonical(key, raw, strlen(raw)))
			return;
		fn(data, tr2_buf_cstr(key), value, TR2_SCOPE_COMMAND);
	}
}

/* One shell-quoted word into `out`; NULL where it is none, else what follows it. */
static const char *dequote(const char *p, struct tr2_buf *out)
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

/* Either 'key=value' as one word (older Git), or 'key'='value', or 'key'= without a value. */
static const char *read_pair(const char *p, struct tr2_buf *key, struct tr2_buf *word,
			     tr2_config_fn *fn, void *data)
{
	const char *text, *equals, *value;

	p = dequote(p, word);
	if (!p)
		return NULL;
	text = tr2_buf_cstr(word);
	if (*p != '=') {
		equals = strchr(text, '=');
		if (!canonical(key, text, equals ? (size_t)(equals - text) : strlen(text)))
			return NULL;
		fn(data, tr2_buf_cstr(key), equals ? equals + 1 : NULL, TR2_SCOPE_COMMAND);
		return p;
	}
	if (!canonical(key, text, strlen(text)))
		return NULL;
	value = NULL;
	if (*++p == '\'') {
		p = dequote(p, word);
		if (!p)
			return NULL;
		value = tr2_buf_cstr(word);
	}
	fn(data, tr2_buf_cstr(key), value, TR2_SCOPE_COMMAND);
	return p;
}

static void read_parameters(tr2_config_fn *fn, void *data, struct tr2_buf *key)
{
	const char *p = tr2_env("GIT_CONFIG_PARAMETERS");
	struct tr2_buf word;

	tr2_buf_init(&word, ENV_MAX_BYTES);
	while (p && *p) {
		p += strspn(p, " \t\n\r");
		if (*p)
			p = read_pair(p, key, &word, fn, data);
	}
	tr2_buf_release(&word);
}

void tr2_config_read_env(tr2_config_fn *fn, void *data)
{
	struct tr2_buf key;

	tr2_buf_init(&key, ENV_MAX_BYTES);
	read_count(fn, data, &key);
	read_parameters(fn, data, &key);
	tr2_buf_release(&key);
}
