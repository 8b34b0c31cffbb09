/* SPDX-License-Identifier: MIT */
/*
 * Frames of a thread: [0, nr_open) are open regions, outermost first. [nr_open, nr_frames) have
 * ended and wait to be reported: the first is the last region that ended inside the innermost open
 * region, each further one is the last region that ended inside the frame before it. The `start`
 * and `end` of each further one lie within those of the frame before it. Ends can still be moved
 * back:
 *
 *   enter    waiting regions are shortened to the time of the event and reported, innermost first
 *   leave    the innermost open region ends, not before `told`; waiting regions are shortened to
 *            that end, and keep waiting inside the region
 */
#include "config.h"

#include "monitor/analysis/span_stream.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

#define MAX_OPEN 100000u

struct span_frame {
	/* `process` and `thread` of the region are set when it is reported */
	struct span_region region;
	char *msg;
	ns_t inner; /* sum of the elapsed times of the regions directly inside the region */
	ns_t told;  /* latest end of the reported regions inside the region; NS_NONE: none */
	ns_t first; /* start of the first region inside the region; NS_NONE: none */
	/* of a waiting region: earliest time to which its end can be moved; NS_NONE: any */
	ns_t held;
};

/* size of a thread and its slot in the hash index, without its frames */
#define THREAD_BYTES (sizeof(struct span_thread) + 2 * sizeof(uint32_t))

static void span_bytes_add(struct span_stream *s, uint32_t process, size_t bytes)
{
	s->processes[process].bytes += bytes;
	s->bytes += bytes;
}

static void span_bytes_sub(struct span_stream *s, uint32_t process, size_t bytes)
{
	s->processes[process].bytes -= bytes;
	s->bytes -= bytes;
}

static bool process_is_full(const struct span_stream *s, uint32_t process)
{
	return s->config.max_process_bytes &&
	       s->processes[process].bytes >= s->config.max_process_bytes;
}

static void span_count_left_out(struct span_stream *s, uint32_t process, uint64_t regions)
{
	s->processes[process].nr_left_out += regions;
	s->nr_left_out += regions;
}

static void message_free(struct span_stream *s, uint32_t process, struct span_frame *frame)
{
	if (frame->msg)
		span_bytes_sub(s, process, frame->region.msg_len + 1);
	free(frame->msg);
}

static uint32_t process_hash(const void *stream, uint32_t nr)
{
	return (uint32_t)((const struct span_stream *)stream)->processes[nr].hash;
}

static uint64_t thread_key(uint32_t process, sym_t name)
{
	return tr2_hash_pair(process, name);
}

static uint32_t thread_hash(const void *stream, uint32_t nr)
{
	const struct span_thread *thread = &((const struct span_stream *)stream)->threads[nr];

	return (uint32_t)thread_key(thread->process, thread->name);
}

static uint32_t span_find_process(const struct span_stream *s, uint64_t hash)
{
	if (!s->nr_processes)
		return UINT32_MAX;
	TR2_HASH_INDEX_EACH(&s->by_sid, hash, at)
	if (s->processes[s->by_sid.at[at] - 1].hash == hash)
		return s->by_sid.at[at] - 1;
	return UINT32_MAX;
}

uint32_t span_stream_find(const struct span_stream *s, const char *sid, size_t len)
{
	return span_find_process(s, tr2_hash(sid, len));
}

uint32_t span_stream_process_of(struct span_stream *s, const struct batch *batch, uint32_t index)
{
	uint32_t *known = &s->batch_processes[index], nr;
	const char *sid;
	size_t len;

	if (*known != UINT32_MAX)
		return *known;
	*known = nr = span_find_process(s, batch->sids[index].hash);
	if (nr != UINT32_MAX)
		return nr;
	sid = batch_sid_text(batch, index, &len);
	if (s->nr_free_processes) {
		nr = s->free_processes[--s->nr_free_processes];
	} else {
		GROW(s->processes, s->nr_processes, s->cap_processes, 64);
		nr = s->nr_processes++;
	}
	*known = nr;
	s->processes[nr] = (struct span_process){ .sid = xmalloc(len + 1),
						  .sid_len = len,
						  .hash = batch->sids[index].hash,
						  .first = NS_NONE,
						  .last = NS_NONE,
						  .last_said = NS_NONE,
						  .reach = NS_NONE,
						  .thread = UINT32_MAX };
	memcpy(s->processes[nr].sid, sid, len);
	s->processes[nr].sid[len] = 0;
	span_bytes_add(s, nr, len + 1);
	hash_index_put(&s->by_sid, (uint32_t)s->processes[nr].hash, nr, process_hash, s);
	return nr;
}

