/* SPDX-License-Identifier: MIT */
/* Write the spans within a process: regions, children, execs. */
#include "config.h"
#include "monitor/report/otlp_priv.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"

/* Maximum number of open children and execs of a process; above it the oldest are exported
 * before their end. */
#define MAX_DOINGS 4096u
/* Maximum number of open regions of a process with data; data of further regions become
 * attributes of the process. */
#define MAX_DATA 1024u

static void text_attribute(struct otlp_attributes *a, const char *key, const struct batch *batch,
			   const struct event *ev, unsigned field)
{
	size_t len;
	const char *text;

	if (!event_has(ev, field))
		return;
	text = batch_text(batch, ev->v[field], &len);
	otlp_attribute_text(a, key, text, len);
}

static void otlp_parts_sym_attribute(const struct otlp *o, struct otlp_attributes *a,
				     const char *key, sym_t sym)
{
	size_t len;
	const char *text;

	if (sym == SYM_NONE)
		return;
	text = tr2_intern_text(o->syms, sym, &len);
	otlp_attribute_text(a, key, text, len);
}

/* ---- regions ---- */

/* Append a part of a region's name in the form of trace2receiver, so that one query finds spans
 * of both programs. */
static void region_name_add(struct otlp *o, sym_t sym, const char *absent)
{
	size_t len;
	const char *text = tr2_intern_text(o->syms, sym, &len);

	if (sym == SYM_NONE) {
		tr2_buf_addstr(&o->name, absent);
		return;
	}
	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		else if (memchr(" -.,:()", c, 7))
			c = '_';
		tr2_buf_addch(&o->name, c);
	}
}

static struct otlp_data *data_find(struct otlp_process *p, uint32_t thread, uint64_t ordinal)
{
	for (uint32_t i = p->nr_data; i-- > 0;)
		if (p->data[i].thread == thread && p->data[i].ordinal == ordinal)
			return &p->data[i];
	return NULL;
}

static void region_attributes(struct otlp *o, struct otlp_process *p, const struct span_region *r,
			      struct otlp_attributes *a)
{
	const struct span_thread *thread = span_stream_thread(&o->spans, r->thread);

	otlp_attribute_text(a, "trace2.span.type", "region", strlen("region"));
	otlp_parts_sym_attribute(o, a, "trace2.region.category", r->category);
	otlp_parts_sym_attribute(o, a, "trace2.region.label", r->label);
	otlp_attribute_int(a, "trace2.region.nesting", r->nesting);
	if (r->msg)
		otlp_attribute_text(a, "trace2.region.message", r->msg, r->msg_len);
	otlp_parts_sym_attribute(o, a, "thread.name", thread->name);
	if (r->open)
		otlp_attribute_true(a, "trace2.region.open");
	if (r->open && p->state == OTLP_RUNNING)
		otlp_attribute_true(a, "trace2.incomplete");
}

static void otlp_parts_region_id(struct otlp *o, const struct otlp_process *p, uint32_t thread,
				 uint64_t n, uint8_t *id)
{
	size_t len;
	const char *name =
		tr2_intern_text(o->syms, span_stream_thread(&o->spans, thread)->name, &len);

	otlp_ids_inner(&p->ids, "region", n, len ? name : "", len, id);
}

