/* SPDX-License-Identifier: MIT */
/*
 * Alternative output of the event target: records in ring buffers in a memory-mapped file
 * (tr2_ring_layout.h) instead of lines, if the host program or the user requests it. If the file
 * cannot be created, or if writing to its memory might harm the host program, lines are written.
 *
 * Writing to the memory is safe unless the file is truncated. Only the user of the process and root
 * can write to the file and its directory. The directory is on a file system that does not take
 * back allocated blocks: a missing page would raise SIGBUS.
 *
 * A ring belongs to the context of one thread at a time, its `owner`. The state of the rings is
 * cleared in a forked child, which creates its own file at its next event. A vfork()ed child emits
 * as its parent, which is suspended meanwhile.
 *
 * Only tr2_ring_renew() needs a lock. A signal handler may jump out of tr2_ring_claim() and
 * tr2_ring_write(): a record exists once `written` is stored.
 */
#ifndef TR2_RING_H
#define TR2_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/tr2_ring_layout.h"

/* Rings need atomic 64-bit stores, which some 32-bit processors lack. */
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

struct tr2_ring {
	/* atomic; context of the thread that writes to the ring; NULL: free */
	const struct tr2_thread *owner;
	/* address of the ring's mapped blocks; NULL: this process has not used the ring yet */
	char *blocks;
	struct tr2_ring_head *head;
	uint64_t mask;    /* converts a stream position to its offset in the ring */
	uint64_t written; /* the writer's copy of head->written */
	uint64_t number;  /* number of events written or dropped in this ring */
	/* wall clock minus monotonic clock, as in the head of the current block */
	int64_t ahead;
	/* begin a new block with the next record */
	bool fresh;
};

/* Create the ring file of this session, if rings are requested and possible; otherwise returns
 * false. Call before other threads emit events. */
bool tr2_ring_open(struct tr2_target *target);

/* In a forked child: release the parent's ring file and create one for this process, or else write
 * lines. Call with tr2_lock() held. */
void tr2_ring_renew(struct tr2_target *target);

/* True if this process has rings that it created itself. */
bool tr2_ring_is_alive(void);

/* In a forked child: clear the state of the parent's rings. */
void tr2_ring_forked(void);

/* Give up the new ring file, because tracing does not start. The file is marked as complete. No
 * other thread may emit events meanwhile. */
void tr2_ring_abandon(void);

/* Mark the ring file as complete: no more events follow. */
void tr2_ring_close(void);

/* Return the thread's ring, or assign it a free one. On failure counts an event as lost and returns
 * NULL. In a forked child, call tr2_ring_renew() first. Safe in a signal handler. */
struct tr2_ring *tr2_ring_claim(struct tr2_thread *self);

/* Make a thread's ring available to other threads. */
void tr2_ring_release(struct tr2_thread *self);

/* Start a new block in the ring of `self` with its next record, because the block's head has the
 * thread's old name. */
void tr2_ring_renamed(struct tr2_thread *self);

/* Transfer the ring of `from` to `to`. Does nothing if either is NULL or `from` has no ring. */
void tr2_ring_transfer(struct tr2_thread *from, struct tr2_thread *to);

/* Copy the beginning of ring 0 to the file head, when the ring's first block has ended. Does
 * nothing for other rings. */
void tr2_ring_keep_first(const struct tr2_ring *ring);

/* Write the record to the ring. `brief` omits file and line. A record that cannot be written is
 * counted as lost. */
void tr2_ring_write(struct tr2_ring *ring, struct tr2_thread *self, const struct tr2_record *rec,
		    bool brief);

#endif
