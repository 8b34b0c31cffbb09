/* SPDX-License-Identifier: MIT */
/*
 * tap: a lock-free ring buffer that copies the bytes of streams to one consumer thread, such as a
 * recorder or a tee.
 *
 *   producer -- tap_put() --> [ ring of bytes ] -- tap_next() --> consumer
 *
 * tap_put() does not block: data that does not fit is dropped and counted. For a source that can
 * wait, such as a file, call tap_has_room() before reading.
 *
 * The consumer receives OPEN, other entries and END per stream. A second OPEN means that the stream
 * is still open. If `cut` is set, discard the incomplete line before the entry. RESET ends all
 * streams; a later OPEN continues a stream.
 *
 * Invariants: `head` and `tail` count the bytes written and given back; 0 <= head - tail <= size;
 * one thread writes each. An entry is contiguous and aligned to 8 bytes: a PAD entry fills the end
 * of the ring if necessary.
 */
#ifndef MONITOR_TAP_H
#define MONITOR_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

struct tap_losses {
	uint64_t lines, bytes;
};

enum tap_kind {
	/* an entry that fills the end of the ring; tap_next() skips it */
	TAP_PAD,
	TAP_RESET, /* END entries may have been lost: all streams ended */
	/* a source: `stream` is its id; bytes: struct recording_source (read/recording.h) */
	TAP_SOURCE,
	TAP_OPEN, /* a stream begins or continues; bytes: struct recording_open */
	/* the format of the stream was detected; bytes: its word in readers.def */
	TAP_FORMAT,
	TAP_BYTES,    /* bytes of a stream, decompressed */
	TAP_DATAGRAM, /* one datagram */
	TAP_END,      /* the stream ended; flags: TAP_CLOSED */
	/* the intake paused before this entry; bytes: int64_t nanoseconds, then the reason */
	TAP_GAP,
	TAP_DROPPED, /* losses in the input; bytes: struct tap_losses */
};

/* Flags of an entry; their meaning depends on its kind. */
#define TAP_CLOSED    1u /* flag of END: the writer closed the connection */
#define TAP_TRUNCATED 1u /* flag of DATAGRAM: the kernel truncated the datagram */

struct tap_entry {
	enum tap_kind kind;
	bool cut;      /* TAP_BYTES of the stream were dropped before this entry */
	uint8_t flags; /* TAP_CLOSED, TAP_TRUNCATED */
	uint32_t stream;
	ns_t arrival_ns; /* wall time at which the content arrived */
	const char *bytes;
	uint32_t len;
};

struct tap;

/* Create a tap with a ring of `bytes` (a power of two, at least 1 MiB). Exits on failure. */
struct tap *tap_new(size_t bytes);
/* Free a tap that no thread uses. */
void tap_free(struct tap *tap);

/* ---- functions for the producer (one thread at a time) ---- */

/* State of one stream for all taps; tap N is bit N. Zeroed when the stream begins. */
struct tap_state {
	/* private to the producer: the producer's epoch when OPEN was sent; 0: not sent */
	uint32_t epoch;
	uint8_t dropping; /* bit per tap: drop bytes up to the next LF */
	uint8_t cut;      /* bit per tap: set `cut` in the stream's next entry */
};

/* Append an entry of the stream with this `state`; `number` is the tap's bit in it. Returns false
 * if the tap was reset and the entry dropped: then announce all open streams again. */
bool tap_put(struct tap *tap, unsigned number, struct tap_state *state,
	     const struct tap_entry *entry);
/* True if the ring has space for one full read of a source. If not, the callback of tap_on_room()
 * runs later, when it has. */
bool tap_has_room(struct tap *tap);
/* Wait for space for one full read of a source, for about a second at most. */
void tap_wait_for_room(struct tap *tap);

/* ---- functions for the consumer thread; tap_on_room() before it starts ---- */

/* Set the callback that runs when the ring has space again, on the consumer thread; it must not
 * block. Call before threads start. */
void tap_on_room(struct tap *tap, void (*room)(void *data), void *data);

/* Get the next entry of the ring, valid until tap_done(). Returns false if the ring is empty. */
bool tap_next(struct tap *tap, struct tap_entry *entry);
/* Release the entry that tap_next() returned. Its space may be returned to the producer later. */
void tap_done(struct tap *tap);
/* Return the space of all released entries to the producer now. */
void tap_give_back(struct tap *tap);
/*
 * Prepare to sleep until an entry arrives. Returns false if an entry is queued; otherwise tap_fd()
 * becomes readable when one arrives.
 */
bool tap_prepare_sleep(struct tap *tap);
/* Cancel tap_prepare_sleep() after waking up. */
void tap_cancel_sleep(struct tap *tap);
/* Return the descriptor to poll between tap_prepare_sleep() and tap_cancel_sleep(). */
int tap_fd(const struct tap *tap);

/* ---- any thread ---- */

void tap_wake(struct tap *tap);
struct tap_losses tap_lost(const struct tap *tap);

#endif
