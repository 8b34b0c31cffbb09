/* SPDX-License-Identifier: MIT */
/*
 * Chrome's Trace Event JSON, for Perfetto's page, speedscope and Chrome's own tools. A slice is
 * written when its region has ended; what only the end tells (processes, threads, children and
 * what links them) comes from the model then. Numbers:
 *
 *   pid   the process's own where no other has it, else one from FIRST_NUMBER up
 *   tid   the main thread's is its pid; others from FIRST_NUMBER up, never used twice
 *   ts    microseconds since otherData.start; never negative, which readers drop
 */
#include "config.h"
#include "monitor/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/jw.h"
#include "engine/base/utf8.h"
#include "monitor/analysis/span_stream.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/event/sid.h"

#define DRAIN_BYTES (64u << 10)
/* Linux gives no pid beyond. */
#define MAX_PID      4194304
#define FIRST_NUMBER (MAX_PID + 1)
/* While events come it is not known which is the earliest: so much may one be before the first. */
#define BEFORE_FIRST (86400 * NS_PER_SEC)
#define CHILD_BYTES  60

struct shown_process {
	int64_t pid;       /* 0: none yet */
	sym_t main_thread; /* as a reader said it; SYM_NONE */
	int64_t own_pid;   /* the same; NUM_NONE */
};

struct shown_thread {
	int64_t tid;  /* 0: none yet */
	bool endless; /* something in it goes on */
};

struct chrome {
	struct report_walk walk;
	struct span_stream spans;
	const struct tr2_intern *syms;
	FILE *to;
	struct tr2_buf buf, open, text;
	struct tr2_jw jw;
	size_t *open_at; /* in `open`: where each event of an open region begins */
	uint32_t nr_open, cap_open;
	struct shown_process *processes; /* by number in the stream */
	uint32_t cap_processes;
	struct shown_thread *threads; /* the same */
	uint32_t cap_threads;
	uint8_t *taken; /* a bit a pid */
	int64_t next_number;
	uint64_t nr_events, nr_flows;
	ns_t base; /* wall; NS_NONE: no time has come */
};

/* ---- numbers ---- */

static int64_t number_for(struct chrome *c, int64_t pid)
{
	if (pid < 1 || pid > MAX_PID || c->taken[pid / 8] >> (pid % 8) & 1)
		return c->next_number++;
	c->taken[pid / 8] |= (uint8_t)(1u << (pid % 8));
	return pid;
}

static struct shown_process *shown(struct chrome *c, uint32_t nr)
{
	if (nr >= c->cap_processes) {
		uint32_t cap = c->cap_processes;

		c->cap_processes = nr < 64 ? 64 : nr * 2;
		c->processes = xreallocarray(c->processes, c->cap_processes, sizeof(*c->processes));
		for (; cap < c->cap_processes; cap++)
			c->processes[cap] = (struct shown_process){ 0, SYM_NONE, NUM_NONE };
	}
	return &c->processes[nr];
}

static int64_t pid_of(struct chrome *c, uint32_t nr)
{
	const struct span_process *process = span_stream_process(&c->spans, nr);
	struct shown_process *to = shown(c, nr);
	struct sid_parts parts;

	if (to->pid)
		return to->pid;
	sid_take_apart(process->sid, process->sid_len, &parts);
	to->pid = number_for(c, to->own_pid != NUM_NONE ? to->own_pid : parts.pid);
	return to->pid;
}

static bool is_main(struct chrome *c, uint32_t nr)
{
	const struct span_thread *thread = span_stream_thread(&c->spans, nr);
	sym_t said = shown(c, thread->process)->main_thread;

	return said != SYM_NONE ? thread->name == said
				: span_stream_process(&c->spans, thread->process)->thread == nr;
}

