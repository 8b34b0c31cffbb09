/* SPDX-License-Identifier: MIT */
/*
 * The layout of a ring file: libtrace2 writes it in memory instead of lines, and trace2top reads it
 * with pread(). trace2(5) documents the format.
 *
 * 	file head   TR2_RING_HEAD_BYTES: struct tr2_ring_file at 0; at TR2_RING_HEADS_AT an array of
 * 	            TR2_RING_MAX_RINGS struct tr2_ring_head
 * 	ring i      `blocks` blocks of TR2_RING_BLOCK_BYTES at
 * 	            TR2_RING_HEAD_BYTES + i * blocks * TR2_RING_BLOCK_BYTES; i < `rings`
 *
 * A ring has one writer at a time, a thread; another thread may continue in the ring later. The
 * ring holds the end of a byte stream. A *position* counts all bytes of that stream; the byte at
 * position p is at offset p % (blocks * TR2_RING_BLOCK_BYTES) of the ring. A position that is a
 * multiple of TR2_RING_BLOCK_BYTES begins a block with a block head. No record crosses the end of a
 * block.
 *
 * To begin a block, the writer takes these steps. Step 2 becomes visible to readers before step 3,
 * and steps 1 to 3 become visible before step 4.
 * - 1: if the current block has 8 bytes or more left, write an end mark, a record of length 0
 * - 2: head.reserved = position after the new block
 * - 3: write the block head
 * - 4: head.written = position after the block head
 *
 * To write a record (or a piece of one), it writes the bytes, then sets head.written to the
 * position after them.
 *
 * A reader reads W = head.written, copies the blocks, then reads R = head.reserved. Then:
 * - bytes at W and beyond are undefined: half a record, or a record from before the ring wrapped
 *   around
 * - a block at position p is valid if p + blocks * TR2_RING_BLOCK_BYTES >= R; otherwise any part of
 *   it may have been overwritten
 * - W = 0: nothing was written yet. W is never within a block head
 * - head.written is a multiple of TR2_RING_BLOCK_BYTES (and not 0): the previous block is full, and
 *   the next one is not started
 *
 * A block head contains the number of events of the ring that were completed or dropped before it,
 * so that a reader can count lost events. An event in pieces counts with its last piece, even if
 * its beginning was lost. Pieces belong together only in consecutive blocks. If the writer drops an
 * event, it begins a new block.
 *
 * When the first block of ring 0 ends, the block head and as many of its first records as fit
 * (whole events) are copied to `first`, for readers that find the block overwritten.
 *
 * A file is either empty or has all of its first TR2_RING_HEADS_AT bytes. It grows when rings are
 * created. `rings` only increases; a ring below it may have no bytes yet (W = 0, or beyond the end
 * of the file).
 */
#ifndef TR2_RING_LAYOUT_H
#define TR2_RING_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define TR2_RING_MAGIC   "TR2RING1" /* identifies a ring file; 8 bytes, no NUL */
#define TR2_RING_VERSION 1

#define TR2_RING_BLOCK_BYTES 4096u
#define TR2_RING_MAX_RINGS   64u
#define TR2_RING_HEADS_AT    4096u
#define TR2_RING_HEAD_BYTES  12288u
/* Minimum, recommended and maximum size of a ring in bytes. The size is a power of two. */
#define TR2_RING_MIN_BYTES     (16u << 10)
#define TR2_RING_DEFAULT_BYTES (128u << 10)
#define TR2_RING_MAX_BYTES     (1u << 20)

#define TR2_RING_FILE_MAX (TR2_RING_HEAD_BYTES + TR2_RING_MAX_RINGS * TR2_RING_MAX_BYTES)
/* Maximum length of the session id, in bytes. With a longer session id no ring file is used. */
#define TR2_RING_SID_MAX 2000u
/* Size of `first`, the preserved beginning of ring 0, in bytes. */
#define TR2_RING_FIRST_BYTES 2016u

struct tr2_ring_file {
	char magic[8];
	/* TR2_RING_VERSION, with swapped bytes if the writer's machine has the other byte order */
	uint32_t version;
	uint32_t block_bytes; /* TR2_RING_BLOCK_BYTES */
	uint32_t blocks;      /* number of blocks of each ring; a power of two */
	uint32_t max_rings;   /* TR2_RING_MAX_RINGS */
	/* atomic; highest number of a ring that was used, plus 1; at least 1 */
	uint32_t rings;
	/* atomic; 1: no more events follow */
	uint32_t closed;
	/* tr2_schema_id() of the writer: identifies the numbering of event kinds and fields */
	uint64_t schema;
	/* start of the session, in monotonic ns */
	int64_t start;
	uint64_t unplaced; /* atomic; number of events that were lost for lack of a ring */
	/* pid of the writing process, which may differ from the pid in the SID */
	uint32_t pid;
	uint32_t sid_len;           /* at most TR2_RING_SID_MAX */
	char sid[TR2_RING_SID_MAX]; /* the session id: raw text, no NUL */
	uint64_t pid_namespace;     /* inode of the pid namespace of `pid`; 0: unknown */
	uint32_t first_bytes;       /* atomic; used bytes of `first` */
	uint32_t unused;
	/* copy of the beginning of ring 0 */
	char first[TR2_RING_FIRST_BYTES];
};

