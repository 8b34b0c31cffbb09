/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/settings/option_values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "monitor/base/die.h"
#include "monitor/base/humanize.h"
#include "monitor/settings/options.h"

static bool number_parse(const char *text, int64_t lowest, int64_t highest, int64_t *out)
{
	char *end;
	long long v;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end || v < lowest || v > highest)
		return false;
	*out = v;
	return true;
}

static bool truth_parse(const char *text, bool *out)
{
	static const char *const words[] = { "no", "yes", "off", "on", "false", "true", "0", "1" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], text)) {
			*out = i % 2;
			return true;
		}
	return false;
}

static bool store_help(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	*(int *)member = arg ? HELP_ALL : HELP_SHORT;
	return !arg || !strcmp(arg, "all");
}

static bool store_flag(const struct option_row *row, void *member, const char *arg)
{
	if (!arg)
		*(bool *)member = true;
	else if (row->argument)
		/* the option's `argument` is the only valid word */
		*(bool *)member = !strcasecmp(arg, row->argument);
	else
		return truth_parse(arg, member);
	return *(bool *)member;
}

static bool store_off(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	if (arg)
		return truth_parse(arg, member);
	*(bool *)member = false;
	return true;
}

static bool store_text(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	*(const char **)member = arg;
	return *arg != '\0';
}

static bool store_optional_text(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	*(const char **)member = arg ? arg : "";
	return !arg || *arg;
}

static bool store_list(const struct option_row *row, void *member, const char *arg)
{
	struct option_list *list = member;

	(void)row;
	list->items = xreallocarray(list->items, (size_t)list->nr + 1, sizeof(*list->items));
	list->items[list->nr++] = arg;
	return *arg != '\0';
}

/* An empty filter is stored as no filter. */
static bool store_filter(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	*(const char **)member = *arg ? arg : NULL;
	return true;
}

static bool store_word(const struct option_row *row, void *member, const char *arg)
{
	size_t len = arg ? strlen(arg) : 0, word_len;
	const char *word, *help;

	for (int i = 0; (word = option_word(row, i, &word_len, &help)); i++)
		if (!arg || (len && len == word_len && !memcmp(word, arg, len))) {
			*(int *)member = i;
			if (arg)
				return true;
		}
	if (arg && option_of_synonym(row, arg) >= 0) {
		*(int *)member = option_of_synonym(row, arg);
		return true;
	}
	return !arg;
}

static bool store_words(const struct option_row *row, void *member, const char *arg)
{
	uint64_t bits = 0;

	for (const char *at = arg + strspn(arg, " "); *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " "), word_len = 0;
		const char *word = "", *help;
		int i = 0;

		while ((word = option_word(row, i, &word_len, &help)) &&
		       (len != word_len || memcmp(word, at, len) != 0))
			i++;
		if (!word && (len != strlen("none") || memcmp("none", at, len) != 0))
			return false;
		bits |= word ? 1ull << i : 0;
		at += len;
	}
	*(uint64_t *)member |= bits;
	return *arg != '\0';
}

static bool store_limit(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	if (!strcmp(arg, "all")) {
		*(int64_t *)member = LIMIT_ALL;
		return true;
	}
	return number_parse(arg, 0, INT32_MAX, member);
}

static bool store_count(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	return number_parse(arg, 1, UINT32_MAX / 2, member);
}

static bool store_size(const struct option_row *row, void *member, const char *arg)
{
	static const char suffixes[] = "KMGT";
	char digits[24];
	size_t len = strspn(arg, "0123456789");
	const char *suffix = arg + len;
	int64_t v;

	(void)row;
	if (!len || len >= sizeof(digits))
		return false;
	memcpy(digits, arg, len);
	digits[len] = '\0';
	if (!number_parse(digits, 0, INT64_MAX, &v))
		return false;
	if (*suffix) {
		const char *at = strchr(suffixes, toupper((unsigned char)*suffix));

		if (!at || !*at ||
		    (suffix[1] && strcmp(suffix + 1, "iB") && strcmp(suffix + 1, "B")))
			return false;
		for (const char *p = suffixes; p <= at; p++)
			if (__builtin_mul_overflow(v, 1024, &v))
				return false;
	}
	*(int64_t *)member = v;
	return true;
}

static bool store_ms(const struct option_row *row, void *member, const char *arg)
{
	int64_t v;

	(void)row;
	if (!number_parse(arg, 10, 60000, &v))
		return false;
	*(int *)member = (int)v;
	return true;
}

static bool store_mode(const struct option_row *row, void *member, const char *arg)
{
	char *end;
	unsigned long v = strtoul(arg, &end, 8);

	(void)row;
	if (!isdigit((unsigned char)*arg) || *end || v > 0777)
		return false;
	*(unsigned *)member = (unsigned)v;
	return true;
}

static bool store_since(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	return time_parse(arg, tr2_clock_wall(), member);
}

static bool store_texts(const struct option_row *row, void *member, const char *arg)
{
	struct option_texts *texts = member;

	(void)row;
	if (!*arg || texts->nr == OPTION_MAX_TEXTS)
		return false;
	texts->text[texts->nr++] = arg;
	return true;
}

static bool store_replay(const struct option_row *row, void *member, const char *arg)
{
	struct replay_pace *pace = member;
	char *end;

	(void)row;
	if (!isdigit((unsigned char)*arg))
		return false;
	pace->speed = strtod(arg, &end);
	end += *end == 'x';
	pace->exact = *end == '!';
	end += *end == '!';
	return !*end && pace->speed >= REPLAY_SLOWEST && pace->speed <= REPLAY_FASTEST;
}

