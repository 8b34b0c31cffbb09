/* SPDX-License-Identifier: MIT */
/*
 * A tail follows one file, identified by its inode: it reads appended data and detects that the
 * file was rewritten, even if the file is longer than before. Reads include some bytes before the
 * read offset. If their hash has changed, reading resumes after the last unchanged line, or
 * from the beginning if that line is unknown or the file's format requires it.
 *
 * Ring files are read by ring_file.h, with its own descriptor. A file that is not open needs only
 * this struct, unless its stream has state.
 *
 * Intake thread while that runs.
 */
#ifndef MONITOR_TAIL_H
#define MONITOR_TAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "engine/base/clock.h"

struct ring_file;
struct source;
struct stream;

/* A removed or replaced file that is open is followed for TAIL_ORPHAN_NS after it last grew or was
 * removed or replaced. A directory source has at most TAIL_MAX_OPEN files open, besides ring files;
 * a file source follows at most that many replaced files. */
#define TAIL_ORPHAN_NS (60 * NS_PER_SEC)
#define TAIL_MAX_OPEN  256
/* Hashes of lines are kept only for open files up to this size. */
#define TAIL_LINES_BYTES (8 << 20)

struct tail {
	dev_t dev;
	ino_t ino;
	off_t offset; /* ro: the file was read or skipped up to here */
	/* ro: size at the last read; -1: not read yet, or reading failed */
	off_t size;
	/* private, if `has_lines`: start of the line that contains `offset` */
	off_t line_start;
	/* private: hash of the last MARK_BYTES bytes before `offset`, or of all if fewer */
	uint64_t mark;
	uint64_t head; /* private: hash of the first `head_bytes` bytes */
	/* rw: mtime at the last read or first scan; -1: so recent that a change may not alter it */
	int64_t mtime_ns;
	/* rw: monotonic time at which the file last grew, was replaced or, as a ring file, was
	 * read */
	ns_t grew_ns;
	off_t old_left; /* ro: number of unread bytes from before trace2top started */
	/* private: the file's stream; NULL: no state is kept between reads */
	struct stream *stream;
	/* ro: the ring file that the tail follows, owned; NULL: none */
	struct ring_file *ring;
	uint32_t *lines; /* private: hashes of lines */
	uint32_t nr_lines, cap_lines;
	uint32_t number;
	uint32_t head_bytes;
	int fd; /* rw: file descriptor; -1: closed */
	/* rw: path or name of the file, for messages and readers */
	const char *name;
	bool has_lines; /* private: `lines` has the hashes of all complete lines that were read */
	/* private: `format` is known */
	bool started;
	uint8_t format; /* private */
	bool foreign;   /* ro: the file is skipped, because it is not a trace */
	/* rw: skip the file if it is not a trace, as in directories */
	bool refuses;
	bool one_process; /* rw: only one process writes to the file */
	bool has_uid;     /* private: `uid` is the file's owner */
	uid_t uid;        /* private */
	/* private: existing data is not shown, even if it must be read to decode later data */
	bool skips;
	/* rw: data read now arrived since trace2top started to follow the file */
	bool live;
	bool is_new;   /* private: the stream has no number yet */
	bool was_ring; /* ro: the file was a ring file, which is not read any more */
};

enum tail_result {
	TAIL_MORE,  /* there may be more to read */
	TAIL_END,   /* nothing more to read for now */
	TAIL_ERROR, /* reading failed: errno */
};

/* Initialise a tail for the file `st`. `fd` -1: not open. */
void tail_init(struct tail *tail, const struct stat *st, int fd);
/* Read at most about `*budget` bytes from `tail->fd`. Reduces `*budget` by about the number of
 * bytes that were read or decompressed. */
enum tail_result tail_read(struct tail *tail, struct source *source, size_t *budget);
/* Skip existing data, usually up to the end of the last complete line. Data that later data depends
 * on is read, but not shown. */
void tail_skip(struct tail *tail, struct source *source);
/* Add `bytes` of existing data to the total of the source's progress. The bytes count as done
 * when they are read, skipped or gone. */
void tail_is_old(struct tail *tail, struct source *source, off_t bytes);
/* Count the unread bytes of tail_is_old() as done. */
void tail_old_end(struct tail *tail, struct source *source);
/* Skip existing data. Count the unread bytes of tail_is_old() as left out. Later data is live. */
void tail_leave(struct tail *tail, struct source *source);
/* Close the descriptor, and free data that is only needed while the file is open. */
void tail_close(struct tail *tail);
/* Stop following the file. An incomplete last line counts as malformed unless it is blank. */
void tail_end(struct tail *tail, struct source *source);
/* True if the tail's ring file has ended, or is invalid or unreadable. Then releases the ring file
 * and sets `was_ring`. */
bool tail_ring_is_over(struct tail *tail, struct source *source);
/* True if `st` shows that the file may have new data. */
bool tail_has_changed(const struct tail *tail, const struct stat *st);

#endif
