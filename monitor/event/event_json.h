/* SPDX-License-Identifier: MIT */
/*
 * event_json: write a decoded event as a JSON object like that from which it was decoded.
 *
 * Known keys come first, in Git's order, with their original times and values. Unknown keys and
 * values of wrong types follow. The journal keeps at most 4 KiB of unknown keys and such values per
 * record; if there was more, the value of the key "..." is the size of the rest. Control characters
 * are escaped. Pure functions.
 */
#ifndef MONITOR_EVENT_JSON_H
#define MONITOR_EVENT_JSON_H

#include "engine/base/buf.h"
#include "engine/base/intern.h"
#include "monitor/event/batch.h"

enum event_json_form {
	EVENT_JSON_LINES, /* format with one key per line */
	EVENT_JSON_LINE,  /* one line */
	EVENT_JSON_TRACE, /* format with one line and no blanks, as in Git's traces */
};

/* Append the JSON of `ev` to `out`. `syms` has the texts of the event's symbols; `batch` contains
 * the event. */
void event_json(const struct tr2_intern *syms, const struct batch *batch, const struct event *ev,
		enum event_json_form form, struct tr2_buf *out);

/*
 * Return the name of the event as received; for records that trace2top itself adds to the journal
 * "gap", "dropped", "lost" or "?".
 */
const char *event_name(const struct tr2_intern *syms, const struct event *ev, size_t *len);

#endif
