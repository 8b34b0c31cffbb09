/* SPDX-License-Identifier: MIT */
/* The process of a TraceLog: its clock, names and threads. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/base/utf8.h"
#include "monitor/base/grow.h"
#include "monitor/base/timestamp.h"
#include "monitor/base/when.h"
#include "monitor/read/tracelog/tl_tell.h"

#define DEFAULT_TICK_MS 10

void tl_ids_set(struct ids *ids, uint64_t id, uint64_t value)
{
	if (ids->nr < TL_MAX_NAMES || ids_get(ids, id) != IDS_NONE)
		ids_set(ids, id, value);
}

static struct tl_text tl_well_formed(struct tl_text in, char room[3 * TL_MAX_NAME_BYTES])
{
	if (in.len > TL_MAX_NAME_BYTES)
		in.len = TL_MAX_NAME_BYTES;
	if (tr2_utf8_valid_prefix(in.text, in.len) == in.len)
		return in;
	return (struct tl_text){ room, tr2_utf8_repair(in.text, in.len, room) };
}

sym_t tl_sym(struct tl *tl, const char *text)
{
	return tr2_intern(tl->syms, text, strlen(text));
}

static sym_t number_sym(struct tl *tl, const char *what, uint64_t number)
{
	char text[48];

	if (number == TL_NO_ID)
		snprintf(text, sizeof(text), "%s ?", what);
	else
		snprintf(text, sizeof(text), "%s %" PRIu64, what, number);
	return tl_sym(tl, text);
}

static struct tl_name *tl_name_of(struct tl *tl, struct ids *table, uint64_t iid)
{
	uint64_t index = ids_get(table, iid);

	if (index != IDS_NONE)
		return &tl->names[index];
	if (table->nr >= TL_MAX_NAMES)
		return NULL;
	GROW(tl->names, tl->nr_names, tl->cap_names, 64);
	tl->names[tl->nr_names] = (struct tl_name){ SYM_NONE, SYM_NONE, TL_NO_ID };
	tl_ids_set(table, iid, tl->nr_names);
	return &tl->names[tl->nr_names++];
}

static void tl_set_name(struct tl *tl, struct ids *table, uint64_t iid, struct tl_text text)
{
	struct tl_name *name = tl_name_of(tl, table, iid);
	char room[3 * TL_MAX_NAME_BYTES];

	if (!name || tl->name_bytes > (64u << 20))
		return;
	text = tl_well_formed(text, room);
	tl->name_bytes += text.len;
	name->name = tr2_intern(tl->syms, text.text, text.len);
	name->label = SYM_NONE;
}

void tl_class(struct tl *tl, uint64_t iid, uint64_t id)
{
	tl_ids_set(&tl->class_by_id, id, iid);
}

void tl_class_name(struct tl *tl, uint64_t iid, struct tl_text name)
{
	tl_set_name(tl, &tl->class_ids, iid, name);
}

void tl_function(struct tl *tl, uint64_t iid, uint64_t id, uint64_t class_id)
{
	struct tl_name *name = tl_name_of(tl, &tl->function_ids, iid);

	tl_ids_set(&tl->function_by_id, id, iid);
	if (!name)
		return;
	name->class = ids_get(&tl->class_by_id, class_id);
	name->label = SYM_NONE;
}

void tl_function_name(struct tl *tl, uint64_t iid, struct tl_text name)
{
	tl_set_name(tl, &tl->function_ids, iid, name);
}

uint64_t tl_function_of(struct tl *tl, uint64_t id)
{
	return ids_get(&tl->function_by_id, id);
}

sym_t tl_class_sym(struct tl *tl, uint64_t iid)
{
	uint64_t index = ids_get(&tl->class_ids, iid);

	if (iid == TL_NO_ID)
		return tl_sym(tl, "?");
	if (index != IDS_NONE && tl->names[index].name != SYM_NONE)
		return tl->names[index].name;
	return number_sym(tl, "class", iid);
}

void tl_function_syms(struct tl *tl, uint64_t iid, sym_t *category, sym_t *label)
{
	uint64_t index = ids_get(&tl->function_ids, iid);
	struct tl_name *name = index != IDS_NONE ? &tl->names[index] : NULL;
	const char *text, *class;
	size_t len, class_len;

	*category = tl_class_sym(tl, name ? name->class : TL_NO_ID);
	if (!name || name->name == SYM_NONE || iid == TL_NO_ID) {
		*label = number_sym(tl, "function", iid);
		return;
	}
	if (name->label == SYM_NONE) {
		text = tr2_intern_text(tl->syms, name->name, &len);
		class = tr2_intern_text(tl->syms, *category, &class_len);
		if (len > class_len + 1 && !memcmp(text, class, class_len) &&
		    text[class_len] == '.')
			name->label =
				tr2_intern(tl->syms, text + class_len + 1, len - class_len - 1);
		else
			name->label = name->name;
	}
	*label = name->label;
}

bool tl_parse_time(const char *text, size_t len, bool has_zone, ns_t *wall)
{
	return has_zone ? timestamp_parse(text, len, wall) : time_parse(text, 0, wall);
}

void tl_at(struct tl *tl, uint64_t ts)
{
	tl->now_ts = ts;
	if (ts > tl->ts)
		tl->ts = ts;
}

ns_t tl_wall(const struct tl *tl, uint64_t ts)
{
	return ns_add(tl->start_ns, (ns_t)ts * NS_PER_MS);
}

void tl_pause(struct tl *tl, uint64_t ts)
{
	if (tl->is_paused)
		return;
	tl->is_paused = true;
	tl->pause_ts = ts;
	tl_enter(tl, tl_sym(tl, "runtime"), 1, tl_sym(tl, "profiler"), tl_sym(tl, "paused"), ts,
		 NULL);
}

void tl_go_on(struct tl *tl, uint64_t ts)
{
	if (!tl->is_paused) {
		tl->nr_orphans++;
		return;
	}
	tl->is_paused = false;
	if (ts > tl->pause_ts)
		tl->paused += ts - tl->pause_ts;
	tl_leave(tl, tl_sym(tl, "runtime"), 1, tl_sym(tl, "profiler"), tl_sym(tl, "paused"), ts,
		 ts > tl->pause_ts ? (ns_t)(ts - tl->pause_ts) * NS_PER_MS : 0);
}

static void tl_forget(struct tl *tl)
{
	for (uint32_t i = 0; i < tl->nr_threads; i++)
		free(tl->threads[i].frames);
	free(tl->threads);
	free(tl->names);
	free(tl->allocations);
	free(tl->changed);
	free(tl->heap);
	free(tl->sid);
	ids_release(&tl->thread_ids);
	ids_release(&tl->class_ids);
	ids_release(&tl->function_ids);
	ids_release(&tl->class_by_id);
	ids_release(&tl->function_by_id);
	ids_release(&tl->alloc_ids);
	tr2_buf_release(&tl->held);
}

void tl_init(struct tl *tl, struct tr2_intern *syms, const struct reader_stream *stream)
{
	*tl = (struct tl){ .syms = syms, .stream = stream, .start_ns = NS_NONE };
	tl->tick_ns = DEFAULT_TICK_MS * NS_PER_MS;
	tr2_buf_init(&tl->held, TL_MAX_HELD + SPLITTER_MAX_LINE_BYTES);
}

void tl_release(struct tl *tl)
{
	tl_forget(tl);
}

size_t tl_held_bytes(const struct tl *tl)
{
	return tl->held.len + tl->cap_threads * sizeof(*tl->threads) +
	       tl->cap_names * sizeof(*tl->names) + tl->cap_all_frames * sizeof(struct tl_frame) +
	       tl->cap_allocations * sizeof(*tl->allocations) +
	       tl->cap_changed * sizeof(*tl->changed) + tl->cap_heap * sizeof(*tl->heap);
}

void tl_into(struct tl *tl, struct batch *batch)
{
	size_t len = tl->sid ? strlen(tl->sid) : 0;

	tl->batch = batch;
	if (tl->sid)
		tl->sid_index = batch_sid(batch, tl->sid, len, tr2_hash(tl->sid, len));
}

static uint32_t tl_fingerprint(const struct tr2_buf *held)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < held->len; i++)
		hash = (hash ^ (uint8_t)held->data[i]) * 16777619u;
	return hash;
}

void tl_process_begins(struct tl *tl)
{
	size_t len = strlen(tl->stream->name) + 48;
	char *sid = xmalloc(len);
	int n = snprintf(sid, len, "tracelog:%s@%08" PRIx32, tl->stream->name,
			 tl_fingerprint(&tl->held));

	if (tl->pid)
		snprintf(sid + n, len - (size_t)n, "-P%08" PRIx32, tl->pid);
	tl->sid = sid;
	tl->has_process = true;
	/* Estimate the log's start time until it is read, perhaps in a held line. */
	if (tl->start_ns == NS_NONE)
		tl->start_ns = tl->stream->reference_ns == NS_NONE ? tl->stream->arrival_ns
								   : tl->stream->reference_ns;
	tl->has_version = false;
	tl_into(tl, tl->batch);
}

