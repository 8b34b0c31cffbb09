/* SPDX-License-Identifier: MIT */
/*
 * Reader of ring files (engine/tr2_ring_layout.h), which libtrace2 can write instead of lines. The
 * reader converts copies of the files' blocks to the same events that lines would give.
 *
 *   file head, ring heads --ring_reader_wants()--> bytes to copy
 *   copies of blocks ------ring_reader_copied()--> events by time ---ring_reader_next()--> batch
 *
 * There is one reader per file. File contents are not trusted: the reader reads copies only, and
 * checks lengths.
 *
 * Event numbers in block heads show losses in a ring. The rest of a damaged block is skipped and
 * counts as one malformed record.
 *
 * Only one thread at a time may call these functions.
 */
#ifndef MONITOR_READER_RING_H
#define MONITOR_READER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/tr2_ring_layout.h"
#include "monitor/read/reader.h"

struct ring_reader;

/* Cache of symbols, shared by the readers of all ring files. All zeros: an empty cache. */
#define RING_MEMO_BITS 9
struct ring_memo {
	struct ring_memo_sym {
		uint32_t place, len;
		sym_t sym;
		char text[20];
	} syms[1u << RING_MEMO_BITS];
};

/* Contents of the head of a ring file; the reader owns `sid`. */
struct ring_about {
	uint32_t rings;
	/* no more events follow: the process has written `atexit`, or did not use the file */
	bool closed;
	int64_t pid;
	uint64_t pid_namespace; /* inode of the pid namespace of `pid`; 0: unknown */
	const char *sid;
	size_t sid_len;
};

/* Number of first bytes that identify a ring file. */
#define RING_MAGIC_BYTES 8
bool ring_is_magic(const char *bytes, size_t len);

/*
 * Create a reader. `syms` and `memo` must outlive it. The functions of this header exit if out of
 * memory.
 */
struct ring_reader *ring_reader_new(struct tr2_intern *syms, struct ring_memo *memo);
void ring_reader_free(struct ring_reader *reader);

/*
 * Read the head of the ring file, at least its first TR2_RING_HEADS_AT bytes. Call this first, and
 * each time the file is read again. Returns NULL, or a static error text; after an error, call only
 * this function, ring_reader_about() or ring_reader_free().
 */
const char *ring_reader_head(struct ring_reader *reader, const char *bytes, size_t len);
const struct ring_about *ring_reader_about(const struct ring_reader *reader);

/*
 * Return the number of bytes to copy from position `*from` of ring `ring`, whose `head` was just
 * read; 0: nothing to copy now. ring_reader_room() returns the buffer for them, which has space for
 * READER_PAD more bytes.
 */
size_t ring_reader_wants(struct ring_reader *reader, unsigned ring,
			 const struct tr2_ring_head *head, uint64_t *from);
char *ring_reader_room(struct ring_reader *reader, unsigned ring, size_t len);
/* Return the file offset of a position in a ring. Reduces `*len` to the bytes that are contiguous
 * there. */
uint64_t ring_reader_place(const struct ring_reader *reader, unsigned ring, uint64_t position,
			   size_t *len);
/* Call after the bytes requested by ring_reader_wants() were copied. `reserved` is the ring's
 * head.reserved, read after copying. */
void ring_reader_copied(struct ring_reader *reader, unsigned ring, uint64_t from, size_t len,
			uint64_t reserved);

/*
 * Skip the content of ring `ring` before position `to`. `block` is a copy of the ring's bytes from
 * the start of the block that contains `to` up to `to`; NULL if `to` is the start of a block or the
 * bytes cannot be read.
 */
void ring_reader_skip(struct ring_reader *reader, unsigned ring, uint64_t to, const char *block);

/*
 * Get the oldest of the rings' next events in the copied bytes. Its texts and SID are added to
 * `batch`; append `ev` before the next call. Returns false if all copied bytes were read. `bad` may
 * be NULL.
 */
bool ring_reader_next(struct ring_reader *reader, struct batch *batch, struct event *ev,
		      struct read_counts *counts, read_bad_fn *bad, void *bad_data);

/* Return the number of events known to be lost, including those of threads without a ring.
 * Decreases only in ring_reader_skip(). */
uint64_t ring_reader_lost(const struct ring_reader *reader);
/* Return the number of bytes of the records read so far. */
uint64_t ring_reader_bytes(const struct ring_reader *reader);

#endif
