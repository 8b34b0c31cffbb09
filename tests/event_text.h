/* SPDX-License-Identifier: MIT */
/*
 * The events of a batch as text, one per line, for comparison: the kind's name ("?": an unknown
 * kind, or a record that is no event), then FIELD=VALUE for each field that is set. SIDs, symbols
 * and texts are bytes in brackets.
 */
#ifndef TESTS_EVENT_TEXT_H
#define TESTS_EVENT_TEXT_H

#include "engine/base/buf.h"
#include "engine/base/intern.h"
#include "monitor/event/batch.h"

static inline void event_text_bytes(struct tr2_buf *out, const char *text, size_t len)
{
	tr2_buf_addch(out, '[');
	tr2_buf_add(out, text, len);
	tr2_buf_addch(out, ']');
}

static inline void event_text_field(struct tr2_buf *out, const struct batch *batch,
				    const struct tr2_intern *syms, const struct event *ev,
				    unsigned field)
{
	unsigned type = field == FLD_EVENT   ? TR2_TYPE_SYM
			: field == FLD_EXTRA ? TR2_TYPE_LIST
					     : tr2_fields[field].type;
	const char *text;
	int64_t item;
	size_t len;

	tr2_buf_addf(out, " %s=",
		     field == FLD_EVENT   ? "event"
		     : field == FLD_EXTRA ? "extra"
					  : tr2_fields[field].wire);
	switch (type) {
	case TR2_TYPE_SID:
		text = batch_sid_text(batch, (uint32_t)ev->v[field], &len);
		event_text_bytes(out, text, len);
		break;
	case TR2_TYPE_SYM:
		text = tr2_intern_text(syms, (sym_t)ev->v[field], &len);
		event_text_bytes(out, text, len);
		break;
	case TR2_TYPE_TEXT:
		text = batch_text(batch, ev->v[field], &len);
		event_text_bytes(out, text, len);
		break;
	case TR2_TYPE_LIST:
		tr2_buf_addch(out, '(');
		for (uint32_t nr = batch_list(batch, ev->v[field], &item); nr--;
		     item = batch_list_next(batch, item)) {
			text = batch_text(batch, item, &len);
			event_text_bytes(out, text, len);
		}
		tr2_buf_addch(out, ')');
		break;
	default:
		tr2_buf_addf(out, "%lld", (long long)ev->v[field]);
	}
}

static inline void event_text(struct tr2_buf *out, const struct batch *batch,
			      const struct tr2_intern *syms)
{
	struct batch_cursor cursor = batch_begin(batch);
	struct event ev;

	while (batch_next(&cursor, &ev)) {
		tr2_buf_addstr(out, ev.kind < TR2_NR_EVENTS ? tr2_events[ev.kind].wire : "?");
		for (unsigned field = 0; field < NR_FIELDS; field++)
			if (event_has(&ev, field))
				event_text_field(out, batch, syms, &ev, field);
		tr2_buf_addch(out, '\n');
	}
}

#endif
