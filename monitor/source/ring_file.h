/* SPDX-License-Identifier: MIT */
/*
 * Follows ring files. libtrace2 maps a ring file into memory and writes events without a
 * notification, so the intake checks all ring files that it follows: RING_FAST_S after the last
 * check if any of them changed or was added within the last second, else after RING_SLOW_S.
 *
 * Data is copied with pread(): a file that shrinks gives a short read, and copied data does not
 * change.
 *
 * A ring file ends when its program closes it, or when trace2top finds that the program has ended.
 * Its stream then ends like a closed connection, unless the writer is known to be a fork.
 *
 * Taps receive the events as JSON lines. Intake thread while that runs.
 */
#ifndef MONITOR_RING_FILE_H
#define MONITOR_RING_FILE_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "engine/base/clock.h"
#include "monitor/read/reader_ring.h"
#include "monitor/source/tail.h"

struct source_context;
struct ring_file;

#define RING_FAST_S 0.01
#define RING_SLOW_S 0.1

/* The ring files that sources follow. */
struct ring_files {
	struct ring_file *first;
	struct ring_memo memo; /* private: cache that all readers share */
	/* private: timer of the checks; inactive if no ring file is followed */
	ev_timer look;
	/* private: monotonic time at which a ring file last changed or was added */
	ns_t moved_ns;
	/* private: buffer for the heads of one file and its rings */
	char *heads;
};

bool ring_file_is(int fd);

/*
 * Begin to read the ring file at `fd`, which is duplicated; `st` is its fstat(). `live`: its
 * content arrived since trace2top started to follow. If the source waits for new data, the file is
 * checked regularly. Returns NULL with errno on failure.
 */
struct ring_file *ring_file_new(struct source *source, int fd, const struct stat *st, bool live);

/* Read at most about `*budget` bytes and reduce `*budget`. The result is as for tail_read().
 * `name`: the file's name, for messages; NULL: the source's spec. With a name, the check whether
 * the writer runs is not delayed. */
enum tail_result ring_file_read(struct ring_file *ring, const char *name, size_t *budget);
/* Skip the content that the ring file has now. Later content is live. */
void ring_file_skip(struct ring_file *ring);
/* True if the ring file has ended and was read, or is skipped as invalid or unreadable. */
bool ring_file_is_over(const struct ring_file *ring);
bool ring_file_is_foreign(const struct ring_file *ring);
/* Read all data of the ring file, even if the journal is full, then free `ring`, which may be
 * NULL. */
void ring_file_end(struct ring_file *ring);

/* ---- functions that only sources.c calls ---- */

void ring_files_init(struct source_context *context);
void ring_files_release(struct source_context *context);
/* Read at most about `budget` bytes of ring files that have more data. Returns true if it must
 * be called again. */
bool ring_files_work(struct source_context *context, size_t budget);

#endif
