/* SPDX-License-Identifier: MIT */
/*
 * Invariant: a process that has a number in the span stream and a Trace2 event is RUNNING or ENDED,
 * and in the list of that state. The list of running processes is sorted by `told`, that of ended
 * ones by time of end. A running process is in `by_stream` under the stream of its last Trace2
 * event, if known.
 *
 * When a process ends, its open regions and children end, too, and its exported data are freed.
 */
#include "config.h"
#include "monitor/report/otlp_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/hash_index.h"
#include "monitor/event/sid.h"

/* The threads and open regions of one process get at most one part in this many of the memory
 * limit. */
#define PROCESS_SHARE 8

static void list_init(struct otlp_list *list)
{
	*list = (struct otlp_list){ UINT32_MAX, UINT32_MAX, 0 };
}

static void otlp_list_add(struct otlp *o, struct otlp_list *list, uint32_t nr)
{
	struct otlp_process *p = otlp_process(o, nr);

	p->prev = list->last;
	p->next = UINT32_MAX;
	if (list->last != UINT32_MAX)
		otlp_process(o, list->last)->next = nr;
	else
		list->first = nr;
	list->last = nr;
	list->nr++;
}

static void otlp_list_remove(struct otlp *o, struct otlp_list *list, uint32_t nr)
{
	struct otlp_process *p = otlp_process(o, nr);

	if (p->prev != UINT32_MAX)
		otlp_process(o, p->prev)->next = p->next;
	else
		list->first = p->next;
	if (p->next != UINT32_MAX)
		otlp_process(o, p->next)->prev = p->prev;
	else
		list->last = p->prev;
	list->nr--;
}

static uint32_t stream_hash(const void *otlp, uint32_t nr)
{
	const struct otlp *o = otlp;

	return (uint32_t)tr2_hash_pair((uint64_t)o->processes[nr].stream, 1);
}

static void stream_set(struct otlp *o, uint32_t nr, int64_t stream)
{
	struct otlp_process *p = otlp_process(o, nr);

	if (p->stream == stream)
		return;
	if (p->stream != NUM_NONE)
		tr2_hash_index_remove(&o->by_stream,
				      tr2_hash_index_place(&o->by_stream, stream_hash(o, nr), nr),
				      stream_hash, o);
	p->stream = stream;
	if (stream != NUM_NONE)
		hash_index_put(&o->by_stream, stream_hash(o, nr), nr, stream_hash, o);
}

static uint32_t otlp_stream_find(const struct otlp *o, int64_t stream)
{
	if (!o->by_stream.nr)
		return UINT32_MAX;
	TR2_HASH_INDEX_EACH(&o->by_stream, tr2_hash_pair((uint64_t)stream, 1), at)
	if (o->processes[o->by_stream.at[at] - 1].stream == stream)
		return o->by_stream.at[at] - 1;
	return UINT32_MAX;
}

static void otlp_parts_release(struct otlp *o, struct otlp_process *p)
{
	for (uint32_t i = 0; i < p->nr_doings; i++)
		otlp_doing_release(o, &p->doings[i]);
	for (uint32_t i = 0; i < p->nr_data; i++)
		otlp_attributes_release(&p->data[i].attributes);
	free(p->doings);
	free(p->data);
	otlp_text_free(o, p->error);
	p->doings = NULL;
	p->data = NULL;
	p->error = NULL;
	p->nr_doings = p->cap_doings = p->nr_data = p->cap_data = 0;
	otlp_attributes_release(&p->attributes);
	otlp_attributes_init(&p->attributes, &o->held);
	o->held -= p->spans.len;
	tr2_buf_release(&p->spans);
	p->nr_spans = 0;
}

static void process_release(struct otlp *o, struct otlp_process *p)
{
	otlp_parts_release(o, p);
	otlp_attributes_release(&p->attributes);
	otlp_text_free(o, p->exe);
	otlp_text_free(o, p->first_word);
	*p = (struct otlp_process){ .state = OTLP_FREE };
}

