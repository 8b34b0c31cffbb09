/* SPDX-License-Identifier: MIT */
/*
 * event_json: write a decoded event as a JSON object, as in Git's event target.
 *
 * Unknown keys and values of wrong types are last; the key "..." means that some were left out.
 */
#ifndef MONITOR_EVENT_JSON_H
#define MONITOR_EVENT_JSON_H

#include "engine/base/buf.h"
#include "engine/base/intern.h"
#include "monitor/event/batch.h"

enum event_json_form {
	EVENT_JSON_LINES, /* format with one key per line */
	EVENT_JSON_LINE,  /* one line */
	EVENT_JSON_TRACE, /* one line without blanks, as in Git's traces */
};

/* Append the JSON of `ev`, an event of `batch`, to `out`. */
void event_json(const struct tr2_intern *syms, const struct batch *batch, const struct event *ev,
		enum event_json_form form, struct tr2_buf *out);

/* Return the name of the event as received; for a record of trace2top's own "gap", "dropped",
 * "lost" or "?". */
const char *event_name(const struct tr2_intern *syms, const struct event *ev, size_t *len);

#endif