void otlp_region(void *data, const struct span_region *r)
{
	struct otlp *o = data;
	struct otlp_process *p = otlp_process(o, r->process);
	struct otlp_data *own = p->nr_data ? data_find(p, r->thread, r->ordinal) : NULL;
	struct otlp_attributes fresh, *a = own ? &own->attributes : &fresh;
	struct otlp_inner inner = { .start = r->start, .end = r->end, .attributes = a };
	uint8_t parent[OTLP_SPAN_BYTES];
	struct otlp_mark mark;

	if (!own)
		otlp_attributes_init(&fresh, NULL);
	mark = otlp_attributes_mark(a);
	region_attributes(o, p, r, a);
	if (r->start != NS_NONE && (p->from == NS_NONE || r->start < p->from))
		p->from = r->start;
	otlp_parts_region_id(o, p, r->thread, r->ordinal, inner.id);
	if (r->parent != SPAN_NONE) {
		otlp_parts_region_id(o, p, r->thread, r->parent, parent);
		inner.parent = parent;
	}
	tr2_buf_clear(&o->name);
	tr2_buf_addstr(&o->name, "region(");
	region_name_add(o, r->category, "C");
	tr2_buf_addch(&o->name, ',');
	region_name_add(o, r->label, "L");
	tr2_buf_addch(&o->name, ')');
	/* Copy the name, because exporting uses o->name for the name of the process. */
	tr2_buf_clear(&o->text);
	tr2_buf_add(&o->text, o->name.data, o->name.len);
	inner.name = o->text.data;
	inner.name_len = o->text.len;
	otlp_write_inner(o, p, &inner);
	if (own && o->looking) {
		otlp_attributes_rewind(a, mark);
		return;
	}
	otlp_attributes_release(a);
	if (own)
		*own = p->data[--p->nr_data];
}

/* ---- data and errors ---- */

static void data_key(struct otlp *o, const struct event *ev)
{
	size_t len;
	const char *text;

	tr2_buf_clear(&o->text);
	tr2_buf_addstr(&o->text, "trace2.data.");
	text = tr2_intern_text(o->syms, event_sym(ev, TR2_F_CATEGORY), &len);
	tr2_buf_add(&o->text, text, len);
	tr2_buf_addch(&o->text, '.');
	text = tr2_intern_text(o->syms, event_sym(ev, TR2_F_KEY), &len);
	tr2_buf_add(&o->text, text, len);
}

/* Return the attributes that get an event's data: those of the innermost open region, or those of
 * the process if no region is open, the event's nesting is 1 or MAX_DATA other regions have data.
 * NULL: none. */
static struct otlp_attributes *data_owner(struct otlp *o, struct otlp_process *p, uint32_t thread,
					  const struct event *ev)
{
	struct otlp_attributes *of_process = p->state == OTLP_ENDED ? NULL : &p->attributes;
	uint64_t ordinal = span_stream_innermost(&o->spans, thread);
	struct otlp_data *own;

	if (ordinal == SPAN_NONE || event_get(ev, TR2_F_NESTING, 2) <= 1)
		return of_process;
	own = data_find(p, thread, ordinal);
	if (own)
		return &own->attributes;
	if (p->nr_data == MAX_DATA)
		return of_process;
	GROW(p->data, p->nr_data, p->cap_data, 4);
	own = &p->data[p->nr_data++];
	own->thread = thread;
	own->ordinal = ordinal;
	otlp_attributes_init(&own->attributes, &o->held);
	return &own->attributes;
}

static void otlp_parts_on_error(struct otlp *o, struct otlp_process *p, const struct batch *batch,
				const struct event *ev)
{
	size_t len;
	const char *text;

	if (p->state == OTLP_ENDED || p->error || !event_has(ev, TR2_F_MSG))
		return;
	text = batch_text(batch, ev->v[TR2_F_MSG], &len);
	p->error = otlp_text_keep(o, text, len);
	text_attribute(&p->attributes, "trace2.cmd.error.message", batch, ev, TR2_F_MSG);
	otlp_parts_sym_attribute(o, &p->attributes, "trace2.cmd.error.format",
				 event_sym(ev, TR2_F_FMT));
}

