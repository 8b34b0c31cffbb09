/* SPDX-License-Identifier: MIT */
/*
 * The attributes of one span or resource in OTLP/JSON: unique keys with typed values. A later value
 * of a key replaces the earlier one. Attributes above a limit are dropped. Used by one thread.
 */
#ifndef MONITOR_OTLP_ATTRIBUTES_H
#define MONITOR_OTLP_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/clock.h"
#include "monitor/event/batch.h"

#define OTLP_MAX_ATTRIBUTES      256
#define OTLP_MAX_ATTRIBUTE_BYTES (1u << 20)

struct otlp_attributes {
	struct tr2_buf text; /* private: JSON objects */
	struct otlp_attribute {
		uint64_t key; /* hash of the key */
		uint32_t at, len;
	} * items; /* private */
	uint32_t nr, cap;
	uint32_t dropped; /* ro: number of attributes dropped because of a limit */
	/* rw: add attributes without a limit */
	bool all;
	size_t *held; /* private: number of bytes of several sets; may be NULL */
};

/* Initialise a set. `held` may be NULL; `*held` counts the bytes of all sets that share it, and
 * must outlive them. */
void otlp_attributes_init(struct otlp_attributes *attributes, size_t *held);
void otlp_attributes_release(struct otlp_attributes *attributes);

void otlp_attribute_text(struct otlp_attributes *attributes, const char *key, const char *value,
			 size_t len);
void otlp_attribute_int(struct otlp_attributes *attributes, const char *key, int64_t value);
void otlp_attribute_true(struct otlp_attributes *attributes, const char *key);
void otlp_attribute_seconds(struct otlp_attributes *attributes, const char *key, ns_t value);
/* Add an array of strings from a LIST field of a batch. */
void otlp_attribute_list(struct otlp_attributes *attributes, const char *key,
			 const struct batch *batch, int64_t list);
/* Add a LIST field of a batch as one string that contains a JSON array. */
void otlp_attribute_list_text(struct otlp_attributes *attributes, const char *key,
			      const struct batch *batch, int64_t list);
/* Add an integer if the text is an integer in canonical form, else a string. */
void otlp_attribute_value(struct otlp_attributes *attributes, const char *key, const char *value,
			  size_t len);
/* otlp_attributes_mark() lifts the limits of a set. otlp_attributes_rewind() restores the limits
 * and removes the attributes added since then, which must have new keys. */
struct otlp_mark {
	uint32_t nr, dropped;
	size_t len;
};
static inline struct otlp_mark otlp_attributes_mark(struct otlp_attributes *attributes)
{
	attributes->all = true;
	return (struct otlp_mark){ attributes->nr, attributes->dropped, attributes->text.len };
}
static inline void otlp_attributes_rewind(struct otlp_attributes *attributes, struct otlp_mark to)
{
	attributes->all = false;
	attributes->nr = to.nr;
	attributes->dropped = to.dropped;
	if (attributes->held)
		*attributes->held -= attributes->text.len - to.len;
	attributes->text.len = to.len;
}

/* Append `before`, `"attributes":[...]` and, if attributes were dropped,
 * `,"droppedAttributesCount":N`; nothing if there are no attributes. */
void otlp_attributes_write(const struct otlp_attributes *attributes, const char *before,
			   struct tr2_buf *out);

/* Append a JSON string for a text that may contain any bytes. */
void otlp_string(struct tr2_buf *out, const char *text, size_t len);

#endif
