/* SPDX-License-Identifier: MIT */
/*
 * The layout of a ring file: what libtrace2 writes into a file's memory instead of lines, and what
 * trace2top reads there with pread(). The one place where both sides have it from; trace2(5)
 * describes it for others. Numbers are in the byte order of the machine, which both run on.
 *
 *	file head   TR2_RING_HEAD_BYTES: struct tr2_ring_file at 0; at TR2_RING_HEADS_AT an array of
 *	            TR2_RING_MAX_RINGS struct tr2_ring_head
 *	ring i      `blocks` blocks of TR2_RING_BLOCK_BYTES at
 *	            TR2_RING_HEAD_BYTES + i * blocks * TR2_RING_BLOCK_BYTES; i < `rings`
 *
 * A ring has one writer at a time, a thread; when that ends, the next thread goes on in it. What is
 * written is a stream of bytes, of which the ring keeps the last: a *position* counts all bytes
 * ever, and the byte at position p stands at p % (blocks * TR2_RING_BLOCK_BYTES) of the ring. A
 * position that is a multiple of TR2_RING_BLOCK_BYTES begins a block, with its head; records
 * follow, none of which crosses a block's end.
 *
 * The writer, to begin a block (each step is seen by others only with the ones before):
 *	1. where 8 bytes or more are left in the block so far: an end mark, a record of length 0
 *	2. head.reserved = position behind the new block
 *	3. the block head
 *	4. head.written = position behind the block head
 * and to write a record (a piece of one): its bytes, then head.written = the position behind it.
 *
 * So for a reader, with W = head.written read first, then a copy of the blocks, then R =
 * head.reserved:
 *	- what stands at W and beyond was never looked at by anybody: it may be half a record or one
 *	  of an earlier round
 *	- a block at position p is whole where p + blocks * TR2_RING_BLOCK_BYTES >= R; otherwise it may
 *	  have been overwritten meanwhile, all of it
 *	- W = 0: nothing was written so far. W is never within a block head.
 * Where head.written is a multiple of TR2_RING_BLOCK_BYTES (and not 0) the block before is full and
 * the next not begun.
 *
 * Losses are exact. A ring's events are numbered from 0, and a block head has the number of events
 * that were whole or dropped before it. A reader that has counted E events so far (read and lost)
 * and comes to a block with another number N has lost N - E; N < E is a damaged file. An event in
 * pieces counts with its last piece: one that ends (TR2_RING_CONTINUED without TR2_RING_MORE) and
 * whose beginning was lost is one event lost; a beginning without an end is none: the numbers tell.
 * Pieces belong together only in blocks that follow one another. What the writer dropped (more than
 * TR2_RING_EVENT_BYTES, or than half of the ring) leaves such a hole, too: a new block begins right
 * then. Events of threads that found no ring free are `unplaced`.
 *
 * What began ring 0, the command line as a rule, outlives it: once its first block is full, that
 * block's head and as many of its first records as fit (whole events) stand in `first`, too. They
 * are the events 0, 1, ... of ring 0, for who finds the block overwritten.
 *
 * A file is empty or has the whole of its first TR2_RING_HEADS_AT bytes, as far as anybody sees; it
 * gets its full length after that, so what a file is too short for is not there yet. `rings` counts
 * up; a ring below it may still be without a byte (W = 0, or beyond the end of the file).
 */
#ifndef TR2_RING_LAYOUT_H
#define TR2_RING_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define TR2_RING_MAGIC   "TR2RING1" /* 8 bytes, no NUL */
#define TR2_RING_VERSION 1

#define TR2_RING_BLOCK_BYTES 4096u
#define TR2_RING_MAX_RINGS   64u
#define TR2_RING_HEADS_AT    4096u
#define TR2_RING_HEAD_BYTES  12288u
/* A ring's blocks in bytes: a power of two between these. */
#define TR2_RING_MIN_BYTES     (16u << 10)
#define TR2_RING_DEFAULT_BYTES (128u << 10)
#define TR2_RING_MAX_BYTES     (1u << 20)
/* No file is longer. */
#define TR2_RING_FILE_MAX (TR2_RING_HEAD_BYTES + TR2_RING_MAX_RINGS * TR2_RING_MAX_BYTES)
/* A session id of more bytes gets lines. */
#define TR2_RING_SID_MAX 2000u
/* The beginning of ring 0 that stays. */
#define TR2_RING_FIRST_BYTES 2016u

