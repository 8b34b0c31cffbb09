/* SPDX-License-Identifier: MIT */
/* Write the Trace2 events of the report as lines of JSON, in the order of the journal. */
#include "config.h"
#include "monitor/report/report.h"

#include <stdlib.h>

#include "monitor/base/die.h"
#include "monitor/event/event_json.h"
#include "monitor/report/drain.h"

#define DRAIN_BYTES (64u << 10)

struct events {
	struct report_walk walk;
	struct tr2_buf buf;
	FILE *to;
};

static void *events_begin(FILE *to, const struct report_input *input)
{
	struct events *events = xcalloc(1, sizeof(*events));

	report_walk_begin(&events->walk, input);
	tr2_buf_init(&events->buf, SIZE_MAX / 2);
	events->to = to;
	return events;
}

static void event_add(struct events *events, const struct batch *events_batch,
		      const struct event *ev)
{
	struct redactor *redactor = events->walk.input->redactor;
	const struct tr2_intern *syms = model_syms(events->walk.input->model);
	struct event redacted;

	if (redactor) {
		events_batch = redactor_event(redactor, events_batch, ev, &redacted);
		syms = redactor_syms(redactor);
		ev = &redacted;
	}
	event_json(syms, events_batch, ev, EVENT_JSON_TRACE, &events->buf);
}

static void events_batch(void *report, const struct batch *events_batch, uint32_t records)
{
	struct events *events = report;
	struct event ev;

	report_walk_batch(&events->walk, events_batch, records);
	while (report_walk_next(&events->walk, &ev)) {
		if (!event_is_trace2(&ev))
			continue;
		event_add(events, events_batch, &ev);
		tr2_buf_addch(&events->buf, '\n');
		buf_drain(&events->buf, events->to, DRAIN_BYTES);
	}
	buf_drain(&events->buf, events->to, 0);
}

static void events_end(void *report, FILE *to, const struct report_input *input)
{
	struct events *events = report;

	(void)to;
	(void)input;
	report_walk_end(&events->walk);
	tr2_buf_release(&events->buf);
	free(events);
}

const struct exporter_ops report_events = {
	.begin = events_begin, .batch = events_batch, .end = events_end, .redacts = true
};