static uint32_t span_new_thread(struct span_stream *s, uint32_t process, sym_t name)
{
	uint32_t *first = &s->processes[process].thread, nr;
	struct span_thread *thread;
	bool waits = false;

	if (s->nr_free_threads) {
		nr = s->free_threads[--s->nr_free_threads];
		/* keep the thread in the list of threads with waiting regions */
		waits = s->threads[nr].waits;
	} else {
		GROW(s->threads, s->nr_threads, s->cap_threads, 64);
		nr = s->nr_threads++;
	}
	thread = &s->threads[nr];
	*thread = (struct span_thread){ .process = process,
					.name = name,
					.first = NS_NONE,
					.last = NS_NONE,
					.told = NS_NONE,
					.next = UINT32_MAX,
					.waits = waits };
	/* insert the thread after the first thread of the process, which stays first in the list */
	if (*first == UINT32_MAX) {
		*first = nr;
	} else {
		thread->next = s->threads[*first].next;
		s->threads[*first].next = nr;
	}
	hash_index_put(&s->by_thread, (uint32_t)thread_key(process, name), nr, thread_hash, s);
	span_bytes_add(s, process, THREAD_BYTES);
	return nr;
}

/* Return the number of a thread, a new one if needed; UINT32_MAX: a limit is reached. */
static uint32_t span_find_thread(struct span_stream *s, uint32_t process, sym_t name)
{
	uint64_t key;

	if (s->last_thread < s->nr_threads && s->threads[s->last_thread].process == process &&
	    s->threads[s->last_thread].name == name)
		return s->last_thread;
	key = thread_key(process, name);
	if (s->nr_threads) {
		TR2_HASH_INDEX_EACH(&s->by_thread, key, at)
		{
			uint32_t nr = s->by_thread.at[at] - 1;

			if (s->threads[nr].process == process && s->threads[nr].name == name)
				return s->last_thread = nr;
		}
	}
	if (s->config.max_threads && !s->nr_free_threads && s->nr_threads == s->config.max_threads)
		return UINT32_MAX;
	if (process_is_full(s, process))
		return UINT32_MAX;
	return s->last_thread = span_new_thread(s, process, name);
}

/* Return the time of an event on the clock of its thread, which never goes back; NS_NONE: none.
 * Updates the times of the process and the thread. */
static ns_t span_event_time(struct span_process *process, struct span_thread *thread,
			    const struct event *ev)
{
	ns_t time = event_get(ev, TR2_F_TIME, NS_NONE);

	if (time == NS_NONE)
		return NS_NONE;
	process->last_said = time;
	if (process->first == NS_NONE || time < process->first)
		process->first = time;
	if (process->last == NS_NONE || time > process->last)
		process->last = time;
	if (thread->last == NS_NONE || time > thread->last)
		thread->last = time;
	if (thread->first == NS_NONE)
		thread->first = time;
	return thread->last;
}

/* Return the later time; NS_NONE counts as earlier than all times. */
static ns_t later_time(ns_t a, ns_t b)
{
	return a > b ? a : b;
}

static ns_t *reported_until(struct span_thread *thread, uint32_t level)
{
	return level ? &thread->frames[level - 1].told : &thread->told;
}

static void thread_has_waiting(struct span_stream *s, uint32_t nr)
{
	if (s->threads[nr].waits)
		return;
	s->threads[nr].waits = true;
	GROW(s->waiting, s->nr_waiting, s->cap_waiting, 64);
	s->waiting[s->nr_waiting++] = nr;
}

static ns_t span_first_time(const struct span_frame *frame)
{
	return frame->region.start == NS_NONE ? frame->first : frame->region.start;
}

