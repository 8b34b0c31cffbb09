/* SPDX-License-Identifier: MIT */
/*
 * Streams: the bytes of one file, connection or datagram socket on their way to the batch.
 *
 *   bytes -> unpack (where they are packed: packed.h) -> framer -> reader -> batch
 *
 * A source owns its streams, and each lives as long as its file or connection does, but for one
 * exception: what is read as EVENT between two reads needs no struct (tail.c). What a stream is,
 * its first bytes tell, once; what is replaced or truncated is another stream.
 *
 * A reader may hold records back. What it delivers is taken at once of what is live; of what can
 * wait only while the journal has room: then the stream is `behind`, and its source calls
 * stream_catch_up() before it reads on.
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
#include "monitor/read/framer.h"
#include "monitor/read/reader.h"
#include "monitor/read/recording.h"
#include "monitor/read/unpack.h"

struct intake;
struct source;
struct packed;

/* First bytes that tell what is packed, and what a recording. */
#define STREAM_MAGIC_BYTES RECORDING_MAGIC_BYTES

struct stream {
	struct source *source; /* ro */
	const char *name;      /* rw: the path of what it is; borrowed until it has a reader */
	struct framer framer;  /* ro */
	struct packed *packed; /* private to packed.c: NULL where its bytes are plain. Owned */
	struct tap_state tap;  /* private to taps.c */
	struct reader *reader; /* ro: NULL: it is not known yet what it is */
	struct reader **own;   /* private: of a datagram socket, its own ones by format; NULL */
	struct reader_stream about; /* one_process to reference_ns, is_skipped: rw; else private */
	uint32_t formats;           /* private: mask of what it may be */
	uint32_t number;            /* ro */
	uint8_t format;             /* ro where it has a reader: its index in `readers` */
	int8_t forced;              /* private: the format that it is read as; -1: none */
	bool refuses;               /* ro: what is none of `formats` is foreign */
	bool goes_on;               /* ro: this is not its beginning */
	bool may_be_packed;         /* private to packed.c: its first bytes did not tell yet */
	uint8_t nr_head;            /* private to packed.c: those that came */
	char head[STREAM_MAGIC_BYTES];
	bool live;       /* rw: what comes arrived since we began to follow */
	bool is_behind;  /* ro: its reader has more ready than the journal has room for */
	bool is_ending;  /* private: what it has is taken, room or not */
	bool is_waiting; /* private: it is in the intake's list of `waiting` */
	bool has_uid;    /* rw: `uid` is the user who writes it */
	uid_t uid;
	sym_t agent;    /* rw: of the intake's symbols: who sent it; SYM_NONE: nobody did */
	ns_t skew;      /* rw: by how much its host's clock is behind; 0 where nobody sent it */
	ns_t fed_ns;    /* private: monotonic, while it is_waiting */
	ns_t played_ns; /* rw: wall: when what is fed arrived once; NS_NONE: it does so now */
	size_t held;    /* private: what its own readers held last */
	struct stream *next, *prev; /* private: in that list */
};

/* A stream that begins. Allocates nothing. */
void stream_init(struct stream *stream, struct source *source);
/* The same for one that had a struct before, with its number. */
void stream_init_again(struct stream *stream, struct source *source, uint32_t number);
/* Before the first feed: it is known to be of `format`, which keeps no state, and this is not its
 * beginning. */
void stream_go_on(struct stream *stream, unsigned format);
/* Before the first feed: what is none of its formats is foreign, and formats that are twins of
 * EVENT are of it only where they were asked for. Else it is read as EVENT. */
void stream_refuse_others(struct stream *stream);

/* Before the first feed, unless all of its source is read as something: it is read as `format`. */
void stream_force(struct stream *stream, unsigned format);
/* Where it is not known yet what it is: judge it by what is there, as `format` alone. */
void stream_decide(struct stream *stream, unsigned format);

/* Remember its `name`, which is about to go, or to be another's. */
void stream_keep_name(struct stream *stream);

/* The next bytes of it; FRAMER_PAD readable bytes must follow them. */
void stream_feed(struct stream *stream, const char *bytes, size_t len);
/* A datagram; bytes[len] is overwritten. Each is judged by itself. */
void stream_datagram(struct stream *stream, char *bytes, size_t len, bool cut);

/* Take what its reader has ready, as long as the journal has room. False: it is still behind. */
bool stream_catch_up(struct stream *stream);

/* A record of a source that is none, of which `text` is the beginning: it counts as malformed, and is
 * a sample. */
void stream_malformed(struct source *source, const char *text, size_t len, const struct diag *why);

/* Its bytes have ended: what was held back is delivered. `connection`: those that it told of can
 * tell no more. What is fed then is another stream's, with the same number. */
void stream_end(struct stream *stream, bool connection);
/* Forget it without a word. */
void stream_release(struct stream *stream);

/* Does anything but its place in the file matter for what follows? Else the struct may go. */
bool stream_has_state(const struct stream *stream);
/* Is its reader its own, so that it can be read from its beginning alone? */
bool stream_is_own(const struct stream *stream);
/* Would a stream that begins with these bytes have such a one, or be packed? `refuses`: as
 * stream_refuse_others() has it. */
bool stream_would_own(const struct source *source, bool refuses, const char *bytes, size_t len);

/* ---- for what needs no framer ---- */

/* Say in the intake's batch whose events follow. What was put into the batch before may be handed
 * over. */
void stream_announce(struct stream *stream);
/* A read_bad_fn for the source that is its data. */
void stream_bad_record(void *source, const char *record, size_t len, const struct diag *why);

/* ---- for the intake ---- */

/* Those that are undecided, or hold records back, and have been silent for long are told so.
 * False where none is left that could be. */
bool streams_look(struct intake *intake);
/* When no stream is left. */
void streams_release(struct intake *intake);

#endif
