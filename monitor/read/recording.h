/* SPDX-License-Identifier: MIT */
/*
 * Recordings: the raw bytes of many streams in one file that is plain zstd to everybody else.
 *
 *   file    := (head chunk*)*           a head more where another run went on in the file
 *   head    := skippable frame: "T2REC 1\n", then JSON for people
 *   chunk   := skippable frame: "T2CK", u32 entries, u32 bytes of data, i64 arrival of the first
 *              entry, i64 of the last, u64 lines in the chunks before, u32 bytes of the index
 *              unpacked, u32 bytes of the data packed; then the index, a zstd frame
 *              a zstd frame: the data of the chunk's entries, one behind the other
 *   index   := entry*
 *   entry   := varint kind | stream << 3, zigzag varint microseconds since the entry before, and
 *              SOURCE    text: struct recording_source, of the source that is number `stream`
 *              OPEN      text: struct recording_open
 *              FORMAT    text: what its first bytes told
 *              BYTES     varint bytes of data
 *              DATAGRAM  varint bytes of data << 2 | RECORDED_LF | RECORDED_CUT
 *              END       varint flags, text: what stood behind its last LF
 *              GAP       zigzag varint nanoseconds, text: why
 *              DROPPED   varint lines, varint bytes
 *   text    := varint bytes, bytes
 *
 * Numbers of fixed size are little endian. Frames are skippable of the kind 0x184D2A54, so that
 * `zstdcat` gives the lines. What ends in no LF stands in the index, or has one put behind it, so
 * that no two lines are glued there; of formats that are no lines anything may.
 *
 * A chunk is written at once and never again: one that is not whole is the last one, and is cut
 * off. It may lie in every byte: reading checks each length, and is bounded by RECORDING_MAX_*.
 *
 * Nothing here has a descriptor or a clock. One thread for an object.
 */
#ifndef MONITOR_RECORDING_H
#define MONITOR_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/clock.h"

/* Of a chunk: its data, its index unpacked, either packed. */
#define RECORDING_MAX_BYTES (4u << 20)
#define RECORDING_MAX_HEAD  (64u << 10)
/* Times that it tells are brought within these: 1970 to 2200, which readers can reckon with. */
#define RECORDING_MAX_NS (7258118400 * NS_PER_SEC)
/* What a writer stops at: a chunk grows by one entry more. */
#define RECORDING_CHUNK_BYTES (256u << 10)
/* First bytes that tell a recording. */
#define RECORDING_MAGIC_BYTES 14
/* First bytes of a frame that tell all about it. */
#define RECORDING_FRAME_BYTES 52

enum recorded {
	RECORDED_SOURCE,
	RECORDED_OPEN,
	RECORDED_FORMAT,
	RECORDED_BYTES,
	RECORDED_DATAGRAM,
	RECORDED_END,
	RECORDED_GAP,
	RECORDED_DROPPED,
};

/* Flags of a DATAGRAM: the LF at its end is ours; the kernel cut it off. And of an END: its
 * connection was closed by who wrote. */
#define RECORDED_LF     1u
#define RECORDED_CUT    2u
#define RECORDED_CLOSED 1u

/* A run of bytes that belongs to somebody else. */
struct recorded_text {
	const char *text;
	size_t len;
};

struct recording_source {
	struct recorded_text kind, spec;
};

/* Flags of an OPEN. */
#define OPEN_LIVE        1u  /* what comes arrived since it was followed */
#define OPEN_ONE_PROCESS 2u  /* nobody else writes to it */
#define OPEN_REFUSES     4u  /* what is no trace is not read: a file of a directory */
#define OPEN_GOES_ON     8u  /* its beginning stands before, if anywhere */
#define OPEN_DATAGRAMS   16u /* each of its datagrams is judged by itself */

/* How a stream is to be read again as it was. */
struct recording_open {
	uint32_t source;
	uint32_t flags;
	int64_t peer_pid;
	ns_t reference_ns;           /* wall: mtime of a file that was there; NS_NONE: none */
	struct recorded_text format; /* what all of it was read as; "": its first bytes tell */
	struct recorded_text name;   /* its file's base name */
	struct recorded_text agent;  /* that sent it; "": nobody did. Older ones have none */
};

struct recording_entry {
	enum recorded kind;
	uint32_t stream;
	ns_t arrival_ns;
	uint32_t flags;            /* of END and DATAGRAM */
	uint32_t len;              /* of BYTES and DATAGRAM */
	int64_t gap_ns;            /* of a GAP */
	uint64_t lines, bytes;     /* of DROPPED */
	struct recorded_text text; /* of FORMAT, END and GAP; of SOURCE and OPEN all of it */
};

/* ---- what entries hold ---- */

void recording_source_pack(struct tr2_buf *out, const struct recording_source *source);
bool recording_source_unpack(struct recorded_text text, struct recording_source *out);
void recording_open_pack(struct tr2_buf *out, const struct recording_open *open);
bool recording_open_unpack(struct recorded_text text, struct recording_open *out);

/* ---- frames ---- */

enum recording_look {
	LOOK_NO,   /* none */
	LOOK_MORE, /* more bytes are needed */
	LOOK_HEAD,
	LOOK_CHUNK,
};

struct recording_frame {
	uint64_t bytes; /* of all of it, packed data included */
	uint32_t nr_entries, nr_data, nr_index, nr_packed_data;
	ns_t first_ns, last_ns;
	uint64_t first_line;
};

/* What frame begins with these bytes? RECORDING_FRAME_BYTES are enough. */
enum recording_look recording_look(const char *bytes, size_t len, struct recording_frame *out);
/* Does a recording begin with these? MORE or NO, or HEAD; RECORDING_MAGIC_BYTES are enough. */
enum recording_look recording_look_first(const char *bytes, size_t len);

/* ---- writing ---- */

/* A chunk that is being filled. */
struct recording_writer;

/* Was libzstd there at configure? Else nothing else of this may be called. */
bool recording_is_built(void);
/* The rest dies where memory is short. */
struct recording_writer *recording_writer_new(void);
void recording_writer_free(struct recording_writer *writer);

/* Append a head with that JSON text to `out`. */
void recording_head(struct tr2_buf *out, const char *json);

/* An entry; `data` are the entry->len bytes of BYTES and DATAGRAM. Neighbours of a stream with the
 * same arrival become one. */
void recording_add(struct recording_writer *writer, const struct recording_entry *entry,
		   const char *data);
/* Bytes of data, and of the index, that wait. */
size_t recording_waiting(const struct recording_writer *writer);
/* Append the chunk to `out`, and begin another; nothing where it is empty. */
void recording_chunk(struct recording_writer *writer, struct tr2_buf *out);

/* ---- reading ---- */

/* A chunk that was unpacked. */
struct recording_chunk;

struct recording_chunk *recording_chunk_new(void);
void recording_chunk_free(struct recording_chunk *chunk);
/* Take a whole frame, a chunk. False, with `why` (static), where it is damaged. */
bool recording_chunk_open(struct recording_chunk *chunk, const char *frame, size_t len,
			  const char **why);
/*
 * The next entry: false at the end, or with `why` where it is damaged. `*data` are the bytes of
 * BYTES and DATAGRAM; SCAN_PAD bytes behind them may be read, and they and the one behind them
 * written.
 */
bool recording_next(struct recording_chunk *chunk, struct recording_entry *out, char **data,
		    const char **why);
/* Forget it, and give its memory back. */
void recording_chunk_close(struct recording_chunk *chunk);

#endif
