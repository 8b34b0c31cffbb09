/* SPDX-License-Identifier: MIT */
/*
 * Write OpenTelemetry spans to a file: one OTLP/JSON request per line, for the collector's receiver
 * otlpjsonfile.
 */
#include "config.h"
#include "monitor/report/otlp.h"

#include <stdlib.h>

#include "engine/base/buf.h"
#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/report/report.h"

/* A line with several objects has about this many bytes at most. By default the collector accepts
 * lines of up to 1 MiB. */
#define LINE_BYTES (768u << 10)
#define LINE_SPANS OTLP_TOLD_SPANS

struct export
{
	struct report_walk walk;
	struct otlp *otlp;
	FILE *to;
	struct tr2_buf line;
	uint32_t nr_spans;
};

static void line_write(struct export *e)
{
	if (!e->nr_spans)
		return;
	tr2_buf_addstr(&e->line, OTLP_REQUEST_TAIL "\n");
	if (e->line.failed)
		die_of_memory(e->line.len);
	fwrite(e->line.data, 1, e->line.len, e->to);
	tr2_buf_clear(&e->line);
	e->nr_spans = 0;
}

static void otlp_spans(void *data, const char *json, size_t len, uint32_t nr)
{
	struct export *e = data;

	if (e->nr_spans + nr > LINE_SPANS || e->line.len + len > LINE_BYTES)
		line_write(e);
	tr2_buf_addstr(&e->line, e->nr_spans ? "," : OTLP_REQUEST_HEAD);
	tr2_buf_add(&e->line, json, len);
	e->nr_spans += nr;
}

static void *otlp_begin(FILE *to, const struct report_input *input)
{
	struct export *e = xcalloc(1, sizeof(*e));

	report_walk_begin(&e->walk, input);
	e->to = to;
	tr2_buf_init(&e->line, SIZE_MAX / 2);
	e->otlp = otlp_new(&(struct otlp_config){ .syms = model_syms(input->model),
						  .redactor = input->redactor,
						  .spans = otlp_spans,
						  .data = e });
	return e;
}

static void report_otlp_batch(void *report, const struct batch *report_otlp_batch, uint32_t records)
{
	struct export *e = report;
	struct event ev;

	report_walk_batch(&e->walk, report_otlp_batch, records);
	otlp_batch(e->otlp, report_otlp_batch, 0);
	while (report_walk_next(&e->walk, &ev))
		otlp_record(e->otlp, report_otlp_batch, &ev);
}

static void report_otlp_end(void *report, FILE *to, const struct report_input *input)
{
	struct export *e = report;
	char why[300];

	(void)to;
	(void)input;
	otlp_end(e->otlp);
	otlp_format_left_out(e->otlp, why, sizeof(why));
	if (*why)
		complain_print_error("--format=otlp: %s", why);
	line_write(e);
	otlp_free(e->otlp);
	report_walk_end(&e->walk);
	tr2_buf_release(&e->line);
	free(e);
}

const struct exporter_ops report_otlp = {
	.begin = otlp_begin, .batch = report_otlp_batch, .end = report_otlp_end, .redacts = true
};
