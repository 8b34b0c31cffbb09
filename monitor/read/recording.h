/* SPDX-License-Identifier: MIT */
/*
 * Recordings: the raw bytes of many streams in one file. For other programs it is a plain zstd
 * file.
 *
 *   file    := (head chunk*)*           another head for each run that appends to the file
 *   head    := skippable frame: "T2REC 1" and an LF, then JSON for people
 *   chunk   := skippable frame: "T2CK", u32 entries, u32 bytes of data, i64 arrival of the first
 *              entry, i64 of the last, u64 lines in the earlier chunks of the same writer,
 *              u32 bytes of the index unpacked, u32 bytes of the data packed; then the
 *              index, a zstd frame
 *              a zstd frame: the data of the chunk's entries, concatenated
 *   index   := entry*
 *   entry   := varint kind | stream << 3, zigzag varint microseconds since the entry before, and
 *              SOURCE    text: struct recording_source; `stream` is the source's number
 *              OPEN      text: struct recording_open
 *              FORMAT    text: the detected format
 *              BYTES     varint bytes of data
 *              DATAGRAM  varint bytes of data << 2 | RECORDED_LF | RECORDED_CUT
 *              END       varint flags, text: the last bytes, which have no LF
 *              GAP       zigzag varint nanoseconds, text: the reason
 *              DROPPED   varint lines, varint bytes
 *   text    := varint bytes, bytes
 *
 * Numbers of fixed size are little endian. Skippable frames have the magic 0x184D2A54, so that
 * `zstdcat` prints the data only. A last line without LF is usually stored in the index, or gets an
 * LF, so that zstdcat does not join it with another line.
 *
 * Only the last chunk can be incomplete; a run that appends to the file removes it first. File
 * contents are not trusted: lengths are checked.
 *
 * Only one thread at a time may use an object.
 */
#ifndef MONITOR_RECORDING_H
#define MONITOR_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/clock.h"

/* Maximum size, in bytes, of a chunk's data, of its index, and of the compressed form of either. */
#define RECORDING_MAX_BYTES (4u << 20)
#define RECORDING_MAX_HEAD  (64u << 10)
/* Arrival times are clamped to 0..RECORDING_MAX_NS (1970 to 2200), so that sums cannot overflow. */
#define RECORDING_MAX_NS (7258118400 * NS_PER_SEC)
/* The recorder ends a chunk when data and index together reach this size, or earlier. */
#define RECORDING_CHUNK_BYTES (256u << 10)
/* Number of first bytes that identify a recording. */
#define RECORDING_MAGIC_BYTES 14
/* Number of first bytes of a frame that determine its kind and size. */
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

/*
 * Flags of DATAGRAM entries: RECORDED_LF: the recorder added the LF at the end; RECORDED_CUT: the
 * kernel truncated the datagram. Of END entries: RECORDED_CLOSED: the writer closed the connection.
 */
#define RECORDED_LF     1u
#define RECORDED_CUT    2u
#define RECORDED_CLOSED 1u

/* A borrowed text. */
struct recorded_text {
	const char *text;
	size_t len;
};

struct recording_source {
	struct recorded_text kind, spec;
};

#define OPEN_LIVE        1u
#define OPEN_ONE_PROCESS 2u
/* the stream is skipped if it is not a trace */
#define OPEN_REFUSES 4u
/* the stream's beginning is in an earlier part of the recording, or was not read */
#define OPEN_GOES_ON   8u
#define OPEN_DATAGRAMS 16u /* the format of each datagram is detected separately */

/* Contents of an OPEN entry: how to read the stream. */
struct recording_open {
	uint32_t source;
	uint32_t flags;
	int64_t peer_pid;
	/* wall time of the last modification, for a file that existed before the recorder started;
	 * NS_NONE: none */
	ns_t reference_ns;
	/* word for the format of the whole stream; "": detected automatically */
	struct recorded_text format;
	struct recorded_text name;
	/* name of the agent that sent the stream; "": none */
	struct recorded_text agent;
	/* uid of the user who writes the stream, plus 1; 0: unknown */
	uint64_t user;
};

