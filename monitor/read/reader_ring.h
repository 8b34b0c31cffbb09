/* SPDX-License-Identifier: MIT */
/*
 * Reader of ring files (engine/tr2_ring_layout.h), which libtrace2 can write instead of lines.
 * Turns copies of their blocks into the same events as the lines.
 *
 *   file head, ring heads --ring_reader_wants()--> what is to be copied
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

/* Shared by the rings of a program: symbols last seen at the same place. All zero: empty. */
#define RING_MEMO_BITS 9
struct ring_memo {
	struct ring_memo_sym {
		uint32_t place, len;
		sym_t sym;
		char text[20];
	} syms[1u << RING_MEMO_BITS];
};

/* Contents of the file head; `sid` is owned by the reader. */
struct ring_about {
	uint32_t rings;
	bool closed; /* nothing more will be written */
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
 * Process the current first bytes of the file, at least TR2_RING_HEADS_AT. Call before anything
 * else and each time the file is read again. Returns NULL, or an error text (static) if this is not
 * a valid ring file; then call nothing else.
 */
const char *ring_reader_head(struct ring_reader *reader, const char *bytes, size_t len);
const struct ring_about *ring_reader_about(const struct ring_reader *reader);

/*
 * Number of new bytes in ring `ring`, whose `head` was just read, from position `*from` on. 0:
 * none, or the last copy is not used up. Copy them to the returned buffer, which has room for
 * READER_PAD more bytes.
 */
size_t ring_reader_wants(struct ring_reader *reader, unsigned ring,
			 const struct tr2_ring_head *head, uint64_t *from);
char *ring_reader_room(struct ring_reader *reader, unsigned ring, size_t len);
/* File offset of a position. Also returns how many of the `len` bytes from there are contiguous. */
uint64_t ring_reader_place(const struct ring_reader *reader, unsigned ring, uint64_t position,
			   size_t *len);
/* The bytes were copied. `reserved` was read from the ring's head after copying. */
void ring_reader_copied(struct ring_reader *reader, unsigned ring, uint64_t from, size_t len,
			uint64_t reserved);

/*
 * Skip the content of ring `ring` before position `to`. `block`: a copy from the start of the block
 * that contains `to`; NULL if `to` is the start of a block.
 */
void ring_reader_skip(struct ring_reader *reader, unsigned ring, uint64_t to, const char *block);

/*
 * Get the oldest event of all copies. Its texts and SID are added to `batch`; the caller must
 * append `ev` before the next call. Returns false if all copies are used up; then more may be
 * copied. `bad` may be NULL.
 */
bool ring_reader_next(struct ring_reader *reader, struct batch *batch, struct event *ev,
		      struct read_counts *counts, read_bad_fn *bad, void *bad_data);

/* Events known to be lost so far, including those without a place. Never decreases. */
uint64_t ring_reader_lost(const struct ring_reader *reader);
/* Bytes of records read so far. */
uint64_t ring_reader_bytes(const struct ring_reader *reader);

#endif
