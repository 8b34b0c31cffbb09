/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/format_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "engine/base/utf8.h"
#include "monitor/base/humanize.h"
#include "monitor/base/secrets.h"

bool is_child_class(const struct model *model, sym_t class_name)
{
	size_t len;
	const char *text = model_sym(model, class_name, &len);

	return class_name != SYM_NONE && !(len == 1 && *text == '?');
}

void format_symbol(const struct model *model, sym_t sym, struct tr2_buf *out)
{
	size_t len;
	const char *text = model_sym(model, sym, &len);

	secrets_add(out, text, len, SAY_MAX_BYTES / 4);
}

void format_term(const struct model *model, const char *field, sym_t value, struct tr2_buf *out)
{
	size_t len;
	const char *text = model_sym(model, value, &len);

	if (value != SYM_NONE)
		format_term_text(field, text, len, out);
}

static void format_hidden_quoted(const char *text, size_t len, struct tr2_buf *out)
{
	struct tr2_buf copy = SECRETS_COPY;

	text = secrets_hide(&copy, text, &len);
	tr2_buf_addch(out, '"');
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"' || text[i] == '\\')
			tr2_buf_addch(out, '\\');
		tr2_buf_addch(out, text[i]);
	}
	tr2_buf_addch(out, '"');
	tr2_buf_release(&copy);
}

void format_term_text(const char *field, const char *text, size_t len, struct tr2_buf *out)
{
	tr2_buf_addf(out, "%s%s = ", out->len ? " and " : "", field);
	format_hidden_quoted(text, len, out);
}

static void format_attribute_field(const struct attribute_ref *ref, struct tr2_buf *out)
{
	struct tr2_buf key;
	const char *text;

	tr2_buf_addstr(out, attributes[ref->attribute].word);
	if (!ref->key)
		return;
	tr2_buf_addch(out, ' ');
	tr2_buf_init(&key, SIZE_MAX / 2);
	attribute_format_key(ref, &key);
	text = tr2_buf_cstr(&key);
	/* without quotes, a key needs a dot or slash to differ from the name of a field */
	if (strcspn(text, "()=!~<>\"\\ \t\n") == key.len && strpbrk(text, "./"))
		tr2_buf_add(out, text, key.len);
	else
		format_hidden_quoted(text, key.len, out);
	tr2_buf_release(&key);
}

void format_attribute_term(const struct attribute_ref *ref, const struct value *value,
			   struct tr2_buf *out)
{
	const struct attribute_desc *desc = &attributes[ref->attribute];

	switch (desc->type) {
	case ATTRIBUTE_TYPE_TEXT:
	case ATTRIBUTE_TYPE_VALUE:
		tr2_buf_addstr(out, value ? "" : "not ");
		format_attribute_field(ref, out);
		tr2_buf_addstr(out, value ? " = " : " ~ \"\"");
		if (value)
			format_hidden_quoted(value->text, value->len, out);
		break;
	case ATTRIBUTE_TYPE_STATE:
		if (value)
			tr2_buf_addf(out, "%s = %.*s", desc->word, (int)value->len, value->text);
		break;
	case ATTRIBUTE_TYPE_NUMBER:
		tr2_buf_addstr(out, value ? "" : "not ");
		format_attribute_field(ref, out);
		/* an absent number matches no comparison, so only processes without the number
		 * match `not FIELD >= SMALLEST` */
		tr2_buf_addf(out, value ? " = %" PRId64 : " >= %" PRId64,
			     value ? value->number : -INT64_MAX);
		break;
	case ATTRIBUTE_TYPE_FLAG:
		if (value && value->number)
			tr2_buf_addstr(out, desc->word);
		break;
	default:
		break;
	}
}

void format_region(const struct model *model, sym_t category, sym_t label, struct tr2_buf *out)
{
	if (category == SYM_NONE)
		tr2_buf_addch(out, '?');
	format_symbol(model, category, out);
	tr2_buf_addch(out, '/');
	if (label == SYM_NONE)
		tr2_buf_addch(out, '?');
	format_symbol(model, label, out);
}

void format_died_in(const struct model *model, const struct open_region *region,
		    struct tr2_buf *out)
{
	tr2_buf_addstr(out, DIED_IN);
	format_region(model, region->category, region->label, out);
}

void format_strings(const struct model *model, const struct strings *strings, uint32_t from,
		    struct tr2_buf *out)
{
	struct strings_cursor cursor = strings_begin(model, strings);
	const char *item;
	size_t len;

