/* SPDX-License-Identifier: MIT */
/*
 * Match region enters and leaves in a stream of events, without the model, for exporters and the
 * timeline. Memory depends on the number of threads and open regions, never on the number of ended
 * regions.
 *
 *   span_stream_batch(), then span_stream_event() for each of its events -> region(), instant()
 *   span_stream_end()   regions still open -> region()
 *
 * A caller that follows traces forever ends each process separately, span_stream_end_process(), and
 * releases it when no more events of it are expected.
 *
 * A leave ends the innermost region of its thread, and is reported with its own category, label and
 * nesting. elapsed and self are those of the report: t_rel takes precedence over the clock.
 *
 * Each region also has a position on the clock. Positions are properly nested for any input: time
 * in a thread never decreases. A region begins at its enter, or earlier if it would not be over at
 * its leave otherwise and the time before is free. It lasts as long as its elapsed time, but at
 * most until the next region begins or the enclosing one ends. Clocks and t_rel differ by
 * microseconds, so few regions are cut, and only by little. Only a region around one that was
 * already reported is extended instead. For this, the last ended region of each thread waits, with
 * the last one that ended inside it, for the next event of that thread or for span_stream_flush().
 *
 * One thread. About 50 ns per event.
 */
#ifndef MONITOR_SPAN_STREAM_H
#define MONITOR_SPAN_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/hash_index.h"
#include "monitor/event/batch.h"

#define SPAN_NONE UINT64_MAX

/* A completed or open region, borrowed during the callback. */
struct span_region {
	uint32_t process, thread; /* numbers, see span_stream_process() */
	/* number of the region in its thread, from 0 in order of enters */
	uint64_t ordinal;
	uint64_t parent;       /* `ordinal` of the region around it; SPAN_NONE */
	sym_t category, label; /* SYM_NONE: absent */
	int64_t nesting;       /* nesting as reported; 0: not reported */
	/* message of its region_enter, or else of its region_leave; NULL: none */
	const char *msg;
	size_t msg_len;
	ns_t begun;      /* wall time of its region_enter as reported; NS_NONE */
	ns_t start, end; /* its position in wall time; NS_NONE if unknown */
	/* duration with and without inner regions, as in the report; for an open region up to
	 * the last event of its process; NS_NONE if unknown */
	ns_t elapsed, self;
	bool open;      /* the region was never left */
	uint64_t event; /* `event` of the stream at its region_enter, or else at its region_leave */
};

struct span_process {
	char *sid; /* ro */
	size_t sid_len;
	uint64_t hash;
	/* wall clock: earliest and latest time of the process's events; NS_NONE */
	ns_t first, last;
	ns_t last_said;  /* time of the process's last event */
	ns_t reach;      /* wall clock: the latest end of a region's position; NS_NONE */
	uint32_t thread; /* number of its first thread; UINT32_MAX: none */
	size_t bytes;    /* ro: memory held for the process */
	/* ro: regions entered and never reported because a limit was reached */
	uint64_t nr_left_out;
};

struct span_thread {
	uint32_t process;
	sym_t name;
	/* wall clock times of the thread's first and last event, never decreasing; NS_NONE */
	ns_t first, last;
	/* The next members are private. */
	uint64_t nr_regions, nr_beyond;
	/* [0, nr_open): open regions; [nr_open, nr_frames): ended, and waiting to be reported */
	struct span_frame *frames;
	uint32_t nr_open, nr_frames, cap_frames;
	uint32_t next; /* next thread of the process; UINT32_MAX: none */
	ns_t told;     /* end of the last outermost region that was reported */
	bool waits;
};

struct span_stream_config {
	void (*region)(void *data, const struct span_region *region);
	/*
	 * Callback for data, data_json, printf and error events, at `time` (NS_NONE: unknown);
	 * NULL: not wanted.
	 */
	void (*instant)(void *data, uint32_t thread, ns_t time, const struct batch *batch,
			const struct event *ev);
	void *data;
	uint32_t max_threads; /* events of further threads are ignored; 0: no limit */
	uint32_t max_open;    /* deeper regions are reported at their end without a begin; 0:
			       * 100,000 */
	/*
	 * Memory limit of a process: if it has more, events of further threads are ignored, and
	 * further regions are handled as those beyond max_open; 0: no limit.
	 */
	size_t max_process_bytes;
	bool messages; /* the regions passed to the callbacks have their messages */
};

struct span_stream {
	struct span_stream_config config; /* ro */
	uint64_t event;                   /* rw: number of the event that is passed next */
	struct span_process *processes;   /* ro: the processes */
	uint32_t nr_processes, cap_processes;
	struct span_thread *threads; /* ro: the threads */
	uint32_t nr_threads, cap_threads;
	uint64_t nr_timeless; /* ro: number of regions without a position */
	uint64_t nr_passed;   /* ro: ended regions in threads beyond max_threads */
	/* ro: regions of all processes that were entered and never reported */
	uint64_t nr_left_out;
	size_t bytes; /* ro: memory held for all processes */
	/* The next members are private. */
	struct tr2_hash_index by_sid, by_thread;
	uint32_t *batch_processes; /* number of the process by index of the SID in the batch */
	uint32_t cap_batch, last_thread;
	uint32_t *waiting; /* threads that have regions waiting to be reported */
	uint32_t nr_waiting, cap_waiting;
	/* numbers of processes and threads that may be reused */
	uint32_t *free_processes, *free_threads;
	uint32_t nr_free_processes, cap_free_processes, nr_free_threads, cap_free_threads;
};

void span_stream_init(struct span_stream *stream, const struct span_stream_config *config);
void span_stream_release(struct span_stream *stream);

/* Set the batch that contains the following events. */
void span_stream_batch(struct span_stream *stream, const struct batch *batch);
/* Process one event. Events without a SID and internal records are ignored. */
void span_stream_event(struct span_stream *stream, const struct batch *batch,
		       const struct event *ev);

/* Report all regions that wait for the next event of their thread. */
void span_stream_flush(struct span_stream *stream);
/* Report all waiting and open regions; open ones end with their process. No events may follow. */
void span_stream_end(struct span_stream *stream);

/*
 * Report the open regions of a process, innermost first; they stay open. Reports the process's
 * waiting regions first.
 */
void span_stream_report_open(struct span_stream *stream, uint32_t process);
/*
 * Report the waiting and open regions of one process, which has ended. If later events of it
 * follow, ordinals continue.
 */
void span_stream_end_process(struct span_stream *stream, uint32_t process);
/*
 * Forget an ended process: its number and those of its threads are reused. Call between two
 * batches: span_stream_batch() must come next.
 */
void span_stream_forget(struct span_stream *stream, uint32_t process);

/* Forget all processes without open or waiting regions. Call between two batches, like
 * span_stream_forget(). O(processes). */
void span_stream_forget_idle(struct span_stream *stream);

/* True if a region is open in the thread of an event, which must have a SID. */
bool span_stream_is_inside(const struct span_stream *stream, const struct batch *batch,
			   const struct event *ev);

/* Return the ordinal of the innermost open region of a thread; SPAN_NONE. */
uint64_t span_stream_innermost(const struct span_stream *stream, uint32_t thread);

/* Return the process or thread of a number that was passed to a callback. */
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

/* Return the number of the process of a SID in the batch, assigned if new. */
uint32_t span_stream_process_of(struct span_stream *stream, const struct batch *batch,
				uint32_t index);

/* Return the number of the process with a SID; UINT32_MAX if unknown. */
uint32_t span_stream_find(const struct span_stream *stream, const char *sid, size_t len);

#endif