struct tr2_ring_head {
	/* atomic; the writer may be writing the ring's bytes before this position */
	uint64_t reserved;
	uint64_t written; /* atomic; all bytes of the ring before this position are complete */
	uint8_t unused[112];
};

#define TR2_RING_THREAD_MAX 24u

struct tr2_ring_block {
	uint64_t position; /* position of this block head in the ring's byte stream */
	/* number of events of the ring that were completed or dropped before this block */
	uint64_t number;
	/* wall clock minus monotonic clock, in ns; applies to the times of the block's records */
	int64_t ahead;
	uint8_t thread_len;
	/* name of the thread whose events are in this block; no NUL */
	char thread[TR2_RING_THREAD_MAX];
	uint8_t unused[15];
};

/*
 * A record. `mask` has the bit 1 << enum tr2_field for each field that is present. The values
 * follow in ascending order of the fields:
 *
 * 	SYM, TEXT, SID  u16 length, the raw bytes (no NUL, nothing escaped, any encoding)
 * 	LIST            u16 number of texts, then each text like a TEXT
 * 	NUM, BOOL       int64
 * 	TIME            int64, microseconds
 * 	T_ABS           nothing: it is time / 1000 - start / 1000 microseconds
 *
 * SID, THREAD, TIME and LINE are never in the mask. SID is in the file head, THREAD in the block
 * head, TIME in the record's `time`. The record's `line` is valid if FILE is in the mask. Values
 * are not aligned. The text of VALUE in a data_json event is JSON.
 */
struct tr2_ring_record {
	/* length of the record in bytes, including this head, a multiple of 8; 0: no more records
	 * in the block */
	uint16_t length;
	uint8_t kind;  /* enum tr2_event_kind */
	uint8_t flags; /* enum tr2_ring_flags */
	uint32_t line;
	/* time of the event, in monotonic ns; within a ring times may decrease slightly */
	int64_t time;
	uint64_t mask;
};

/*
 * An event that does not fit into a block consists of several pieces, each in its own block. The
 * first has the whole head; further pieces begin with a struct tr2_ring_piece of the same kind and
 * line. The event's fields are the concatenation of the bytes after the heads. Only the last piece
 * is padded.
 */
struct tr2_ring_piece {
	uint16_t length;
	uint8_t kind;
	uint8_t flags;
	uint32_t line;
};

enum tr2_ring_flags {
	/* flag of a record: the event continues in the next record of the ring */
	TR2_RING_MORE = 1,
	/* flag of a record: the event began in the previous record of the ring */
	TR2_RING_CONTINUED = 2,
};

/* Maximum size in bytes of a record, and of an event. The size of an event includes one head and no
 * padding. An event may also take at most half of the ring's blocks. */
#define TR2_RING_RECORD_BYTES (TR2_RING_BLOCK_BYTES - (unsigned)sizeof(struct tr2_ring_block))
#define TR2_RING_EVENT_BYTES  (64u << 10)

_Static_assert(offsetof(struct tr2_ring_file, pid_namespace) == 64 + TR2_RING_SID_MAX &&
		       offsetof(struct tr2_ring_file, rings) == 24 &&
		       offsetof(struct tr2_ring_file, schema) == 32 &&
		       offsetof(struct tr2_ring_file, start) == 40 &&
		       offsetof(struct tr2_ring_file, unplaced) == 48 &&
		       offsetof(struct tr2_ring_file, sid) == 64 &&
		       sizeof(struct tr2_ring_file) == TR2_RING_HEADS_AT,
	       "the file head is the same on every machine");
_Static_assert(sizeof(struct tr2_ring_head) == 128 &&
		       TR2_RING_HEADS_AT + TR2_RING_MAX_RINGS * sizeof(struct tr2_ring_head) ==
			       TR2_RING_HEAD_BYTES,
	       "the ring heads fill the rest of the file head");
_Static_assert(sizeof(struct tr2_ring_block) == 64 &&
		       offsetof(struct tr2_ring_block, ahead) == 16 &&
		       offsetof(struct tr2_ring_block, thread) == 25,
	       "block heads are the same on every machine");
_Static_assert(sizeof(struct tr2_ring_record) == 24 &&
		       offsetof(struct tr2_ring_record, mask) == 16 &&
		       sizeof(struct tr2_ring_piece) == 8,
	       "records are the same on every machine");

#endif
