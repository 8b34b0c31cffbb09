/* SPDX-License-Identifier: MIT */
/*
 * A tap: the raw bytes of streams on their way to one consumer thread, who keeps them (a
 * recording) or passes them on (a tee).
 *
 *   intake thread -- tap_put() --> [ ring of bytes ] -- tap_next() --> consumer
 *
 * Who puts never waits: what does not fit is dropped by whole lines and counted. Of something
 * that can wait tap_has_room() is asked first, so that nothing of it is ever dropped.
 *
 * What a consumer gets of a stream, in this order: OPEN; BYTES, DATAGRAM and FORMAT in any
 * number; END. OPEN may come again for a stream that is open: it goes on. An entry that is `cut`
 * tells that bytes were dropped before it: of what the consumer keeps of that stream, the line
 * that was begun goes with them. RESET tells that ENDs may have been lost: every stream ends
 * there, and those that go on come with an OPEN.
 *
 * Invariant: `head` and `tail` count bytes ever put and taken, head - tail <= size; each is
 * written by one side alone. An entry never wraps: where it does not fit behind the others to the
 * end of the memory, a PAD fills that up. Every entry begins at a multiple of 8.
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
	TAP_PAD,    /* never seen by a consumer */
	TAP_RESET,  /* all streams end */
	TAP_SOURCE, /* `stream` is a source's; bytes: struct recording_source (read/recording.h) */
	TAP_OPEN,   /* a stream begins; bytes: struct recording_open */
	TAP_FORMAT, /* what its first bytes told; bytes: a word of readers.def */
	TAP_BYTES,  /* as they were read */
	TAP_DATAGRAM, /* one, whole */
	TAP_END,      /* it has ended */
	TAP_GAP,      /* nothing was received for so many ns before it; bytes: int64_t, then why */
	TAP_DROPPED,  /* as a recording tells; bytes: struct tap_losses */
};

/* What an END says in `flags`, a DATAGRAM too. */
#define TAP_CLOSED    1u /* END: its connection was closed by who wrote */
#define TAP_TRUNCATED 1u /* DATAGRAM: the kernel cut it off */

struct tap_entry {
	enum tap_kind kind;
	bool cut;      /* lines of this stream were dropped before it */
	uint8_t flags; /* by kind */
	uint32_t stream;
	ns_t arrival_ns; /* wall */
	const char *bytes;
	uint32_t len;
};

struct tap;

/* A ring of `bytes`, a power of two of at least 1 MiB. Dies where memory is short. */
struct tap *tap_new(size_t bytes);
/* No thread uses it any more. */
void tap_free(struct tap *tap);

/* ---- who puts; one thread at a time ---- */

/* How far a stream is with its taps; zeroed where it begins. One tap a bit. */
struct tap_state {
	uint32_t epoch;   /* private to who puts: of the OPEN that went out; 0: none */
	uint8_t dropping; /* up to its next LF */
	uint8_t cut;      /* the next entry says so */
};

/* Put an entry as tap number `number` of its stream. False where a RESET went out before it, and
 * it was dropped: whatever is open must be told of again. */
bool tap_put(struct tap *tap, unsigned number, struct tap_state *state,
	     const struct tap_entry *entry);
/* Is there room for what one turn of reading brings? Where not, `room` of tap_on_room() is called
 * once there is. */
bool tap_has_room(struct tap *tap);

/* ---- the consumer ---- */

/* Before there are threads: called by the consumer when room is there again. Must not block. */
void tap_on_room(struct tap *tap, void (*room)(void *data), void *data);

/* The next entry, borrowed until tap_done(); false: there is none now. */
bool tap_next(struct tap *tap, struct tap_entry *entry);
/* It is done with; its room is given back, at once or with the next ones. */
void tap_done(struct tap *tap);
/* Give back what was done with. Before it sleeps. */
void tap_give_back(struct tap *tap);
/* May it sleep? Then tap_fd() becomes readable with the next entry. False: there is one. */
bool tap_sleeps(struct tap *tap);
/* It is awake again: takes back what tap_sleeps() said. */
void tap_wakes(struct tap *tap);
/* For poll() between the two. */
int tap_fd(const struct tap *tap);

/* ---- any thread ---- */

/* Wake the consumer. */
void tap_wake(struct tap *tap);
/* Dropped so far. */
struct tap_losses tap_lost(const struct tap *tap);

#endif
