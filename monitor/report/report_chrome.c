/* SPDX-License-Identifier: MIT */
/*
 * Write Chrome's Trace Event JSON, for tools such as Perfetto's UI. Numbers:
 *
 *   pid   the process's own if unused, else one from CHROME_FIRST_NUMBER up
 *   tid   the pid for main threads; others from CHROME_FIRST_NUMBER up, unique
 *   ts    microseconds since otherData.start; never negative, because readers drop negative times
 */
#include "config.h"
#include "monitor/report/chrome.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/json_write.h"

static bool goes_on(const struct chrome *c, uint32_t nr)
{
	const struct model *m = c->walk.input->model;
	const struct span_process *process = span_stream_process(&c->spans, nr);
	uint32_t slot = model_find_sid(m, process->sid, process->sid_len);

	return slot != SLOT_NONE && model_slot(m, slot)->state == STATE_RUNNING;
}

/* Write a region. An open region ends with its process or, while that runs, has no end. */
static void chrome_region(void *data, const struct span_region *r)
{
	struct chrome *c = data;
	bool endless = r->open && goes_on(c, r->process);
	struct tr2_buf *out = endless ? &c->open : &c->buf;
	ns_t first = span_stream_thread(&c->spans, r->thread)->first;
	size_t len;

	if (r->start == NS_NONE)
		return;
	/* A region without a region_enter event starts no earlier than its thread. */
	if (first == NS_NONE || first < r->start)
		first = r->start;
	if (endless) {
		GROW(c->open_at, c->nr_open, c->cap_open, 64);
		c->open_at[c->nr_open++] = out->len;
		chrome_shown_thread(c, r->thread)->endless = true;
	}
	chrome_event_begin_in(c, out, endless ? "B" : "X");
	tr2_intern_text(c->syms, r->label, &len);
	if (!len && r->msg_len)
		json_write_text(&c->jw, "name", r->msg, r->msg_len);
	else
		chrome_key_sym(c, "name", r->label);
	chrome_key_sym(c, "cat", r->category);
	if (endless)
		chrome_key_place(c, chrome_pid_of(c, r->process), chrome_tid_of(c, r->thread),
				 first);
	else
		chrome_key_span(c, chrome_pid_of(c, r->process), chrome_tid_of(c, r->thread), first,
				r->end);
	/* speedscope shows arguments as a part of the name, so write only few. */
	if (r->msg || r->open) {
		chrome_args_begin(c);
		if (r->msg)
			json_write_text(&c->jw, "msg", r->msg, r->msg_len);
		if (r->open) {
			json_write_bool(&c->jw, "open", true);
		}
		chrome_args_end(c);
	}
	chrome_event_end(c);
}

static void args_text(struct chrome *c, const char *key, const struct batch *chrome_batch,
		      const struct event *ev, unsigned field)
{
	const char *text;
	size_t len;

	if (!event_has(ev, field))
		return;
	text = batch_text(chrome_batch, ev->v[field], &len);
	if (ev->kind == TR2_E_DATA_JSON && field == TR2_F_VALUE) {
		tr2_jw_key(&c->jw, key);
		tr2_jw_raw(&c->jw, text, len);
	} else {
		json_write_text(&c->jw, key, text, len);
	}
}

static void instant(void *data, uint32_t thread, ns_t time, const struct batch *chrome_batch,
		    const struct event *ev)
{
	struct chrome *c = data;
	bool is_data = ev->kind == TR2_E_DATA || ev->kind == TR2_E_DATA_JSON;
	bool is_error = ev->kind == TR2_E_ERROR;

	if (time == NS_NONE)
		return;
	chrome_event_begin(c, "i");
	json_write_cstring(&c->jw, "s", is_error ? "p" : "t");
	if (is_data) {
		chrome_key_sym(c, "name", event_sym(ev, TR2_F_KEY));
		chrome_key_sym(c, "cat", event_sym(ev, TR2_F_CATEGORY));
	} else {
		json_write_cstring(&c->jw, "name", is_error ? "error" : "printf");
		json_write_cstring(&c->jw, "cat", is_error ? "error" : "printf");
	}
	chrome_key_place(c, chrome_pid_of(c, span_stream_thread(&c->spans, thread)->process),
			 chrome_tid_of(c, thread), time);
	chrome_args_begin(c);
	args_text(c, "value", chrome_batch, ev, TR2_F_VALUE);
	args_text(c, "msg", chrome_batch, ev, TR2_F_MSG);
	chrome_key_known(c, "fmt", event_sym(ev, TR2_F_FMT));
	chrome_args_end(c);
	chrome_event_end(c);
}

