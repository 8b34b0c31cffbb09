/* SPDX-License-Identifier: MIT */
/*
 * Follows one file, by its inode. Reads new data and detects rewrites: the file shrank, or shrank
 * and grew past the offset again. Every read includes some bytes before the offset, and their hash
 * must match the last one. If it does not, reading resumes after the last unchanged line, found by
 * hashes of lines for the first TAIL_LINES_BYTES, else by the hash of the file's head.
 *
 * Ring files are followed by ring_file.h, with a descriptor of their own.
 *
 * Does not use file names. A file that is not open needs only this struct. Intake thread.
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
 * files are open.
 */
#define TAIL_ORPHAN_NS (60 * NS_PER_SEC)
#define TAIL_MAX_OPEN  256
/* Hashes of lines (4 bytes each) are kept for files up to this size, while open. */
#define TAIL_LINES_BYTES (8 << 20)

struct tail {
	dev_t dev;
	ino_t ino;
	off_t offset;     /* ro: the file was read up to here */
	off_t size;       /* ro: size at the last check; -1: none yet */
	off_t line_start; /* private: start of the line at `offset` */
	uint64_t mark;    /* private: hash of the MARK_BYTES before `offset` */
	uint64_t head;    /* private: hash of the file's first bytes */
	int64_t mtime_ns; /* ro: at the last check; -1: may change unnoticed */
	ns_t grew_ns;     /* ro: monotonic time of the last read of new data */
	off_t old_left;   /* private: unread bytes from before trace2top started; 0: none */
	/* private: stream of the file, while it has state besides its offset */
	struct stream *stream;
	struct ring_file *ring; /* ro: set if the file is a ring file that is followed. Owned */
	uint32_t *lines;        /* private: one hash per line */
	uint32_t nr_lines, cap_lines;
	uint32_t number;     /* private: number of the stream */
	uint32_t head_bytes; /* private: length of `head` */
	int fd;              /* rw: descriptor; -1: closed */
	const char *name;    /* rw, while the file is read: its path, for readers that show it */
	bool has_lines;      /* private: `lines` covers the whole file */
	bool started;        /* private: the format was detected: `format`, or none */
	uint8_t format;      /* private */
	bool foreign;        /* ro: the file is not a trace */
	bool refuses;        /* rw: skip the file if it is not a trace (in directories) */
	bool one_process;    /* rw: only one process writes to the file */
	bool has_uid;        /* private: `uid`, the owner of the file, is valid */
	uid_t uid;           /* private */
	bool skips;          /* private: existing data is read but not shown */
	bool live;           /* rw: the data arrived since trace2top started to follow the file */
	bool is_new;         /* private: the stream has no number yet */
	bool was_ring;       /* ro: the file was a ring file, and has ended */
};

enum tail_result {
	TAIL_MORE,  /* the budget was used up before the end */
	TAIL_END,   /* everything was read */
	TAIL_ERROR, /* reading failed: errno */
};

/* Start to follow the file described by `st`. `fd` may be -1. */
void tail_init(struct tail *tail, const struct stat *st, int fd);
/* Read about `*budget` bytes of the file from `tail->fd` and subtract them from it. */
enum tail_result tail_read(struct tail *tail, struct source *source, size_t *budget);
/* Skip the existing data of the file up to the end of its last complete line. */
void tail_skip(struct tail *tail, struct source *source);
/*
 * Count `bytes` of existing data in the source's progress, until they are read, skipped or gone.
 */
void tail_is_old(struct tail *tail, struct source *source, off_t bytes);
/* Remove the rest of these bytes from the progress, because they will not be read. */
void tail_old_end(struct tail *tail, struct source *source);
/* Skip the existing data of the file and count it as left out. Later data is live. */
void tail_leave(struct tail *tail, struct source *source);
/* Close the file's descriptor and free data that is only kept while it is open. */
void tail_close(struct tail *tail);
/* End following the file: an incomplete line is malformed. Closes the descriptor. */
void tail_end(struct tail *tail, struct source *source);
/* Check whether a ring file has ended. If so, releases it and sets `was_ring`. */
bool tail_ring_is_over(struct tail *tail, struct source *source);
/* True if `st` shows that the file may have new data. */
bool tail_has_changed(const struct tail *tail, const struct stat *st);

#endif