static struct shown_thread *shown_thread(struct chrome *c, uint32_t nr)
{
	if (nr >= c->cap_threads) {
		uint32_t cap = c->cap_threads;

		c->cap_threads = nr < 64 ? 64 : nr * 2;
		c->threads = xreallocarray(c->threads, c->cap_threads, sizeof(*c->threads));
		memset(c->threads + cap, 0, (c->cap_threads - cap) * sizeof(*c->threads));
	}
	return &c->threads[nr];
}

static int64_t tid_of(struct chrome *c, uint32_t nr)
{
	struct shown_thread *to = shown_thread(c, nr);

	if (!to->tid)
		to->tid = is_main(c, nr) ? pid_of(c, span_stream_thread(&c->spans, nr)->process)
					 : c->next_number++;
	return to->tid;
}

/* Does the process go on? Asked at the end. */
static bool goes_on(const struct chrome *c, uint32_t nr)
{
	const struct model *m = c->walk.input->model;
	const struct span_process *process = span_stream_process(&c->spans, nr);
	uint32_t slot = model_find_sid(m, process->sid, process->sid_len);

	return slot != SLOT_NONE && model_slot(m, slot)->state == STATE_RUNNING;
}

/* ---- events ---- */

static void drain(struct chrome *c, size_t beyond)
{
	if (c->buf.len <= beyond)
		return;
	fwrite(c->buf.data, 1, c->buf.len, c->to);
	tr2_buf_clear(&c->buf);
}

static void separate(struct chrome *c)
{
	tr2_buf_addstr(&c->buf, c->nr_events++ ? ",\n" : "\n");
}

/* It is begun in `out`; `phase` is its kind. */
static void event_begin_in(struct chrome *c, struct tr2_buf *out, const char *phase)
{
	if (out == &c->buf)
		separate(c);
	tr2_jw_init(&c->jw, out, 0);
	c->jw.tight = true;
	tr2_jw_object(&c->jw);
	tr2_jw_key(&c->jw, "ph");
	tr2_jw_cstring(&c->jw, phase);
}

static void event_begin(struct chrome *c, const char *phase)
{
	event_begin_in(c, &c->buf, phase);
}

static void event_end(struct chrome *c)
{
	tr2_jw_end_object(&c->jw);
	drain(c, DRAIN_BYTES);
}

static void key_int(struct chrome *c, const char *key, int64_t value)
{
	tr2_jw_key(&c->jw, key);
	tr2_jw_int(&c->jw, value);
}

static void key_cstring(struct chrome *c, const char *key, const char *value)
{
	tr2_jw_key(&c->jw, key);
	tr2_jw_cstring(&c->jw, value);
}

static void key_bytes(struct chrome *c, const char *key, const char *value, size_t len)
{
	tr2_jw_key(&c->jw, key);
	tr2_jw_string(&c->jw, value, len);
}

/* A name may not be empty: some readers take that for none. */
static void key_sym(struct chrome *c, const char *key, sym_t sym)
{
	size_t len;
	const char *text = tr2_intern_text(c->syms, sym, &len);

	if (len)
		key_bytes(c, key, text, len);
	else
		key_cstring(c, key, "(none)");
}

/* The same, where it is there. */
static void key_known(struct chrome *c, const char *key, sym_t sym)
{
	if (sym != SYM_NONE)
		key_sym(c, key, sym);
}

static void key_us(struct chrome *c, const char *key, ns_t ns)
{
	char text[40];
	int len = snprintf(text, sizeof(text), "%" PRId64, (int64_t)(ns / NS_PER_US));

	if (ns % NS_PER_US)
		len += snprintf(text + len, sizeof(text) - (size_t)len, ".%03d",
				(int)(ns % NS_PER_US));
	tr2_jw_key(&c->jw, key);
	tr2_jw_raw(&c->jw, text, (size_t)len);
}

static void base_set(struct chrome *c, ns_t first)
{
	if (c->base == NS_NONE && first != NS_NONE)
		c->base = ns_sub(first, BEFORE_FIRST);
}

