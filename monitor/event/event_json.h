/* SPDX-License-Identifier: MIT */
/*
 * event_json: write a decoded event as the JSON object it came from.
 *
 * Known keys come in Git's order, with their original times and values; then unknown keys and
 * values of wrong types. The journal keeps 4 KiB of these per record; the key "..." has the size
 * of the rest. Control characters are escaped. Pure; takes a few microseconds.
 */
#ifndef MONITOR_EVENT_JSON_H
#define MONITOR_EVENT_JSON_H

#include "engine/base/buf.h"
#include "engine/base/intern.h"
#include "monitor/event/batch.h"

enum event_json_form {
	EVENT_JSON_LINES, /* one key per line */
	EVENT_JSON_LINE,  /* one line */
	EVENT_JSON_TRACE, /* one line without blanks, as in Git's traces */
};

/* Append the JSON of `ev` to `out`. `syms` has the texts of its symbols; `batch` contains the
 * event. */
void event_json(const struct tr2_intern *syms, const struct batch *batch, const struct event *ev,
		enum event_json_form form, struct tr2_buf *out);

/* Name of the event as received; "gap" or "dropped" for the journal's own records. */
const char *event_name(const struct tr2_intern *syms, const struct event *ev, size_t *len);

#endif