static void process_begin(struct otlp *o, uint32_t nr)
{
	const struct span_process *said = span_stream_process(&o->spans, nr);
	struct otlp_process *p = otlp_process(o, nr);
	struct sid_parts parts;

	sid_take_apart(said->sid, said->sid_len, &parts);
	*p = (struct otlp_process){ .state = OTLP_RUNNING,
				    .stream = NUM_NONE,
				    .told = o->now,
				    .pid = parts.pid,
				    .code = NUM_NONE,
				    .signo = NUM_NONE,
				    .from = NS_NONE,
				    .version = SYM_NONE,
				    .verb = SYM_NONE,
				    .mode = SYM_NONE,
				    .agent = o->agent };
	memcpy(p->host, parts.host, sizeof(p->host));
	otlp_ids_of_sid(said->sid, said->sid_len, &p->ids);
	otlp_attributes_init(&p->attributes, &o->held);
	tr2_buf_init(&p->spans, SIZE_MAX / 2);
	otlp_list_add(o, &o->running, nr);
}

static void process_end(struct otlp *o, uint32_t nr, bool incomplete)
{
	struct otlp_process *p = otlp_process(o, nr);

	otlp_list_remove(o, &o->running, nr);
	stream_set(o, nr, NUM_NONE);
	p->state = OTLP_ENDED;
	otlp_list_add(o, &o->ended, nr);
	span_stream_end_process(&o->spans, nr);
	otlp_doings_report(o, nr, true);
	otlp_write_process(o, nr, incomplete);
	otlp_report(o, nr);
	otlp_parts_release(o, p);
}

static bool said_its_end(const struct otlp_process *p)
{
	return p->has_ended || p->last_is_exec;
}

static void process_report_as_it_is(struct otlp *o, uint32_t nr)
{
	struct otlp_process *p = otlp_process(o, nr);

	o->looking = true;
	span_stream_report_open(&o->spans, nr);
	otlp_doings_report(o, nr, false);
	o->looking = false;
	otlp_write_process(o, nr, true);
	otlp_report(o, nr);
	p->told = o->now;
	otlp_list_remove(o, &o->running, nr);
	otlp_list_add(o, &o->running, nr);
}

static void ended_forget(struct otlp *o)
{
	uint32_t nr = o->ended.first;

	otlp_report(o, nr);
	otlp_list_remove(o, &o->ended, nr);
	process_release(o, otlp_process(o, nr));
	span_stream_forget(&o->spans, nr);
}

static size_t held_of(const struct otlp *o, uint32_t nr)
{
	const struct otlp_process *p = &o->processes[nr];
	size_t held =
		span_stream_process(&o->spans, nr)->bytes + p->attributes.text.len + p->spans.len;

	for (uint32_t i = 0; i < p->nr_doings; i++)
		held += p->doings[i].attributes.text.len;
	for (uint32_t i = 0; i < p->nr_data; i++)
		held += p->data[i].attributes.text.len;
	return held;
}

/* Export and forget the running processes with more than half of the mean memory; forget the
 * ended ones. */
static void largest_cut(struct otlp *o)
{
	size_t mean = (o->held + o->spans.bytes) / o->running.nr;

	for (uint32_t nr = o->running.first, next; nr != UINT32_MAX; nr = next) {
		next = otlp_process(o, nr)->next;
		if (held_of(o, nr) <= mean / 2)
			continue;
		process_end(o, nr, true);
		o->stats.cut++;
	}
	while (o->ended.nr)
		ended_forget(o);
}

static size_t max_bytes(const struct otlp *o)
{
	return o->config.max_bytes ? o->config.max_bytes : OTLP_MAX_BYTES;
}

static bool otlp_is_over(const struct otlp *o)
{
	return o->held + o->spans.bytes > max_bytes(o);
}

/* Free memory: export pending spans and forget ended processes; if that is not enough, also
 * export and forget larger running processes. */
static void otlp_room_make(struct otlp *o)
{
	span_stream_flush(&o->spans);
	for (uint32_t nr = o->running.first; nr != UINT32_MAX; nr = otlp_process(o, nr)->next)
		otlp_report(o, nr);
	while (o->ended.nr && otlp_is_over(o))
		ended_forget(o);
	if (o->running.nr && otlp_is_over(o))
		largest_cut(o);
}

