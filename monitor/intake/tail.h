/* SPDX-License-Identifier: MIT */
/*
 * tail: follows one inode. Reads new data and detects rewrites: the file shrank, or shrank and
 * grew past the offset again. Every read includes some bytes before the offset, and their hash
 * must match the last one. If it does not, reading resumes after the last unchanged line, found by
 * hashes of lines for the first TAIL_LINES_BYTES, else by the hash of the file's head.
 *
 * Ring files are followed by ring_file.h, with their own descriptor.
 *
 * Does not use file names. An idle file needs only this struct. Intake thread.
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

/*
 * A file without a name is followed for TAIL_ORPHAN_NS after it last grew; at most TAIL_MAX_OPEN
 * are open.
 */
#define TAIL_ORPHAN_NS (60 * NS_PER_SEC)
#define TAIL_MAX_OPEN  256
/* Hashes of lines (4 bytes each) are kept for files up to this size, while open. */
#define TAIL_LINES_BYTES (8 << 20)

struct tail {
	dev_t dev;
	ino_t ino;
	off_t offset;           /* ro: read up to here */
	off_t size;             /* ro: size at the last check; -1: none yet */
	off_t line_start;       /* private: start of the line at `offset` */
	uint64_t mark;          /* private: hash of the bytes before `offset` */
	uint64_t head;          /* private: hash of the file's first bytes */
	int64_t mtime_ns;       /* ro: at the last check; -1: may change unnoticed */
	ns_t grew_ns;           /* ro: monotonic, last read of new data */
	off_t old_left;         /* private: unread bytes from before we started; 0: none */
	struct stream *stream;  /* private: while it has state besides its offset */
	struct ring_file *ring; /* ro: if it is a ring file that is followed. Owned */
	uint32_t *lines;        /* private: one hash per line */
	uint32_t nr_lines, cap_lines;
	uint32_t number;     /* private: the stream's */
	uint32_t head_bytes; /* private: length of `head` */
	int fd;              /* rw: -1: closed */
	const char *name;    /* rw, while it is read: its path, for readers that show it */
	bool has_lines;      /* private: `lines` covers the whole file */
	bool started;        /* private: format detected: `format`, or foreign */
	uint8_t format;      /* private */
	bool foreign;        /* ro: not a trace */
	bool refuses;        /* rw: skip data that is not a trace (for directories) */
	bool one_process;    /* rw: only one process writes to it */
	bool has_uid;        /* private: `uid` (the owner) is valid */
	uid_t uid;           /* private */
	bool skips;          /* private: existing data is read but not shown */
	bool live;           /* rw: data arrived since we started to follow */
	bool is_new;         /* private: no stream number yet */
	bool was_ring;       /* ro: was a ring file, and has ended */
};

enum tail_result {
	TAIL_MORE,  /* budget exhausted */
	TAIL_END,   /* read to the end */
	TAIL_ERROR, /* errno */
};

/* Start with the file described by `st`. `fd` may be -1. */
void tail_init(struct tail *tail, const struct stat *st, int fd);
/* Read about `*budget` bytes from `tail->fd` and subtract them from it. */
enum tail_result tail_read(struct tail *tail, struct source *source, size_t *budget);
/* Skip existing data up to the end of its last complete line. */
void tail_skip(struct tail *tail, struct source *source);
/*
 * Count `bytes` from before we started in the source's progress, until they are read, skipped or
 * gone.
 */
void tail_is_old(struct tail *tail, struct source *source, off_t bytes);
/* The rest of these bytes will not be read. */
void tail_old_end(struct tail *tail, struct source *source);
/* Skip existing data and count it as left unread. Later data is live. */
void tail_leave(struct tail *tail, struct source *source);
/* Close the descriptor and free data kept for open files. */
void tail_close(struct tail *tail);
/* End: an incomplete line is malformed. Closes the descriptor. */
void tail_end(struct tail *tail, struct source *source);
/* Check whether a ring file has ended. If so, releases it and sets `was_ring`. */
bool tail_ring_is_over(struct tail *tail, struct source *source);
/* True if `st` shows that there may be new data. */
bool tail_has_changed(const struct tail *tail, const struct stat *st);

#endif
