/* SPDX-License-Identifier: MIT */
/*
 * The files of a directory source (entries), each with its tail; lookup by name in constant time.
 * Sized for a hundred thousand files; at most TAIL_MAX_OPEN have an open descriptor.
 *
 * An entry is identified by its inode; its name may change or be removed. Entries do not move in
 * memory. Only for directory sources; intake thread. Cost: add, rename and lookup O(1), opening one
 * more file O(TAIL_MAX_OPEN).
 */
#ifndef MONITOR_SOURCE_ENTRIES_H
#define MONITOR_SOURCE_ENTRIES_H

#include "engine/base/hash_index.h"
#include "monitor/source/tail.h"

struct entry {
	struct tail tail;
	char *name;       /* ro: name of the file; NULL: removed */
	ns_t nameless_ns; /* ro: monotonic time when the name was removed */
	uint32_t scan;    /* rw: number of the last scan that found the file */
	uint32_t at;      /* private: index in `all` */
	bool queued;      /* rw: the file is queued for reading */
	bool refused;     /* rw: the file could not be opened */
	bool elsewhere;   /* rw: the name is a symbolic link, which the watch does not cover */
};

struct entries {
	struct entry **all; /* ro: nr entries, in any order */
	uint32_t nr, cap;
	struct tr2_hash_index by_name;     /* private: indices in `all` */
	struct entry *open[TAIL_MAX_OPEN]; /* ro: entries with an open descriptor */
	uint32_t nr_open;                  /* ro: number of entries with an open descriptor */
	uint32_t nr_nameless;              /* ro: number of entries without a name */
};

/* A set of entries. Zero-initialise for an empty set. All tails must have ended before it is
 * released. */
void entries_release(struct entries *set);

/* Add an entry; no other one may have that name. */
struct entry *entries_add(struct entries *set, const char *name);
/* Remove an entry and free it. */
void entries_drop(struct entries *set, struct entry *entry);

/* Return the entry with a name; NULL if there is none. */
struct entry *entries_find(const struct entries *set, const char *name);
/* Change the name of an entry; NULL: it has none any more. */
void entries_rename(struct entries *set, struct entry *entry, const char *name);

/*
 * Register that the entry's file was opened. If too many are open, closes the file that has not
 * grown for longest.
 */
void entries_opened(struct entries *set, struct entry *entry);
/* Close the descriptor of an entry, if open. */
void entries_close(struct entries *set, struct entry *entry);

#endif