/* Forget ended processes and end running ones above the limits. Call it between batches, because
 * a batch refers to processes by number. */
static void old_forget(struct otlp *o)
{
	while (o->ended.nr > OTLP_MAX_ENDED)
		ended_forget(o);
	while (o->running.nr > OTLP_MAX_RUNNING) {
		process_end(o, o->running.first, true);
		o->stats.cut++;
	}
	if (otlp_is_over(o))
		otlp_room_make(o);
}

static uint32_t otlp_process_of(struct otlp *o, const struct batch *batch, const struct event *ev)
{
	uint32_t nr = span_stream_process_of(&o->spans, batch, (uint32_t)ev->v[TR2_F_SID]);

	if (nr >= o->cap_processes) {
		uint32_t cap = o->cap_processes;

		o->cap_processes = nr < 64 ? 64 : nr * 2;
		o->processes = xreallocarray(o->processes, o->cap_processes, sizeof(*o->processes));
		memset(o->processes + cap, 0, (o->cap_processes - cap) * sizeof(*o->processes));
	}
	if (o->processes[nr].state == OTLP_FREE)
		process_begin(o, nr);
	return nr;
}

char *otlp_text_keep(struct otlp *o, const char *text, size_t len)
{
	char *copy = xmalloc(len + 1);

	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	o->held += strlen(copy) + 1;
	return copy;
}

void otlp_text_free(struct otlp *o, char *text)
{
	if (text)
		o->held -= strlen(text) + 1;
	free(text);
}

static char *exe_of(struct otlp *o, const char *path, size_t len)
{
	const char *end = path + len, *base = end;

	while (base > path && base[-1] != '/' && base[-1] != '\\')
		base--;
	if (end - base > 4 && end[-4] == '.' && (end[-3] | 32) == 'e' && (end[-2] | 32) == 'x' &&
	    (end[-1] | 32) == 'e')
		end -= 4;
	return otlp_text_keep(o, base, (size_t)(end - base));
}

static void on_start(struct otlp *o, struct otlp_process *p, const struct batch *batch,
		     const struct event *ev)
{
	uint32_t nr;
	int64_t item;
	size_t len;
	const char *text;

	if (!event_has(ev, TR2_F_ARGV))
		return;
	otlp_attribute_list(&p->attributes, "process.command_args", batch, ev->v[TR2_F_ARGV]);
	otlp_attribute_list_text(&p->attributes, "trace2.cmd.argv", batch, ev->v[TR2_F_ARGV]);
	nr = batch_list(batch, ev->v[TR2_F_ARGV], &item);
	if (!nr || p->exe)
		return;
	text = batch_text(batch, item, &len);
	p->exe = exe_of(o, text, len);
	if (nr == 1)
		return;
	text = batch_text(batch, batch_list_next(batch, item), &len);
	p->first_word = otlp_text_keep(o, text, len);
}

static void otlp_sym_attribute(struct otlp *o, struct otlp_process *p, const char *key, sym_t sym)
{
	size_t len;
	const char *text = tr2_intern_text(o->syms, sym, &len);

	if (sym != SYM_NONE)
		otlp_attribute_text(&p->attributes, key, text, len);
}

/* Make the key `prefix`.A.B, or `prefix`.A if `b` is SYM_NONE. */
static const char *key_make(struct otlp *o, const char *prefix, sym_t a, sym_t b)
{
	size_t len;
	const char *text = tr2_intern_text(o->syms, a, &len);

	tr2_buf_clear(&o->text);
	tr2_buf_addstr(&o->text, prefix);
	tr2_buf_addch(&o->text, '.');
	tr2_buf_add(&o->text, text, len);
	if (b != SYM_NONE) {
		text = tr2_intern_text(o->syms, b, &len);
		tr2_buf_addch(&o->text, '.');
		tr2_buf_add(&o->text, text, len);
	}
	return tr2_buf_cstr(&o->text);
}

