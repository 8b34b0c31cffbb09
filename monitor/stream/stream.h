/* SPDX-License-Identifier: MIT */
/*
 * A stream: the bytes of, for example, a file, connection or agent, and the steps that convert them
 * to events in the batch.
 *
 *   bytes -> unpack (if packed: packed.h) -> splitter -> reader -> batch
 *
 * A source, or the playback of a recording, owns its streams. Unless given, the format of a stream
 * is detected once, from its first bytes; that of datagrams is detected for each.
 *
 * If a source can wait, records that a reader held back are delivered a batch at a time, after the
 * first batch only while the journal has space, until the stream ends. Without space the stream is
 * behind (`is_behind`), and its source must call stream_catch_up() before it reads on.
 *
 * For the intake thread, or others while it does not run.
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

/* Maximum number of first bytes that are needed to detect if data is compressed or a recording. */
#define STREAM_MAGIC_BYTES RECORDING_MAGIC_BYTES

struct stream {
	struct origin *origin;    /* ro */
	const char *name;         /* rw: path or other name; borrowed */
	struct splitter splitter; /* ro, except `discard` */
	/* owned by packed.c: state of decompressing or playing; NULL: none */
	struct packed *packed;
	struct tap_state tap; /* private to taps.c */
	/* ro: reader of the stream, or of its last datagram; NULL: none */
	struct reader *reader;
	/* ro: the stream's own readers of datagrams, by format; NULL: none */
	struct reader **own;
	/* data about the stream for its readers; the members one_process to reference_ns and
	 * is_skipped are rw, the others ro */
	struct reader_stream about;
	uint32_t formats; /* private: mask of possible formats */
	uint32_t number;  /* ro: number of the stream in the journal */
	/* ro: index of the format of `reader` in `readers`, if there is one */
	uint8_t format;
	int8_t forced; /* ro: index of a given format; -1: none */
	bool refuses;  /* ro: the stream is skipped if its data matches none of `formats` */
	/* rw: reading begins in the middle of the stream, or the taps had its beginning before */
	bool goes_on;
	bool may_be_packed; /* private to packed.c */
	uint8_t nr_head;    /* private to packed.c */
	char head[STREAM_MAGIC_BYTES];
	bool live;       /* rw */
	bool is_behind;  /* ro: the reader holds more records than the journal has space for */
	bool is_ending;  /* private */
	bool is_waiting; /* private */
	bool has_uid;    /* rw: `uid`, of the user who writes the stream, is valid */
	uid_t uid;
	sym_t agent; /* rw; SYM_NONE: none */
	/* rw: by how many ns the clock of the agent's host is behind the server's clock; 0: little
	 * or unknown */
	ns_t skew;
	/* private: monotonic time at which the stream was last fed, or its format decided, while
	 * is_waiting */
	ns_t fed_ns;
	/* rw: wall time at which the data that is being fed was recorded, or stored by a NATS
	 * server; NS_NONE: it arrives now */
	ns_t played_ns;
	/* private: bytes used by the stream's own readers */
	size_t held;
	struct stream *next, *prev; /* private */
};

/* Initialise a new stream and give it a number. */
void stream_init(struct stream *stream, struct origin *origin);
/* Initialise a stream that existed before and already has a number in the journal. */
void stream_init_again(struct stream *stream, struct origin *origin, uint32_t number);
/*
 * Call before the stream is fed for the first time: reading begins in the middle of a stream of
 * `format`, whose reader must not have one state per stream.
 */
void stream_go_on(struct stream *stream, unsigned format);
/*
 * Call before the stream is fed for the first time. Makes the stream skip data that matches none of
 * the stream's formats, and accept formats with `is_twin` (reader.h) only on request. Without this
 * call, data of unknown format is read as EVENT.
 */
void stream_refuse_others(struct stream *stream);

/* Call before the stream is fed for the first time. The stream is read only in `format`, unless the
 * user gave a format for the whole source. */
void stream_force(struct stream *stream, unsigned format);
/*
 * If the stream's format is not known yet and `format` is among those that it may have, no other
 * format is detected from now on. If bytes are kept because the format is undecided, decide it from
 * these bytes.
 */
void stream_decide(struct stream *stream, unsigned format);

/* Copy the base name of `name` for the stream's readers, so that `name` may be freed. */
void stream_keep_name(struct stream *stream);

/* SPLITTER_PAD bytes after `bytes` must be readable. */
void stream_feed(struct stream *stream, const char *bytes, size_t len);
/* Feed a datagram; bytes[len] may be overwritten. `cut`: the kernel truncated the datagram. */
void stream_datagram(struct stream *stream, char *bytes, size_t len, bool cut);

/*
 * Deliver a batch of records of the stream's reader, and more while the journal has space. Returns
 * false if the stream is still behind, or is a recording whose next entry is not due yet.
 */
bool stream_catch_up(struct stream *stream);

/* Count a malformed record of a source, and keep it as a sample unless the source has enough.
 * `text` has `len` bytes. */
void stream_malformed(struct origin *origin, const char *text, size_t len, const struct diag *why);

/*
 * End the stream: deliver the records that its readers hold. `connection`: its processes can send
 * no more events.
 */
void stream_end(struct stream *stream, bool connection);
/* Free what the stream owns, without reporting errors. */
void stream_release(struct stream *stream);

/* True if the stream has state besides its offset in the file, or its format is not known yet;
 * otherwise the struct may be freed. Not for streams of datagrams. */
bool stream_has_state(const struct stream *stream);
/*
 * True if the stream's reader belongs to this stream only, so that the stream can only be read from
 * its beginning.
 */
bool stream_is_own(const struct stream *stream);
/*
 * True if a stream that begins with these bytes would be packed, or would have a reader that
 * belongs to it only. `refuses`: stream_refuse_others() would be called for the stream.
 */
bool stream_would_own(const struct origin *origin, bool refuses, const char *bytes, size_t len);

/*
 * Record in the current batch that the next events are from this stream. May hand over the batch
 * and begin another.
 */
void stream_announce(struct stream *stream);
/* A callback of type read_bad_fn, with the origin as `data`. */
void stream_bad_record(void *origin, const char *record, size_t len, const struct diag *why);

#endif
