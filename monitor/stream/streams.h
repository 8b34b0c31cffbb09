/* SPDX-License-Identifier: MIT */
/* Data that all streams share. Except for atomic members: for the intake thread, or others while it
 * does not run. */
#ifndef MONITOR_STREAMS_H
#define MONITOR_STREAMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/intern.h"
#include "monitor/read/reader.h"
#include "monitor/read/splitter.h"
#include "monitor/stream/batcher.h"
#include "monitor/stream/stream_names.h"
#include "monitor/stream/taps.h"

struct replay;
struct stream;

struct streams {
	struct batcher out;      /* ro */
	struct taps taps;        /* ro */
	struct tr2_intern *syms; /* ro */
	struct replay *replay;   /* ro; NULL: no replay */
	/* rw: data of new streams is live, unless their source decides otherwise */
	bool is_running;
	uint32_t nr;                         /* private */
	struct splitter_pool pool;           /* private */
	struct reader *readers[READERS_MAX]; /* private: readers that are not `per_stream` */
	void *shared[READERS_MAX];           /* private; NULL: none */
	struct stream_names names;           /* private */
	/* ro: list of streams that must be checked when they are silent */
	struct stream *waiting;
	size_t held_bytes; /* ro: bytes of `per_stream` readers */
	/* ro: memory of the decoders of packed streams, in bytes, as of their last
	 * stream_unpack_rest() */
	size_t packed_held;
	/* ro: the recordings read so far contain a source of the kind command; a source of another
	 * kind */
	_Atomic bool recorded_commands, recorded_others;
	/* ro: estimate of the clock of the relay's host minus the clock of this host, in ns;
	 * NS_NONE: unknown */
	_Atomic int64_t relay_skew_ns;
	/* rw: called while a source that can wait delivers held records, so that datagrams are read
	 * in time; NULL: none */
	void (*read_datagrams)(void *data);
	void *data;
};

/* Initialise the shared data. The arguments must outlive it; `replay` may be NULL. */
void streams_init(struct streams *streams, struct journal *journal, struct tr2_intern *syms,
		  struct replay *replay);
/* Hand over the last batch and free all shared data. Call when no stream is left. */
void streams_release(struct streams *streams);

/*
 * True if a source that can wait may be read: the journal, and the taps that receive the data of
 * files, have space.
 */
bool streams_have_room(struct streams *streams);
/*
 * Check the streams in the list `waiting`: if a stream was silent for long enough, decide its
 * format, or deliver the complete records that its readers hold. Also continues streams that are
 * behind. Returns false if the list is then empty.
 */
bool streams_check(struct streams *streams);

#endif