static void otlp_on_timer(struct otlp *o, struct otlp_process *p, const struct event *ev)
{
	static const struct {
		const char *suffix;
		unsigned field;
	} times[] = { { ".total_sec", TR2_F_T_TOTAL },
		      { ".min_sec", TR2_F_T_MIN },
		      { ".max_sec", TR2_F_T_MAX } };
	size_t len;

	key_make(o, "trace2.timer", event_sym(ev, TR2_F_CATEGORY), event_sym(ev, TR2_F_NAME));
	len = o->text.len;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		o->text.len = len;
		tr2_buf_addstr(&o->text, times[i].suffix);
		if (event_has(ev, times[i].field))
			otlp_attribute_seconds(&p->attributes, tr2_buf_cstr(&o->text),
					       ev->v[times[i].field]);
	}
	o->text.len = len;
	tr2_buf_addstr(&o->text, ".intervals");
	if (event_has(ev, TR2_F_INTERVALS))
		otlp_attribute_int(&p->attributes, tr2_buf_cstr(&o->text), ev->v[TR2_F_INTERVALS]);
}

static void about_process(struct otlp *o, struct otlp_process *p, const struct batch *batch,
			  const struct event *ev)
{
	char key[48];
	size_t len;
	const char *text;

	switch (ev->kind) {
	case TR2_E_VERSION:
		p->version = event_sym(ev, TR2_F_EXE);
		break;
	case TR2_E_START:
		on_start(o, p, batch, ev);
		break;
	case TR2_E_CMD_NAME:
		p->verb = event_sym(ev, TR2_F_NAME);
		otlp_sym_attribute(o, p, "trace2.cmd.hierarchy", event_sym(ev, TR2_F_HIERARCHY));
		break;
	case TR2_E_CMD_MODE:
		p->mode = event_sym(ev, TR2_F_NAME);
		break;
	case TR2_E_CMD_ANCESTRY:
		if (event_has(ev, TR2_F_ANCESTRY))
			otlp_attribute_list_text(&p->attributes, "trace2.cmd.ancestry", batch,
						 ev->v[TR2_F_ANCESTRY]);
		break;
	case TR2_E_ALIAS:
		otlp_sym_attribute(o, p, "trace2.cmd.alias.key", event_sym(ev, TR2_F_ALIAS));
		if (event_has(ev, TR2_F_ARGV))
			otlp_attribute_list_text(&p->attributes, "trace2.cmd.alias.value", batch,
						 ev->v[TR2_F_ARGV]);
		break;
	case TR2_E_DEF_PARAM:
		if (!event_has(ev, TR2_F_VALUE))
			break;
		text = batch_text(batch, ev->v[TR2_F_VALUE], &len);
		otlp_attribute_text(
			&p->attributes,
			key_make(o, "trace2.param.set", event_sym(ev, TR2_F_PARAM), SYM_NONE), text,
			len);
		break;
	case TR2_E_DEF_REPO:
		snprintf(key, sizeof(key), "trace2.repo.set.%lld",
			 (long long)event_get(ev, TR2_F_REPO, 0));
		otlp_sym_attribute(o, p, key, event_sym(ev, TR2_F_WORKTREE));
		break;
	case TR2_E_TIMER:
		otlp_on_timer(o, p, ev);
		break;
	case TR2_E_COUNTER:
		if (event_has(ev, TR2_F_COUNT))
			otlp_attribute_int(&p->attributes,
					   key_make(o, "trace2.counter",
						    event_sym(ev, TR2_F_CATEGORY),
						    event_sym(ev, TR2_F_NAME)),
					   ev->v[TR2_F_COUNT]);
		break;
	default:
		break;
	}
}