/* The names of counters and timers of a thread contain the thread. */
static void counter(struct chrome *c, const struct batch *chrome_batch, const struct event *ev)
{
	bool of_thread = ev->kind == TR2_E_TH_TIMER || ev->kind == TR2_E_TH_COUNTER;
	bool timer = ev->kind == TR2_E_TH_TIMER || ev->kind == TR2_E_TIMER;
	static const unsigned parts[] = { TR2_F_CATEGORY, TR2_F_NAME, TR2_F_THREAD };
	uint32_t process =
		span_stream_process_of(&c->spans, chrome_batch, (uint32_t)ev->v[TR2_F_SID]);
	ns_t time = event_get(ev, TR2_F_TIME, NS_NONE);

	if (time == NS_NONE)
		return;
	tr2_buf_clear(&c->text);
	for (size_t i = 0; i < (of_thread ? 3 : 2); i++) {
		size_t len;
		const char *text = tr2_intern_text(c->syms, event_sym(ev, parts[i]), &len);

		tr2_buf_addstr(&c->text, i == 0 ? "" : i == 1 ? "/" : " ");
		tr2_buf_add(&c->text, text, len);
	}
	chrome_event_begin(c, "C");
	json_write_text(&c->jw, "name", c->text.data, c->text.len);
	json_write_cstring(&c->jw, "cat", timer ? "timer" : "counter");
	json_write_number(&c->jw, "pid", chrome_pid_of(c, process));
	chrome_key_us(c, "ts", chrome_since_base(c, time));
	chrome_args_begin(c);
	if (timer) {
		json_write_seconds(&c->jw, "seconds", event_get(ev, TR2_F_T_TOTAL, 0));
	} else {
		json_write_number(&c->jw, "count", event_get(ev, TR2_F_COUNT, 0));
	}
	chrome_args_end(c);
	chrome_event_end(c);
}

static void gap(struct chrome *c, const struct event *ev)
{
	ns_t time = event_get(ev, FLD_ARRIVAL, NS_NONE);

	if (time == NS_NONE)
		return;
	chrome_base_set(c, time);
	chrome_event_begin(c, "i");
	json_write_cstring(&c->jw, "s", "g");
	json_write_cstring(&c->jw, "name",
			   ev->kind == REC_GAP    ? "gap"
			   : ev->kind == REC_LOST ? "lost"
						  : "dropped");
	json_write_cstring(&c->jw, "cat", "trace2top");
	chrome_key_place(c, 0, 0, time);
	chrome_args_begin(c);
	if (event_has(ev, FLD_DROPS))
		json_write_number(&c->jw, "events", ev->v[FLD_DROPS]);
	if (event_has(ev, FLD_T_GAP)) {
		json_write_seconds(&c->jw, "seconds", ev->v[FLD_T_GAP]);
	}
	chrome_args_end(c);
	chrome_event_end(c);
}

static void about(struct chrome *c, const struct batch *chrome_batch, const struct event *ev)
{
	struct chrome_process *to = chrome_shown(
		c, span_stream_process_of(&c->spans, chrome_batch, (uint32_t)ev->v[TR2_F_SID]));

	to->main_thread = event_sym(ev, TR2_F_THREAD);
	to->own_pid = event_get(ev, TR2_F_PID, NUM_NONE);
}

/* Keep the name, because the model may evict the process. */
static void chrome_named(struct chrome *c, const struct batch *chrome_batch, const struct event *ev)
{
	sym_t hierarchy = event_sym(ev, TR2_F_HIERARCHY);

	chrome_shown(c, span_stream_process_of(&c->spans, chrome_batch, (uint32_t)ev->v[TR2_F_SID]))
		->name = hierarchy != SYM_NONE ? hierarchy : event_sym(ev, TR2_F_NAME);
}

static void one(struct chrome *c, const struct batch *chrome_batch, const struct event *ev)
{
	if (ev->kind == REC_GAP || ev->kind == REC_LOST || ev->kind == REC_DROPPED) {
		gap(c, ev);
		return;
	}
	if (!event_has(ev, TR2_F_SID))
		return;
	if (ev->kind == REC_ABOUT) {
		about(c, chrome_batch, ev);
		return;
	}
	chrome_base_set(c, event_get(ev, TR2_F_TIME, NS_NONE));
	span_stream_event(&c->spans, chrome_batch, ev);
	switch (ev->kind) {
	case TR2_E_CMD_NAME:
		chrome_named(c, chrome_batch, ev);
		break;
	case TR2_E_TIMER:
	case TR2_E_TH_TIMER:
	case TR2_E_COUNTER:
	case TR2_E_TH_COUNTER:
		counter(c, chrome_batch, ev);
		break;
	default:
		break;
	}
}