static void span_note_first(struct span_frame *frame, ns_t first)
{
	if (first != NS_NONE && (frame->first == NS_NONE || first < frame->first))
		frame->first = first;
}

static void span_report(struct span_stream *s, uint32_t nr)
{
	struct span_thread *thread = &s->threads[nr];
	struct span_frame *frame = &thread->frames[--thread->nr_frames];
	struct span_process *process = &s->processes[thread->process];
	ns_t *told = reported_until(thread, thread->nr_frames);
	ns_t end = later_time(frame->region.end, frame->told);

	*told = later_time(*told, end);
	if (thread->nr_frames)
		span_note_first(&thread->frames[thread->nr_frames - 1], span_first_time(frame));
	process->reach = later_time(process->reach, end);
	frame->region.process = thread->process;
	frame->region.thread = nr;
	s->nr_timeless += frame->region.start == NS_NONE;
	s->config.region(s->config.data, &frame->region);
	message_free(s, s->threads[nr].process, &s->threads[nr].frames[s->threads[nr].nr_frames]);
}

static void span_report_waiting(struct span_stream *s, uint32_t nr)
{
	while (s->threads[nr].nr_frames > s->threads[nr].nr_open)
		span_report(s, nr);
}

/* Return the earliest time to which the end of waiting regions can be moved; NS_NONE: any. */
static ns_t span_waiting_floor(const struct span_thread *thread)
{
	return thread->nr_frames > thread->nr_open ? thread->frames[thread->nr_open].held : NS_NONE;
}

/*
 * Move ends after `end`, of the regions from `level` on, back to `end`; outermost first, because
 * inner regions lie within outer ones.
 */
static void cut_from(struct span_thread *thread, uint32_t level, ns_t end)
{
	for (uint32_t i = level; i < thread->nr_frames; i++) {
		struct span_region *region = &thread->frames[i].region;

		if (region->start == NS_NONE)
			continue;
		if (region->end <= end)
			break;
		region->end = end;
	}
}

static struct span_frame *span_push_frame(struct span_stream *s, struct span_thread *thread)
{
	uint32_t cap = thread->cap_frames;
	struct span_frame *frame;

	GROW(thread->frames, thread->nr_frames, thread->cap_frames, 4);
	if (thread->cap_frames != cap)
		span_bytes_add(s, thread->process,
			       (thread->cap_frames - cap) * sizeof(*thread->frames));
	frame = &thread->frames[thread->nr_frames++];
	*frame = (struct span_frame){
		.region = { .ordinal = thread->nr_regions++,
			    .event = s->event,
			    .parent = thread->nr_open
					      ? thread->frames[thread->nr_open - 1].region.ordinal
					      : SPAN_NONE,
			    .begun = NS_NONE,
			    .start = NS_NONE,
			    .end = NS_NONE },
		.told = NS_NONE,
		.first = NS_NONE,
		.held = NS_NONE,
	};
	return frame;
}

static void message_keep(struct span_stream *s, uint32_t process, struct span_frame *frame,
			 const struct batch *batch, const struct event *ev)
{
	const char *text;
	size_t len;

	if (!s->config.messages || frame->msg || !event_has(ev, TR2_F_MSG))
		return;
	text = batch_text(batch, ev->v[TR2_F_MSG], &len);
	frame->msg = xmalloc(len + 1);
	memcpy(frame->msg, text, len);
	frame->region.msg = frame->msg;
	frame->region.msg_len = len;
	span_bytes_add(s, process, len + 1);
}

static void names_keep(struct span_region *region, const struct event *ev)
{
	region->category = event_sym(ev, TR2_F_CATEGORY);
	region->label = event_sym(ev, TR2_F_LABEL);
	region->nesting = event_get(ev, TR2_F_NESTING, 0);
}

/* Return the earliest possible start of a region inside `level` open regions, if no region waits
 * (span_waiting_floor()); NS_NONE: any. */
static ns_t span_floor(struct span_thread *thread, uint32_t level)
{
	ns_t floor = *reported_until(thread, level);

	for (; floor == NS_NONE && level; level--)
		floor = later_time(thread->frames[level - 1].region.start,
				   level > 1 ? *reported_until(thread, level - 1) : NS_NONE);
	return floor == NS_NONE ? thread->told : floor;
}

