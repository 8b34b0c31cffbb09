/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/chrome.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/json_write.h"
#include "monitor/event/sid.h"
#include "monitor/report/drain.h"

int64_t chrome_number_for(struct chrome *c, int64_t pid)
{
	if (pid < 1 || pid > CHROME_MAX_PID || c->taken[pid / 8] >> (pid % 8) & 1)
		return c->next_number++;
	c->taken[pid / 8] |= (uint8_t)(1u << (pid % 8));
	return pid;
}

struct chrome_process *chrome_shown(struct chrome *c, uint32_t nr)
{
	if (nr >= c->cap_processes) {
		uint32_t cap = c->cap_processes;

		c->cap_processes = nr < 64 ? 64 : nr * 2;
		c->processes = xreallocarray(c->processes, c->cap_processes, sizeof(*c->processes));
		for (; cap < c->cap_processes; cap++)
			c->processes[cap] = (struct chrome_process){ .main_thread = SYM_NONE,
								     .own_pid = NUM_NONE,
								     .name = SYM_NONE };
	}
	return &c->processes[nr];
}

int64_t chrome_pid_of(struct chrome *c, uint32_t nr)
{
	const struct span_process *process = span_stream_process(&c->spans, nr);
	struct chrome_process *to = chrome_shown(c, nr);
	struct sid_parts parts;

	if (to->pid)
		return to->pid;
	sid_take_apart(process->sid, process->sid_len, &parts);
	to->pid = chrome_number_for(c, to->own_pid != NUM_NONE ? to->own_pid : parts.pid);
	return to->pid;
}

bool chrome_is_main(struct chrome *c, uint32_t nr)
{
	const struct span_thread *thread = span_stream_thread(&c->spans, nr);
	sym_t said = chrome_shown(c, thread->process)->main_thread;

	return said != SYM_NONE ? thread->name == said
				: span_stream_process(&c->spans, thread->process)->thread == nr;
}

struct chrome_thread *chrome_shown_thread(struct chrome *c, uint32_t nr)
{
	if (nr >= c->cap_threads) {
		uint32_t cap = c->cap_threads;

		c->cap_threads = nr < 64 ? 64 : nr * 2;
		c->threads = xreallocarray(c->threads, c->cap_threads, sizeof(*c->threads));
		memset(c->threads + cap, 0, (c->cap_threads - cap) * sizeof(*c->threads));
	}
	return &c->threads[nr];
}

int64_t chrome_tid_of(struct chrome *c, uint32_t nr)
{
	struct chrome_thread *to = chrome_shown_thread(c, nr);

	if (!to->tid)
		to->tid = chrome_is_main(c, nr)
				  ? chrome_pid_of(c, span_stream_thread(&c->spans, nr)->process)
				  : c->next_number++;
	return to->tid;
}

void chrome_drain(struct chrome *c, size_t beyond)
{
	buf_drain(&c->buf, c->to, beyond);
}

void chrome_separate(struct chrome *c)
{
	tr2_buf_addstr(&c->buf, c->nr_events++ ? ",\n" : "\n");
}

void chrome_event_begin_in(struct chrome *c, struct tr2_buf *out, const char *phase)
{
	if (out == &c->buf)
		chrome_separate(c);
	tr2_jw_init(&c->jw, out, 0);
	c->jw.tight = true;
	tr2_jw_object(&c->jw);
	json_write_cstring(&c->jw, "ph", phase);
}

void chrome_event_begin(struct chrome *c, const char *phase)
{
	chrome_event_begin_in(c, &c->buf, phase);
}

void chrome_event_end(struct chrome *c)
{
	tr2_jw_end_object(&c->jw);
	chrome_drain(c, CHROME_DRAIN_BYTES);
}

void chrome_key_sym(struct chrome *c, const char *key, sym_t sym)
{
	size_t len;
	const char *text = tr2_intern_text(c->syms, sym, &len);

	if (len)
		json_write_text(&c->jw, key, text, len);
	else
		json_write_cstring(&c->jw, key, "(none)");
}

void chrome_key_known(struct chrome *c, const char *key, sym_t sym)
{
	if (sym != SYM_NONE)
		chrome_key_sym(c, key, sym);
}

void chrome_key_us(struct chrome *c, const char *key, ns_t ns)
{
	char text[40];
	int len = snprintf(text, sizeof(text), "%" PRId64, (int64_t)(ns / NS_PER_US));

	if (ns % NS_PER_US)
		len += snprintf(text + len, sizeof(text) - (size_t)len, ".%03d",
				(int)(ns % NS_PER_US));
	tr2_jw_key(&c->jw, key);
	tr2_jw_raw(&c->jw, text, (size_t)len);
}

void chrome_base_set(struct chrome *c, ns_t first)
{
	if (c->base == NS_NONE && first != NS_NONE)
		c->base = ns_sub(first, CHROME_BEFORE_FIRST);
}

ns_t chrome_since_base(const struct chrome *c, ns_t wall)
{
	ns_t since = ns_sub(wall, c->base);

	return since > 0 ? since : 0;
}

void chrome_key_place(struct chrome *c, int64_t pid, int64_t tid, ns_t wall)
{
	json_write_number(&c->jw, "pid", pid);
	json_write_number(&c->jw, "tid", tid);
	chrome_key_us(c, "ts", chrome_since_base(c, wall));
}

void chrome_key_span(struct chrome *c, int64_t pid, int64_t tid, ns_t start, ns_t end)
{
	ns_t from = chrome_since_base(c, start), to = chrome_since_base(c, end);

	chrome_key_place(c, pid, tid, start);
	chrome_key_us(c, "dur", to > from ? to - from : 0);
}

void chrome_args_begin(struct chrome *c)
{
	tr2_jw_key(&c->jw, "args");
	tr2_jw_object(&c->jw);
}

void chrome_args_end(struct chrome *c)
{
	tr2_jw_end_object(&c->jw);
}