static ns_t earliest(const struct report_input *input)
{
	uint32_t nr;
	uint32_t *slots = report_processes(input, &nr);
	ns_t first = NS_NONE;

	for (uint32_t i = 0; i < nr; i++) {
		ns_t start = model_slot(input->model, slots[i])->start;

		if (start != NS_NONE && (first == NS_NONE || start < first))
			first = start;
	}
	free(slots);
	return first;
}

static void *chrome_begin(FILE *to, const struct report_input *input)
{
	struct chrome *c = xcalloc(1, sizeof(*c));

	c->to = to;
	c->syms = model_syms(input->model);
	c->taken = xcalloc(CHROME_MAX_PID / 8 + 1, 1);
	c->next_number = CHROME_FIRST_NUMBER;
	c->base = earliest(input);
	tr2_buf_init(&c->buf, SIZE_MAX / 2);
	tr2_buf_init(&c->open, SIZE_MAX / 2);
	tr2_buf_init(&c->text, SIZE_MAX / 2);
	report_walk_begin(&c->walk, input);
	span_stream_init(&c->spans, &(struct span_stream_config){ .region = chrome_region,
								  .instant = instant,
								  .data = c,
								  .messages = true });
	tr2_buf_addstr(&c->buf, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
	return c;
}

static void chrome_take(struct chrome *c, const struct batch *chrome_batch, uint32_t records)
{
	struct event ev;

	report_walk_batch(&c->walk, chrome_batch, records);
	span_stream_batch(&c->spans, chrome_batch);
	while (report_walk_next(&c->walk, &ev))
		one(c, chrome_batch, &ev);
	chrome_drain(c, 0);
}

/* Write the held batch; time 0 of the file is `before` ns before its earliest event. */
static void let_go(struct chrome *c, ns_t before)
{
	ns_t first = NS_NONE, time;
	struct event ev;

	if (!c->held)
		return;
	report_walk_batch(&c->walk, c->held, c->held_records);
	while (report_walk_next(&c->walk, &ev)) {
		time = event_get(&ev, event_is_trace2(&ev) ? TR2_F_TIME : FLD_ARRIVAL, NS_NONE);
		if (time != NS_NONE && (first == NS_NONE || time < first))
			first = time;
	}
	if (first != NS_NONE)
		c->base = ns_sub(first, before);
	chrome_take(c, c->held, c->held_records);
	batch_free(c->held);
	c->held = NULL;
}

/* If the report is written while events arrive, hold the first batch: if no batch follows, the
 * earliest event is known. */
static void chrome_batch(void *report, const struct batch *chrome_batch, uint32_t records)
{
	struct chrome *c = report;

	if (c->base == NS_NONE && !c->held && !c->began) {
		c->began = true;
		c->held = batch_compact(chrome_batch);
		c->held_records = records;
		return;
	}
	let_go(c, CHROME_BEFORE_FIRST);
	chrome_take(c, chrome_batch, records);
}

/* Write open regions in the reverse order of their reports: outer ones first in each thread. */
static void chrome_open_regions(struct chrome *c)
{
	size_t chrome_end = c->open.len;

	while (c->nr_open) {
		size_t at = c->open_at[--c->nr_open];

		chrome_separate(c);
		tr2_buf_add(&c->buf, c->open.data + at, chrome_end - at);
		chrome_end = at;
		chrome_drain(c, CHROME_DRAIN_BYTES);
	}
}

static void other_data(struct chrome *c)
{
	tr2_buf_addstr(&c->buf, "\n],\"otherData\":");
	tr2_jw_init(&c->jw, &c->buf, 0);
	c->jw.tight = true;
	tr2_jw_object(&c->jw);
	json_write_cstring(&c->jw, "exporter", "trace2top " PACKAGE_VERSION);
	json_write_time(&c->jw, "start", c->base);
	if (c->spans.nr_timeless)
		json_write_number(&c->jw, "regionsWithoutTimes", (int64_t)c->spans.nr_timeless);
	tr2_jw_end_object(&c->jw);
	tr2_buf_addstr(&c->buf, "}\n");
}

static void chrome_end(void *report, FILE *to, const struct report_input *input)
{
	struct chrome *c = report;

	(void)to;
	let_go(c, 0);
	span_stream_end(&c->spans);
	chrome_tree(c, input);
	chrome_threads(c);
	chrome_open_regions(c);
	other_data(c);
	chrome_drain(c, 0);
	span_stream_release(&c->spans);
	report_walk_end(&c->walk);
	tr2_buf_release(&c->buf);
	tr2_buf_release(&c->open);
	tr2_buf_release(&c->text);
	free(c->open_at);
	free(c->processes);
	free(c->threads);
	free(c->taken);
	free(c);
}

const struct exporter_ops report_chrome = { .begin = chrome_begin,
					    .batch = chrome_batch,
					    .end = chrome_end };
