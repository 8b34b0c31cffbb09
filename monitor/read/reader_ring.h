/* SPDX-License-Identifier: MIT */
/*
 * Reader of ring files (engine/tr2_ring_layout.h), which libtrace2 can write instead of lines.
 * Turns copies of their blocks into the same events as the lines.
 *
 *   file head, ring heads --ring_reader_wants()--> bytes to copy
 *   copies of blocks ------ring_reader_copied()--> events by time ---ring_reader_next()--> batch
 *
 * One object per file. The caller accesses the file, whose content is not trusted: the reader only
 * looks at copies that nothing else changes, and checks each length against them.
 *
 * Losses are counted exactly, from the numbers in block heads. An invalid block is skipped and
 * counts as one malformed record; its events count as lost when the next block is read.
 *
 * It is not in readers.def, because a ring is not a stream of bytes. Pure except for memory; one
 * thread.
 */
#ifndef MONITOR_READER_RING_H
#define MONITOR_READER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/tr2_ring_layout.h"
#include "monitor/read/reader.h"

struct ring_reader;

/* Cache that the ring files of a program share: symbols last seen at the same place of a record.
 * All zeros: empty. */
#define RING_MEMO_BITS 9
struct ring_memo {
	struct ring_memo_sym {
		uint32_t place, len;
		sym_t sym;
		char text[20];
	} syms[1u << RING_MEMO_BITS];
};

/* Contents of the head of a ring file; `sid` is owned by the reader. */
struct ring_about {
	uint32_t rings;
	bool closed; /* the process has ended: nothing more will be written */
	int64_t pid;
	uint64_t pid_namespace; /* inode of the namespace of `pid`; 0: unknown */
	const char *sid;
	size_t sid_len;
};

/* Number of first bytes that identify a ring file. */
#define RING_MAGIC_BYTES 8
bool ring_is_magic(const char *bytes, size_t len);

/* Create a reader. `syms` and `memo` must outlive it. All functions exit if out of memory. */
struct ring_reader *ring_reader_new(struct tr2_intern *syms, struct ring_memo *memo);
void ring_reader_free(struct ring_reader *reader);

/*
 * Read the first bytes of the ring file, at least TR2_RING_HEADS_AT. Call before anything else and
 * each time the file is read again. Returns NULL, or an error text (static) if this is not a valid
 * ring file; then call nothing else.
 */
const char *ring_reader_head(struct ring_reader *reader, const char *bytes, size_t len);
const struct ring_about *ring_reader_about(const struct ring_reader *reader);

/*
 * Return the number of bytes to copy from ring `ring`, whose `head` was just read, starting at
 * position `*from`; 0: nothing is new, or the last copy is not used up. Copy them to the returned
 * buffer, which has space for READER_PAD more bytes.
 */
size_t ring_reader_wants(struct ring_reader *reader, unsigned ring,
			 const struct tr2_ring_head *head, uint64_t *from);
char *ring_reader_room(struct ring_reader *reader, unsigned ring, size_t len);
/* Return the file offset of a position in a ring. Also returns how many of the `len` bytes from
 * there are contiguous. */
uint64_t ring_reader_place(const struct ring_reader *reader, unsigned ring, uint64_t position,
			   size_t *len);
/* Announce that the bytes requested by ring_reader_wants() were copied. `reserved` was read from
 * the ring's head after copying. */
void ring_reader_copied(struct ring_reader *reader, unsigned ring, uint64_t from, size_t len,
			uint64_t reserved);

/*
 * Skip the content of ring `ring` before position `to`. `block`: a copy from the start of the block
 * that contains `to`; NULL if `to` is the start of a block.
 */
void ring_reader_skip(struct ring_reader *reader, unsigned ring, uint64_t to, const char *block);

/*
 * Get the oldest event of all copied bytes. Its texts and SID are added to `batch`; the caller must
 * append `ev` before the next call. Returns false if all copies are used up; then more may be
 * copied. `bad` may be NULL.
 */
bool ring_reader_next(struct ring_reader *reader, struct batch *batch, struct event *ev,
		      struct read_counts *counts, read_bad_fn *bad, void *bad_data);

/* Return the number of events known to be lost so far, including those of threads without a
 * ring. Never decreases. */
uint64_t ring_reader_lost(const struct ring_reader *reader);
/* Return the number of bytes of records read so far. */
uint64_t ring_reader_bytes(const struct ring_reader *reader);

#endif