struct recording_entry {
	enum recorded kind;
	uint32_t stream;
	ns_t arrival_ns;
	uint32_t flags;        /* of END, DATAGRAM */
	uint32_t len;          /* of BYTES, DATAGRAM */
	int64_t gap_ns;        /* of GAP */
	uint64_t lines, bytes; /* of DROPPED */
	/* text of a FORMAT, END or GAP entry; the whole content of a SOURCE or OPEN entry */
	struct recorded_text text;
};

/* ---- contents of SOURCE and OPEN entries ---- */

void recording_source_pack(struct tr2_buf *out, const struct recording_source *source);
void recording_open_pack(struct tr2_buf *out, const struct recording_open *open);
/* Parse the content of an entry. Returns false if it is damaged. Parsed texts point into `text`. */
bool recording_source_unpack(struct recorded_text text, struct recording_source *out);
bool recording_open_unpack(struct recorded_text text, struct recording_open *out);

/* ---- recognising frames ---- */

enum recording_check {
	LOOK_NO,
	LOOK_MORE,
	LOOK_HEAD,
	LOOK_CHUNK,
};

struct recording_frame {
	uint64_t bytes; /* including compressed data */
	uint32_t nr_entries, nr_data, nr_index, nr_packed_data;
	ns_t first_ns, last_ns;
	uint64_t first_line;
};

/* Determine the kind of the frame that begins with these bytes; RECORDING_FRAME_BYTES are enough.
 * `*out` is valid after LOOK_CHUNK; after LOOK_HEAD only `out->bytes` is. */
enum recording_check recording_check(const char *bytes, size_t len, struct recording_frame *out);
/*
 * Check if a recording begins with these bytes: LOOK_MORE, LOOK_NO or LOOK_HEAD.
 * RECORDING_MAGIC_BYTES are enough.
 */
enum recording_check recording_look_first(const char *bytes, size_t len);

/* ---- writing a recording ---- */

struct recording_writer;

/* True if trace2top was built with libzstd. Otherwise do not call the functions that write. */
bool recording_is_built(void);
/* Returns NULL without libzstd. The writing functions exit if out of memory. */
struct recording_writer *recording_writer_new(void);
void recording_writer_free(struct recording_writer *writer);

/* Append a head frame to `out`. */
void recording_head(struct tr2_buf *out, const char *json);

/* Add an entry to the chunk. `data` has the entry->len bytes of a BYTES or DATAGRAM entry. Joins
 * adjacent BYTES entries of the same stream and arrival time. */
void recording_add(struct recording_writer *writer, const struct recording_entry *entry,
		   const char *data);
/* Return the number of bytes collected for the chunk: data and index. */
size_t recording_waiting(const struct recording_writer *writer);
/* Append the collected chunk, if it has entries, to `out` and start another one. */
void recording_chunk(struct recording_writer *writer, struct tr2_buf *out);

/* ---- reading a recording ---- */

/* A decompressed chunk. */
struct recording_chunk;

struct recording_chunk *recording_chunk_new(void);
void recording_chunk_free(struct recording_chunk *chunk);
/* Decompress a whole chunk frame. If that fails, returns false and sets `*why` to a static text. */
bool recording_chunk_open(struct recording_chunk *chunk, const char *frame, size_t len,
			  const char **why);
/*
 * Get the next entry. Returns false at the end (`*why` is NULL), or if the chunk is damaged (`*why`
 * is set). `*data` is set to the bytes of a BYTES or DATAGRAM entry. These bytes and the byte after
 * them are writable; SCAN_PAD bytes after them are readable.
 */
bool recording_next(struct recording_chunk *chunk, struct recording_entry *out, char **data,
		    const char **why);
/* Free the decompressed data. */
void recording_chunk_close(struct recording_chunk *chunk);

#endif
