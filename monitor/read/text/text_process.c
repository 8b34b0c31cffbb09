/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/text/text_process.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/scan.h"

/*
 * Return the length of a trace file's name without the suffix `.N` that Git adds if the file
 * exists; 0 if the name is not a component of a SID.
 */
static size_t session_name(const char *name)
{
	const char *tail = strstr(name, "-P"), *p;

	if (!tail || tail - name < 20 || name[8] != 'T')
		return 0;
	for (p = tail + 2; (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f'); p++)
		;
	if (p - tail != 10)
		return 0;
	tail = p;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++)
			;
	return *p ? 0 : (size_t)(tail - name);
}

/* Bytes of a SID's component besides the stream's name: the format's name and numbers. */
#define COMPONENT_MORE 32

static void add_component(struct tr2_buf *sid, const struct text_source *source, uint32_t number)
{
	const char *name = source->stream->name;
	size_t session = source->stream->one_process ? session_name(name) : 0;

	if (session && number == 1) {
		tr2_buf_add(sid, name, session);
		return;
	}
	tr2_buf_addstr(sid, source->format);
	if (session) {
		tr2_buf_addch(sid, '#');
		tr2_buf_addu(sid, number, 1);
		tr2_buf_addch(sid, ':');
		tr2_buf_add(sid, name, session);
		return;
	}
	tr2_buf_addch(sid, ':');
	tr2_buf_addstr(sid, name);
	tr2_buf_addch(sid, '#');
	tr2_buf_addu(sid, number, 1);
}

struct text_process *text_process_new(struct text_source *source, const struct text_process *parent,
				      uint32_t depth)
{
	uint32_t number = ++*source->stream->nr_processes;
	size_t name_len = strlen(source->stream->name);
	size_t room = (parent ? parent->sid_len : 0) +
		      (parent ? 1 : depth + 1) * (name_len + COMPONENT_MORE) + SCAN_PAD;
	struct text_process *p = xcalloc(1, sizeof(*p) + room);
	struct tr2_buf sid = { .data = (char *)(p + 1), .cap = room, .max = room };

	if (parent) {
		tr2_buf_add(&sid, parent->sid, parent->sid_len);
		tr2_buf_addch(&sid, '/');
	}
	/* The ancestors are unknown: invent a component for each. */
	for (uint32_t i = 0; !parent && i < depth; i++) {
		tr2_buf_addch(&sid, '?');
		tr2_buf_addstr(&sid, source->stream->name);
		tr2_buf_addch(&sid, '#');
		tr2_buf_addu(&sid, number, 1);
		tr2_buf_addch(&sid, '/');
	}
	add_component(&sid, source, number);
	p->sid = sid.data;
	p->sid_len = sid.len;
	p->sid_hash = tr2_hash(p->sid, p->sid_len);
	p->depth = depth;
	p->birth = INT64_MAX;
	p->bytes = p->least_bytes = sizeof(*p) + room;
	p->is_odd = scan_string(p->sid) != p->sid + p->sid_len;
	p->hierarchy = p->parent_hierarchy = SYM_NONE;
	return p;
}

void text_process_shrink(struct text_process *p)
{
	for (uint32_t i = 0; i < p->nr_threads; i++)
		free(p->threads[i].regions);
	free(p->threads);
	free(p->children);
	for (unsigned i = 0; i < TEXT_WORDS; i++) {
		free(p->words[i]);
		p->words[i] = NULL;
	}
	p->threads = NULL;
	p->children = NULL;
	p->bytes = p->least_bytes;
	p->nr_threads = p->cap_threads = p->nr_children = p->cap_children = p->nr_regions = 0;
}

void text_process_free(struct text_process *p)
{
	if (!p)
		return;
	text_process_shrink(p);
	free(p);
}

struct text_thread *text_thread_find(const struct text_process *p, sym_t name)
{
	for (uint32_t i = 0; i < p->nr_threads; i++)
		if (p->threads[i].name == name)
			return &p->threads[i];
	return NULL;
}

struct text_thread *text_thread_add(struct text_process *p, sym_t name)
{
	struct text_thread *thread;

	GROW(p->threads, p->nr_threads, p->cap_threads, 1);
	thread = &p->threads[p->nr_threads++];
	*thread = (struct text_thread){ .name = name, .is_open = true, .last_abs = NS_NONE };
	p->bytes += sizeof(*thread);
	return thread;
}

struct text_child *text_child_add(struct text_process *p)
{
	GROW(p->children, p->nr_children, p->cap_children, 2);
	p->bytes += sizeof(*p->children);
	return &p->children[p->nr_children++];
}

void text_child_remove(struct text_process *p, uint32_t i)
{
	p->children[i] = p->children[--p->nr_children];
	p->bytes -= sizeof(*p->children);
}

static uint32_t sid_index(struct text_process *p, struct batch *batch)
{
	const struct batch_sid *known;

	if (p->sid_index < batch->nr_sids) {
		known = &batch->sids[p->sid_index];
		if (known->hash == p->sid_hash && known->len == p->sid_len &&
		    !memcmp(batch->text + known->text, p->sid, p->sid_len))
			return p->sid_index;
	}
	p->sid_index = batch_sid(batch, p->sid, p->sid_len, p->sid_hash);
	batch->has_decoded_sids |= p->is_odd;
	return p->sid_index;
}

uint32_t text_process_emit_again(struct text_source *source, struct text_process *p)
{
	uint32_t sid = sid_index(p, source->batch);
	struct event ev;

	p->sid_turn = source->turn;
	if (p->told)
		return sid;
	p->told = true;
	ev.mask = 0;
	ev.kind = REC_ABOUT;
	event_set(&ev, TR2_F_SID, sid);
	event_set(&ev, FLD_FORMAT, source->format_sym);
	event_set(&ev, FLD_ABOUT,
		  CLOCK_TIME_OF_DAY | (source->stream->one_process ? 0 : ABOUT_GUESSED));
	/* The text has no pid. If only one process writes, use that of the connection's peer. */
	if (source->stream->one_process && source->stream->peer_pid)
		event_set(&ev, TR2_F_PID, source->stream->peer_pid);
	if (source->main_sym != SYM_NONE)
		event_set(&ev, TR2_F_THREAD, source->main_sym);
	batch_add(source->batch, &ev);
	return sid;
}

void text_deliver(struct text_source *source, struct text_process *p, struct text_record *rec)
{
	uint32_t sid;

	if (source->stream->is_skipped)
		return;
	sid = text_process_emit(source, p);
	source->counts->nr_events++;
	if (rec->known.tail && perf_known_put(rec, source->batch, sid))
		return;
	event_set(&rec->ev, TR2_F_SID, sid);
	if (rec->wall_ns != NS_NONE)
		event_set(&rec->ev, TR2_F_TIME, rec->wall_ns);
	text_put(rec, source->batch);
	source->counts->nr_unknown += rec->ev.kind == REC_UNKNOWN;
}