static bool store_screen(const struct option_row *row, void *member, const char *arg)
{
	struct option_size *size = member;
	int used = 0;

	(void)row;
	return sscanf(arg, "%4dx%4d%n", &size->cols, &size->rows, &used) == 2 && !arg[used] &&
	       size->cols >= 1 && size->rows >= 1 && size->cols <= 1000 && size->rows <= 1000;
}

static void format_truth(const struct option_row *row, const void *member, char *out, size_t bytes)
{
	(void)row;
	snprintf(out, bytes, "%s", *(const bool *)member ? "yes" : "no");
}

static void format_word(const struct option_row *row, const void *member, char *out, size_t bytes)
{
	const char *help, *word;
	size_t len;

	word = option_word(row, *(const int *)member, &len, &help);
	snprintf(out, bytes, "%.*s", word ? (int)len : 0, word ? word : "");
}

static void format_words(const struct option_row *row, const void *member, char *out, size_t bytes)
{
	uint64_t bits = *(const uint64_t *)member;
	const char *help, *word;
	size_t len, at = 0;

	snprintf(out, bytes, "none");
	for (int i = 0; (word = option_word(row, i, &len, &help)) && at < bytes; i++)
		if (bits >> i & 1)
			at += (size_t)snprintf(out + at, bytes - at, "%s%.*s", at ? " " : "",
					       (int)len, word);
}

static void format_number(const struct option_row *row, const void *member, char *out, size_t bytes)
{
	int64_t v = *(const int64_t *)member;

	if (v < 0)
		snprintf(out, bytes, "%s", row->type == &option_type_LIMIT ? "all" : "auto");
	else
		snprintf(out, bytes, "%" PRId64, v);
}

static void format_size(const struct option_row *row, const void *member, char *out, size_t bytes)
{
	static const char suffixes[] = { 0, 'K', 'M', 'G', 'T' };
	int64_t v = *(const int64_t *)member;
	size_t suffix = 0;

	if (v <= 0) {
		format_number(row, member, out, bytes);
		return;
	}
	while (v % 1024 == 0 && suffix + 1 < sizeof(suffixes)) {
		v /= 1024;
		suffix++;
	}
	snprintf(out, bytes, "%" PRId64 "%.1s", v, suffix ? &suffixes[suffix] : "");
}

static void format_ms(const struct option_row *row, const void *member, char *out, size_t bytes)
{
	(void)row;
	snprintf(out, bytes, "%d", *(const int *)member);
}

static void step_truth(const struct option_row *row, void *member, int step)
{
	(void)row;
	(void)step;
	*(bool *)member = !*(bool *)member;
}

static void step_word(const struct option_row *row, void *member, int step)
{
	int nr = 0, *value = member;
	const char *help;
	size_t len;

	while (option_word(row, nr, &len, &help))
		nr++;
	for (int i = 0; i < nr; i++) {
		*value = (*value + step + nr) % nr;
		option_word(row, *value, &len, &help);
		if (len)
			return;
	}
}

/* Replace the first selected word by the next (`step` 1) or previous one. "No word" is between the
 * last word and the first. */
static void step_words(const struct option_row *row, void *member, int step)
{
	uint64_t *bits = member, first = *bits & -*bits;
	const char *help;
	size_t len;
	int nr = 0, at = first ? __builtin_ctzll(first) : -1;

	while (option_word(row, nr, &len, &help))
		nr++;
	*bits &= ~first;
	at = (at + 1 + step + nr + 1) % (nr + 1) - 1;
	*bits |= at < 0 ? 0 : 1ull << at;
}

/* The values in order: "all", 0, 1 ... 32. */
static void step_limit(const struct option_row *row, void *member, int step)
{
	int64_t v = *(int64_t *)member + step;

	(void)row;
	*(int64_t *)member = v < LIMIT_ALL ? 32 : v > 32 ? LIMIT_ALL : v;
}

/* Double or halve a value. The default (-1) is before the lowest value. */
static int64_t doubled(int64_t v, int step, int64_t lowest, int64_t highest)
{
	if (v < 0)
		return step > 0 ? lowest : highest;
	v = step > 0 ? (v > highest / 2 ? highest : v * 2) : v / 2;
	return v < lowest ? -1 : v;
}

static void step_count(const struct option_row *row, void *member, int step)
{
	(void)row;
	*(int64_t *)member = doubled(*(int64_t *)member, step, 625, 10000 << 10);
}

static void step_size(const struct option_row *row, void *member, int step)
{
	(void)row;
	*(int64_t *)member = doubled(*(int64_t *)member, step, 1 << 20, 64ll << 30);
}

static void step_ms(const struct option_row *row, void *member, int step)
{
	static const int values[] = { 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 60000 };
	const int nr = sizeof(values) / sizeof(*values);
	int *ms = member, at = 0;

	(void)row;
	if (step > 0) {
		while (at < nr - 1 && values[at] <= *ms)
			at++;
	} else {
		at = nr - 1;
		while (at > 0 && values[at] >= *ms)
			at--;
	}
	*ms = values[at];
}

#define TYPE(kind, store_, say_, step_, wants_)                                                    \
	const struct option_type option_type_##kind = { store_, say_, step_, wants_ };
#include "monitor/settings/option_types.def"
