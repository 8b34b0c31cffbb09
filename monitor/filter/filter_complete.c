/* SPDX-License-Identifier: MIT */
/* Completion of a filter while you type. */
#include "config.h"
#include "monitor/filter/filter_priv.h"

#include <ctype.h>
#include <string.h>

#include "monitor/base/secrets.h"

/* The word that is completed, and the callback for completions. */
struct completing {
	const struct filter_offers *offers;
	const char *prefix;
	size_t len;
	struct tr2_buf shown; /* copy of a value with a password hidden */
};

static void offer_word(const struct completing *c, const char *word)
{
	if (!strncmp(word, c->prefix, c->len))
		c->offers->offer(c->offers->data, word);
}

/* Offer a value as completion, quoted if necessary. Long values are left out. */
static bool offer_value(void *data, const struct value *given)
{
	struct completing *c = data;
	struct value shown = *given, *value = &shown;
	char word[128];
	size_t len = 0;
	bool quote = !given->len;

	if (shown.len)
		shown.text = secrets_hide(&c->shown, shown.text, &shown.len);
	if (value->len > sizeof(word) / 2 - 3 || value->len < c->len ||
	    memcmp(value->text, c->prefix, c->len))
		return false;
	for (size_t i = 0; i < value->len; i++)
		quote |= !filter_is_word_byte(value->text[i]);
	if (quote)
		word[len++] = '"';
	for (size_t i = 0; i < value->len; i++) {
		if (value->text[i] == '"' || value->text[i] == '\\')
			word[len++] = '\\';
		word[len++] = value->text[i];
	}
	if (quote)
		word[len++] = '"';
	word[len] = '\0';
	c->offers->offer(c->offers->data, word);
	return false;
}

/* Return the field before the operator that ends at `end`; FILTER_NONE without an
 * operator or field. */
static enum filter_field field_before(const char *text, size_t end, bool *is_value)
{
	size_t from = end;

	while (from && strchr("=!~<>", text[from - 1]))
		from--;
	*is_value = from < end;
	while (from && isspace((unsigned char)text[from - 1]))
		from--;
	for (end = from; from && filter_is_word_byte(text[from - 1]);)
		from--;
	return *is_value ? filter_field_find(text + from, end - from) : FILTER_NONE;
}

static void offer_values(struct completing *c, enum filter_field field)
{
	const struct filter_offers *offers = c->offers;

	if (!filter_has_field(offers->rows, field))
		return;
	if (filter_fields[field].type == ATTRIBUTE_TYPE_STATE)
		for (size_t i = 0; i < NR_ATTRIBUTE_STATES; i++)
			offer_word(c, filter_states[i].word);
	else if (filter_fields[field].type == ATTRIBUTE_TYPE_TEXT && offers->values)
		offers->values(offers->subject, field, offer_value, c);
}

size_t filter_complete(const char *text, size_t cursor, const struct filter_offers *offers)
{
	static const char *const joins[] = { "and", "or", "not" };
	struct completing c = { .offers = offers, .shown = SECRETS_COPY };
	size_t from = cursor, before;
	bool is_value;
	enum filter_field field;

	while (from && filter_is_word_byte(text[from - 1]))
		from--;
	for (before = from; before && isspace((unsigned char)text[before - 1]);)
		before--;
	c.prefix = text + from;
	c.len = cursor - from;
	field = field_before(text, before, &is_value);
	if (is_value) {
		offer_values(&c, field);
		tr2_buf_release(&c.shown);
		return from;
	}
	for (int i = FILTER_NONE + 1; i < NR_FILTER_FIELDS; i++)
		if (filter_has_field(offers->rows, (enum filter_field)i))
			offer_word(&c, filter_fields[i].name);
	for (size_t i = 0; i < sizeof(joins) / sizeof(joins[0]); i++)
		offer_word(&c, joins[i]);
	return from;
}