void otlp_instant(void *data, uint32_t thread, ns_t time, const struct batch *batch,
		  const struct event *ev)
{
	struct otlp *o = data;
	struct otlp_process *p = otlp_process(o, span_stream_thread(&o->spans, thread)->process);
	struct otlp_attributes *owner;
	const char *value;
	size_t len;

	(void)time;
	if (ev->kind == TR2_E_ERROR)
		otlp_parts_on_error(o, p, batch, ev);
	if ((ev->kind != TR2_E_DATA && ev->kind != TR2_E_DATA_JSON) || !event_has(ev, TR2_F_VALUE))
		return;
	owner = data_owner(o, p, thread, ev);
	if (!owner)
		return;
	data_key(o, ev);
	value = batch_text(batch, ev->v[TR2_F_VALUE], &len);
	if (ev->kind == TR2_E_DATA)
		otlp_attribute_value(owner, tr2_buf_cstr(&o->text), value, len);
	else
		otlp_attribute_text(owner, tr2_buf_cstr(&o->text), value, len);
}

/* ---- children and execs ---- */

void otlp_doing_release(struct otlp *o, struct otlp_doing *doing)
{
	otlp_text_free(o, doing->name);
	otlp_attributes_release(&doing->attributes);
}

static void doing_report(struct otlp *o, struct otlp_process *p, const struct otlp_doing *d)
{
	struct otlp_inner inner = { .name = d->name,
				    .name_len = strlen(d->name),
				    .start = d->start,
				    .end = d->end,
				    .attributes = &d->attributes,
				    .failed = d->code != NUM_NONE && d->code != 0 };

	otlp_ids_inner(&p->ids, d->is_exec ? "exec" : "child", d->n, NULL, 0, inner.id);
	otlp_write_inner(o, p, &inner);
}

static void doing_remove(struct otlp *o, struct otlp_process *p, uint32_t at)
{
	otlp_doing_release(o, &p->doings[at]);
	p->nr_doings--;
	memmove(&p->doings[at], &p->doings[at + 1], (p->nr_doings - at) * sizeof(*p->doings));
}

/* Export a child or exec that has not ended. A child that is ready, and an exec that ended its
 * process, count as complete. */
static void doing_report_open(struct otlp *o, uint32_t nr, struct otlp_doing *d)
{
	const struct span_process *said = span_stream_process(&o->spans, nr);
	struct otlp_process *p = otlp_process(o, nr);
	struct otlp_mark mark = otlp_attributes_mark(&d->attributes);

	if (!d->ready) {
		d->end = said->last > d->start ? said->last : d->start;
		if (!d->is_exec || !p->last_is_exec)
			otlp_attribute_true(&d->attributes, "trace2.incomplete");
	}
	doing_report(o, p, d);
	otlp_attributes_rewind(&d->attributes, mark);
	d->attributes.all = true;
}

void otlp_doings_report(struct otlp *o, uint32_t nr, bool forget)
{
	struct otlp_process *p = otlp_process(o, nr);

	for (uint32_t i = 0; i < p->nr_doings; i++) {
		doing_report_open(o, nr, &p->doings[i]);
		if (forget)
			otlp_doing_release(o, &p->doings[i]);
	}
	if (forget)
		p->nr_doings = 0;
}

static struct otlp_doing *doing_find(struct otlp_process *p, bool is_exec, int64_t number)
{
	for (uint32_t i = p->nr_doings; i-- > 0;)
		if (p->doings[i].is_exec == is_exec && p->doings[i].number == number)
			return &p->doings[i];
	return NULL;
}

static const char *base_of(const char *path, size_t *len)
{
	for (size_t i = *len; i > 0; i--)
		if (path[i - 1] == '/' || path[i - 1] == '\\') {
			*len -= i;
			return path + i;
		}
	return path;
}

static const char *argv_item(const struct batch *batch, const struct event *ev, uint32_t index,
			     size_t *len)
{
	int64_t item;

	*len = 0;
	if (!event_has(ev, TR2_F_ARGV) || batch_list(batch, ev->v[TR2_F_ARGV], &item) <= index)
		return "";
	while (index--)
		item = batch_list_next(batch, item);
	return batch_text(batch, item, len);
}

static bool ends_in(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && !memcmp(text + len - n, word, n);
}

