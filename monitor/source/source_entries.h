/* SPDX-License-Identifier: MIT */
/*
 * The set of files of a directory source. Each file is an entry with a tail (tail.h), which follows
 * the file. Sized for a hundred thousand files, of which at most TAIL_MAX_OPEN have an open
 * descriptor, besides ring files.
 *
 * An entry is identified by the inode of its file; the file may be renamed or removed. Entries do
 * not move in memory. Add, rename and lookup by name take O(1), opening one more file
 * O(TAIL_MAX_OPEN). Only for directory sources. Intake thread, or another thread before it starts
 * or after it has ended.
 */
#ifndef MONITOR_SOURCE_ENTRIES_H
#define MONITOR_SOURCE_ENTRIES_H

#include "engine/base/hash_index.h"
#include "monitor/source/tail.h"

struct entry {
	struct tail tail;
	char *name;       /* ro: name of the file; NULL: the name was removed */
	ns_t nameless_ns; /* ro: monotonic time at which the name of the file was removed */
	uint32_t scan;    /* rw: number of the newest scan when the file was last found */
	uint32_t at;      /* private: index of this entry in `all` */
	bool queued;      /* rw: the file is in the queue of files to read */
	bool refused;     /* rw: the last attempt to open the file failed, unless with ENOENT */
	/* rw: the name is a symbolic link; the inotify watch may not cover its target */
	bool elsewhere;
};

struct entries {
	struct entry **all; /* ro: array of `nr` entries, in any order */
	uint32_t nr, cap;
	/* private: finds the index of an entry in `all` by the file's name */
	struct tr2_hash_index by_name;
	struct entry *open[TAIL_MAX_OPEN]; /* ro: entries whose file has an open descriptor */
	uint32_t nr_open;                  /* ro: number of entries in `open` */
	uint32_t nr_nameless;              /* ro: number of entries whose file name was removed */
};

/* Free a set of entries. All tails must have ended before. A zero-initialised set is empty. */
void entries_release(struct entries *set);

/* Add an entry for the file `name`; no entry in the set may have that name. */
struct entry *entries_add(struct entries *set, const char *name);
/* Remove an entry from the set and free it. */
void entries_drop(struct entries *set, struct entry *entry);

/* Return the entry with that file name; NULL if none exists. */
struct entry *entries_find(const struct entries *set, const char *name);
/* Set the file name of an entry; NULL: the file has no name any more. */
void entries_rename(struct entries *set, struct entry *entry, const char *name);

/*
 * Register that the entry's file was opened. If TAIL_MAX_OPEN other files are open, closes the one
 * that has not grown for the longest time.
 */
void entries_opened(struct entries *set, struct entry *entry);
/* Close the descriptor of the entry's file, if it is open. */
void entries_close(struct entries *set, struct entry *entry);

#endif
