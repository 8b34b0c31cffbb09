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
	/* the repository uses objects of other repositories, which are not examined */
	bool alternates;
	bool commit_graph; /* there is a commit-graph file or chain */
	bool path_filters; /* the commit-graph has changed-path filters, for all or some commits */
	bool midx;         /* a multi-pack-index */
	bool bitmaps;      /* there is a bitmap of a pack or of the multi-pack-index */
	uint32_t packs;
	/* number of objects, estimated from the sizes of pack indexes and a sample of loose
	 * objects */
	uint64_t objects;
	/* number of refs: loose ones, at most REPOSITORY_ENTRIES, plus packed ones (estimated) */
	uint64_t refs;
	uint32_t loose_refs; /* number of loose refs, at most REPOSITORY_ENTRIES */
};

/* limit of entries read per directory of packs or objects, and of loose refs counted */
#define REPOSITORY_ENTRIES 5000

/*
 * Examine the repository with this absolute path, which need not be NUL-terminated. It is the path
 * of a worktree, of a .git directory, or of a bare repository; a bare repository's path may lack
 * its ".git" suffix.
 */
void repository_look(const char *worktree, size_t len, struct repository_facts *facts);

#endif