void tl_emit_version(struct tl *tl)
{
	struct event ev;

	tl->has_version = true;
	tl_emit_about(tl, 0);
	tl_event_begin(tl, &ev, TR2_E_VERSION, tl_sym(tl, "runtime"), tl->now_ts);
	event_set(&ev, TR2_F_EVT, tl_sym(tl, "tracelog"));
	event_set(&ev, TR2_F_EXE, tl_sym(tl, "CoreProfiler"));
	tl_event_end(tl, &ev);
}

static void tl_emit_thread_name(struct tl *tl, struct tl_text name)
{
	char room[3 * TL_MAX_NAME_BYTES];
	struct event ev;
	sym_t sym;

	name = tl_well_formed(name, room);
	sym = tr2_intern(tl->syms, name.text, name.len);
	tl_event_begin(tl, &ev, TR2_E_CMD_NAME, tl_sym(tl, "runtime"), tl->now_ts);
	event_set(&ev, TR2_F_NAME, sym);
	event_set(&ev, TR2_F_HIERARCHY, sym);
	tl_event_end(tl, &ev);
	tl->has_told_name = true;
}

void tl_assembly(struct tl *tl, struct tl_text name)
{
	if (tl->has_app_name || (name.len >= 6 && !memcmp(name.text, "System", 6) &&
				 (name.len == 6 || name.text[6] == '.')))
		return;
	tl->has_app_name = true;
	tl_emit_thread_name(tl, name);
}