	for (uint32_t i = 0; out->len < SAY_MAX_BYTES / 2 && (item = strings_next(&cursor, &len));
	     i++) {
		/* the only item of a list is a command line if it has spaces */
		bool quoted = !len || (strings->nr > 1 && memchr(item, ' ', len));
		char quote = len && memchr(item, '\'', len) && !memchr(item, '"', len) ? '"' : '\'';

		if (i < from)
			continue;
		if (i > from)
			tr2_buf_addch(out, ' ');
		if (quoted)
			tr2_buf_addch(out, quote);
		secrets_add(out, item, len, SAY_MAX_BYTES / 4);
		if (quoted)
			tr2_buf_addch(out, quote);
	}
}

/* True if the word needs no quotes in a shell. The first word needs quotes if it has '='. */
static bool shell_item_is_plain(const char *item, size_t len, bool is_first)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)item[i]) &&
		    !memchr("@%_+:,./-=", item[i], is_first ? 9 : 10))
			return false;
	return len != 0;
}

/* True if the word is UTF-8 without control characters of ASCII. Other words are printed as $'...'
 * (bash, ksh, zsh, POSIX since 2024). */
static bool shell_item_is_text(const char *item, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)item[i] < ' ' || item[i] == 0x7f)
			return false;
	return tr2_utf8_valid_prefix(item, len) == len;
}

static void format_quoted(const char *item, size_t len, struct tr2_buf *out)
{
	bool text = shell_item_is_text(item, len);

	tr2_buf_addstr(out, text ? "'" : "$'");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)item[i];

		if (text && c == '\'')
			tr2_buf_addstr(out, "'\\''");
		else if (!text && (c < ' ' || c >= 0x7f))
			tr2_buf_addf(out, "\\%03o", c);
		else if (!text && (c == '\'' || c == '\\'))
			tr2_buf_addf(out, "\\%c", c);
		else
			tr2_buf_addch(out, (char)c);
	}
	tr2_buf_addch(out, '\'');
}

void format_shell(const struct model *model, const struct strings *strings, struct tr2_buf *out)
{
	struct strings_cursor cursor = strings_begin(model, strings);
	struct tr2_buf copy = SECRETS_COPY;
	bool is_first = true;
	const char *item;
	size_t len;

	while (out->len < SAY_MAX_BYTES / 2 && (item = strings_next(&cursor, &len))) {
		item = secrets_hide(&copy, item, &len);
		len = len < SAY_MAX_BYTES / 8 ? len : SAY_MAX_BYTES / 8;
		if (!is_first)
			tr2_buf_addch(out, ' ');
		if (shell_item_is_plain(item, len, is_first))
			tr2_buf_add(out, item, len);
		else
			format_quoted(item, len, out);
		is_first = false;
	}
	tr2_buf_release(&copy);
}

void format_date(ns_t wall, ns_t now, struct tr2_buf *out)
{
	time_t seconds = (time_t)(wall / NS_PER_SEC), today = (time_t)(now / NS_PER_SEC);
	struct tm tm, tm_now;
	char text[32];

	if (wall == NS_NONE || wall < 0 || !localtime_r(&seconds, &tm) ||
	    !localtime_r(&today, &tm_now) ||
	    (tm.tm_yday == tm_now.tm_yday && tm.tm_year == tm_now.tm_year))
		return;
	strftime(text, sizeof(text), "%Y-%m-%d ", &tm);
	tr2_buf_addstr(out, text);
}

void format_time(ns_t wall, bool millis, struct tr2_buf *out)
{
	time_t seconds = (time_t)(wall / NS_PER_SEC);
	struct tm tm;
	char text[32];

	if (wall == NS_NONE || wall < 0 || !localtime_r(&seconds, &tm)) {
		tr2_buf_addch(out, '-');
		return;
	}
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	tr2_buf_addstr(out, text);
	if (millis)
		tr2_buf_addf(out, ".%03d", (int)(wall % NS_PER_SEC / NS_PER_MS));
}

void format_cut(const char *text, size_t len, size_t max, struct tr2_buf *out)
{
	size_t begin = out->len;

	if (secrets_add(out, text, len, max) <= max)
		return;
	/* remove the last character unless it is ASCII: the end of the character may have been cut
	 * off */
	while (out->len > begin && (out->data[out->len - 1] & 0xc0) == 0x80)
		out->len--;
	if (out->len > begin && (out->data[out->len - 1] & 0x80))
		out->len--;
	tr2_buf_addstr(out, "…");
}

void format_duration(ns_t ns, struct tr2_buf *out)
{
	tr2_buf_addstr(out, human_duration(ns).text);
}

void format_count(uint64_t count, struct tr2_buf *out)
{
	tr2_buf_addstr(out, human_count(count).text);
}

void format_times(uint64_t count, struct tr2_buf *out)
{
	format_count(count, out);
	tr2_buf_addstr(out, count == 1 ? " time" : " times");
}

void format_runs(uint64_t count, struct tr2_buf *out)
{
	tr2_buf_addf(out, "%" PRIu64 " run%s", count, count == 1 ? "" : "s");
}
