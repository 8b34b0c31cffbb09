/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/event_log.h"

#include <inttypes.h>

#include "engine/schema.h"
#include "monitor/analysis/format_text.h"
#include "monitor/event/event_json.h"
#include "monitor/base/secrets.h"

#define MAX_VALUE_BYTES 2000u

ns_t log_time(const struct log_record *record)
{
	return event_get(&record->ev, TR2_F_TIME, event_get(&record->ev, FLD_ARRIVAL, NS_NONE));
}

uint32_t log_slot(const struct analysis *what, const struct log_record *record)
{
	const char *sid;
	size_t len;

	if (!event_has(&record->ev, TR2_F_SID))
		return SLOT_NONE;
	sid = batch_sid_text(record->batch, (uint32_t)record->ev.v[TR2_F_SID], &len);
	return model_find_sid(what->model, sid, len);
}

static void append_field_value(const struct analysis *what, const struct batch *batch,
			       const struct event *ev, unsigned field, struct tr2_buf *out)
{
	int64_t value = ev->v[field], item;
	const char *text;
	size_t len;

	switch (tr2_fields[field].type) {
	case TR2_TYPE_SYM:
		if (field == TR2_F_HIERARCHY)
			format_hierarchy(what->model, (sym_t)value, out);
		else
			format_symbol(what->model, (sym_t)value, out);
		break;
	case TR2_TYPE_SID:
		text = batch_sid_text(batch, (uint32_t)value, &len);
		tr2_buf_add(out, text, len);
		break;
	case TR2_TYPE_TEXT:
		text = batch_text(batch, value, &len);
		secrets_add(out, text, len, MAX_VALUE_BYTES);
		break;
	case TR2_TYPE_LIST:
		for (uint32_t nr = batch_list(batch, value, &item); nr; nr--) {
			text = batch_text(batch, item, &len);
			secrets_add(out, text, len, MAX_VALUE_BYTES);
			tr2_buf_addstr(out, nr > 1 ? " " : "");
			if (out->len > MAX_VALUE_BYTES)
				break;
			item = batch_list_next(batch, item);
		}
		break;
	case TR2_TYPE_TIME:
		format_duration(value, out);
		break;
	case TR2_TYPE_CLOCK:
		format_time(value, true, out);
		break;
	case TR2_TYPE_BOOL:
		tr2_buf_addstr(out, value ? "true" : "false");
		break;
	default:
		tr2_buf_addf(out, "%" PRId64, value);
	}
}

static void append_own_record(const struct analysis *what, const struct log_record *record,
			      struct tr2_buf *out)
{
	const struct event *ev = &record->ev;

	if (ev->kind == REC_DROPPED) {
		format_count((uint64_t)event_get(ev, FLD_DROPS, 0), out);
		tr2_buf_addstr(out, " events were dropped here: the history was full");
		return;
	}
	if (ev->kind == REC_LOST) {
		format_count((uint64_t)event_get(ev, FLD_DROPS, 0), out);
		tr2_buf_addstr(out, " events of ");
		format_symbol(what->model, event_sym(ev, FLD_AGENT), out);
		tr2_buf_addstr(out, " were lost");
	} else if (ev->kind == REC_GAP) {
		tr2_buf_addstr(out, "nothing was received for ");
		format_duration(event_get(ev, FLD_T_GAP, 0), out);
	} else {
		return;
	}
	if (!event_has(ev, TR2_F_MSG))
		return;
	tr2_buf_addstr(out, ": ");
	append_field_value(what, record->batch, ev, TR2_F_MSG, out);
}

static bool field_is_label(unsigned field)
{
	return field == TR2_F_LABEL || field == TR2_F_KEY || field == TR2_F_NAME;
}

/* Append "category/label". Returns false if events of this kind have no label. */
static bool append_event_label(const struct analysis *what, const struct log_record *record,
			       struct tr2_buf *out)
{
	const struct event *ev = &record->ev;
	const struct tr2_event_desc *desc = &tr2_events[ev->kind];

	if (desc->category >= TR2_NR_FIELDS || !field_is_label(desc->perf->field))
		return false;
	if (event_has(ev, desc->category))
		append_field_value(what, record->batch, ev, desc->category, out);
	else
		tr2_buf_addch(out, '?');
	tr2_buf_addch(out, '/');
	if (event_has(ev, desc->perf->field))
		append_field_value(what, record->batch, ev, desc->perf->field, out);
	else
		tr2_buf_addch(out, '?');
	return true;
}

/* Append t_rel, "category/label", then the rest of the message of the perf target; or a report of
 * missing data. */
void log_format_details(const struct analysis *what, const struct log_record *record,
			struct tr2_buf *out)
{
	const struct batch *batch = record->batch;
	const struct event *ev = &record->ev;
	const struct tr2_event_desc *desc;

	if (ev->kind >= TR2_NR_EVENTS) {
		append_own_record(what, record, out);
		return;
	}
	desc = &tr2_events[ev->kind];
	if (event_has(ev, TR2_F_T_REL)) {
		format_duration(ev->v[TR2_F_T_REL], out);
		tr2_buf_addch(out, ' ');
	}
	for (const struct tr2_piece *piece = desc->perf + append_event_label(what, record, out);
	     piece->how != TR2_PIECE_END; piece++) {
		if (piece->how == TR2_PIECE_TEXT) {
			tr2_buf_add(out, piece->lead, piece->lead_len);
			continue;
		}
		if (!event_has(ev, piece->field) || piece->how == TR2_PIECE_ERRNO ||
		    (piece->field == TR2_F_CHILD_CLASS &&
		     !is_child_class(what->model, (sym_t)ev->v[TR2_F_CHILD_CLASS])))
			continue;
		tr2_buf_add(out, piece->lead, piece->lead_len);
		append_field_value(what, batch, ev, piece->field, out);
		tr2_buf_add(out, piece->tail, piece->tail_len);
	}
}

void log_format_owner(const struct analysis *what, const struct log_record *record, bool brief,
		      struct tr2_buf *out)
{
	uint32_t slot = log_slot(what, record);
	const struct process *process = slot == SLOT_NONE ? NULL : model_slot(what->model, slot);

	if (!event_is_trace2(&record->ev)) {
		tr2_buf_addstr(out, "trace2top");
		return;
	}
	if (!process) {
		tr2_buf_addch(out, '?');
		return;
	}
	if (process->pid != NUM_NONE)
		tr2_buf_addf(out, "%" PRId64 " ", process->pid);
	if (!brief)
		format_ancestors(what->model, process, out);
	format_command_name(what->model, process, out);
}

void log_format(const struct analysis *what, const struct log_record *record, struct tr2_buf *out)
{
	size_t len;
	const char *name = event_name(model_syms(what->model), &record->ev, &len);

	format_time(log_time(record), true, out);
	tr2_buf_addch(out, ' ');
	log_format_owner(what, record, false, out);
	tr2_buf_addch(out, ' ');
	format_symbol(what->model, event_sym(&record->ev, TR2_F_THREAD), out);
	tr2_buf_addch(out, ' ');
	tr2_buf_add(out, name, len);
	tr2_buf_addch(out, ' ');
	log_format_details(what, record, out);
}
