/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/otlp_attributes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/base/jw.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"

void otlp_string(struct tr2_buf *out, const char *text, size_t len)
{
	struct tr2_jw jw;

	tr2_jw_init(&jw, out, 0);
	tr2_jw_string(&jw, text, len);
}

void otlp_attributes_init(struct otlp_attributes *a, size_t *held)
{
	*a = (struct otlp_attributes){ .held = held };
	tr2_buf_init(&a->text, SIZE_MAX / 2);
}

void otlp_attributes_release(struct otlp_attributes *a)
{
	if (a->held)
		*a->held -= a->text.len;
	tr2_buf_release(&a->text);
	free(a->items);
	*a = (struct otlp_attributes){ 0 };
}

static struct otlp_attribute *otlp_attributes_find(const struct otlp_attributes *a, uint64_t key)
{
	for (uint32_t i = 0; i < a->nr; i++)
		if (a->items[i].key == key)
			return &a->items[i];
	return NULL;
}

/* Begin an attribute. Returns NULL if a limit is reached. */
static struct otlp_attribute *otlp_attributes_begin(struct otlp_attributes *a, const char *key,
						    const char *type)
{
	size_t len = strlen(key);
	uint64_t hash = tr2_hash(key, len);
	struct otlp_attribute *item = otlp_attributes_find(a, hash);

	if (!a->all &&
	    ((!item && a->nr >= OTLP_MAX_ATTRIBUTES) || a->text.len > OTLP_MAX_ATTRIBUTE_BYTES)) {
		a->dropped++;
		return NULL;
	}
	if (!item) {
		GROW(a->items, a->nr, a->cap, 8);
		item = &a->items[a->nr++];
		item->key = hash;
	}
	item->at = (uint32_t)a->text.len;
	tr2_buf_addstr(&a->text, "{\"key\":");
	otlp_string(&a->text, key, len);
	tr2_buf_addstr(&a->text, ",\"value\":{\"");
	tr2_buf_addstr(&a->text, type);
	tr2_buf_addstr(&a->text, "\":");
	return item;
}

static void otlp_attributes_end(struct otlp_attributes *a, struct otlp_attribute *item)
{
	tr2_buf_addstr(&a->text, "}}");
	item->len = (uint32_t)(a->text.len - item->at);
	if (a->held)
		*a->held += item->len;
	if (a->text.failed)
		die_of_memory(a->text.len);
}

void otlp_attribute_text(struct otlp_attributes *a, const char *key, const char *value, size_t len)
{
	struct otlp_attribute *item = otlp_attributes_begin(a, key, "stringValue");

	if (!item)
		return;
	otlp_string(&a->text, value, len);
	otlp_attributes_end(a, item);
}

void otlp_attribute_int(struct otlp_attributes *a, const char *key, int64_t value)
{
	struct otlp_attribute *item = otlp_attributes_begin(a, key, "intValue");

	if (!item)
		return;
	tr2_buf_addstr(&a->text, value < 0 ? "\"-" : "\"");
	tr2_buf_addu(&a->text, value < 0 ? -(uint64_t)value : (uint64_t)value, 1);
	tr2_buf_addch(&a->text, '"');
	otlp_attributes_end(a, item);
}

void otlp_attribute_true(struct otlp_attributes *a, const char *key)
{
	struct otlp_attribute *item = otlp_attributes_begin(a, key, "boolValue");

	if (!item)
		return;
	tr2_buf_addstr(&a->text, "true");
	otlp_attributes_end(a, item);
}

void otlp_attribute_seconds(struct otlp_attributes *a, const char *key, ns_t value)
{
	struct otlp_attribute *item = otlp_attributes_begin(a, key, "doubleValue");
	struct tr2_jw jw;

	if (!item)
		return;
	tr2_jw_init(&jw, &a->text, 0);
	tr2_jw_seconds(&jw, value);
	otlp_attributes_end(a, item);
}

void otlp_attribute_list(struct otlp_attributes *a, const char *key, const struct batch *batch,
			 int64_t list)
{
	struct otlp_attribute *item = otlp_attributes_begin(a, key, "arrayValue");
	int64_t at;
	uint32_t nr;

	if (!item)
		return;
	tr2_buf_addstr(&a->text, "{\"values\":[");
	nr = batch_list(batch, list, &at);
	for (uint32_t i = 0; i < nr; i++, at = batch_list_next(batch, at)) {
		size_t len;
		const char *text = batch_text(batch, at, &len);

		tr2_buf_addstr(&a->text, i ? ",{\"stringValue\":" : "{\"stringValue\":");
		otlp_string(&a->text, text, len);
		tr2_buf_addch(&a->text, '}');
	}
	tr2_buf_addstr(&a->text, "]}");
	otlp_attributes_end(a, item);
}

void otlp_attribute_list_text(struct otlp_attributes *a, const char *key, const struct batch *batch,
			      int64_t list)
{
	struct tr2_buf json;
	struct tr2_jw jw;
	int64_t at;

	tr2_buf_init(&json, SIZE_MAX / 2);
	tr2_jw_init(&jw, &json, 0);
	jw.tight = true;
	tr2_jw_array(&jw);
	for (uint32_t nr = batch_list(batch, list, &at); nr; nr--) {
		size_t len;
		const char *text = batch_text(batch, at, &len);

		tr2_jw_string(&jw, text, len);
		at = batch_list_next(batch, at);
	}
	tr2_jw_end_array(&jw);
	otlp_attribute_text(a, key, json.data, json.len);
	tr2_buf_release(&json);
}

/* Parse a decimal integer of at most 63 bits and a sign, without leading zeros. */
static bool is_int(const char *text, size_t len, int64_t *value)
{
	size_t at = len && *text == '-';
	int64_t v = 0;

	if (at == len || (text[at] == '0' && len > 1))
		return false;
	for (; at < len; at++) {
		if (text[at] < '0' || text[at] > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, text[at] - '0', &v))
			return false;
	}
	*value = *text == '-' ? -v : v;
	return true;
}

void otlp_attribute_value(struct otlp_attributes *a, const char *key, const char *value, size_t len)
{
	int64_t number;

	if (is_int(value, len, &number))
		otlp_attribute_int(a, key, number);
	else
		otlp_attribute_text(a, key, value, len);
}

void otlp_attributes_write(const struct otlp_attributes *a, const char *before, struct tr2_buf *out)
{
	if (!a->nr)
		return;
	tr2_buf_addstr(out, before);
	tr2_buf_addstr(out, "\"attributes\":[");
	for (uint32_t i = 0; i < a->nr; i++) {
		if (i)
			tr2_buf_addch(out, ',');
		tr2_buf_add(out, a->text.data + a->items[i].at, a->items[i].len);
	}
	tr2_buf_addch(out, ']');
	if (a->dropped)
		tr2_buf_addf(out, ",\"droppedAttributesCount\":%" PRIu32, a->dropped);
	if (out->failed)
		die_of_memory(out->len);
}