void tl_process_ends(struct tl *tl)
{
	struct tr2_intern *syms = tl->syms;
	const struct reader_stream *stream = tl->stream;
	struct read_counts *counts = tl->counts;
	struct batch *batch = tl->batch;
	read_bad_fn *bad = tl->bad;
	void *bad_data = tl->bad_data;

	if (tl->has_process) {
		tl->now_ts = tl->ts;
		if (!tl->has_told_name)
			tl_emit_thread_name(tl,
					    (struct tl_text){ stream->name, strlen(stream->name) });
		/*
		 * The open frames are left now, but their durations end at the thread's last stack.
		 */
		for (uint32_t i = 0; i < tl->nr_threads; i++) {
			tl_pop(tl, &tl->threads[i], 0);
			tl_emit_cpu(tl, &tl->threads[i], true);
		}
		tl_emit_cpu(tl, NULL, true);
		tl_emit_allocations(tl, true);
		if (tl->nr_desync)
			tl_emit_number(tl, "tracelog", "desync", tl->nr_desync);
		if (tl->nr_orphans)
			tl_emit_number(tl, "tracelog", "orphans", tl->nr_orphans);
		tl_emit_about(tl, ABOUT_ENDED);
	}
	tl_forget(tl);
	tl_init(tl, syms, stream);
	tl->counts = counts;
	tl->batch = batch;
	tl->bad = bad;
	tl->bad_data = bad_data;
}

