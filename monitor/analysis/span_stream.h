/* SPDX-License-Identifier: MIT */
/*
 * Events in, finished regions out: the matching of enters and leaves, without the model, for
 * whoever wants regions over time (exporters, the timeline). Memory goes with threads and with
 * what is open, never with what has ended.
 *
 *   span_stream_batch(), then span_stream_event() for each of its events -> region(), instant()
 *   span_stream_end()   what is still open -> region()
 *
 * Who follows for ever ends each process on its own, span_stream_end_process(), and has it
 * forgotten when nothing more is to come of it.
 *
 * A leave ends the innermost region of its thread, and is told by its own category, label and
 * nesting; elapsed and self are those of the report: t_rel before the clock.
 *
 * Beside that each region has a place on the clock, and places nest whatever came: a thread's time
 * never goes back; a region begins at its enter, or before it where its elapsed time would not
 * be over at its leave and nothing else stands there; it lasts as long as it elapsed, but no
 * longer than to the next one's begin or to the end of what is around it. Clocks and t_rel differ
 * by microseconds, so this cuts few regions and little; only what was around a region that was
 * told already is lengthened instead. To that end the last region that ended in each thread
 * waits, with what ended last in it, for the next event there, or for span_stream_flush().
 *
 * One thread. About 50 ns an event.
 */
#ifndef MONITOR_SPAN_STREAM_H
#define MONITOR_SPAN_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/slots.h"
#include "monitor/event/batch.h"

#define SPAN_NONE UINT64_MAX

/* A region, borrowed for the call. */
struct span_region {
	uint32_t process, thread; /* numbers, see span_stream_process() */
	uint64_t ordinal;         /* in its thread, from 0 in the order of enters */
	uint64_t parent;          /* the ordinal of the one around it; SPAN_NONE */
	sym_t category, label;    /* SYM_NONE: absent */
	int64_t nesting;          /* as it said; 0 where it did not */
	const char *msg;          /* of its enter, else of its leave; NULL: none */
	size_t msg_len;
	ns_t begun;         /* wall, as its enter said; NS_NONE */
	ns_t start, end;    /* wall: its place; NS_NONE where nothing tells */
	ns_t elapsed, self; /* as the report counts; of an open one up to its process's last event,
			     * NS_NONE where nothing tells */
	bool open;          /* it never ended */
};

struct span_process {
	char *sid; /* ro */
	size_t sid_len;
	uint64_t hash;
	ns_t first, last;     /* wall: the earliest and the latest time that it said; NS_NONE */
	ns_t last_said;       /* the time of its last event */
	ns_t reach;           /* wall: the end of the place that ends last; NS_NONE */
	uint32_t thread;      /* the first one of which something came; UINT32_MAX */
	size_t bytes;         /* ro: that are held of it */
	uint64_t nr_left_out; /* ro: regions that began and were never told: there was no room */
};

struct span_thread {
	uint32_t process;
	sym_t name;
	ns_t first, last; /* wall: of its time, which never goes back; NS_NONE */
	/* private: */
	uint64_t nr_regions, nr_beyond;
	struct span_frame *frames; /* [0, nr_open) open; [nr_open, nr_frames) ended, wait */
	uint32_t nr_open, nr_frames, cap_frames;
	uint32_t next; /* another one of the process; UINT32_MAX */
	ns_t told;     /* end of the last outermost region that was told */
	bool waits;
};

struct span_stream_config {
	void (*region)(void *data, const struct span_region *region);
	/* data, data_json, printf and error events, at `time` (NS_NONE: unknown); NULL: none. */
	void (*instant)(void *data, uint32_t thread, ns_t time, const struct batch *batch,
			const struct event *ev);
	void *data;
	uint32_t max_threads; /* what others tell is passed over; 0: no bound */
	uint32_t max_open;    /* deeper ones are told when they end, with no begin; 0: 100,000 */
	/* Of a process that holds so much no other thread is known, and regions are told as those
	 * that are too deep; 0: no bound. */
	size_t max_process_bytes;
	bool messages; /* regions are wanted with them */
};

struct span_stream {
	struct span_stream_config config; /* ro */
	struct span_process *processes;   /* ro */
	uint32_t nr_processes, cap_processes;
	struct span_thread *threads; /* ro */
	uint32_t nr_threads, cap_threads;
	uint64_t nr_timeless; /* ro: regions without a place */
	uint64_t nr_passed;   /* ro: regions that ended in threads beyond the bounds */
	uint64_t nr_left_out; /* ro: regions of all processes that began and were never told */
	size_t bytes;         /* ro: held of all processes */
	/* private: */
	struct tr2_slots by_sid, by_thread;
	uint32_t *batch_processes; /* by index of SID */
	uint32_t cap_batch, last_thread;
	uint32_t *waiting; /* threads in which something waits */
	uint32_t nr_waiting, cap_waiting;
	uint32_t *free_processes, *free_threads; /* numbers that were forgotten */
	uint32_t nr_free_processes, cap_free_processes, nr_free_threads, cap_free_threads;
};

void span_stream_init(struct span_stream *stream, const struct span_stream_config *config);
void span_stream_release(struct span_stream *stream);

/* The events that follow are of this batch. */
void span_stream_batch(struct span_stream *stream, const struct batch *batch);
/* One of them; events that have no SID, and records of our own, are passed over. */
void span_stream_event(struct span_stream *stream, const struct batch *batch,
		       const struct event *ev);

/* Tell of what waits. */
void span_stream_flush(struct span_stream *stream);
/* The same, and of what is open: it ends with its process. Nothing may come afterwards. */
void span_stream_end(struct span_stream *stream);

/* Tell of what is open in a process as it is now, the innermost first; it stays open. What waits
 * there is told before. */
void span_stream_look(struct span_stream *stream, uint32_t process);
/* Tell of what waits and what is open in one process: that has ended. What comes of it all the same
 * has the ordinals that follow. */
void span_stream_end_process(struct span_stream *stream, uint32_t process);
/* Forget one that was ended: its number, and those of its threads, are given out again. Between two
 * batches: span_stream_batch() comes next. */
void span_stream_forget(struct span_stream *stream, uint32_t process);

/* The ordinal of the innermost region that is open in a thread; SPAN_NONE. */
uint64_t span_stream_innermost(const struct span_stream *stream, uint32_t thread);

/* Those of a number that a callback was given. */
static inline const struct span_thread *span_stream_thread(const struct span_stream *stream,
							   uint32_t thread)
{
	return &stream->threads[thread];
}

static inline const struct span_process *span_stream_process(const struct span_stream *stream,
							     uint32_t process)
{
	return &stream->processes[process];
}

/* The number of the process of a batch's SID, given to it where it has none yet. */
uint32_t span_stream_process_of(struct span_stream *stream, const struct batch *batch,
				uint32_t index);

/* The number of the process of that SID; UINT32_MAX where none has come. */
uint32_t span_stream_find(const struct span_stream *stream, const char *sid, size_t len);

#endif
