/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_VALUE_H
#define MONITOR_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

/*
 * A value of an attribute or filter field: text for types TEXT and VALUE, else a number:
 * nanoseconds for DURATION and TIME, bits for STATE, 0 or 1 for FLAG. A STATE also has a text. If
 * an attribute has one value per key, the value also has its key.
 */
struct value {
	const char *text;
	size_t len;
	int64_t number;
	/* category of the key; NULL: none */
	const char *category, *key;
	size_t category_len, key_len;
};

/* Callback for a value, which is valid during the call. Returns true to stop. */
typedef bool value_visit(void *data, const struct value *value);

static inline bool value_give_text(value_visit *visit, void *data, const char *text, size_t len)
{
	return visit(data, &(struct value){ .text = text, .len = len });
}

/* Call `visit` with a number, unless it is NUM_NONE or NS_NONE (the same number). */
static inline bool value_give_number(value_visit *visit, void *data, int64_t number)
{
	return number != NS_NONE && visit(data, &(struct value){ .number = number });
}

#endif
