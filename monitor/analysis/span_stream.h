/* SPDX-License-Identifier: MIT */
/*
 * Match region enters and leaves in a stream of events, without the model. Memory depends on the
 * number of processes, threads and open regions, never on the number of ended regions.
 *
 *   span_stream_batch(), then span_stream_event() for each of its events -> region(), instant()
 *   span_stream_end()   regions still open -> region()
 *
 * A region_leave ends the innermost region of its thread, which is reported with the category,
 * label and nesting of the region_leave. The durations `elapsed` and `self` come from t_rel if the
 * event has it, otherwise from the clock.
 *
 * A region also has a position on the clock, if one of its events has a time. The positions of the
 * regions of a thread are properly nested for any input. A region usually begins at its
 * region_enter, or earlier if it would otherwise end after its region_leave. It lasts as long as
 * its elapsed time unless other regions leave less time or need more. The last ended regions of a
 * thread wait for its later region events, or span_stream_flush(), before they are reported: their
 * ends may still be moved.
 *
 * One thread.
 */
#ifndef MONITOR_SPAN_STREAM_H
#define MONITOR_SPAN_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/hash_index.h"
#include "monitor/event/batch.h"

#define SPAN_NONE UINT64_MAX

/* a completed or open region, borrowed by a callback */
struct span_region {
	uint32_t process, thread; /* numbers, see span_stream_process() */
	/* number of the region in its thread, from 0, in the order in which the regions appear */
	uint64_t ordinal;
	uint64_t parent;       /* `ordinal` of the region around the region; SPAN_NONE: none */
	sym_t category, label; /* SYM_NONE: absent */
	int64_t nesting;       /* nesting as the trace reports it; 0: not reported */
	/* message of the region_enter, or else of the region_leave; NULL: none, or `messages` of
	 * the configuration is false */
	const char *msg;
	size_t msg_len;
	ns_t begun;      /* wall time of the region_enter event; NS_NONE: unknown */
	ns_t start, end; /* position of the region in wall time; NS_NONE: unknown */
	/* durations with and without inner regions; of an open region up to the last event of its
	 * process. NS_NONE: unknown */
	ns_t elapsed, self;
	bool open; /* no region_leave of the region was passed yet */
	/* `event` of the stream at the region_enter, or else at the region_leave */
	uint64_t event;
};

struct span_process {
	char *sid; /* ro */
	size_t sid_len;
	uint64_t hash;
	/* wall times of the process's earliest and latest event; NS_NONE: unknown */
	ns_t first, last;
	ns_t last_said;  /* wall time of the process's last passed event that had one */
	ns_t reach;      /* latest end of a reported region's position; NS_NONE: none */
	uint32_t thread; /* number of the first thread of the process; UINT32_MAX: none */
	size_t bytes;    /* ro: bytes of memory held for the process */
	/* ro: number of regions that were entered but never reported, because of a limit */
	uint64_t nr_left_out;
};

struct span_thread {
	uint32_t process;
	sym_t name;
	/* wall times of the thread's first and latest event; NS_NONE: unknown */
	ns_t first, last;
	/* The members below are private. */
	uint64_t nr_regions, nr_beyond;
	/* frames [0, nr_open) are open regions; [nr_open, nr_frames) are ended regions not yet
	 * reported */
	struct span_frame *frames;
	uint32_t nr_open, nr_frames, cap_frames;
	uint32_t next; /* number of the next thread of the process; UINT32_MAX: none */
	ns_t told;     /* latest end of the reported regions without a region around them */
	bool waits;
};

struct span_stream_config {
	void (*region)(void *data, const struct span_region *region);
	/*
	 * Callback for data, data_json, printf and error events, at `time` (NS_NONE: unknown); may
	 * be NULL.
	 */
	void (*instant)(void *data, uint32_t thread, ns_t time, const struct batch *batch,
			const struct event *ev);
	void *data;
	/* maximum number of threads; events of further threads are ignored; 0: no limit */
	uint32_t max_threads;
	/* maximum number of open regions of a thread; deeper regions are reported at their end
	 * without `begun`; 0: 100,000 */
	uint32_t max_open;
	/*
	 * Maximum memory per process in bytes; 0: no limit. Above the limit, events of further
	 * threads are ignored, and further regions are treated like those beyond max_open.
	 */
	size_t max_process_bytes;
	bool messages; /* regions are reported with their messages */
};

struct span_stream {
	struct span_stream_config config; /* ro */
	/* rw: number of the event that is passed next */
	uint64_t event;
	struct span_process *processes; /* ro */
	uint32_t nr_processes, cap_processes;
	struct span_thread *threads; /* ro */
	uint32_t nr_threads, cap_threads;
	uint64_t nr_timeless; /* ro: number of regions without a position in time */
	uint64_t nr_passed;   /* ro: number of ended regions in threads that a limit left out */
	/* ro: number of regions that were entered but never reported */
	uint64_t nr_left_out;
	size_t bytes; /* ro: bytes of memory held for all processes */
	/* The members below are private. */
	struct tr2_hash_index by_sid, by_thread;
	/* process of each SID, by index of the SID in the batch */
	uint32_t *batch_processes;
	uint32_t cap_batch, last_thread;
	uint32_t *waiting; /* threads that may have regions waiting to be reported */
	uint32_t nr_waiting, cap_waiting;
	/* numbers of processes and threads that may be reused */
	uint32_t *free_processes, *free_threads;
	uint32_t nr_free_processes, cap_free_processes, nr_free_threads, cap_free_threads;
};

void span_stream_init(struct span_stream *stream, const struct span_stream_config *config);
void span_stream_release(struct span_stream *stream);

/* Set the batch of the events that are passed next. */
void span_stream_batch(struct span_stream *stream, const struct batch *batch);
/* Process one event. Ignores events without a SID and trace2top's own records. */
void span_stream_event(struct span_stream *stream, const struct batch *batch,
		       const struct event *ev);

void span_stream_flush(struct span_stream *stream);
/* Report all waiting and open regions; open regions end at the last event of their process. No
 * events may follow. */
void span_stream_end(struct span_stream *stream);

/*
 * Report the waiting regions of each thread of a process, then its open regions, innermost first.
 * The open regions stay open.
 */
void span_stream_report_open(struct span_stream *stream, uint32_t process);
/*
 * Report the waiting and open regions of a process that has ended. If further events of the process
 * follow, the ordinals of its regions continue.
 */
void span_stream_end_process(struct span_stream *stream, uint32_t process);
/*
 * Forget an ended process, so that its number and those of its threads can be reused. Call
 * span_stream_batch() next.
 */
void span_stream_forget(struct span_stream *stream, uint32_t process);

/* Forget all processes without open or waiting regions, as span_stream_forget() does. */
void span_stream_forget_idle(struct span_stream *stream);

/* True if a region is open in the thread of the event, which must have a SID. */
bool span_stream_is_inside(const struct span_stream *stream, const struct batch *batch,
			   const struct event *ev);

/* Return the ordinal of the innermost open region of a thread, or SPAN_NONE. */
uint64_t span_stream_innermost(const struct span_stream *stream, uint32_t thread);

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

/* Return the number of the process of a SID of the batch, a new one if needed. */
uint32_t span_stream_process_of(struct span_stream *stream, const struct batch *batch,
				uint32_t index);

/* Return the number of the process with a SID; UINT32_MAX: unknown. */
uint32_t span_stream_find(const struct span_stream *stream, const char *sid, size_t len);

#endif
