/* SPDX-License-Identifier: MIT */
/*
 * Following the bytes of one inode: reads what is new, and tells when what stands before the
 * offset is not what was read (it shrank, or shrank and grew past the offset again). Every read
 * takes some bytes from before the offset along, and their hash must be the one of last time.
 * Where it is not, reading goes on behind the last line that is still what it was: told line by
 * line by their hashes for the first TAIL_LINES_BYTES, else by the file's head.
 *
 * A ring file is followed by what knows how (ring_file.h), with a descriptor of its own.
 *
 * Knows of no names. What it keeps of an idle file is this struct alone; intake thread.
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

/* How long a file without a name is followed after it last grew, and how many of them. */
#define TAIL_ORPHAN_NS (60 * NS_PER_SEC)
#define TAIL_MAX_OPEN  256
/* Lines are remembered (4 bytes each) of files up to this size, while they are open. */
#define TAIL_LINES_BYTES (8 << 20)

struct tail {
	dev_t dev;
	ino_t ino;
	off_t offset;     /* ro: read up to here */
	off_t size;       /* ro: when it was last looked at; -1: not yet */
	off_t line_start; /* private: where the line at `offset` begins */
	uint64_t mark;    /* private: hash of the bytes before `offset` */
	uint64_t head;    /* private: hash of the file's first bytes */
	int64_t mtime_ns; /* ro: when it was last looked at; -1: may change unseen */
	ns_t grew_ns;     /* ro: monotonic, when bytes were last read */
	off_t old_left;   /* private: of what was there before we came, not read yet; 0: nothing */
	struct stream *stream;  /* private: while it has any state beside its place in the file */
	struct ring_file *ring; /* ro: while it is one, and is followed. Owned */
	uint32_t *lines;        /* private: a hash a line */
	uint32_t nr_lines, cap_lines;
	uint32_t number;     /* private: the stream's */
	uint32_t head_bytes; /* private: that `head` is of */
	int fd;              /* rw: -1 where it is closed */
	const char *name;    /* rw, where it is to be read: its path, for readers that tell it */
	bool has_lines;      /* private: `lines` are those of the whole file */
	bool started;        /* private: it is known what it is: `format`, or foreign */
	uint8_t format;      /* private */
	bool foreign;        /* ro: no trace */
	bool refuses;        /* rw: what is no trace is not read: the rule of directories */
	bool one_process;    /* rw: nobody else writes to it */
	bool has_uid;        /* private: `uid` is whose it is */
	uid_t uid;           /* private */
	bool skips;          /* private: what is there is read, but not shown */
	bool live;           /* rw: what comes arrived since we began to follow */
	bool is_new;         /* private: no stream number yet */
	bool was_ring;       /* ro: it was a ring file, and nothing more will come of it */
};

enum tail_result {
	TAIL_MORE,  /* the budget is used up */
	TAIL_END,   /* all that is there was read */
	TAIL_ERROR, /* errno */
};

/* Begin with the file that `st` describes. `fd` may be -1. */
void tail_init(struct tail *tail, const struct stat *st, int fd);
/* Read on in `tail->fd`, about `*budget` bytes, which are taken off it. */
enum tail_result tail_read(struct tail *tail, struct source *source, size_t *budget);
/* Skip what is there, a line that was begun included: go on behind its last whole line. */
void tail_skip(struct tail *tail, struct source *source);
/*
 * `bytes` of it were there before we came: they are part of what the source's progress tells
 * of, until they were read, skipped or are gone.
 */
void tail_is_old(struct tail *tail, struct source *source, off_t bytes);
/* No more of that will be read: all was, or the rest cannot be. */
void tail_old_end(struct tail *tail, struct source *source);
/* Skip what is there, and note it as left unread. What comes then is live. */
void tail_leave(struct tail *tail, struct source *source);
/* Close its descriptor, and forget what is kept of an open file only. */
void tail_close(struct tail *tail);
/* No more will come: a partial line is torn. Closes the descriptor. */
void tail_end(struct tail *tail, struct source *source);
/* It is a ring file: is it over by now? Then it is let go, and `was_ring`. */
bool tail_ring_is_over(struct tail *tail, struct source *source);
/* Could there be something to read, as `st` says? */
bool tail_has_changed(const struct tail *tail, const struct stat *st);

#endif
