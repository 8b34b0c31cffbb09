/* SPDX-License-Identifier: MIT */
/*
 * Go execution traces, part 2: put the events of a generation in their true order.
 *
 * Within a thread the order is that of the bytes. Between threads clocks are only hints: an event
 * about a goroutine or P has a sequence number and waits for its predecessor. So there is one
 * cursor per thread, a heap of cursors by time, and rules: the earliest event that is allowed next
 * is emitted. If no event is allowed (damaged trace), the earliest is forced and counted. After
 * GO_MAX_FORCED forced events of a generation its rest is emitted in plain order of time.
 *
 * Invariant: `gs`, `ps` and `ms` are the program's goroutines, Ps and threads after the events
 * emitted so far; they persist across generations. `type` and `a` of a cursor are its next event,
 * not emitted yet. The heap holds the cursors that have a next event, by time.
 *
 * Times increase strictly: an event that would not be later than its predecessor is moved to 1 ns
 * after it.
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
	/* number of threads that run the goroutine: at most one, unless events were forced */
	uint32_t nr_machines;
	uint8_t status; /* enum go_proc_status */
	bool in_sweep;
};

struct go_machine {
	uint32_t goroutine, proc; /* indexes of the thread's goroutine and P; GO_NO_INDEX: none */
};

/* Types of events that this module adds to those of the trace format. */
enum { GO_SYNC = 0, GO_SAMPLE = 1 };

struct go_event {
	uint8_t type; /* enum go_wire, GO_SYNC, GO_SAMPLE */
	/* for GO_SWITCH*, which is emitted in three parts: 0 the other goroutine wakes, 1 this
	 * one leaves, 2 the other starts */
	uint8_t part;
	bool is_new;  /* `target` is mentioned for the first time */
	int64_t time; /* time of the event: ns on the trace's clock */
	/* goroutine and P of the thread before the event; GO_NO_INDEX: none */
	uint32_t goroutine, proc;
	/* the goroutine or P that the event is about; GO_NO_INDEX: none */
	uint32_t target;
	const uint64_t *a; /* arguments of the event; a[0] is the one after the time */
};

typedef void go_take_fn(void *data, const struct go_event *ev);

/* An item of the heap: a cursor and the time of its next event. */
struct go_heap_item {
	int64_t ns;
	uint32_t cursor;
};

struct go_order {
	struct go_goroutine *gs; /* ro: the goroutines */
	struct go_proc *ps;      /* ro: the Ps (Go's processors) */
	uint32_t nr_gs, cap_gs, free_g, nr_ps, cap_ps, nr_ms, cap_ms;
	struct go_machine *ms;
	struct ids g_ids, p_ids, m_ids;
	/* private: caches of the indexes of goroutines and Ps */
	struct go_guesses g_guesses, p_guesses;
	enum { GC_UNKNOWN, GC_OFF, GC_ON } gc;
	uint64_t gc_seq;
	const struct go_generation *gen; /* ro: the generation that is being ordered; NULL: none */
	/* ro: start of the trace, or after a gap: nothing is known from before */
	bool is_first;
	/* ro: too many events were forced, so the rest of the generation is emitted in order of
	 * time */
	bool by_time;
	uint32_t nr_forced;     /* ro: forced events of this generation */
	uint64_t nr_all_forced; /* ro: forced events of the trace */
	uint64_t nr_events;     /* ro: events emitted so far */
	int64_t last_ns;        /* ro: time of the last event; INT64_MIN: none */
	/* private: cursors examined in this generation for an event that is allowed */
	uint64_t nr_tries;
	bool has_synced; /* private: the first sync event was emitted */
	struct go_cursor *cursors;
	uint32_t nr_cursors, cap_cursors;
	struct go_heap_item *heap, *sort_room;
	uint32_t nr_heap;
	uint32_t *samples; /* private: CPU samples by time */
	uint32_t at_sample, cap_samples;
	go_take_fn *take; /* rw: callback for each event */
	void *take_data;
	go_bad_fn *bad; /* rw: callback for malformed records; not NULL */
	void *bad_data;
};

void go_order_init(struct go_order *order);
void go_order_release(struct go_order *order);

/* Discard all state: after a gap in the trace, or for another trace. */
void go_order_forget(struct go_order *order);

/* Begin to order the events of a generation; it must not change until go_order_emit() returns
 * false. */
void go_order_begin(struct go_order *order, const struct go_generation *gen, bool is_first);

/*
 * Emit the next `nr` events of the generation; each calls `take` up to three times. Returns false
 * after the last.
 */
bool go_order_emit(struct go_order *order, unsigned nr);

/* Return a time for an additional event at `ns`: never before the last event. Counts the event. */
static inline int64_t go_order_stamp(struct go_order *order, int64_t ns)
{
	order->nr_events++;
	if (ns <= order->last_ns)
		ns = order->last_ns < INT64_MAX ? order->last_ns + 1 : INT64_MAX;
	order->last_ns = ns;
	return ns;
}

#endif
