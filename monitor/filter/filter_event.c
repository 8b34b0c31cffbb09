/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/filter/filter_event.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/schema.h"
#include "monitor/event/event_json.h"
#include "monitor/filter/filter_process.h"

/* Return the field of an event (TR2_F_*) that has the value of a filter field; TR2_NR_FIELDS:
 * none. */
static unsigned own_key(enum filter_field field)
{
	switch (field) {
	case FILTER_THREAD:
		return TR2_F_THREAD;
	case FILTER_CATEGORY:
		return TR2_F_CATEGORY;
	case FILTER_LABEL:
		return TR2_F_LABEL;
	case FILTER_KEY:
		return TR2_F_KEY;
	case FILTER_VALUE:
		return TR2_F_VALUE;
	case FILTER_MESSAGE:
		return TR2_F_MSG;
	case FILTER_PARAM:
		return TR2_F_PARAM;
	case FILTER_CODE:
		return TR2_F_CODE;
	case FILTER_NESTING:
		return TR2_F_NESTING;
	case FILTER_T_REL:
		return TR2_F_T_REL;
	case FILTER_T_ABS:
		return TR2_F_T_ABS;
	case FILTER_TIME:
		return TR2_F_TIME;
	default:
		return TR2_NR_FIELDS;
	}
}

static bool give_own(const struct model *model, const struct batch *batch, const struct event *ev,
		     unsigned key, value_visit *visit, void *data)
{
	const char *text;
	size_t len;

	switch (tr2_fields[key].type) {
	case TR2_TYPE_SYM:
		text = model_sym(model, (sym_t)ev->v[key], &len);
		return value_give_text(visit, data, text, len);
	case TR2_TYPE_TEXT:
		text = batch_text(batch, ev->v[key], &len);
		return value_give_text(visit, data, text, len);
	default:
		return value_give_number(visit, data, ev->v[key]);
	}
}

/* Visit the number of a counter event as text, because the field `value` is a text. */
static bool give_count(const struct event *ev, value_visit *visit, void *data)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, ev->v[TR2_F_COUNT]);
	return value_give_text(visit, data, text, strlen(text));
}

bool filter_event_value(const struct model *model, const struct process *process,
			const struct batch *batch, const struct event *ev, enum filter_field field,
			value_visit *visit, void *data)
{
	unsigned key = own_key(field);
	const char *name;
	size_t len;

	if (field == FILTER_EVENT) {
		name = event_name(model_syms(model), ev, &len);
		return value_give_text(visit, data, name, len);
	}
	if (field == FILTER_TIME && !event_has(ev, TR2_F_TIME) && event_has(ev, FLD_ARRIVAL))
		return value_give_number(visit, data, ev->v[FLD_ARRIVAL]);
	if (field == FILTER_AGENT && event_has(ev, FLD_AGENT)) {
		name = model_sym(model, event_sym(ev, FLD_AGENT), &len);
		return value_give_text(visit, data, name, len);
	}
	if (field == FILTER_VALUE && !event_has(ev, key) && event_has(ev, TR2_F_COUNT))
		return give_count(ev, visit, data);
	if (key < TR2_NR_FIELDS)
		return event_has(ev, key) && give_own(model, batch, ev, key, visit, data);
	return process && field != FILTER_WORD &&
	       filter_process_value(model, process, field, visit, data);
}