/* Append the operation of a credential helper: argv[1], else get, store or erase at the end of
 * argv[0], else "unknown". */
static void cred_name(struct otlp *o, const struct batch *batch, const struct event *ev)
{
	static const char *const words[] = { "get", "store", "erase" };
	size_t len;
	const char *text = argv_item(batch, ev, 1, &len);

	tr2_buf_addstr(&o->name, "cred:");
	if (len) {
		tr2_buf_add(&o->name, text, len);
		return;
	}
	text = argv_item(batch, ev, 0, &len);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (ends_in(text, len, words[i])) {
			tr2_buf_addstr(&o->name, words[i]);
			return;
		}
	tr2_buf_addstr(&o->name, "unknown");
}

/* Name a child by its purpose, as trace2receiver does. */
static void child_name(struct otlp *o, const struct batch *batch, const struct event *ev)
{
	sym_t class = event_sym(ev, TR2_F_CHILD_CLASS);
	const char *text;
	size_t len;

	tr2_buf_addstr(&o->name, "child(");
	if (tr2_intern_is(o->syms, class, "hook")) {
		text = tr2_intern_text(o->syms, event_sym(ev, TR2_F_HOOK_NAME), &len);
		tr2_buf_addstr(&o->name, "hook:");
		tr2_buf_add(&o->name, len ? text : "??", len ? len : 2);
	} else if (tr2_intern_is(o->syms, class, "git_alias")) {
		tr2_buf_addstr(&o->name, "alias:git");
	} else if (tr2_intern_is(o->syms, class, "shell_alias")) {
		tr2_buf_addstr(&o->name, "alias:shell");
	} else if (tr2_intern_is(o->syms, class, "dashed")) {
		text = argv_item(batch, ev, 0, &len);
		tr2_buf_addstr(&o->name, "dashed:");
		tr2_buf_add(&o->name, text, len);
	} else if (tr2_intern_is(o->syms, class, "cred")) {
		cred_name(o, batch, ev);
	} else {
		text = tr2_intern_text(o->syms, class, &len);
		tr2_buf_addstr(&o->name, "class:");
		if (!len || tr2_intern_is(o->syms, class, "?"))
			tr2_buf_addstr(&o->name, "unknown");
		else
			tr2_buf_add(&o->name, text, len);
	}
	tr2_buf_addch(&o->name, ')');
}

static void exec_name(struct otlp *o, const struct batch *batch, const struct event *ev)
{
	size_t len;
	const char *text = event_has(ev, TR2_F_EXE)
				   ? tr2_intern_text(o->syms, event_sym(ev, TR2_F_EXE), &len)
				   : argv_item(batch, ev, 0, &len);

	text = base_of(text, &len);
	tr2_buf_addstr(&o->name, "exec(");
	tr2_buf_add(&o->name, len ? text : "?", len ? len : 1);
	tr2_buf_addch(&o->name, ')');
}

static struct otlp_doing *doing_new(struct otlp *o, uint32_t nr, bool is_exec,
				    const struct event *ev)
{
	struct otlp_process *p = otlp_process(o, nr);
	struct otlp_doing *d;

	if (p->nr_doings == MAX_DOINGS) {
		doing_report_open(o, nr, &p->doings[0]);
		doing_remove(o, p, 0);
	}
	GROW(p->doings, p->nr_doings, p->cap_doings, 4);
	d = &p->doings[p->nr_doings++];
	*d = (struct otlp_doing){ .is_exec = is_exec,
				  .number = event_get(ev, is_exec ? TR2_F_EXEC_ID : TR2_F_CHILD_ID,
						      NUM_NONE),
				  .n = is_exec ? p->nr_execs++ : p->nr_children++,
				  .start = event_get(ev, TR2_F_TIME, NS_NONE),
				  .code = NUM_NONE };
	d->end = d->start;
	otlp_attributes_init(&d->attributes, &o->held);
	d->attributes.all = true;
	return d;
}

