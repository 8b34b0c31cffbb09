/* SPDX-License-Identifier: MIT */
/* Write spans in the JSON mapping of OTLP's protobuf format; ids are hexadecimal digits. */
#include "config.h"
#include "monitor/report/otlp_priv.h"

#include <string.h>

#include "monitor/base/die.h"

/* TOLD_BYTES: size at which the pending spans of a process are exported. KEPT_BYTES: a larger
 * buffer is freed afterwards. */
#define TOLD_BYTES (512u << 10)
#define KEPT_BYTES (16u << 10)

static void name_add_sym(struct otlp *o, sym_t sym)
{
	size_t len;
	const char *text = tr2_intern_text(o->syms, sym, &len);

	tr2_buf_add(&o->name, text, len);
}

/* If `git NAME` runs the program git-NAME, Git reports the verb _run_dashed_: append argv[1]
 * instead. */
static void verb_add(struct otlp *o, const struct otlp_process *p)
{
	size_t len;
	const char *text = tr2_intern_text(o->syms, p->verb, &len);

	if (!len)
		return;
	tr2_buf_addch(&o->name, ':');
	if (len == strlen("_run_dashed_") && !memcmp(text, "_run_dashed_", len) && p->first_word)
		tr2_buf_addstr(&o->name, p->first_word);
	else
		tr2_buf_add(&o->name, text, len);
}

static void otlp_name_make(struct otlp *o, const struct otlp_process *p, enum otlp_name which)
{
	tr2_buf_clear(&o->name);
	tr2_buf_addstr(&o->name, p->exe ? p->exe : "git");
	if (which != OTLP_NAME_EXE && p->verb != SYM_NONE)
		verb_add(o, p);
	if (which == OTLP_NAME_MODE && p->mode != SYM_NONE) {
		tr2_buf_addch(&o->name, '#');
		name_add_sym(o, p->mode);
	}
}

static void hex_add(struct tr2_buf *out, const char *key, const uint8_t *bytes, size_t nr)
{
	static const char digits[] = "0123456789abcdef";

	tr2_buf_addstr(out, key);
	for (size_t i = 0; i < nr; i++) {
		tr2_buf_addch(out, digits[bytes[i] >> 4]);
		tr2_buf_addch(out, digits[bytes[i] & 15]);
	}
	tr2_buf_addch(out, '"');
}

static uint64_t unix_nano(ns_t wall)
{
	return wall > 0 ? (uint64_t)wall : 0;
}

struct essentials {
	const uint8_t *id, *parent;
	const char *name;
	size_t name_len;
	int kind;
	ns_t start, end;
};

static void span_begin(struct otlp_process *p, const struct essentials *e)
{
	struct tr2_buf *out = &p->spans;

	if (p->nr_spans)
		tr2_buf_addch(out, ',');
	hex_add(out, "{\"traceId\":\"", p->ids.trace, OTLP_TRACE_BYTES);
	hex_add(out, ",\"spanId\":\"", e->id, OTLP_SPAN_BYTES);
	if (e->parent)
		hex_add(out, ",\"parentSpanId\":\"", e->parent, OTLP_SPAN_BYTES);
	tr2_buf_addstr(out, ",\"name\":");
	otlp_string(out, e->name, e->name_len);
	tr2_buf_addstr(out, ",\"kind\":");
	tr2_buf_addu(out, (uint64_t)e->kind, 1);
	tr2_buf_addstr(out, ",\"startTimeUnixNano\":\"");
	tr2_buf_addu(out, unix_nano(e->start), 1);
	tr2_buf_addstr(out, "\",\"endTimeUnixNano\":\"");
	tr2_buf_addu(out, unix_nano(e->end > e->start ? e->end : e->start), 1);
	tr2_buf_addch(out, '"');
}

static void span_end(struct otlp *o, struct otlp_process *p, size_t before, bool failed,
		     const char *message)
{
	struct tr2_buf *out = &p->spans;

	if (failed) {
		tr2_buf_addf(out, ",\"status\":{\"code\":%d", OTLP_STATUS_ERROR);
		if (message) {
			tr2_buf_addstr(out, ",\"message\":");
			otlp_string(out, message, strlen(message));
		}
		tr2_buf_addch(out, '}');
	}
	tr2_buf_addch(out, '}');
	if (out->failed)
		die_of_memory(out->len);
	o->held += out->len - before;
	p->nr_spans++;
	o->stats.spans++;
}

void otlp_write_inner(struct otlp *o, struct otlp_process *p, const struct otlp_inner *inner)
{
	size_t before = p->spans.len;

	if (inner->start == NS_NONE) {
		o->stats.timeless++;
		p->nr_timeless++;
		return;
	}
	span_begin(p, &(struct essentials){ .id = inner->id,
					    .parent = inner->parent ? inner->parent : p->ids.span,
					    .name = inner->name,
					    .name_len = inner->name_len,
					    .kind = OTLP_KIND_INTERNAL,
					    .start = inner->start,
					    .end = inner->end });
	otlp_attributes_write(inner->attributes, ",", &p->spans);
	span_end(o, p, before, inner->failed, NULL);
	if (p->nr_spans >= OTLP_TOLD_SPANS || p->spans.len >= TOLD_BYTES)
		otlp_report(o, (uint32_t)(p - o->processes));
}

static void name_attribute(struct otlp *o, struct otlp_process *p, const char *key,
			   enum otlp_name which)
{
	otlp_name_make(o, p, which);
	otlp_attribute_text(&p->attributes, key, o->name.data, o->name.len);
}

