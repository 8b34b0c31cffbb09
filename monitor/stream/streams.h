/* SPDX-License-Identifier: MIT */
/* streams: the data that all streams of an intake share. Intake thread. */
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
	struct batcher out;      /* ro: receives the events */
	struct taps taps;        /* ro: receive the bytes */
	struct tr2_intern *syms; /* ro: symbols of events */
	struct replay *replay;   /* ro: clock of replayed recordings; NULL: no replay */
	bool is_running;         /* rw: data of new streams is live, unless their source differs */
	uint32_t nr;             /* private: number of streams so far */
	struct splitter_pool pool; /* private */
	/* private: one reader per format that has no state per stream; NULL: not used yet */
	struct reader *readers[READERS_MAX];
	/* private: data that the readers of a format share; NULL: none */
	void *shared[READERS_MAX];
	struct stream_names names; /* private */
	/* ro: list of streams that must be checked when they are silent: their format is undecided,
	 * or their reader holds records back */
	struct stream *waiting;
	size_t held_bytes; /* ro: memory of the readers that each belong to one stream */
	/* ro: memory of the decoders of packed files that wait for more data */
	size_t packed_held;
	/* ro: contents of the recordings that were read: commands that trace2top ran, other
	 * sources */
	_Atomic bool recorded_commands, recorded_others;
	/* ro: clock of the relay's host minus this host's; NS_NONE: unknown */
	_Atomic int64_t relay_skew_ns;
	/* rw: called while a reader delivers many records, because datagram queues are short */
	void (*read_datagrams)(void *data);
	void *data;
};

/* Begin. The arguments must outlive the streams; `replay` may be NULL. */
void streams_init(struct streams *streams, struct journal *journal, struct tr2_intern *syms,
		  struct replay *replay);
/* Hand over the last batch and free all shared data; call when no stream is left. */
void streams_release(struct streams *streams);

/*
 * True if journal and taps have space for one read of a source that can wait. If false, reading
 * continues when they have.
 */
bool streams_have_room(struct streams *streams);
/*
 * Check streams that are undecided or hold records back, and have been silent. Returns false if
 * none is left.
 */
bool streams_check(struct streams *streams);

#endif
