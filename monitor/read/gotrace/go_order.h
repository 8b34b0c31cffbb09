/* SPDX-License-Identifier: MIT */
/*
 * Go execution traces, part 2: put the events of a generation in their true order.
 *
 * Within a thread, events are in the order of their bytes. Between threads, times are not exact
 * enough: many events about a goroutine or P have a sequence number and wait for the event with the
 * previous number. The earliest event that the rules of Go's scheduler allow is emitted next. If
 * none is allowed, or the earliest event is impossible, the trace is damaged and the earliest event
 * is forced: it is counted, and emitted if that is possible. After more than GO_MAX_FORCED forced
 * events in a generation, or too many tries, the generation's remaining events are emitted in order
 * of time.
 *
 * Invariants: `gs`, `ps` and `ms` are the program's goroutines, Ps and threads after the events
 * emitted so far. The heap holds the cursors that have a next event, by time. Times of emitted
 * events increase strictly up to INT64_MAX.
 */
#ifndef MONITOR_GO_ORDER_H
#define MONITOR_GO_ORDER_H

#include "monitor/read/gotrace/go_frame.h"

#define GO_MAX_FORCED     64u
#define GO_MAX_GOROUTINES 1000000u
#define GO_MAX_PROCS      65536u

enum go_status { GO_GONE, GO_RUNNABLE, GO_RUNNING, GO_SYSCALL, GO_WAITING };
enum go_proc_status { PROC_GONE, PROC_RUNNING, PROC_IDLE, PROC_SYSCALL, PROC_ABANDONED };

struct go_goroutine {
	uint64_t id, seq, seq_generation;
	uint8_t status; /* enum go_status; GO_GONE: this entry is free */
	bool in_assist, in_stw;
	uint32_t next_free;
};

struct go_proc {
	uint64_t id, seq, seq_generation;
	/* number of threads that have this P */
	uint32_t nr_machines;
	uint8_t status; /* enum go_proc_status */
	bool in_sweep;
};

struct go_machine {
	uint32_t goroutine, proc; /* indexes; GO_NO_INDEX: none */
};

/* Types of events that are added to those of the trace format. */
enum { GO_SYNC = 0, GO_SAMPLE = 1 };

struct go_event {
	uint8_t type; /* enum go_wire, GO_SYNC or GO_SAMPLE */
	/* of a GO_SWITCH* event, which is emitted in three parts: 0: the other goroutine wakes; 1:
	 * the running goroutine leaves; 2: the other goroutine starts */
	uint8_t part;
	bool is_new;  /* a status or create event whose `target` was unknown before */
	int64_t time; /* time of the event, in ns of the trace's clock */
	/* goroutine and P of the event's thread before the event (GO_SAMPLE: the sampled goroutine,
	 * no P); GO_NO_INDEX: none */
	uint32_t goroutine, proc;
	/* goroutine or P that an event such as GO_START or PROC_STOP is about; GO_NO_INDEX: none */
	uint32_t target;
	const uint64_t *a; /* a[0] is the argument after the time */
};

typedef void go_take_fn(void *data, const struct go_event *ev);

/* A cursor and the time of its next event. */
struct go_heap_item {
	int64_t ns;
	uint32_t cursor;
};

struct go_order {
	struct go_goroutine *gs; /* ro: the goroutines */
	struct go_proc *ps;      /* ro: Go's processors */
	uint32_t nr_gs, cap_gs, free_g, nr_ps, cap_ps, nr_ms, cap_ms;
	struct go_machine *ms;
	struct ids g_ids, p_ids, m_ids;
	/* private: caches of indexes */
	struct go_guesses g_guesses, p_guesses;
	enum { GC_UNKNOWN, GC_OFF, GC_ON } gc;
	uint64_t gc_seq;
	const struct go_generation *gen; /* ro: the generation that was begun last; NULL: none */
	/* ro: the state before `gen` is unknown */
	bool is_first;
	/* ro: the generation's remaining events are emitted in order of time */
	bool by_time;
	/*
	 * ro: number of forced events (see the top of this file): of this generation and not
	 * reported yet; of the trace
	 */
	uint32_t nr_forced;
	uint64_t nr_all_forced;
	uint64_t nr_events;
	int64_t last_ns; /* ro: last time that go_order_stamp() returned; INT64_MIN: none */
	/* private: tries in this generation to find an allowed event */
	uint64_t nr_tries;
	bool has_synced; /* private */
	struct go_cursor *cursors;
	uint32_t nr_cursors, cap_cursors;
	struct go_heap_item *heap, *sort_room;
	uint32_t nr_heap;
	uint32_t *samples; /* private: indexes of CPU samples, in order of time */
	uint32_t at_sample, cap_samples;
	go_take_fn *take; /* rw: called with emitted events */
	void *take_data;
	go_bad_fn *bad; /* rw: reports damage; not NULL */
	void *bad_data;
};

void go_order_init(struct go_order *order);
void go_order_release(struct go_order *order);

/* Forget the state of goroutines, Ps, threads and the garbage collector. */
void go_order_forget(struct go_order *order);

/* Begin to order the events of a generation, which must not change until go_order_emit() returns
 * false. */
void go_order_begin(struct go_order *order, const struct go_generation *gen, bool is_first);

/* Emit up to `nr` events and CPU samples of the generation; before the first of them, a GO_SYNC.
 * Calls `take` up to three times per event. Returns false if fewer than `nr` were left. */
bool go_order_emit(struct go_order *order, unsigned nr);

/* Return a time for an event: `ns`, or 1 ns after the time of the last event if that is later.
 * Counts the event. */
static inline int64_t go_order_stamp(struct go_order *order, int64_t ns)
{
	order->nr_events++;
	if (ns <= order->last_ns)
		ns = order->last_ns < INT64_MAX ? order->last_ns + 1 : INT64_MAX;
	order->last_ns = ns;
	return ns;
}

#endif
