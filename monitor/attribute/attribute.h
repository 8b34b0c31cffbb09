/* SPDX-License-Identifier: MIT */
/* The attributes of a process (attributes.def). Loop thread. */
#ifndef MONITOR_ATTRIBUTE_H
#define MONITOR_ATTRIBUTE_H

#include "monitor/base/value.h"
#include "monitor/model/model.h"

enum attribute {
#define ATTRIBUTE(ID, word, type, rows, doc, values) ATTRIBUTE_##ID,
#include "monitor/attribute/attributes.def"
	NR_ATTRIBUTES
};

enum attribute_type {
	ATTRIBUTE_TYPE_TEXT,
	ATTRIBUTE_TYPE_NUMBER,
	ATTRIBUTE_TYPE_DURATION,
	ATTRIBUTE_TYPE_TIME,
	ATTRIBUTE_TYPE_STATE,
	ATTRIBUTE_TYPE_FLAG,
};

enum attribute_state_number {
#define ATTRIBUTE_STATE(ID, word) ATTRIBUTE_STATE_NR_##ID,
#include "monitor/attribute/states.def"
	NR_ATTRIBUTE_STATES
};

/* Bits of a value of type STATE. */
enum attribute_state {
#define ATTRIBUTE_STATE(ID, word) ATTRIBUTE_STATE_##ID = 1 << ATTRIBUTE_STATE_NR_##ID,
#include "monitor/attribute/states.def"
};

struct attribute_desc {
	const char *word, *doc;
	uint8_t type; /* enum attribute_type */
};

extern const struct attribute_desc attributes[NR_ATTRIBUTES];

/*
 * Call `visit` for each known value of an attribute until it returns true. Returns the result of
 * the last call, false without one. The model must be settled.
 */
bool attribute_visit(const struct model *model, const struct process *process,
		     enum attribute attribute, value_visit *visit, void *data);

/*
 * Get the first value of an attribute. Returns false if it is not known. Text is borrowed from the
 * model; not for attributes whose text is composed (ARGV, USER), which need attribute_visit().
 */
bool attribute_get(const struct model *model, const struct process *process,
		   enum attribute attribute, struct value *out);

#endif