static void span_stream_enter(struct span_stream *s, uint32_t nr, const struct batch *batch,
			      const struct event *ev, ns_t time)
{
	struct span_thread *thread = &s->threads[nr];
	struct span_frame *frame;

	/* regions inside a region that is not kept are not kept, either */
	if (thread->nr_beyond || process_is_full(s, thread->process) ||
	    thread->nr_open >= (s->config.max_open ? s->config.max_open : MAX_OPEN)) {
		thread->nr_beyond++;
		return;
	}
	if (time != NS_NONE) {
		time = later_time(time, span_floor(thread, thread->nr_open));
		time = later_time(time, span_waiting_floor(thread));
		cut_from(thread, thread->nr_open, time);
	}
	span_report_waiting(s, nr);
	frame = span_push_frame(s, thread);
	thread->nr_open = thread->nr_frames;
	names_keep(&frame->region, ev);
	frame->region.begun = event_get(ev, TR2_F_TIME, NS_NONE);
	frame->region.start = time;
	message_keep(s, thread->process, frame, batch, ev);
}

/* Set the position of the region in frame `level`, which has ended. The waiting regions after that
 * region are inside it. */
static void span_set_position(struct span_thread *thread, uint32_t level, bool known, ns_t time)
{
	struct span_frame *frame = &thread->frames[level];
	struct span_region *region = &frame->region;

	if (level + 1 < thread->nr_frames) {
		frame->held = frame[1].held;
		span_note_first(frame, frame[1].first);
		span_note_first(frame, span_first_time(&frame[1]));
	}
	frame->held = later_time(frame->held, frame->told);
	if (region->start == NS_NONE && time != NS_NONE) {
		region->start = later_time(known ? ns_sub(time, region->elapsed) : time,
					   span_floor(thread, level));
		if (frame->first != NS_NONE && frame->first < region->start)
			region->start = frame->first;
		region->end = time;
	} else if (region->start != NS_NONE) {
		/* The enter event may have been written late, so the region may have begun
		 * earlier. */
		ns_t begun = later_time(ns_sub(time, region->elapsed), span_floor(thread, level));

		if (known && time != NS_NONE && begun < region->start)
			region->start = begun;
		region->end = known ? ns_add(region->start, region->elapsed) : region->start;
	}
	frame->held = later_time(frame->held, region->start);
	if (region->start != NS_NONE)
		region->end = later_time(region->end, frame->held);
}

static ns_t span_self(ns_t elapsed, ns_t inner)
{
	return elapsed == NS_NONE ? NS_NONE : elapsed > inner ? elapsed - inner : 0;
}

static void span_stream_leave(struct span_stream *s, uint32_t nr, const struct batch *batch,
			      const struct event *ev, ns_t time)
{
	struct span_thread *thread = &s->threads[nr];
	struct span_frame *frame;
	ns_t duration;
	bool was_open = !thread->nr_beyond && thread->nr_open;

	if (was_open) {
		frame = &thread->frames[--thread->nr_open];
	} else {
		thread->nr_beyond -= thread->nr_beyond > 0;
		span_report_waiting(s, nr);
		frame = span_push_frame(s, thread);
	}
	names_keep(&frame->region, ev);
	message_keep(s, thread->process, frame, batch, ev);
	duration = event_region_time(ev, frame->region.begun);
	frame->region.elapsed = duration;
	frame->region.self = span_self(duration, frame->inner);
	if (thread->nr_open && !thread->nr_beyond && duration != NS_NONE) {
		struct span_frame *outer = &thread->frames[thread->nr_open - 1];

		outer->inner = ns_add(outer->inner, duration);
	}
	span_set_position(thread, thread->nr_open, duration != NS_NONE, time);
	if (frame->region.start != NS_NONE)
		cut_from(thread, thread->nr_open + 1, frame->region.end);
	thread_has_waiting(s, nr);
}

void span_stream_init(struct span_stream *s, const struct span_stream_config *config)
{
	*s = (struct span_stream){ .config = *config };
}

