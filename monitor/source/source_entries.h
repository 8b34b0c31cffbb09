/* SPDX-License-Identifier: MIT */
/*
 * The set of files of a directory source. Each file is an entry with a tail (tail.h). At most
 * TAIL_MAX_OPEN files are open, besides ring files.
 *
 * An entry is identified by the inode of its file. Entries do not move in memory.
 *
 * Intake thread while that runs.
 */
#ifndef MONITOR_SOURCE_ENTRIES_H
#define MONITOR_SOURCE_ENTRIES_H

#include "engine/base/hash_index.h"
#include "monitor/source/tail.h"

struct entry {
	struct tail tail;
	char *name;       /* ro: file name; NULL: none any more */
	ns_t nameless_ns; /* ro: monotonic time at which the entry lost its name */
	uint32_t scan;    /* rw: number of the newest scan when the file was last found */
	uint32_t at;      /* private: index in `all` */
	bool queued;      /* rw: the entry is in the queue of files to read */
	bool refused;     /* rw: the last attempt to open the file failed; ENOENT does not count */
	/* rw: the name is a symbolic link, whose target the watch may not cover */
	bool elsewhere;
};

struct entries {
	struct entry **all; /* ro: entries in any order */
	uint32_t nr, cap;
	/* private: indexes in `all` by name */
	struct tr2_hash_index by_name;
	struct entry *open[TAIL_MAX_OPEN]; /* ro: entries with an open descriptor */
	uint32_t nr_open;
	uint32_t nr_nameless; /* ro: number of entries without a name */
};

/* Free the contents of the set; all tails must have ended. All zeros: an empty set. */
void entries_release(struct entries *set);

/* Add an entry; no other entry may have the name. */
struct entry *entries_add(struct entries *set, const char *name);
/* Remove an entry from the set and free it. */
void entries_drop(struct entries *set, struct entry *entry);

struct entry *entries_find(const struct entries *set, const char *name);
/* Set the name of an entry; NULL: no name. */
void entries_rename(struct entries *set, struct entry *entry, const char *name);

/* Register that the entry's file was opened. If TAIL_MAX_OPEN others are open, closes the one
 * that has not grown for the longest time. */
void entries_opened(struct entries *set, struct entry *entry);
/* Close the entry's file, if it is open. */
void entries_close(struct entries *set, struct entry *entry);

#endif