struct tr2_ring_file {
	char magic[8];
	uint32_t version;     /* TR2_RING_VERSION; of another byte order: a foreign file */
	uint32_t block_bytes; /* TR2_RING_BLOCK_BYTES */
	uint32_t blocks;      /* of each ring; a power of two */
	uint32_t max_rings;   /* TR2_RING_MAX_RINGS */
	uint32_t rings;       /* atomic; how many are or were in use */
	uint32_t closed;      /* atomic; 1: the process ended in an orderly way, all is written */
	uint64_t schema;      /* tr2_schema_id(): kinds and fields are the numbers of this schema */
	int64_t start;        /* monotonic; t_abs is time less this, see below */
	uint64_t unplaced;    /* atomic; events lost since no ring was to be had */
	uint32_t pid;         /* who writes, as it knows itself; of a forked child not the SID's */
	uint32_t sid_len;     /* at most TR2_RING_SID_MAX */
	char sid[TR2_RING_SID_MAX]; /* the raw text, no NUL */
	uint64_t pid_namespace;     /* inode of the one that `pid` is of; 0: not known */
	uint32_t first_bytes;       /* atomic; of `first` */
	uint32_t unused;
	char first[TR2_RING_FIRST_BYTES]; /* what ring 0 began with, see below */
};

struct tr2_ring_head {
	uint64_t reserved; /* atomic; position that bytes may be written up to by now */
	uint64_t written;  /* atomic; position up to which all is whole */
	uint8_t unused[112];
};

#define TR2_RING_THREAD_MAX 24u

struct tr2_ring_block {
	uint64_t position; /* of this head */
	uint64_t number;   /* events of the ring that were whole or dropped before */
	int64_t ahead;     /* ns that the wall clock was ahead of the records' time */
	uint8_t thread_len;
	char thread[TR2_RING_THREAD_MAX]; /* the name of whose events follow; raw text, no NUL */
	uint8_t unused[15];
};

/*
 * A record. `mask` has a bit 1 << enum tr2_field for each field that is there. Their values follow
 * in ascending order of the fields:
 *	SYM, TEXT, SID  u16 length, the raw bytes (no NUL, nothing escaped, any encoding)
 *	LIST            u16 number of texts, then each as above
 *	NUM, BOOL       int64
 *	TIME            int64, microseconds
 *	T_ABS           nothing: it is time / 1000 - start / 1000 microseconds
 * SID, THREAD, TIME and LINE are never in the mask: the first three are the file's, the block's and
 * the record's; `line` counts where FILE is in the mask. Values stand where the one before ends,
 * without alignment. The text of VALUE in a data_json event is JSON.
 */
struct tr2_ring_record {
	uint16_t length; /* of the whole record, this head included; a multiple of 8; 0: end mark */
	uint8_t kind;    /* enum tr2_event_kind */
	uint8_t flags;   /* enum tr2_ring_flags */
	uint32_t line;
	int64_t time; /* monotonic ns; within a ring it may run back by microseconds */
	uint64_t mask;
};

/*
 * An event that does not fit into a block is one of several pieces, each in a block of its own. The
 * first has the whole head; each further one begins with a struct tr2_ring_piece, of the same kind
 * and line. The event's fields are what follows the heads, put together; padding comes behind the
 * last field alone.
 */
struct tr2_ring_piece {
	uint16_t length;
	uint8_t kind;
	uint8_t flags;
	uint32_t line;
};

enum tr2_ring_flags {
	TR2_RING_MORE = 1,      /* the event goes on in the next record */
	TR2_RING_CONTINUED = 2, /* the event began in the record before */
};

/* The longest record, and the longest event: pieces' heads and padding not counted, the first head
 * counted. An event takes no more than half of the ring's blocks, either. */
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
