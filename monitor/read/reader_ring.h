/* SPDX-License-Identifier: MIT */
/*
 * Ring files (engine/tr2_ring_layout.h) that libtrace2 writes instead of lines: from copies of
 * their blocks to the same events that the lines would have become.
 *
 *   file head, ring heads --ring_reader_wants()--> what is to be copied
 *   copies of blocks ------ring_reader_copied()--> events by time ---ring_reader_next()--> batch
 *
 * One of these for a file. The file is the business of who calls, and may lie in every byte: all
 * that is looked at is a copy that nobody else changes, and each length is checked against it.
 *
 * What was lost is counted exactly, by the numbers in the heads of blocks. A block that cannot be
 * is passed over, and counts as one malformed record; the events that it held are lost, as the next
 * block tells.
 *
 * Not a reader of readers.def: a ring is no stream of bytes. Pure but for memory; one thread.
 */
#ifndef MONITOR_READER_RING_H
#define MONITOR_READER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/tr2_ring_layout.h"
#include "monitor/read/reader.h"

struct ring_reader;

/* What all of a program's share: symbols that stood at the same place. All zero: nothing yet. */
#define RING_MEMO_BITS 9
struct ring_memo {
	struct ring_memo_sym {
		uint32_t place, len;
		sym_t sym;
		char text[20];
	} syms[1u << RING_MEMO_BITS];
};

/* What the file says of itself; `sid` is its own. */
struct ring_about {
	uint32_t rings;
	bool closed; /* nothing more will be written */
	int64_t pid;
	uint64_t pid_namespace; /* inode of the one that `pid` is of; 0: not known */
	const char *sid;
	size_t sid_len;
};

/* So many first bytes of a file tell that it is one. */
#define RING_MAGIC_BYTES 8
bool ring_is_magic(const char *bytes, size_t len);

/* `syms` and `memo` must outlive it. Out of memory ends the program, here and below. */
struct ring_reader *ring_reader_new(struct tr2_intern *syms, struct ring_memo *memo);
void ring_reader_free(struct ring_reader *reader);
/* Memory that it holds, in bytes. */
size_t ring_reader_held(const struct ring_reader *reader);

/*
 * The file's first bytes as they are now: TR2_RING_HEADS_AT at least. Before anything else, and
 * whenever they are looked at again. Returns what is wrong with them (static); then it is no file
 * of ours, and nothing more is to be asked. NULL: nothing.
 */
const char *ring_reader_head(struct ring_reader *reader, const char *bytes, size_t len);
const struct ring_about *ring_reader_about(const struct ring_reader *reader);

/*
 * What is new in ring `ring`, of which `head` was read just now: how many bytes, from position
 * `*from` on; 0: nothing, or the last copy was not used up. Then where they are to be copied, with
 * READER_PAD bytes of room behind them.
 */
size_t ring_reader_wants(struct ring_reader *reader, unsigned ring,
			 const struct tr2_ring_head *head, uint64_t *from);
char *ring_reader_room(struct ring_reader *reader, unsigned ring, size_t len);
/* Where a position stands in the file; how many of `len` bytes from there on stand in one piece. */
uint64_t ring_reader_place(const struct ring_reader *reader, unsigned ring, uint64_t position,
			   size_t *len);
/* They were copied; what the ring's head says behind that as `reserved`. */
void ring_reader_copied(struct ring_reader *reader, unsigned ring, uint64_t from, size_t len,
			uint64_t reserved);

/* What stands in ring `ring` up to the position `to` is not to be read: go on behind it. `block`:
 * a copy from the beginning of that block on; NULL where `to` begins one. */
void ring_reader_skip(struct ring_reader *reader, unsigned ring, uint64_t to, const char *block);

/*
 * The next event of all that was copied, by time: texts and SID in `batch`, to which the caller adds
 * `ev` before the next call. False: all was taken; then more may be copied. `bad` may be NULL.
 */
bool ring_reader_next(struct ring_reader *reader, struct batch *batch, struct event *ev,
		      struct read_counts *counts, read_bad_fn *bad, void *bad_data);

/* Events known to be lost by now, unplaced ones included. It only grows. */
uint64_t ring_reader_lost(const struct ring_reader *reader);
/* Bytes of records that were read. */
uint64_t ring_reader_bytes(const struct ring_reader *reader);

#endif