/* On the clock of the file. */
static ns_t since_base(const struct chrome *c, ns_t wall)
{
	ns_t since = ns_sub(wall, c->base);

	return since > 0 ? since : 0;
}

static void key_place(struct chrome *c, int64_t pid, int64_t tid, ns_t wall)
{
	key_int(c, "pid", pid);
	key_int(c, "tid", tid);
	key_us(c, "ts", since_base(c, wall));
}

static void key_span(struct chrome *c, int64_t pid, int64_t tid, ns_t start, ns_t end)
{
	ns_t from = since_base(c, start), to = since_base(c, end);

	key_place(c, pid, tid, start);
	key_us(c, "dur", to > from ? to - from : 0);
}

static void args_begin(struct chrome *c)
{
	tr2_jw_key(&c->jw, "args");
	tr2_jw_object(&c->jw);
}

static void args_end(struct chrome *c)
{
	tr2_jw_end_object(&c->jw);
}

/* ---- as they come ---- */

/* One that is open ends with its process, and not at all where that goes on. */
static void region(void *data, const struct span_region *r)
{
	struct chrome *c = data;
	bool endless = r->open && goes_on(c, r->process);
	struct tr2_buf *out = endless ? &c->open : &c->buf;
	ns_t first = span_stream_thread(&c->spans, r->thread)->first;
	size_t len;

	if (r->start == NS_NONE)
		return;
	/* One that was never entered began when its thread did, at the earliest. */
	if (first == NS_NONE || first < r->start)
		first = r->start;
	if (endless) {
		GROW(c->open_at, c->nr_open, c->cap_open, 64);
		c->open_at[c->nr_open++] = out->len;
		shown_thread(c, r->thread)->endless = true;
	}
	event_begin_in(c, out, endless ? "B" : "X");
	tr2_intern_text(c->syms, r->label, &len);
	if (!len && r->msg_len)
		key_bytes(c, "name", r->msg, r->msg_len);
	else
		key_sym(c, "name", r->label);
	key_sym(c, "cat", r->category);
	if (endless)
		key_place(c, pid_of(c, r->process), tid_of(c, r->thread), first);
	else
		key_span(c, pid_of(c, r->process), tid_of(c, r->thread), first, r->end);
	/* No more than that: speedscope shows arguments as a part of the name. */
	if (r->msg || r->open) {
		args_begin(c);
		if (r->msg)
			key_bytes(c, "msg", r->msg, r->msg_len);
		if (r->open) {
			tr2_jw_key(&c->jw, "open");
			tr2_jw_bool(&c->jw, true);
		}
		args_end(c);
	}
	event_end(c);
}

static void args_text(struct chrome *c, const char *key, const struct batch *batch,
		      const struct event *ev, unsigned field)
{
	const char *text;
	size_t len;

	if (!event_has(ev, field))
		return;
	text = batch_text(batch, ev->v[field], &len);
	if (ev->kind == TR2_E_DATA_JSON && field == TR2_F_VALUE) {
		tr2_jw_key(&c->jw, key);
		tr2_jw_raw(&c->jw, text, len);
	} else {
		key_bytes(c, key, text, len);
	}
}

static void instant(void *data, uint32_t thread, ns_t time, const struct batch *batch,
		    const struct event *ev)
{
	struct chrome *c = data;
	bool is_data = ev->kind == TR2_E_DATA || ev->kind == TR2_E_DATA_JSON;
	bool is_error = ev->kind == TR2_E_ERROR;

	if (time == NS_NONE)
		return;
	event_begin(c, "i");
	key_cstring(c, "s", is_error ? "p" : "t");
	if (is_data) {
		key_sym(c, "name", event_sym(ev, TR2_F_KEY));
		key_sym(c, "cat", event_sym(ev, TR2_F_CATEGORY));
	} else {
		key_cstring(c, "name", is_error ? "error" : "printf");
		key_cstring(c, "cat", is_error ? "error" : "printf");
	}
	key_place(c, pid_of(c, span_stream_thread(&c->spans, thread)->process), tid_of(c, thread),
		  time);
	args_begin(c);
	args_text(c, "value", batch, ev, TR2_F_VALUE);
	args_text(c, "msg", batch, ev, TR2_F_MSG);
	key_known(c, "fmt", event_sym(ev, TR2_F_FMT));
	args_end(c);
	event_end(c);
}