static void child_start(struct otlp *o, uint32_t nr, const struct batch *batch,
			const struct event *ev)
{
	struct otlp_doing *d = doing_new(o, nr, false, ev);
	struct otlp_attributes *a = &d->attributes;

	tr2_buf_clear(&o->name);
	child_name(o, batch, ev);
	d->name = otlp_text_keep(o, o->name.data, o->name.len);
	otlp_attribute_text(a, "trace2.span.type", "child", strlen("child"));
	otlp_parts_sym_attribute(o, a, "trace2.child.class", event_sym(ev, TR2_F_CHILD_CLASS));
	otlp_parts_sym_attribute(o, a, "trace2.child.hook", event_sym(ev, TR2_F_HOOK_NAME));
	if (event_has(ev, TR2_F_ARGV))
		otlp_attribute_list_text(a, "trace2.child.argv", batch, ev->v[TR2_F_ARGV]);
	text_attribute(a, "trace2.child.cd", batch, ev, TR2_F_CD);
	otlp_parts_sym_attribute(o, a, "thread.name", event_sym(ev, TR2_F_THREAD));
}

static void exec_start(struct otlp *o, uint32_t nr, const struct batch *batch,
		       const struct event *ev)
{
	struct otlp_doing *d = doing_new(o, nr, true, ev);
	struct otlp_attributes *a = &d->attributes;

	tr2_buf_clear(&o->name);
	exec_name(o, batch, ev);
	d->name = otlp_text_keep(o, o->name.data, o->name.len);
	otlp_attribute_text(a, "trace2.span.type", "exec", strlen("exec"));
	otlp_parts_sym_attribute(o, a, "trace2.exec.exe", event_sym(ev, TR2_F_EXE));
	if (event_has(ev, TR2_F_ARGV))
		otlp_attribute_list_text(a, "trace2.exec.argv", batch, ev->v[TR2_F_ARGV]);
	otlp_parts_sym_attribute(o, a, "thread.name", event_sym(ev, TR2_F_THREAD));
}

/* `ended`: the child or exec is complete; else the child is ready. */
static void doing_come(struct otlp *o, uint32_t nr, bool is_exec, bool ended,
		       const struct event *ev)
{
	struct otlp_process *p = otlp_process(o, nr);
	struct otlp_doing *d = doing_find(
		p, is_exec, event_get(ev, is_exec ? TR2_F_EXEC_ID : TR2_F_CHILD_ID, NUM_NONE));

	if (!d)
		return;
	d->end = event_get(ev, TR2_F_TIME, d->start);
	if (event_has(ev, TR2_F_PID))
		otlp_attribute_int(&d->attributes, "trace2.child.pid", ev->v[TR2_F_PID]);
	otlp_parts_sym_attribute(o, &d->attributes, "trace2.child.ready",
				 event_sym(ev, TR2_F_READY));
	if (event_has(ev, TR2_F_CODE)) {
		d->code = ev->v[TR2_F_CODE];
		otlp_attribute_int(&d->attributes,
				   is_exec ? "trace2.exec.exitcode" : "trace2.child.exitcode",
				   d->code);
	}
	if (!ended) {
		d->ready = true;
		return;
	}
	doing_report(o, p, d);
	doing_remove(o, p, (uint32_t)(d - p->doings));
}

void otlp_doing(struct otlp *o, uint32_t nr, const struct batch *batch, const struct event *ev)
{
	switch (ev->kind) {
	case TR2_E_CHILD_START:
		child_start(o, nr, batch, ev);
		break;
	case TR2_E_CHILD_READY:
	case TR2_E_CHILD_EXIT:
		doing_come(o, nr, false, ev->kind == TR2_E_CHILD_EXIT, ev);
		break;
	case TR2_E_EXEC:
		exec_start(o, nr, batch, ev);
		break;
	case TR2_E_EXEC_RESULT:
		doing_come(o, nr, true, true, ev);
		break;
	default:
		break;
	}
}
