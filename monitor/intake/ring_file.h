/* SPDX-License-Identifier: MIT */
/*
 * Ring files that are followed: libtrace2 writes events into a file's memory, and nothing tells
 * that it did. So the intake looks at all of them RING_FAST_S after the last look while any of them
 * moved within a second, else after RING_SLOW_S; and whoever has the file's name when it was
 * closed for writing.
 *
 * Read with pread() into memory of our own: a file that shrinks gives a short read, and nothing
 * changes between a check and its use. What it says is judged by read/reader_ring.h; what is no
 * ring file after all, or ceases to be one, is foreign.
 *
 * A ring has no connection: it is over when its program said so, or when its pid is gone; a pid is
 * believed by the rules of base/pids.h. Its stream ends then as a closed connection does.
 *
 * Its events enter the journal as those of any stream. To taps they are lines, as the event target
 * would have written them. The intake thread.
 */
#ifndef MONITOR_RING_FILE_H
#define MONITOR_RING_FILE_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "engine/base/clock.h"
#include "monitor/intake/tail.h"
#include "monitor/read/reader_ring.h"

struct intake;
struct ring_file;

#define RING_FAST_S 0.01
#define RING_SLOW_S 0.1

/* Those of an intake. */
struct ring_files {
	struct ring_file *first; /* private */
	struct ring_memo memo;   /* private */
	ev_timer look;           /* private: runs while there is one */
	ns_t moved_ns;           /* private: monotonic, when any of them moved last */
	char *heads;             /* private: what their heads are read into */
};

/* Is the file at `fd` one? */
bool ring_file_is(int fd);

/*
 * Read the file at `fd`, of which it keeps a copy, for `source`; `st` is of it. `live`: what it has
 * arrived since we began to follow. Where the source follows, it is looked at from now on. NULL:
 * errno.
 */
struct ring_file *ring_file_new(struct source *source, int fd, const struct stat *st, bool live);

/* Read on, about `*budget` bytes; as tail_read(). `name` is its path, for what is to be told. */
enum tail_result ring_file_read(struct ring_file *ring, const char *name, size_t *budget);
/* Skip what is there: only what comes then is read, and is live. */
void ring_file_skip(struct ring_file *ring);
/* Nothing more will come of it, and all was read; or it is no ring file. */
bool ring_file_is_over(const struct ring_file *ring);
bool ring_file_is_foreign(const struct ring_file *ring);
/* Read what is there, room or not, and forget it. */
void ring_file_end(struct ring_file *ring);

/* ---- for the intake ---- */

void ring_files_init(struct intake *intake);
void ring_files_release(struct intake *intake);
/* Go on with those that have more than could be read in one turn, about `budget` bytes; true while
 * there is more. */
bool ring_files_work(struct intake *intake, size_t budget);

#endif
