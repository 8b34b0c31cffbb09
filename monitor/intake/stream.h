/* SPDX-License-Identifier: MIT */
/*
 * stream: the bytes of one file, connection or datagram socket on their way to the batch.
 *
 *   bytes -> unpack (if packed: packed.h) -> splitter -> reader -> batch
 *
 * A source owns its streams, and a stream lives as long as its file or connection. One exception:
 * a file read as EVENT needs no struct between two reads (tail.c). The format is detected once,
 * from the first bytes. A replaced or truncated file is a new stream.
 *
 * A reader may hold records back. Records of live data are delivered at once. Other records are
 * delivered only while the journal has space: otherwise the stream is `behind`, and its source
 * must call stream_catch_up() before it reads on.
 *
 * All functions are for the intake thread.
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
#include "monitor/read/splitter.h"
#include "monitor/read/reader.h"
#include "monitor/read/recording.h"
#include "monitor/read/unpack.h"

struct intake;
struct source;
struct packed;

/* Number of first bytes needed to detect packed data and recordings. */
#define STREAM_MAGIC_BYTES RECORDING_MAGIC_BYTES

struct stream {
	struct source *source;      /* ro */
	const char *name;           /* rw: its path; borrowed until it has a reader */
	struct splitter splitter;   /* ro */
	struct packed *packed;      /* private to packed.c: NULL if plain. Owned */
	struct tap_state tap;       /* private to taps.c */
	struct reader *reader;      /* ro: NULL: format unknown so far */
	struct reader **own;        /* private: readers of a datagram socket, by format; NULL */
	struct reader_stream about; /* one_process to reference_ns, is_skipped: rw; else private */
	uint32_t formats;           /* private: mask of possible formats */
	uint32_t number;            /* ro */
	uint8_t format;             /* ro if it has a reader: index in `readers` */
	int8_t forced;              /* private: forced format; -1: none */
	bool refuses;               /* ro: data in none of `formats` is foreign */
	bool goes_on;               /* ro: does not start at its beginning */
	bool may_be_packed;         /* private to packed.c: not detected yet */
	uint8_t nr_head;            /* private to packed.c: length of `head` */
	char head[STREAM_MAGIC_BYTES];
	bool live;       /* rw: data arrived since we started to follow */
	bool is_behind;  /* ro: its reader has more records than the journal has space for */
	bool is_ending;  /* private: deliver even without space */
	bool is_waiting; /* private: in the intake's list `waiting` */
	bool has_uid;    /* rw: `uid`, the user who writes it, is valid */
	uid_t uid;
	sym_t agent;    /* rw: agent that sent it, a symbol of the intake; SYM_NONE: none */
	ns_t skew;      /* rw: how far its host's clock is behind; 0 without an agent */
	ns_t fed_ns;    /* private: monotonic, while is_waiting */
	ns_t played_ns; /* rw: wall: original arrival of data being fed; NS_NONE: now */
	size_t held;    /* private: last memory use of its own readers */
	struct stream *next, *prev; /* private: in that list */
};

/* Initialise a new stream. Allocates nothing. */
void stream_init(struct stream *stream, struct source *source);
/* Initialise a stream that existed before, with its number. */
void stream_init_again(struct stream *stream, struct source *source, uint32_t number);
/* Before the first feed: continue in the middle of a stream of stateless format `format`. */
void stream_go_on(struct stream *stream, unsigned format);
/*
 * Before the first feed: treat data in none of its formats as foreign, and accept formats similar
 * to EVENT only if they were requested. Otherwise unknown data is read as EVENT.
 */
void stream_refuse_others(struct stream *stream);

/* Before the first feed: read it as `format`, unless the format of the whole source is forced. */
void stream_force(struct stream *stream, unsigned format);
/* If the format is unknown so far, check the data received against `format` only. */
void stream_decide(struct stream *stream, unsigned format);

/* Copy `name`, which is about to become invalid. */
void stream_keep_name(struct stream *stream);

/* Feed bytes; SPLITTER_PAD readable bytes must follow them. */
void stream_feed(struct stream *stream, const char *bytes, size_t len);
/* A datagram; bytes[len] is overwritten. Each is judged by itself. */
void stream_datagram(struct stream *stream, char *bytes, size_t len, bool cut);

/*
 * Deliver records of its reader while the journal has space. Returns false if it is still behind.
 */
bool stream_catch_up(struct stream *stream);

/* Count a malformed record and keep it as a sample; `text` is its beginning. */
void stream_malformed(struct source *source, const char *text, size_t len, const struct diag *why);

/*
 * End of data: deliver records held back. `connection`: the connection was closed, so its
 * processes can send no more events.
 */
void stream_end(struct stream *stream, bool connection);
/* Free it without a report. */
void stream_release(struct stream *stream);

/* True if it has state besides its file offset; otherwise the struct may be freed. */
bool stream_has_state(const struct stream *stream);
/* True if it has its own reader, so that it can only be read from its beginning. */
bool stream_is_own(const struct stream *stream);
/*
 * True if a stream that begins with these bytes would have its own reader or be packed. `refuses`:
 * as after stream_refuse_others().
 */
bool stream_would_own(const struct source *source, bool refuses, const char *bytes, size_t len);

/* ---- for readers without a splitter ---- */

/*
 * Announce in the intake's batch which stream the next events are from. May hand over the batch.
 */
void stream_announce(struct stream *stream);
/* read_bad_fn with the source as data. */
void stream_bad_record(void *source, const char *record, size_t len, const struct diag *why);

/* ---- for the intake ---- */

/*
 * Check streams that are undecided or hold records back, and have been silent. Returns false if
 * none is left.
 */
bool streams_check(struct intake *intake);
/* Free shared data; call when no stream is left. */
void streams_release(struct intake *intake);

#endif
