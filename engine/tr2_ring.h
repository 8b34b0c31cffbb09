/* SPDX-License-Identifier: MIT */
/*
 * The event target's other way: records into rings in a file's memory (tr2_ring_layout.h) instead
 * of lines. For a host or user who asks for it; where the file cannot be had, or where writing into
 * its memory might harm the host, there are lines as ever.
 *
 * The file's memory is safe to write to as long as nobody cuts the file short. So it is made by us,
 * of our uid, writable by nobody else, in a directory where nobody else may write, on a file
 * system where allocated is allocated for good: a page that cannot be had would be SIGBUS, not an
 * error.
 *
 * A ring belongs to one thread's context at a time, by its owner's mark. The marks and all that a
 * writer knows of its ring lie in memory that a fork empties: no child, however it was made, takes
 * its parent's ring for its own. At its next event it makes a file for itself. (A vfork()ed child
 * has its parent's memory and speaks as its parent, which stands still meanwhile.)
 *
 * No lock but in tr2_ring_renew(); a signal handler may break off and jump out of anything: a
 * record counts once `written` is stored, and everything is found from that.
 */
#ifndef TR2_RING_H
#define TR2_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/tr2_ring_layout.h"

/* Where the machine has no store of 64 bits that is one, there are no rings. */
#if __GCC_ATOMIC_LLONG_LOCK_FREE == 2
#define TR2_HAVE_RINGS                      1
#define tr2_ring_store(place, value, order) __atomic_store_n(place, value, order)
#else
#define TR2_HAVE_RINGS                      0
#define tr2_ring_store(place, value, order) ((void)(order), (void)(*(place) = (value)))
#endif

struct tr2_record;
struct tr2_target;
struct tr2_thread;

/* A ring as its writer knows it. */
struct tr2_ring {
	const struct tr2_thread *owner; /* atomic; NULL: free */
	char *blocks;                   /* NULL: not made so far */
	struct tr2_ring_head *head;
	uint64_t mask;    /* a position's bits that say where in the ring */
	uint64_t written; /* as head->written, which others might spoil; set by one store */
	uint64_t number;  /* events so far */
	int64_t ahead;    /* the block's */
	bool fresh;       /* the next record begins a block: another thread, another name */
};

/*
 * Make the ring file for the session, if rings are asked for and may be had for this destination.
 * False: lines. Before other threads emit.
 */
bool tr2_ring_open(struct tr2_target *target);

/* In a forked child: let the parent's file go and make one of our own; lines where that fails.
 * Under tr2_lock(). */
void tr2_ring_renew(struct tr2_target *target);

/* Whether the rings are this process's and not those of one that forked it. */
bool tr2_ring_is_alive(void);

/* For pthread_atfork(), in the child. */
void tr2_ring_forked(void);

/* The file is not needed after all. No other thread emits. */
void tr2_ring_abandon(void);

/* All is written: the process ends. */
void tr2_ring_close(void);

/*
 * Give the thread a ring, the one that it has or a free one; NULL where there is none, which
 * counts the event as lost. Not a child of a fork before tr2_ring_renew(). Safe in a signal
 * handler.
 */
struct tr2_ring *tr2_ring_claim(struct tr2_thread *self);

/* The thread's context is freed: its ring is the next one's. */
void tr2_ring_give_back(struct tr2_thread *self);

/* The thread's name is another now. */
void tr2_ring_renamed(struct tr2_thread *self);

/* `to` goes on in the ring of `from` (either NULL, or without one: it does not). */
void tr2_ring_hand_over(struct tr2_thread *from, struct tr2_thread *to);

/* The first block of the ring is full: where it is ring 0, its beginning is kept. */
void tr2_ring_keep_first(const struct tr2_ring *ring);

/* Write the record; `brief` leaves out file and line. One that is too long is counted as lost. */
void tr2_ring_write(struct tr2_ring *ring, struct tr2_thread *self, const struct tr2_record *rec,
		    bool brief);

#endif