/* A counter's or a timer's value, of the process or (its name says so) of a thread of it. */
static void counter(struct chrome *c, const struct batch *batch, const struct event *ev)
{
	bool of_thread = ev->kind == TR2_E_TH_TIMER || ev->kind == TR2_E_TH_COUNTER;
	bool timer = ev->kind == TR2_E_TH_TIMER || ev->kind == TR2_E_TIMER;
	static const unsigned parts[] = { TR2_F_CATEGORY, TR2_F_NAME, TR2_F_THREAD };
	uint32_t process = span_stream_process_of(&c->spans, batch, (uint32_t)ev->v[TR2_F_SID]);
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
	event_begin(c, "C");
	key_bytes(c, "name", c->text.data, c->text.len);
	key_cstring(c, "cat", timer ? "timer" : "counter");
	key_int(c, "pid", pid_of(c, process));
	key_us(c, "ts", since_base(c, time));
	args_begin(c);
	if (timer) {
		tr2_jw_key(&c->jw, "seconds");
		tr2_jw_seconds(&c->jw, event_get(ev, TR2_F_T_TOTAL, 0));
	} else {
		key_int(c, "count", event_get(ev, TR2_F_COUNT, 0));
	}
	args_end(c);
	event_end(c);
}

/* What was not received. */
static void gap(struct chrome *c, const struct event *ev)
{
	ns_t time = event_get(ev, FLD_ARRIVAL, NS_NONE);

	if (time == NS_NONE)
		return;
	base_set(c, time);
	event_begin(c, "i");
	key_cstring(c, "s", "g");
	key_cstring(c, "name", ev->kind == REC_GAP ? "gap" : "dropped");
	key_cstring(c, "cat", "trace2top");
	key_place(c, 0, 0, time);
	args_begin(c);
	if (event_has(ev, FLD_DROPS))
		key_int(c, "events", ev->v[FLD_DROPS]);
	if (event_has(ev, FLD_T_GAP)) {
		tr2_jw_key(&c->jw, "seconds");
		tr2_jw_seconds(&c->jw, ev->v[FLD_T_GAP]);
	}
	args_end(c);
	event_end(c);
}

static void about(struct chrome *c, const struct batch *batch, const struct event *ev)
{
	struct shown_process *to =
		shown(c, span_stream_process_of(&c->spans, batch, (uint32_t)ev->v[TR2_F_SID]));

	to->main_thread = event_sym(ev, TR2_F_THREAD);
	to->own_pid = event_get(ev, TR2_F_PID, NUM_NONE);
}

static void one(struct chrome *c, const struct batch *batch, const struct event *ev)
{
	if (ev->kind == REC_GAP || ev->kind == REC_DROPPED) {
		gap(c, ev);
		return;
	}
	if (!event_has(ev, TR2_F_SID))
		return;
	if (ev->kind == REC_ABOUT) {
		about(c, batch, ev);
		return;
	}
	base_set(c, event_get(ev, TR2_F_TIME, NS_NONE));
	span_stream_event(&c->spans, batch, ev);
	switch (ev->kind) {
	case TR2_E_TIMER:
	case TR2_E_TH_TIMER:
	case TR2_E_COUNTER:
	case TR2_E_TH_COUNTER:
		counter(c, batch, ev);
		break;
	default:
		break;
	}
}

/* Where all of the run is known already, its earliest start. */
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