static void trace2_event(struct otlp *o, const struct batch *batch, const struct event *ev)
{
	uint32_t nr = otlp_process_of(o, batch, ev);
	struct otlp_process *p;
	bool ends = ev->kind == TR2_E_ATEXIT || ev->kind == TR2_E_SIGNAL;

	span_stream_event(&o->spans, batch, ev);
	p = otlp_process(o, nr);
	if (p->state == OTLP_ENDED)
		return;
	stream_set(o, nr, o->stream);
	about_process(o, p, batch, ev);
	otlp_doing(o, nr, batch, ev);
	p->last_is_exec = ev->kind == TR2_E_EXEC;
	p->has_ended |= ends || ev->kind == TR2_E_EXIT;
	if (ev->kind == TR2_E_EXIT || ev->kind == TR2_E_ATEXIT)
		p->code = event_get(ev, TR2_F_CODE, p->code);
	if (ev->kind == TR2_E_SIGNAL)
		p->signo = event_get(ev, TR2_F_SIGNO, p->signo);
	if (ends)
		process_end(o, nr, false);
}

/* The process gets the trace id of the parent, which may have got it from its own parent. */
static void parent_set(struct otlp *o, struct otlp_process *p, const char *sid, size_t len)
{
	uint32_t nr = span_stream_find(&o->spans, sid, len);

	otlp_ids_set_parent(&p->ids, sid, len);
	if (nr < o->cap_processes && otlp_process(o, nr)->state != OTLP_FREE)
		memcpy(p->ids.trace, otlp_process(o, nr)->ids.trace, OTLP_TRACE_BYTES);
}

/* A record REC_ABOUT has facts about a process that are not in the SID. */
static void on_about(struct otlp *o, const struct batch *batch, const struct event *ev)
{
	uint32_t nr = otlp_process_of(o, batch, ev);
	struct otlp_process *p = otlp_process(o, nr);
	size_t len;
	const char *text;

	if (p->state == OTLP_ENDED)
		return;
	if (event_has(ev, FLD_PARENT)) {
		text = batch_text(batch, ev->v[FLD_PARENT], &len);
		parent_set(o, p, text, len);
	}
	p->pid = event_get(ev, TR2_F_PID, p->pid);
	if (event_has(ev, FLD_HOST)) {
		text = batch_text(batch, ev->v[FLD_HOST], &len);
		if (len >= sizeof(p->host))
			len = sizeof(p->host) - 1;
		memcpy(p->host, text, len);
		p->host[len] = '\0';
	}
	if (event_get(ev, FLD_ABOUT, 0) & ABOUT_ENDED)
		process_end(o, nr, !said_its_end(p));
}

static void stream_ended(struct otlp *o, int64_t stream)
{
	uint32_t nr;

	while ((nr = otlp_stream_find(o, stream)) != UINT32_MAX)
		process_end(o, nr, !said_its_end(otlp_process(o, nr)));
}

static void pid_gone(struct otlp *o, const struct batch *batch, const struct event *ev)
{
	size_t len;
	const char *sid = batch_sid_text(batch, (uint32_t)ev->v[TR2_F_SID], &len);
	uint32_t nr = span_stream_find(&o->spans, sid, len);

	if (nr != UINT32_MAX && nr < o->cap_processes && otlp_process(o, nr)->state == OTLP_RUNNING)
		process_end(o, nr, !said_its_end(otlp_process(o, nr)));
}

static void record(struct otlp *o, const struct batch *batch, const struct event *ev)
{
	if (event_is_trace2(ev))
		trace2_event(o, batch, ev);
	else if (ev->kind == REC_ABOUT)
		on_about(o, batch, ev);
	else if (ev->kind == REC_PID_GONE)
		pid_gone(o, batch, ev);
}

/* The name of the stream's agent may contain a host, so it is redacted. */
static void stream_begins(struct otlp *o, const struct batch *batch, const struct event *ev)
{
	struct event own = *ev;

	o->stream = event_get(ev, FLD_STREAM, NUM_NONE);
	if (o->config.redactor && event_has(ev, FLD_AGENT))
		redactor_event(o->config.redactor, batch, ev, &own);
	o->agent = event_sym(&own, FLD_AGENT);
}