void span_stream_batch(struct span_stream *s, const struct batch *batch)
{
	if (s->cap_batch < batch->nr_sids) {
		s->cap_batch = batch->nr_sids * 2;
		s->batch_processes = xreallocarray(s->batch_processes, s->cap_batch,
						   sizeof(*s->batch_processes));
	}
	if (batch->nr_sids)
		memset(s->batch_processes, 0xff, batch->nr_sids * sizeof(*s->batch_processes));
}

void span_stream_event(struct span_stream *s, const struct batch *batch, const struct event *ev)
{
	uint32_t process, nr;
	ns_t time;

	if (!event_is_trace2(ev) || !event_has(ev, TR2_F_SID))
		return;
	process = span_stream_process_of(s, batch, (uint32_t)ev->v[TR2_F_SID]);
	nr = span_find_thread(s, process, event_sym(ev, TR2_F_THREAD));
	if (nr == UINT32_MAX) {
		s->nr_passed += ev->kind == TR2_E_REGION_LEAVE;
		span_count_left_out(s, process, ev->kind == TR2_E_REGION_ENTER);
		return;
	}
	time = span_event_time(&s->processes[process], &s->threads[nr], ev);
	switch (ev->kind) {
	case TR2_E_REGION_ENTER:
		span_stream_enter(s, nr, batch, ev, time);
		break;
	case TR2_E_REGION_LEAVE:
		span_stream_leave(s, nr, batch, ev, time);
		break;
	case TR2_E_DATA:
	case TR2_E_DATA_JSON:
	case TR2_E_PRINTF:
	case TR2_E_ERROR:
		if (s->config.instant)
			s->config.instant(s->config.data, nr, time, batch, ev);
		break;
	default:
		break;
	}
}

void span_stream_flush(struct span_stream *s)
{
	for (uint32_t i = 0; i < s->nr_waiting; i++) {
		span_report_waiting(s, s->waiting[i]);
		s->threads[s->waiting[i]].waits = false;
	}
	s->nr_waiting = 0;
}

/* Set the times of an open region, which ends at the last event of its process, or with the last
 * region inside it if that is later. `inner` is the elapsed time of the open region inside; 0:
 * none. */
static void span_end_open(struct span_frame *frame, const struct span_process *process, ns_t inner)
{
	struct span_region *region = &frame->region;

	region->open = true;
	region->elapsed = region->begun == NS_NONE || process->last_said == NS_NONE
				  ? NS_NONE
				  : ns_sub(process->last_said, region->begun);
	inner = ns_add(frame->inner, inner > 0 ? inner : 0);
	region->self = span_self(region->elapsed, inner);
	if (region->start != NS_NONE)
		region->end = later_time(process->last, later_time(region->start, frame->told));
}

static void end_thread(struct span_stream *s, uint32_t nr)
{
	struct span_thread *thread = &s->threads[nr];
	ns_t inner = 0;

	if (thread->nr_beyond)
		span_count_left_out(s, thread->process, thread->nr_beyond);
	thread->nr_beyond = 0;
	span_report_waiting(s, nr);
	while (thread->nr_open) {
		struct span_frame *frame = &thread->frames[--thread->nr_open];

		span_end_open(frame, &s->processes[thread->process], inner);
		inner = frame->region.elapsed;
		span_report_waiting(s, nr);
	}
}

void span_stream_end(struct span_stream *s)
{
	for (uint32_t nr = 0; nr < s->nr_threads; nr++)
		end_thread(s, nr);
	s->nr_waiting = 0;
}

void span_stream_end_process(struct span_stream *s, uint32_t process)
{
	uint32_t nr = s->processes[process].thread;

	for (; nr != UINT32_MAX; nr = s->threads[nr].next)
		end_thread(s, nr);
}

