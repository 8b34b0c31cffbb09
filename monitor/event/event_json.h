/* SPDX-License-Identifier: MIT */
/*
 * A decoded event as the JSON object that it came from: its known keys in Git's order, times
 * and values as they stood; then what no schema knows, and of wrong types, of which the journal
 * keeps 4 KiB a record: under the key "..." it says what was more. Control characters stand
 * escaped. Pure; a few microseconds.
 */
#ifndef MONITOR_EVENT_JSON_H
#define MONITOR_EVENT_JSON_H

#include "engine/base/buf.h"
#include "engine/base/intern.h"
#include "monitor/event/batch.h"

enum event_json_form {
	EVENT_JSON_LINES, /* a key a line */
	EVENT_JSON_LINE,  /* all on one */
	EVENT_JSON_TRACE, /* the same without blanks, as Git writes its traces */
};

/* Append it. `syms` has the texts of its symbols. */
void event_json(const struct tr2_intern *syms, const struct batch *batch, const struct event *ev,
		enum event_json_form form, struct tr2_buf *out);

/* The name under which it came; that of a record of our own is "gap" or "dropped". */
const char *event_name(const struct tr2_intern *syms, const struct event *ev, size_t *len);

#endif
