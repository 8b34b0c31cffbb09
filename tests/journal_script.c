/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "tests/journal_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/buf.h"
#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/report/report.h"

void script_init(struct script *s)
{
	memset(s, 0, sizeof(*s));
	if (!tr2_intern_init(&s->syms, 0, 0))
		die("no memory");
	s->reader = reader_new(READER_EVENT, &s->syms);
	script_cut(s);
}

void script_release(struct script *s)
{
	for (unsigned i = 0; i < s->nr_batches; i++)
		batch_free(s->batches[i]);
	reader_free(s->reader);
	tr2_intern_release(&s->syms);
}

void script_cut(struct script *s)
{
	if (s->nr_batches == SCRIPT_MAX_BATCHES)
		bug("the script has too many batches");
	s->batches[s->nr_batches] = batch_new();
	s->batches[s->nr_batches]->seq = s->nr_batches;
	s->nr_batches++;
}

static struct batch *script_batch(struct script *s)
{
	struct batch *batch = s->batches[s->nr_batches - 1];

	if (!batch_is_full(batch) && (!s->cut_every || batch->nr_records < s->cut_every))
		return batch;
	script_cut(s);
	return s->batches[s->nr_batches - 1];
}

static void script_read(struct script *s, struct tr2_buf *line)
{
	for (size_t i = 0; i < line->len; i++)
		if (line->data[i] == '\'')
			line->data[i] = '"';
	tr2_buf_addch(line, '\n');
	tr2_buf_fill(line, '\0', READER_PAD);
	reader_lines(s->reader, line->data, line->len - READER_PAD, script_batch(s), &s->counts,
		     NULL, NULL);
	if (s->counts.nr_malformed)
		bug("malformed: %s", tr2_buf_cstr(line));
	tr2_buf_release(line);
}

void script_line(struct script *s, const char *fmt, ...)
{
	struct tr2_buf line;
	va_list ap;

	tr2_buf_init(&line, 64 << 20);
	va_start(ap, fmt);
	tr2_buf_vaddf(&line, fmt, ap);
	va_end(ap);
	script_read(s, &line);
}

void script_event(struct script *s, const char *event, const char *sid, double seconds,
		  const char *more)
{
	struct tr2_buf line;

	tr2_buf_init(&line, 64 << 20);
	tr2_buf_addf(&line, "{'event':'%s','sid':'%s'", event, sid);
	if (!strstr(more, "'thread'"))
		tr2_buf_addstr(&line, ",'thread':'main'");
	if (seconds > SCRIPT_NO_TIME / 2) {
		ns_t us = script_seconds(seconds) / 1000 + 4 * 60 * 1000000ll;

		tr2_buf_addf(&line, ",'time':'2026-01-02T03:%02d:%02d.%06dZ'", (int)(us / 60000000),
			     (int)(us / 1000000 % 60), (int)(us % 1000000));
	}
	tr2_buf_addf(&line, "%s%s}", *more ? "," : "", more);
	script_read(s, &line);
}

static ns_t wall(double seconds)
{
	return SCRIPT_T0_SECONDS * NS_PER_SEC + script_seconds(seconds);
}

void script_agent_stream(struct script *s, unsigned stream, double arrival, bool live,
			 const char *agent)
{
	struct event ev = { .kind = REC_STREAM };

	event_set(&ev, FLD_STREAM, stream);
	event_set(&ev, FLD_SOURCE, 0);
	event_set(&ev, FLD_ARRIVAL, wall(arrival));
	event_set(&ev, FLD_LIVE, live);
	if (agent)
		event_set(&ev, FLD_AGENT, script_sym(s, agent));
	if (s->skew != 0)
		event_set(&ev, FLD_T_GAP, script_seconds(s->skew));
	if (s->uid)
		event_set(&ev, FLD_UID, s->uid);
	batch_add(script_batch(s), &ev);
}