struct tl_thread *tl_thread(struct tl *tl, uint64_t iid)
{
	uint64_t index = ids_get(&tl->thread_ids, iid);

	if (!tl->has_told_name && !tl->has_app_name)
		tl_emit_thread_name(tl,
				    (struct tl_text){ tl->stream->name, strlen(tl->stream->name) });
	if (index != IDS_NONE)
		return &tl->threads[index];
	if (tl->nr_threads == TL_MAX_THREADS)
		return NULL;
	GROW(tl->threads, tl->nr_threads, tl->cap_threads, 16);
	tl_ids_set(&tl->thread_ids, iid, tl->nr_threads);
	tl->threads[tl->nr_threads] = (struct tl_thread){
		.iid = iid, .os = TL_NO_ID, .lane = SYM_NONE, .jit_lane = SYM_NONE
	};
	return &tl->threads[tl->nr_threads++];
}

/* Return the name of a thread's lane. It must not change after the thread's first event, so it is
 * set once, here. */
sym_t tl_lane(struct tl *tl, struct tl_thread *thread)
{
	char text[80];

	if (thread->lane != SYM_NONE)
		return thread->lane;
	if (thread->iid == TL_NO_ID || thread->os == TL_NO_ID) {
		thread->lane = number_sym(tl, "thread", thread->iid);
	} else {
		snprintf(text, sizeof(text), "thread %" PRIu64 " (%" PRIu64 ")", thread->iid,
			 thread->os);
		thread->lane = tl_sym(tl, text);
	}
	return thread->lane;
}

void tl_thread_starts(struct tl *tl, struct tl_thread *thread)
{
	(void)tl;
	thread->has_started = true;
}

void tl_thread_ends(struct tl *tl, struct tl_thread *thread)
{
	struct event ev;

	tl->now_ts = tl->ts;
	tl_pop(tl, thread, 0);
	tl_emit_cpu(tl, thread, true);
	tl_event_begin(tl, &ev, TR2_E_THREAD_EXIT, tl_lane(tl, thread), tl->ts);
	event_set(&ev, TR2_F_T_REL, thread->clock);
	tl_event_end(tl, &ev);
	/* A new thread may get this number: forget the stack. */
	thread->depth = 0;
	thread->has_stack = false;
}

void tl_emit_cpu(struct tl *tl, struct tl_thread *thread, bool last)
{
	uint64_t *told = thread ? &thread->cpu_told_ts : &tl->cpu_told_ts;
	bool *has_told = thread ? &thread->has_told_cpu : &tl->has_told_cpu;
	uint64_t us = thread ? thread->cpu_us : tl->cpu_us;
	struct event ev;

	if (!us || (!last && *has_told && tl->now_ts < *told + TL_CPU_EVERY_MS))
		return;
	*told = tl->now_ts;
	*has_told = true;
	tl_event_begin(tl, &ev, thread ? TR2_E_TH_COUNTER : TR2_E_COUNTER,
		       thread ? tl_lane(tl, thread) : tl_sym(tl, "runtime"), tl->now_ts);
	event_set(&ev, TR2_F_CATEGORY, tl_sym(tl, "cpu"));
	event_set(&ev, TR2_F_NAME, tl_sym(tl, "us"));
	event_set(&ev, TR2_F_COUNT, (int64_t)(us & INT64_MAX));
	tl_event_end(tl, &ev);
}

void tl_emit_param(struct tl *tl, struct tl_text name, struct tl_text value)
{
	char room[3 * TL_MAX_NAME_BYTES];
	struct event ev;

	tl_event_begin(tl, &ev, TR2_E_DEF_PARAM, tl_sym(tl, "runtime"), tl->now_ts);
	name = tl_well_formed(name, room);
	event_set(&ev, TR2_F_PARAM, tr2_intern(tl->syms, name.text, name.len));
	value = tl_well_formed(value, room);
	event_set(&ev, TR2_F_VALUE, batch_add_text(tl->batch, value.text, value.len));
	tl_event_end(tl, &ev);
}
