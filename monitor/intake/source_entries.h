/* SPDX-License-Identifier: MIT */
/*
 * The files of a directory source: found by name in constant time, each with what it takes to
 * follow it. A hundred thousand of them may come and go; at most TAIL_MAX_OPEN hold a descriptor.
 *
 * What an entry is, its inode says; its name may change or be taken away. Entries do not move
 * in memory. Only the directory source uses this; intake thread. Cost: naming, unnaming and
 * looking up O(1), opening one file more O(TAIL_MAX_OPEN).
 */
#ifndef MONITOR_SOURCE_ENTRIES_H
#define MONITOR_SOURCE_ENTRIES_H

#include "engine/base/slots.h"
#include "monitor/intake/tail.h"

struct entry {
	struct tail tail;
	char *name;       /* ro: NULL: it has none any more */
	ns_t nameless_ns; /* ro: monotonic, since when */
	uint32_t scan;    /* rw: the scan that saw it last */
	uint32_t at;      /* private: index in `all` */
	bool queued;      /* rw: it is to be read */
	bool refused;     /* rw: it could not be opened */
	bool elsewhere;   /* rw: its name is a symbolic link: no watch tells of it */
};

struct entries {
	struct entry **all; /* ro: nr of them, in any order */
	uint32_t nr, cap;
	struct tr2_slots by_name;          /* private: indices in `all` */
	struct entry *open[TAIL_MAX_OPEN]; /* ro: those with a descriptor */
	uint32_t nr_open;                  /* ro */
	uint32_t nr_nameless;              /* ro */
};

/* All zeros is an empty set too. Every entry's tail was ended before the release. */
void entries_release(struct entries *set);

/* Add one that is not there yet; nobody has that name. */
struct entry *entries_add(struct entries *set, const char *name);
/* Forget it and free it. */
void entries_drop(struct entries *set, struct entry *entry);

/* NULL where nobody has that name. */
struct entry *entries_find(const struct entries *set, const char *name);
/* Take its name away, or give it another one; NULL: none. */
void entries_rename(struct entries *set, struct entry *entry, const char *name);

/* Its tail has a descriptor now; whoever grew longest ago gives its own back where there are
 * too many. */
void entries_opened(struct entries *set, struct entry *entry);
/* Close its descriptor where it has one. */
void entries_close(struct entries *set, struct entry *entry);

#endif
