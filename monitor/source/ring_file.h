/* SPDX-License-Identifier: MIT */
/*
 * Follows ring files. libtrace2 writes events into the mapped file without notification, so the
 * intake checks all of them: RING_FAST_S after the last check if any changed within a second, else
 * after RING_SLOW_S. The directory source also checks a file when it was closed after writing.
 *
 * Files are read with pread() into memory of trace2top: a file that shrinks gives a short read, and
 * data cannot change between check and use. read/reader_ring.h validates the content; an invalid
 * file is skipped.
 *
 * A ring file has no connection. It ends with its program's last record, or when its pid is gone by
 * the rules of base/pids.h. Its stream then ends like a closed connection.
 *
 * Events enter the journal like those of any stream. Taps receive them as lines, as the event
 * target would have written them. Intake thread.
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

/* All ring files of the sources. */
struct ring_files {
	struct ring_file *first; /* private: list of the files */
	struct ring_memo memo;   /* private: cache shared by their readers */
	ev_timer look;           /* private: active while there is a ring file */
	ns_t moved_ns;           /* private: monotonic time at which any of them last changed */
	char *heads;             /* private: buffer for the heads of rings */
};

/* True if the file at `fd` is a ring file. */
bool ring_file_is(int fd);

/*
 * Read the ring file at `fd`, which is duplicated, for `source`; `st` is its fstat(). `live`: its
 * content arrived since trace2top started to follow. If the source follows, the file is checked
 * from now on. Returns NULL with errno on failure.
 */
struct ring_file *ring_file_new(struct source *source, int fd, const struct stat *st, bool live);

/* Read about `*budget` bytes of a ring file, like tail_read(). `name` is its path, for messages. */
enum tail_result ring_file_read(struct ring_file *ring, const char *name, size_t *budget);
/* Skip the content that a ring file has now. Later content is live. */
void ring_file_skip(struct ring_file *ring);
/* True if the ring file has ended and was read completely, or is not a valid ring file. */
bool ring_file_is_over(const struct ring_file *ring);
bool ring_file_is_foreign(const struct ring_file *ring);
/* Read the rest of a ring file even if the journal is full, and free it. */
void ring_file_end(struct ring_file *ring);

/* ---- functions for sources.c ---- */

void ring_files_init(struct source_context *context);
void ring_files_release(struct source_context *context);
/*
 * Continue with ring files that have more data, about `budget` bytes. Returns true if there is
 * more.
 */
bool ring_files_work(struct source_context *context, size_t budget);

#endif