void otlp_record(struct otlp *o, const struct batch *batch, const struct event *ev)
{
	struct event own;

	if (!event_has(ev, TR2_F_SID)) {
		if (ev->kind == REC_STREAM)
			stream_begins(o, batch, ev);
		else if (ev->kind == REC_STREAM_END)
			stream_ended(o, event_get(ev, FLD_STREAM, NUM_NONE));
		return;
	}
	if (o->config.redactor) {
		batch = redactor_event(o->config.redactor, batch, ev, &own);
		ev = &own;
		/* The tables of the redacted batch may have grown: pass it again. */
		span_stream_batch(&o->spans, batch);
	}
	record(o, batch, ev);
}

struct otlp *otlp_new(const struct otlp_config *config)
{
	struct otlp *o = xcalloc(1, sizeof(*o));

	o->config = *config;
	o->syms = config->redactor ? redactor_syms(config->redactor) : config->syms;
	o->stream = NUM_NONE;
	o->agent = SYM_NONE;
	list_init(&o->running);
	list_init(&o->ended);
	tr2_buf_init(&o->name, SIZE_MAX / 2);
	tr2_buf_init(&o->text, SIZE_MAX / 2);
	tr2_buf_init(&o->out, SIZE_MAX / 2);
	span_stream_init(&o->spans, &(struct span_stream_config){
					    .region = otlp_region,
					    .instant = otlp_instant,
					    .data = o,
					    .max_process_bytes = max_bytes(o) / PROCESS_SHARE,
					    .messages = true });
	return o;
}

void otlp_free(struct otlp *o)
{
	if (!o)
		return;
	for (uint32_t nr = 0; nr < o->cap_processes; nr++)
		if (o->processes[nr].state != OTLP_FREE)
			process_release(o, &o->processes[nr]);
	free(o->processes);
	span_stream_release(&o->spans);
	tr2_hash_index_release(&o->by_stream);
	tr2_buf_release(&o->name);
	tr2_buf_release(&o->text);
	tr2_buf_release(&o->out);
	free(o);
}

static void late_report(struct otlp *o)
{
	for (uint32_t nr = o->ended.last; nr != UINT32_MAX; nr = otlp_process(o, nr)->prev)
		otlp_report(o, nr);
}

void otlp_batch(struct otlp *o, const struct batch *batch, ns_t now)
{
	o->now = now;
	old_forget(o);
	span_stream_batch(&o->spans, batch);
}

void otlp_report_old(struct otlp *o, ns_t now)
{
	o->now = now;
	while (o->running.nr && now - otlp_process(o, o->running.first)->told >= OTLP_LONG_NS)
		process_report_as_it_is(o, o->running.first);
	late_report(o);
}

void otlp_end(struct otlp *o)
{
	while (o->running.nr) {
		uint32_t nr = o->running.first;

		process_end(o, nr, !said_its_end(otlp_process(o, nr)));
	}
	for (uint32_t nr = o->ended.first; nr != UINT32_MAX; nr = otlp_process(o, nr)->next)
		span_stream_end_process(&o->spans, nr);
	late_report(o);
}

void otlp_stats(const struct otlp *o, struct otlp_stats *out)
{
	*out = o->stats;
	out->running = o->running.nr;
	out->left_out = o->spans.nr_left_out;
	out->bytes = o->held + o->spans.bytes;
}

void otlp_format_left_out(const struct otlp *o, char *out, size_t bytes)
{
	struct otlp_stats st;

	size_t nr = 0;

	otlp_stats(o, &st);
	*out = '\0';
	if (st.cut)
		nr = (size_t)snprintf(out, bytes,
				      "%" PRIu64 " processes were reported before their end "
				      "(trace2.incomplete)",
				      st.cut);
	if (st.left_out && nr < bytes)
		nr += (size_t)snprintf(out + nr, bytes - nr,
				       "%s%" PRIu64
				       " regions were left out (trace2.left_out_regions)",
				       nr ? ", " : "", st.left_out);
	if (nr && nr < bytes)
		snprintf(out + nr, bytes - nr,
			 ": limits: %zu MiB for running processes, %zu per process",
			 max_bytes(o) >> 20, max_bytes(o) / PROCESS_SHARE >> 20);
}
