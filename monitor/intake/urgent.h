/* SPDX-License-Identifier: MIT */
/*
 * What cannot wait: open sockets, whose writers block when the kernel's queue is full, some 170
 * events or 1.2 milliseconds of a busy writer. Where one is open the intake thread
 *
 *   - is scheduled before ordinary threads (realtime.h),
 *   - reads datagrams between pieces of other work, for of these fewer are held (dgram_queue.h),
 *   - has a deputy, which reads sockets in its place when it was woken and does not come
 *     (deputy.h),
 *   - rests for a moment between two rounds where events flow, since each time that it is woken a
 *     writer may lose its processor to it.
 *
 * Of the room, only this file knows the first and the last two of these.
 */
#ifndef MONITOR_URGENT_H
#define MONITOR_URGENT_H

#include <ev.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

/* How long the thread rests while events flow: a quarter of what the kernel's room lasts for a
 * writer that does nothing else. */
#define URGENT_NAP_NS 75000

struct deputy;
struct listener;

/* Nothing is urgent where it is all zero. */
struct urgent {
	bool expected;          /* urgent_expect() was called */
	uint64_t bytes;         /* ever read from sockets; added to by who reads them */
	struct listener **open; /* sockets that are open */
	int nr_open;
	struct deputy *deputy; /* NULL: there is none */
	struct ev_loop *loop;
	ev_async *taken;       /* tells the thread of what the deputy read */
	uint64_t napped_bytes; /* read before the last nap, or round */
	ns_t round_ns;         /* when that ended */
};

/* Before the thread is started: there will be sockets. */
void urgent_expect(struct urgent *urgent);

/* Start the thread that is to read: `run(data)`, real-time where something urgent is expected
 * and the machine permits it, else an ordinary one. 0, or an errno. */
int urgent_thread(const struct urgent *urgent, pthread_t *thread, void *(*run)(void *data),
		  void *data);

/* ---- by that thread ---- */

/* Before its first round: make a deputy where it may have one. From here on `loop` (whose user
 * data and release callbacks become ours) and what it watches is the thread's own always but
 * while the loop waits. `taken` is sent when the deputy has read something. */
void urgent_begin(struct urgent *urgent, struct ev_loop *loop, ev_async *taken);
/* After each round of `loop`. */
void urgent_watch(struct urgent *urgent);
/* After its last one: end the deputy. */
void urgent_end(struct urgent *urgent);

/* A socket opens, and closes: between the two, it is read as told above. */
void urgent_add(struct urgent *urgent, struct listener *listener);
void urgent_remove(struct urgent *urgent, struct listener *listener);

/* Between pieces of other work: read the datagrams that wait, of all sockets. */
void urgent_read(struct urgent *urgent);

/* When no thread runs any more. */
void urgent_release(struct urgent *urgent);

#endif
