/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/event/event_json.h"

#include <string.h>

#include "engine/base/jw.h"
#include "engine/schema.h"

static const struct tr2_jw_key field_keys[TR2_NR_FIELDS] = {
#define TR2_FIELD(ID, wire, type, since, share, doc) [TR2_F_##ID] = TR2_JW_KEY(wire),
#include "engine/fields.def"
};

static const struct tr2_jw_key event_key = TR2_JW_KEY("event");

const char *event_name(const struct tr2_intern *syms, const struct event *ev, size_t *len)
{
	const char *name = ev->kind < TR2_NR_EVENTS  ? tr2_events[ev->kind].wire
			   : ev->kind == REC_GAP     ? "gap"
			   : ev->kind == REC_DROPPED ? "dropped"
			   : ev->kind == REC_LOST    ? "lost"
						     : "?";

	if (event_has(ev, FLD_EVENT))
		return tr2_intern_text(syms, event_sym(ev, FLD_EVENT), len);
	*len = strlen(name);
	return name;
}

static void write_list(struct tr2_jw *jw, const struct batch *batch, int64_t list)
{
	int64_t item;

	tr2_jw_array(jw);
	for (uint32_t nr = batch_list(batch, list, &item); nr; nr--) {
		size_t len;
		const char *text = batch_text(batch, item, &len);

		tr2_jw_string(jw, text, len);
		item = batch_list_next(batch, item);
	}
	tr2_jw_end_array(jw);
}

/* Write a wall time with six digits after the decimal point, or nine if needed. */
static void write_clock(struct tr2_jw *jw, ns_t wall)
{
	ns_t beyond = wall % NS_PER_US;

	tr2_jw_time(jw, wall);
	if (wall == NS_NONE || !beyond)
		return;
	jw->out->len -= strlen("Z\"");
	tr2_buf_addu(jw->out, (uint64_t)(beyond < 0 ? beyond + NS_PER_US : beyond), 3);
	tr2_buf_addstr(jw->out, "Z\"");
}

static void write_value(struct tr2_jw *jw, const struct tr2_intern *syms, const struct batch *batch,
			const struct event *ev, unsigned field)
{
	int64_t value = ev->v[field];
	const char *text;
	size_t len;

	switch (tr2_fields[field].type) {
	case TR2_TYPE_SYM:
		text = tr2_intern_text(syms, (sym_t)value, &len);
		tr2_jw_string(jw, text, len);
		break;
	case TR2_TYPE_SID:
		text = batch_sid_text(batch, (uint32_t)value, &len);
		tr2_jw_string(jw, text, len);
		break;
	case TR2_TYPE_TEXT:
		text = batch_text(batch, value, &len);
		if (ev->kind == TR2_E_DATA_JSON && field == TR2_F_VALUE)
			tr2_jw_raw(jw, text, len);
		else
			tr2_jw_string(jw, text, len);
		break;
	case TR2_TYPE_LIST:
		write_list(jw, batch, value);
		break;
	case TR2_TYPE_TIME:
		tr2_jw_seconds(jw, value);
		break;
	case TR2_TYPE_CLOCK:
		write_clock(jw, value);
		break;
	case TR2_TYPE_BOOL:
		tr2_jw_bool(jw, value);
		break;
	default:
		tr2_jw_int(jw, value);
	}
}

static void write_extra(struct tr2_jw *jw, const struct batch *batch, const struct event *ev)
{
	uint32_t nr;
	const char *text;
	int64_t item;
	size_t len;

	for (nr = batch_list(batch, ev->v[FLD_EXTRA], &item); nr > 1; nr -= 2) {
		text = batch_text(batch, item, &len);
		tr2_jw_key_bytes(jw, text, len);
		item = batch_list_next(batch, item);
		text = batch_text(batch, item, &len);
		tr2_jw_raw(jw, text, len);
		item = batch_list_next(batch, item);
	}
	if (nr) {
		text = batch_text(batch, item, &len);
		tr2_jw_key(jw, "...");
		tr2_jw_string(jw, text, len);
	}
}

static void write_own(struct tr2_jw *jw, const struct event *ev)
{
	if (event_has(ev, FLD_ARRIVAL)) {
		tr2_jw_key(jw, "arrival");
		tr2_jw_time(jw, ev->v[FLD_ARRIVAL]);
	}
	if (event_has(ev, FLD_T_GAP)) {
		tr2_jw_key(jw, "t_gap");
		tr2_jw_seconds(jw, ev->v[FLD_T_GAP]);
	}
	if (event_has(ev, FLD_DROPS)) {
		tr2_jw_key(jw, "dropped");
		tr2_jw_int(jw, ev->v[FLD_DROPS]);
	}
}

void event_json(const struct tr2_intern *syms, const struct batch *batch, const struct event *ev,
		enum event_json_form form, struct tr2_buf *out)
{
	struct tr2_jw jw;
	size_t len;
	const char *name = event_name(syms, ev, &len);

	tr2_jw_init(&jw, out, form == EVENT_JSON_LINES ? 1 : 0);
	jw.tight = form == EVENT_JSON_TRACE;
	tr2_jw_object(&jw);
	tr2_jw_prepared_key(&jw, &event_key);
	tr2_jw_string(&jw, name, len);
	for (uint64_t left = ev->mask & (FIELD_BIT(TR2_NR_FIELDS) - 1); left; left &= left - 1) {
		unsigned field = (unsigned)__builtin_ctzll(left);

		tr2_jw_prepared_key(&jw, &field_keys[field]);
		write_value(&jw, syms, batch, ev, field);
	}
	if (event_has(ev, FLD_EXTRA))
		write_extra(&jw, batch, ev);
	if (!event_is_trace2(ev))
		write_own(&jw, ev);
	tr2_jw_end_object(&jw);
}
