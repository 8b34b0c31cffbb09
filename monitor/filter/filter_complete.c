/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/filter/filter_priv.h"

#include <ctype.h>
#include <string.h>

#include "monitor/base/secrets.h"

struct completing {
	const struct filter_offers *offers;
	const char *prefix;
	size_t len;
	struct tr2_buf shown;
	struct attribute_ref ref; /* if `ref.key` is set, only values with this key are offered */
};

static void offer_word(const struct completing *c, const char *word)
{
	if (!strncmp(word, c->prefix, c->len))
		c->offers->offer(c->offers->data, word);
}

/* Callback: offer a value of at most 61 bytes that begins with the typed word, quoted if
 * necessary. */
static bool offer_value(void *data, const struct value *given)
{
	struct completing *c = data;
	struct value shown = *given, *value = &shown;
	char word[128];
	size_t len = 0;
	bool quote = !given->len;

	if (c->ref.key && !attribute_is_key(&c->ref, given))
		return false;
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

static bool offer_key(void *data, const struct value *given)
{
	struct tr2_buf key;

	tr2_buf_init(&key, SIZE_MAX / 2);
	if (given->category) {
		tr2_buf_add(&key, given->category, given->category_len);
		tr2_buf_addch(&key, '/');
	}
	tr2_buf_add(&key, given->key, given->key_len);
	offer_value(data, &(struct value){ .text = tr2_buf_cstr(&key), .len = key.len });
	tr2_buf_release(&key);
	return false;
}

/* Move `*end` back over blanks, and return the start of the word that ends there. */
static size_t filter_word_before(const char *text, size_t *end)
{
	size_t from;

	while (*end && isspace((unsigned char)text[*end - 1]))
		--*end;
	for (from = *end; from && filter_is_word_byte(text[from - 1]);)
		from--;
	return from;
}

/*
 * Return the field before the operator that ends at `end`, and set its key in `c->ref`;
 * FILTER_NONE: none. `*is_value`: whether there is an operator.
 */
static enum filter_field field_before(const char *text, size_t end, struct completing *c,
				      bool *is_value)
{
	size_t from = end, before;
	enum filter_field field;

	while (from && strchr("=!~<>", text[from - 1]))
		from--;
	*is_value = from < end;
	if (!*is_value)
		return FILTER_NONE;
	end = from;
	from = filter_word_before(text, &end);
	field = filter_field_find(text + from, end - from);
	if (field != FILTER_NONE || from == end)
		return field;
	before = from;
	before = filter_word_before(text, &from);
	field = filter_keyed_field_find(text + before, from - before);
	c->ref.attribute = filter_attribute(field);
	before = from;
	while (isspace((unsigned char)text[before]))
		before++;
	if (field != FILTER_NONE && !attribute_set_key(&c->ref, text + before, end - before))
		return FILTER_NONE;
	return field;
}

static void offer_values(struct completing *c, enum filter_field field)
{
	const struct filter_offers *offers = c->offers;

	if (!filter_has_field(offers->rows, field))
		return;
	if (filter_fields[field].type == ATTRIBUTE_TYPE_STATE)
		for (size_t i = 0; i < NR_ATTRIBUTE_STATES; i++)
			offer_word(c, filter_states[i].word);
	else if ((filter_fields[field].type == ATTRIBUTE_TYPE_TEXT ||
		  filter_fields[field].type == ATTRIBUTE_TYPE_VALUE) &&
		 offers->values)
		offers->values(offers->subject, field, offer_value, c);
}

/* If the word that ends at `end` is a field of the rows with keys, offer the keys of current values
 * and return true. */
static bool offer_keys(struct completing *c, const char *text, size_t end)
{
	size_t from = filter_word_before(text, &end);
	enum filter_field field = filter_keyed_field_find(text + from, end - from);

	if (!filter_has_field(c->offers->rows, field))
		return false;
	if (c->offers->values)
		c->offers->values(c->offers->subject, field, offer_key, c);
	return true;
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
	field = field_before(text, before, &c, &is_value);
	if (is_value)
		offer_values(&c, field);
	if (is_value || (before < from && offer_keys(&c, text, before))) {
		tr2_buf_release(&c.shown);
		return from;
	}
	for (int i = FILTER_NONE + 1; i < NR_FILTER_FIELDS; i++)
		/* offer a name once that a field with a key and one without share, such as
		 * `param` */
		if (filter_has_field(offers->rows, (enum filter_field)i) &&
		    !(filter_fields[i].key &&
		      filter_has_field(offers->rows,
				       filter_field_find(filter_fields[i].name,
							 strlen(filter_fields[i].name)))))
			offer_word(&c, filter_fields[i].name);
	for (size_t i = 0; i < sizeof(joins) / sizeof(joins[0]); i++)
		offer_word(&c, joins[i]);
	return from;
}