void script_stream(struct script *s, unsigned stream, double arrival, bool live)
{
	script_agent_stream(s, stream, arrival, live, NULL);
}

void script_stream_end(struct script *s, unsigned stream)
{
	struct event ev = { .kind = REC_STREAM_END };

	event_set(&ev, FLD_STREAM, stream);
	batch_add(script_batch(s), &ev);
}

void script_pid(struct script *s, bool seen, const char *sid, int64_t pid)
{
	struct event ev = { .kind = seen ? REC_PID_SEEN : REC_PID_GONE };
	struct batch *batch = script_batch(s);

	event_set(&ev, TR2_F_SID, batch_sid(batch, sid, strlen(sid), tr2_hash(sid, strlen(sid))));
	event_set(&ev, TR2_F_PID, pid);
	batch_add(batch, &ev);
}

void script_about(struct script *s, const char *sid, const char *parent, const char *host,
		  int64_t pid)
{
	struct event ev = { .kind = REC_ABOUT };
	struct batch *batch = script_batch(s);

	event_set(&ev, TR2_F_SID, batch_sid(batch, sid, strlen(sid), tr2_hash(sid, strlen(sid))));
	if (pid != NUM_NONE)
		event_set(&ev, TR2_F_PID, pid);
	if (parent)
		event_set(&ev, FLD_PARENT, batch_add_text(batch, parent, strlen(parent)));
	if (host)
		event_set(&ev, FLD_HOST, batch_add_text(batch, host, strlen(host)));
	batch_add(batch, &ev);
}

void script_about_trace(struct script *s, const char *sid, const char *format, int64_t bits,
			const char *main_thread)
{
	struct event ev = { .kind = REC_ABOUT };
	struct batch *batch = script_batch(s);

	event_set(&ev, TR2_F_SID, batch_sid(batch, sid, strlen(sid), tr2_hash(sid, strlen(sid))));
	event_set(&ev, FLD_FORMAT, script_sym(s, format));
	event_set(&ev, FLD_ABOUT, bits);
	if (main_thread)
		event_set(&ev, TR2_F_THREAD, script_sym(s, main_thread));
	batch_add(batch, &ev);
}

struct model *script_model(const struct script *s, int64_t nesting, uint32_t max_processes)
{
	struct model *model =
		model_new(&s->syms, &(struct model_config){ .nesting = nesting,
							    .max_processes = max_processes });

	for (unsigned i = 0; i < s->nr_batches; i++)
		model_apply(model, s->batches[i]);
	model_settle(model);
	return model;
}

const struct process *script_process(const struct model *model, const char *sid)
{
	uint32_t slot = model_find_sid(model, sid, strlen(sid));

	return slot == SLOT_NONE ? NULL : model_slot(model, slot);
}

bool script_sym_is(const struct model *model, sym_t sym, const char *text)
{
	const char *bytes;
	size_t len;

	if (sym == SYM_NONE)
		return !text;
	bytes = model_sym(model, sym, &len);
	return text && len == strlen(text) && !memcmp(bytes, text, len);
}

sym_t script_sym(struct script *s, const char *text)
{
	return tr2_intern(&s->syms, text, strlen(text));
}

static char *report_of(struct model *model, size_t *len)
{
	struct report_input input = { .model = model, .nesting = -1, .depth = -1, .parts = true };
	char *text = NULL;
	FILE *to = open_memstream(&text, len);

	assert_true(report_write(exporters[EXPORTER_JSON].ops, to, &input));
	fclose(to);
	return text;
}

void script_reports_equal(const struct model *a, const struct model *b)
{
	struct model *x = model_copy(a), *y = model_copy(b);
	size_t x_len, y_len;
	char *x_text = report_of(x, &x_len), *y_text = report_of(y, &y_len);

	if (x_len != y_len || memcmp(x_text, y_text, x_len))
		fail_msg("reports differ:\n%s\n%s", x_text, y_text);
	free(x_text);
	free(y_text);
	model_free(x);
	model_free(y);
}