static void span_report_open_thread(struct span_stream *s, uint32_t nr)
{
	const struct span_thread *thread = &s->threads[nr];
	ns_t inner = 0, reach = NS_NONE;

	span_report_waiting(s, nr);
	for (uint32_t i = thread->nr_open; i > 0; i--) {
		struct span_frame frame = thread->frames[i - 1];

		span_end_open(&frame, &s->processes[thread->process], inner);
		inner = frame.region.elapsed;
		reach = later_time(reach, frame.region.end);
		if (frame.region.start != NS_NONE)
			frame.region.end = reach;
		frame.region.process = thread->process;
		frame.region.thread = nr;
		s->config.region(s->config.data, &frame.region);
	}
}

void span_stream_report_open(struct span_stream *s, uint32_t process)
{
	uint32_t nr = s->processes[process].thread;

	for (; nr != UINT32_MAX; nr = s->threads[nr].next)
		span_report_open_thread(s, nr);
}

bool span_stream_is_inside(const struct span_stream *s, const struct batch *batch,
			   const struct event *ev)
{
	uint32_t process = span_find_process(s, batch->sids[ev->v[TR2_F_SID]].hash);
	uint32_t nr = process == UINT32_MAX ? UINT32_MAX : s->processes[process].thread;

	while (nr != UINT32_MAX && s->threads[nr].name != event_sym(ev, TR2_F_THREAD))
		nr = s->threads[nr].next;
	return nr != UINT32_MAX && s->threads[nr].nr_open;
}

uint64_t span_stream_innermost(const struct span_stream *s, uint32_t nr)
{
	const struct span_thread *thread = &s->threads[nr];

	return thread->nr_open ? thread->frames[thread->nr_open - 1].region.ordinal : SPAN_NONE;
}

static void forget_thread(struct span_stream *s, uint32_t nr)
{
	struct span_thread *thread = &s->threads[nr];

	tr2_hash_index_remove(&s->by_thread,
			      tr2_hash_index_place(&s->by_thread, thread_hash(s, nr), nr),
			      thread_hash, s);
	for (uint32_t i = 0; i < thread->nr_frames; i++)
		message_free(s, thread->process, &thread->frames[i]);
	free(thread->frames);
	span_bytes_sub(s, thread->process,
		       THREAD_BYTES + thread->cap_frames * sizeof(*thread->frames));
	*thread = (struct span_thread){ .process = UINT32_MAX, .waits = thread->waits };
	GROW(s->free_threads, s->nr_free_threads, s->cap_free_threads, 64);
	s->free_threads[s->nr_free_threads++] = nr;
}

void span_stream_forget(struct span_stream *s, uint32_t process)
{
	struct span_process *gone = &s->processes[process];
	uint32_t next;

	for (uint32_t nr = gone->thread; nr != UINT32_MAX; nr = next) {
		next = s->threads[nr].next;
		forget_thread(s, nr);
	}
	tr2_hash_index_remove(&s->by_sid,
			      tr2_hash_index_place(&s->by_sid, process_hash(s, process), process),
			      process_hash, s);
	s->bytes -= gone->bytes;
	free(gone->sid);
	*gone = (struct span_process){ .thread = UINT32_MAX };
	GROW(s->free_processes, s->nr_free_processes, s->cap_free_processes, 64);
	s->free_processes[s->nr_free_processes++] = process;
}

void span_stream_forget_idle(struct span_stream *s)
{
	for (uint32_t process = 0; process < s->nr_processes; process++) {
		uint32_t nr = s->processes[process].thread;

		while (nr != UINT32_MAX && !s->threads[nr].nr_frames)
			nr = s->threads[nr].next;
		if (nr == UINT32_MAX && s->processes[process].sid)
			span_stream_forget(s, process);
	}
}

void span_stream_release(struct span_stream *s)
{
	for (uint32_t i = 0; i < s->nr_threads; i++) {
		for (uint32_t f = 0; f < s->threads[i].nr_frames; f++)
			free(s->threads[i].frames[f].msg);
		free(s->threads[i].frames);
	}
	for (uint32_t i = 0; i < s->nr_processes; i++)
		free(s->processes[i].sid);
	free(s->threads);
	free(s->processes);
	free(s->batch_processes);
	free(s->waiting);
	free(s->free_processes);
	free(s->free_threads);
	tr2_hash_index_release(&s->by_sid);
	tr2_hash_index_release(&s->by_thread);
	*s = (struct span_stream){ 0 };
}