static void *begin(FILE *to, const struct report_input *input)
{
	struct chrome *c = xcalloc(1, sizeof(*c));

	c->to = to;
	c->syms = model_syms(input->model);
	c->taken = xcalloc(MAX_PID / 8 + 1, 1);
	c->next_number = FIRST_NUMBER;
	c->base = earliest(input);
	tr2_buf_init(&c->buf, SIZE_MAX / 2);
	tr2_buf_init(&c->open, SIZE_MAX / 2);
	tr2_buf_init(&c->text, SIZE_MAX / 2);
	report_walk_begin(&c->walk, input);
	span_stream_init(&c->spans, &(struct span_stream_config){ .region = region,
								  .instant = instant,
								  .data = c,
								  .messages = true });
	tr2_buf_addstr(&c->buf, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
	return c;
}

static void batch(void *report, const struct batch *batch, uint32_t records)
{
	struct chrome *c = report;
	struct event ev;

	report_walk_batch(&c->walk, batch, records);
	span_stream_batch(&c->spans, batch);
	while (report_walk_next(&c->walk, &ev))
		one(c, batch, &ev);
	drain(c, 0);
}

/* ---- what the end tells ---- */

/* A process as it stands in the file. */
struct row {
	uint32_t slot, nr; /* of the stream; UINT32_MAX: nothing of it came */
	int64_t pid;
	ns_t first, last; /* wall: its life; NS_NONE */
};

static void meta_begin(struct chrome *c, const char *name, int64_t pid, int64_t tid)
{
	event_begin(c, "M");
	key_cstring(c, "name", name);
	key_int(c, "pid", pid);
	key_int(c, "tid", tid);
	args_begin(c);
}

static void meta_end(struct chrome *c)
{
	args_end(c);
	event_end(c);
}

/* Into c->text: the words joined by blanks. */
static void argv_join(struct chrome *c, const struct model *m, const struct strings *argv)
{
	struct strings_cursor cursor = strings_begin(m, argv);
	const char *word;
	size_t len;

	tr2_buf_clear(&c->text);
	while ((word = strings_next(&cursor, &len))) {
		if (c->text.len)
			tr2_buf_addch(&c->text, ' ');
		tr2_buf_add(&c->text, word, len);
	}
}

static void key_argv(struct chrome *c, const struct model *m, const struct strings *argv)
{
	struct strings_cursor cursor = strings_begin(m, argv);
	const char *word;
	size_t len;

	if (!argv->known)
		return;
	tr2_jw_key(&c->jw, "argv");
	tr2_jw_array(&c->jw);
	while ((word = strings_next(&cursor, &len)))
		tr2_jw_string(&c->jw, word, len);
	tr2_jw_end_array(&c->jw);
}

static void key_process_name(struct chrome *c, const struct model *m, const struct process *p)
{
	struct strings_cursor cursor = strings_begin(m, &p->argv);
	size_t len;
	const char *word = strings_next(&cursor, &len);

	if (p->hierarchy != SYM_NONE || p->name != SYM_NONE)
		key_sym(c, "name", p->hierarchy != SYM_NONE ? p->hierarchy : p->name);
	else if (word && len)
		key_bytes(c, "name", word, len);
	else
		key_cstring(c, "name", "(none)");
}

static void process_args(struct chrome *c, const struct model *m, const struct process *p)
{
	args_begin(c);
	key_bytes(c, "sid", model_text(m, p->sid), p->sid.len);
	key_argv(c, m, &p->argv);
	key_known(c, "exe", p->exe);
	key_cstring(c, "state", process_state_names[p->state]);
	if (p->code != NUM_NONE)
		key_int(c, "code", p->code);
	if (p->signo != NUM_NONE)
		key_int(c, "signo", p->signo);
	if (p->worktrees.nr)
		key_known(c, "worktree",
			  PROCESS_ITEM(m, &p->worktrees, worktree_item, p->worktrees.nr - 1)
				  ->worktree);
	if (p->modes.nr) {
		tr2_jw_key(&c->jw, "modes");
		tr2_jw_array(&c->jw);
		for (uint32_t i = 0; i < p->modes.nr; i++) {
			size_t len;
			const char *text = model_sym(
				m,
				*(const sym_t *)vec_at(model_slab(m), &p->modes, i, sizeof(sym_t)),
				&len);

			tr2_jw_string(&c->jw, text, len);
		}
		tr2_jw_end_array(&c->jw);
	}
	args_end(c);
}

static void process(struct chrome *c, const struct model *m, const struct row *row, uint32_t index)
{
	const struct process *p = model_slot(m, row->slot);

	meta_begin(c, "process_name", row->pid, row->pid);
	key_process_name(c, m, p);
	meta_end(c);
	argv_join(c, m, &p->argv);
	if (c->text.len) {
		meta_begin(c, "process_labels", row->pid, row->pid);
		key_bytes(c, "labels", c->text.data, c->text.len);
		meta_end(c);
	}
	meta_begin(c, "process_sort_index", row->pid, row->pid);
	key_int(c, "sort_index", index);
	meta_end(c);
	if (row->first == NS_NONE)
		return;
	event_begin(c, p->state == STATE_RUNNING ? "B" : "X");
	key_process_name(c, m, p);
	key_cstring(c, "cat", "process");
	if (p->state == STATE_RUNNING)
		key_place(c, row->pid, row->pid, row->first);
	else
		key_span(c, row->pid, row->pid, row->first, row->last);
	process_args(c, m, p);
	event_end(c);
}

/* Those of which something came: their names, and the lives of those that are not the main one. */
static void threads(struct chrome *c)
{
	for (uint32_t nr = 0; nr < c->spans.nr_threads; nr++) {
		const struct span_thread *thread = span_stream_thread(&c->spans, nr);
		int64_t pid = pid_of(c, thread->process), tid = tid_of(c, nr);
		bool is = is_main(c, nr);

		meta_begin(c, "thread_name", pid, tid);
		key_sym(c, "name", thread->name);
		meta_end(c);
		meta_begin(c, "thread_sort_index", pid, tid);
		key_int(c, "sort_index", is ? 0 : (int64_t)nr + 1);
		meta_end(c);
		if (is || thread->first == NS_NONE)
			continue;
		event_begin(c, shown_thread(c, nr)->endless ? "B" : "X");
		key_sym(c, "name", thread->name);
		key_cstring(c, "cat", "thread");
		if (shown_thread(c, nr)->endless)
			key_place(c, pid, tid, thread->first);
		else
			key_span(c, pid, tid, thread->first,
				 thread->told > thread->last ? thread->told : thread->last);
		event_end(c);
	}
}

/* At most so many bytes, whole characters. */
static size_t cut(const char *text, size_t len, size_t max)
{
	size_t at = 0;
	uint32_t ch;

	while (at < len) {
		size_t step = tr2_utf8_decode(text + at, len - at, &ch);

		if (at + step > max)
			break;
		at += step;
	}
	return at;
}

static void child_keys(struct chrome *c, const struct row *row, const struct child *child,
		       uint32_t index, ns_t time)
{
	char id[48], number[24] = "-";

	if (child->child_id != NUM_NONE)
		snprintf(number, sizeof(number), "%" PRId64, child->child_id);
	snprintf(id, sizeof(id), "0x%" PRIx64 ".%" PRIx32, row->pid, index);
	tr2_jw_key(&c->jw, "name");
	{
		struct tr2_buf name;

		tr2_buf_init(&name, 4096);
		tr2_buf_addf(&name, "child %s ", number);
		tr2_buf_add(&name, c->text.data, cut(c->text.data, c->text.len, CHILD_BYTES));
		tr2_jw_string(&c->jw, name.data, name.len);
		tr2_buf_release(&name);
	}
	key_cstring(c, "cat", "child");
	key_cstring(c, "id", id);
	key_place(c, row->pid, row->pid, time);
}

/* They overlap: events of their own that are no slices of a thread. */
static void child(struct chrome *c, const struct model *m, const struct row *row, uint32_t index)
{
	const struct child *child = process_child(m, model_slot(m, row->slot), index);
	ns_t end = child->end;

	if (child->start == NS_NONE)
		return;
	argv_join(c, m, &child->argv);
	event_begin(c, "b");
	child_keys(c, row, child, index, child->start);
	args_begin(c);
	key_known(c, "class", child->child_class);
	key_known(c, "hook", child->hook);
	key_argv(c, m, &child->argv);
	if (child->pid != NUM_NONE)
		key_int(c, "pid", child->pid);
	if (child->code != NUM_NONE)
		key_int(c, "code", child->code);
	args_end(c);
	event_end(c);
	if (end == NS_NONE && child->elapsed != NS_NONE)
		end = ns_add(child->start, child->elapsed > 0 ? child->elapsed : 0);
	if (end == NS_NONE)
		return;
	event_begin(c, "e");
	child_keys(c, row, child, index, end > child->start ? end : child->start);
	event_end(c);
}

static void flow(struct chrome *c, const char *phase, int64_t pid, ns_t time)
{
	event_begin(c, phase);
	key_cstring(c, "name", "child");
	key_cstring(c, "cat", "child");
	key_int(c, "id", (int64_t)c->nr_flows);
	key_place(c, pid, pid, time);
	if (*phase == 'f')
		key_cstring(c, "bp", "e");
	event_end(c);
}

static bool is_within(const struct row *row, ns_t time)
{
	return row->first != NS_NONE && row->first <= time && time <= row->last;
}

/* From where it was started to where it began; both lie in slices. */
static void link(struct chrome *c, const struct model *m, const struct row *parent,
		 const struct row *row)
{
	const struct process *p = model_slot(m, row->slot);
	ns_t start;

	if (p->link == SLOT_NONE)
		return;
	start = process_child(m, model_slot(m, p->parent), p->link)->start;
	if (start == NS_NONE || row->first == NS_NONE || start > row->first ||
	    !is_within(parent, start))
		return;
	c->nr_flows++;
	flow(c, "s", parent->pid, start);
	flow(c, "f", row->pid, row->first);
}

/* ---- the tree ---- */

struct rows {
	struct row *items;
	uint32_t nr;
	uint32_t *by_slot; /* index + 1 */
	uint32_t nr_slots;
};

static uint32_t row_of(const struct rows *rows, uint32_t slot)
{
	return slot < rows->nr_slots && rows->by_slot[slot] ? rows->by_slot[slot] - 1 : UINT32_MAX;
}

static struct row row_make(struct chrome *c, const struct model *m, uint32_t slot)
{
	const struct process *p = model_slot(m, slot);
	struct row row = { .slot = slot, .first = p->start, .last = p->end };

	row.nr = span_stream_find(&c->spans, model_text(m, p->sid), p->sid.len);
	if (row.nr == UINT32_MAX) {
		row.pid = number_for(c, p->pid);
	} else {
		const struct span_process *process = span_stream_process(&c->spans, row.nr);

		row.pid = pid_of(c, row.nr);
		row.first = process->first;
		row.last = process->reach > process->last ? process->reach : process->last;
	}
	if (row.last < row.first)
		row.last = row.first;
	return row;
}

static void rows_make(struct chrome *c, const struct report_input *input, struct rows *rows)
{
	uint32_t *slots = report_processes(input, &rows->nr);

	rows->items = xreallocarray(NULL, (size_t)rows->nr + 1, sizeof(*rows->items));
	for (uint32_t i = 0; i < rows->nr; i++)
		if (slots[i] >= rows->nr_slots)
			rows->nr_slots = slots[i] + 1;
	rows->by_slot = xcalloc((size_t)rows->nr_slots + 1, sizeof(*rows->by_slot));
	for (uint32_t i = 0; i < rows->nr; i++) {
		rows->items[i] = row_make(c, input->model, slots[i]);
		rows->by_slot[slots[i]] = i + 1;
	}
	free(slots);
}

/* Numbers in pre-order, children by start; `order` by row. Rows stand by start: each is put
 * behind the last one of its parent's. Without recursion, since trees may be deep. */
static uint32_t *pre_order(const struct model *m, const struct rows *rows)
{
	uint32_t *order = xcalloc((size_t)rows->nr + 1, sizeof(*order));
	uint32_t *first = xreallocarray(NULL, (size_t)rows->nr + 1, sizeof(*first));
	uint32_t *next = xreallocarray(NULL, (size_t)rows->nr + 1, sizeof(*next));
	uint32_t *stack = xreallocarray(NULL, (size_t)rows->nr + 1, sizeof(*stack));
	uint32_t nr = 0, number = 0;

	memset(first, 0xff, ((size_t)rows->nr + 1) * sizeof(*first));
	/* From the last on, so that each list begins with its earliest; [nr] are those without. */
	for (uint32_t i = rows->nr; i-- > 0;) {
		uint32_t parent = row_of(rows, model_slot(m, rows->items[i].slot)->parent);

		if (parent == UINT32_MAX)
			parent = rows->nr;
		next[i] = first[parent];
		first[parent] = i;
	}
	for (uint32_t at = first[rows->nr]; at != UINT32_MAX || nr;) {
		if (at == UINT32_MAX) {
			at = next[stack[--nr]];
			continue;
		}
		order[at] = ++number;
		stack[nr++] = at;
		at = first[at];
	}
	free(first);
	free(next);
	free(stack);
	return order;
}

static void tree(struct chrome *c, const struct report_input *input)
{
	const struct model *m = input->model;
	struct rows rows = { 0 };
	uint32_t *order;

	rows_make(c, input, &rows);
	order = pre_order(m, &rows);
	for (uint32_t i = 0; i < rows.nr && work_goes_on(input->work, i, rows.nr); i++) {
		const struct process *p = model_slot(m, rows.items[i].slot);
		uint32_t parent = row_of(&rows, p->parent);

		process(c, m, &rows.items[i], order[i]);
		for (uint32_t n = 0; n < p->children.nr; n++)
			child(c, m, &rows.items[i], n);
		if (parent != UINT32_MAX)
			link(c, m, &rows.items[parent], &rows.items[i]);
	}
	free(order);
	free(rows.items);
	free(rows.by_slot);
}

/* Those that began first come first. */
static void open_regions(struct chrome *c)
{
	size_t end = c->open.len;

	while (c->nr_open) {
		size_t at = c->open_at[--c->nr_open];

		separate(c);
		tr2_buf_add(&c->buf, c->open.data + at, end - at);
		end = at;
		drain(c, DRAIN_BYTES);
	}
}

static void other_data(struct chrome *c)
{
	tr2_buf_addstr(&c->buf, "\n],\"otherData\":");
	tr2_jw_init(&c->jw, &c->buf, 0);
	c->jw.tight = true;
	tr2_jw_object(&c->jw);
	key_cstring(c, "exporter", "trace2top " PACKAGE_VERSION);
	tr2_jw_key(&c->jw, "start");
	tr2_jw_time(&c->jw, c->base);
	if (c->spans.nr_timeless)
		key_int(c, "regionsWithoutTimes", (int64_t)c->spans.nr_timeless);
	tr2_jw_end_object(&c->jw);
	tr2_buf_addstr(&c->buf, "}\n");
}

static void end(void *report, FILE *to, const struct report_input *input)
{
	struct chrome *c = report;

	(void)to;
	span_stream_end(&c->spans);
	tree(c, input);
	threads(c);
	open_regions(c);
	other_data(c);
	drain(c, 0);
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

const struct exporter_ops report_chrome = { .begin = begin, .batch = batch, .end = end };
