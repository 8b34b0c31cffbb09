/* SPDX-License-Identifier: MIT */
/*
 * entries: the files of a directory source, with their tails; lookup by name in constant time.
 * Sized for a hundred thousand files; at most TAIL_MAX_OPEN have an open descriptor.
 *
 * An entry is identified by its inode; its name may change or be removed. Entries do not move in
 * memory. Only for directory sources; intake thread. Cost: add, rename and lookup O(1), opening
 * one more file O(TAIL_MAX_OPEN).
 */
#ifndef MONITOR_SOURCE_ENTRIES_H
#define MONITOR_SOURCE_ENTRIES_H

#include "engine/base/hash_index.h"
#include "monitor/intake/tail.h"

struct entry {
	struct tail tail;
	char *name;       /* ro: NULL: removed */
	ns_t nameless_ns; /* ro: monotonic, when its name was removed */
	uint32_t scan;    /* rw: last scan that found it */
	uint32_t at;      /* private: index in `all` */
	bool queued;      /* rw: queued for reading */
	bool refused;     /* rw: could not be opened */
	bool elsewhere;   /* rw: a symbolic link, not covered by the watch */
};

struct entries {
	struct entry **all; /* ro: nr of them, in any order */
	uint32_t nr, cap;
	struct tr2_hash_index by_name;     /* private: indices in `all` */
	struct entry *open[TAIL_MAX_OPEN]; /* ro: with an open descriptor */
	uint32_t nr_open;                  /* ro */
	uint32_t nr_nameless;              /* ro */
};

/* Zero-initialise for an empty set. All tails must have ended before the release. */
void entries_release(struct entries *set);

/* Add an entry; the name must not exist. */
struct entry *entries_add(struct entries *set, const char *name);
/* Remove and free it. */
void entries_drop(struct entries *set, struct entry *entry);

/* Returns NULL if not found. */
struct entry *entries_find(const struct entries *set, const char *name);
/* Change its name; NULL: none. */
void entries_rename(struct entries *set, struct entry *entry, const char *name);

/*
 * Register its open descriptor. If there are too many, closes the file that has not grown for
 * longest.
 */
void entries_opened(struct entries *set, struct entry *entry);
/* Close its descriptor, if open. */
void entries_close(struct entries *set, struct entry *entry);

#endif