static void process_attributes(struct otlp *o, const struct span_process *said,
			       struct otlp_process *p, bool incomplete)
{
	struct otlp_attributes *a = &p->attributes;
	/* Only signals 1 to 127 can be encoded as an exit code. */
	bool is_signal = p->signo > 0 && p->signo < 128;
	int64_t code = is_signal ? 128 + p->signo : p->code;

	otlp_attribute_text(a, "trace2.span.type", "process", strlen("process"));
	name_attribute(o, p, "trace2.cmd.name", OTLP_NAME_EXE);
	name_attribute(o, p, "trace2.cmd.name_verb", OTLP_NAME_VERB);
	name_attribute(o, p, "trace2.cmd.name_verb_mode", OTLP_NAME_MODE);
	if (code != NUM_NONE) {
		otlp_attribute_int(a, "trace2.cmd.exit_code", code);
		otlp_attribute_int(a, "process.exit.code", code);
	}
	if (p->signo != NUM_NONE)
		otlp_attribute_int(a, "trace2.cmd.signal", p->signo);
	if (p->pid != NUM_NONE)
		otlp_attribute_int(a, "process.pid", p->pid);
	if (said->nr_left_out)
		otlp_attribute_int(a, "trace2.left_out_regions", (int64_t)said->nr_left_out);
	if (p->nr_timeless)
		otlp_attribute_int(a, "trace2.timeless_spans", (int64_t)p->nr_timeless);
	if (incomplete)
		otlp_attribute_true(a, "trace2.incomplete");
}

void otlp_write_process(struct otlp *o, uint32_t nr, bool incomplete)
{
	const struct span_process *said = span_stream_process(&o->spans, nr);
	struct otlp_process *p = otlp_process(o, nr);
	struct otlp_mark mark;
	size_t before = p->spans.len;

	if (said->first == NS_NONE) {
		o->stats.timeless++;
		return;
	}
	mark = otlp_attributes_mark(&p->attributes);
	process_attributes(o, said, p, incomplete);
	otlp_name_make(o, p, OTLP_NAME_MODE);
	span_begin(p, &(struct essentials){
			      .id = p->ids.span,
			      .parent = p->ids.has_parent ? p->ids.parent : NULL,
			      .name = o->name.data,
			      .name_len = o->name.len,
			      .kind = OTLP_KIND_SERVER,
			      .start = p->from != NS_NONE && p->from < said->first ? p->from
										   : said->first,
			      .end = said->reach > said->last ? said->reach : said->last });
	otlp_attributes_write(&p->attributes, ",", &p->spans);
	otlp_attributes_rewind(&p->attributes, mark);
	span_end(o, p, before, p->signo != NUM_NONE || (p->code != NUM_NONE && p->code != 0),
		 p->error);
	o->stats.processes++;
}

static void agent_attributes(struct otlp *o, sym_t agent, struct otlp_attributes *a)
{
	size_t len;
	const char *text = tr2_intern_text(o->syms, agent, &len);
	const char *dot = len ? memchr(text, '.', len) : NULL;
	const char *host = dot ? dot + 1 : text;

	otlp_attribute_text(a, "trace2.agent", text, len);
	otlp_attribute_text(a, "host.name", host, len - (size_t)(host - text));
}

static void resource_attributes(struct otlp *o, uint32_t nr, struct otlp_attributes *a)
{
	const struct span_process *said = span_stream_process(&o->spans, nr);
	const struct otlp_process *p = otlp_process(o, nr);
	const char *host = o->config.host_name;
	size_t len;

	otlp_attribute_text(a, "service.namespace", "trace2", strlen("trace2"));
	otlp_name_make(o, p, OTLP_NAME_MODE);
	otlp_attribute_text(a, "service.name", o->name.data, o->name.len);
	if (p->version != SYM_NONE) {
		const char *version = tr2_intern_text(o->syms, p->version, &len);

		otlp_attribute_text(a, "service.version", version, len);
		otlp_attribute_text(a, "trace2.cmd.version", version, len);
	}
	otlp_attribute_text(a, "service.instance.id", said->sid, said->sid_len);
	otlp_attribute_text(a, "trace2.cmd.sid", said->sid, said->sid_len);
	if (*p->host)
		otlp_attribute_text(a, "host.id", p->host, strlen(p->host));
	if (p->agent != SYM_NONE) {
		agent_attributes(o, p->agent, a);
		return;
	}
	if (*p->host && host && !strcmp(p->host, o->config.host_digest))
		otlp_attribute_text(a, "host.name", host, strlen(host));
}

void otlp_report(struct otlp *o, uint32_t nr)
{
	struct otlp_process *p = otlp_process(o, nr);
	struct tr2_buf *out = &o->out;
	struct otlp_attributes resource;

	if (!p->nr_spans)
		return;
	otlp_attributes_init(&resource, NULL);
	resource_attributes(o, nr, &resource);
	tr2_buf_clear(out);
	tr2_buf_addstr(out, "{\"resource\":{");
	otlp_attributes_write(&resource, "", out);
	tr2_buf_addstr(out, "},\"scopeSpans\":[{\"scope\":{\"name\":\"trace2top\",\"version\":"
			    "\"" PACKAGE_VERSION "\"},\"spans\":[");
	tr2_buf_add(out, p->spans.data, p->spans.len);
	tr2_buf_addstr(out, "]}]}");
	if (out->failed)
		die_of_memory(out->len);
	o->config.spans(o->config.data, out->data, out->len, p->nr_spans);
	otlp_attributes_release(&resource);
	o->held -= p->spans.len;
	tr2_buf_clear(&p->spans);
	/* Free a large buffer, because many processes could keep one. */
	if (p->spans.cap > KEPT_BYTES)
		tr2_buf_release(&p->spans);
	p->nr_spans = 0;
}
