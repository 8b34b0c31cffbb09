/* SPDX-License-Identifier: MIT */
/*
 * The bytes of one file, connection or datagram socket on their way to the batch.
 *
 *   bytes -> unpack (if packed: packed.h) -> splitter -> reader -> batch
 *
 * A source owns its streams, and a stream lives as long as its file or connection. One exception: a
 * file read as EVENT needs no struct between two reads (tail.c). The format is detected once, from
 * the first bytes. A replaced or truncated file is a new stream.
 *
 * A reader may hold records back. Records of live data are delivered at once. Other records are
 * delivered only while the journal has space: otherwise the stream is `behind`, and its source must
 * call stream_catch_up() before it reads on.
 *
 * Streams know of their source only its origin (origin.h). All functions are for the intake
 * thread.
 */
#ifndef MONITOR_STREAM_H
#define MONITOR_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/clock.h"
#include "engine/base/intern.h"
#include "monitor/base/diag.h"
#include "monitor/base/tap.h"
#include "monitor/read/reader.h"
#include "monitor/read/recording.h"
#include "monitor/read/splitter.h"
#include "monitor/read/unpack.h"

struct origin;
struct packed;

/* Number of first bytes that show if data is packed or a recording. */
#define STREAM_MAGIC_BYTES RECORDING_MAGIC_BYTES

struct stream {
	struct origin *origin;    /* ro: the source that owns the stream */
	const char *name;         /* rw: path of the stream; borrowed until it has a reader */
	struct splitter splitter; /* ro */
	/* private to packed.c: decompression; NULL if the data is not packed. Owned */
	struct packed *packed;
	struct tap_state tap;  /* private to taps.c */
	struct reader *reader; /* ro: NULL: the format is not known yet */
	/* private: readers of a datagram socket, by format; NULL: not a datagram socket */
	struct reader **own;
	/* context for readers; the members one_process to reference_ns and is_skipped are rw,
	 * others private */
	struct reader_stream about;
	uint32_t formats; /* private: mask of possible formats */
	uint32_t number;  /* ro: number of the stream in the journal */
	uint8_t format;   /* ro: index of the format in `readers`, if it has a reader */
	/* private: format that the user or a recording gives; -1: none */
	int8_t forced;
	bool refuses; /* ro: data that matches none of `formats` is skipped */
	/* ro: the first byte that is read is not the first one of the stream */
	bool goes_on;
	bool may_be_packed; /* private to packed.c: not known yet if the data is packed */
	uint8_t nr_head;    /* private to packed.c: number of bytes in `head` */
	char head[STREAM_MAGIC_BYTES];
	bool live;       /* rw: the data arrived since trace2top started to follow the stream */
	bool is_behind;  /* ro: its reader has more records than the journal has space for */
	bool is_ending;  /* private: the stream is ending: deliver records even without space */
	bool is_waiting; /* private: in the list `waiting` */
	bool has_uid;    /* rw: `uid`, the user who writes the stream, is valid */
	uid_t uid;
	sym_t agent; /* rw: agent that sent the stream, a symbol of events; SYM_NONE: none */
	/* rw: how far the clock of the agent's host is behind; 0 without an agent */
	ns_t skew;
	ns_t fed_ns; /* private: monotonic time of the last feed, while is_waiting */
	/* rw: wall time at which the data that is being fed originally arrived; NS_NONE: now */
	ns_t played_ns;
	size_t held;                /* private: memory that its readers used at the last check */
	struct stream *next, *prev; /* private: links in the list `waiting` */
};

/* Initialise a new stream. Allocates nothing. */
void stream_init(struct stream *stream, struct origin *origin);
/* Initialise a stream that existed before and has a number. */
void stream_init_again(struct stream *stream, struct origin *origin, uint32_t number);
/* Call before the first feed: begin in the middle of a stream of `format`, which has no state. */
void stream_go_on(struct stream *stream, unsigned format);
/*
 * Call before the first feed: skip data that matches none of the stream's formats, and accept
 * formats similar to EVENT only if the user requested them. Without this call, unknown data is read
 * as EVENT.
 */
void stream_refuse_others(struct stream *stream);

/* Call before the first feed: read the stream as `format`, unless the format of the whole source
 * is given. */
void stream_force(struct stream *stream, unsigned format);
/* If the format is not known yet, check only if the data received so far is of `format`. */
void stream_decide(struct stream *stream, unsigned format);

/* Copy the stream's name, because `name` is about to become invalid. */
void stream_keep_name(struct stream *stream);

/* Feed bytes to the stream; SPLITTER_PAD readable bytes must follow them. */
void stream_feed(struct stream *stream, const char *bytes, size_t len);
/* Feed a datagram; bytes[len] is overwritten. The format of each datagram is detected
 * separately. */
void stream_datagram(struct stream *stream, char *bytes, size_t len, bool cut);

/*
 * Deliver records of the stream's reader while the journal has space. Returns false if there are
 * still more.
 */
bool stream_catch_up(struct stream *stream);

/* Count a malformed record of a source and keep it as a sample; `text` is its beginning. */
void stream_malformed(struct origin *origin, const char *text, size_t len, const struct diag *why);

/*
 * End the stream: deliver records held back. `connection`: the connection was closed, so its
 * processes can send no more events.
 */
void stream_end(struct stream *stream, bool connection);
/* Free the stream without reporting errors. */
void stream_release(struct stream *stream);

/* True if the stream has state besides its file offset; otherwise the struct may be freed. */
bool stream_has_state(const struct stream *stream);
/* True if the stream has a reader of its own, so that it can only be read from its beginning. */
bool stream_is_own(const struct stream *stream);
/*
 * True if a stream that begins with these bytes would have a reader of its own or be packed.
 * `refuses`: as after stream_refuse_others().
 */
bool stream_would_own(const struct origin *origin, bool refuses, const char *bytes, size_t len);

/* ---- functions for readers without a splitter (ring files) ---- */

/*
 * Announce in the current batch that the next events are from this stream. May hand over the
 * batch.
 */
void stream_announce(struct stream *stream);
/* Callback read_bad_fn, with the origin as data. */
void stream_bad_record(void *origin, const char *record, size_t len, const struct diag *why);

#endif
