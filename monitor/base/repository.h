/* SPDX-License-Identifier: MIT */
/*
 * Examine a Git repository on this machine, for example for files that make reading history fast.
 *
 * Reads directories, file sizes and first bytes of files, but no objects. Blocks as long as the
 * file system does. Any thread.
 */
#ifndef MONITOR_REPOSITORY_H
#define MONITOR_REPOSITORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct repository_facts {
	bool known; /* false: no readable repository was found */
	/* objects of other repositories are used, but not examined */
	bool alternates;
	bool commit_graph; /* there is a commit-graph file or chain */
	/* the commit-graph has changed-path filters, for some commits at least */
	bool path_filters;
	bool midx;    /* there is a multi-pack-index */
	bool bitmaps; /* a pack or the multi-pack-index has a bitmap */
	uint32_t packs;
	/* number of objects, estimated from file sizes and a sample */
	uint64_t objects;
	/* number of refs: loose ones, and an estimate of packed ones */
	uint64_t refs;
	uint32_t loose_refs; /* number of loose refs, at most REPOSITORY_ENTRIES */
};

/* limit of entries read per directory of objects, and of loose refs counted */
#define REPOSITORY_ENTRIES 5000

/* Examine the repository with this absolute path (not NUL-terminated): a worktree, a .git
 * directory, or a bare repository, whose suffix ".git" may be missing. */
void repository_look(const char *worktree, size_t len, struct repository_facts *facts);

#endif
