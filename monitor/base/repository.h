/* SPDX-License-Identifier: MIT */
/*
 * Examine a Git repository on this machine: does it have the files that make reading history fast,
 * and how many refs does it have?
 *
 * It reads names, sizes and the first bytes of regular files, at most some thousand directory
 * entries; never objects. It blocks as long as the file system does. Any thread.
 */
#ifndef MONITOR_REPOSITORY_H
#define MONITOR_REPOSITORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct repository_facts {
	bool known;        /* false: no readable repository; nothing else is set */
	bool alternates;   /* it uses objects of other repositories, which are not examined */
	bool commit_graph; /* a commit-graph file or chain */
	bool path_filters; /* the commit-graph has changed-path filters, at least for a part */
	bool midx;         /* a multi-pack-index */
	bool bitmaps;      /* a bitmap of a pack or of the multi-pack-index */
	uint32_t packs;
	uint64_t objects; /* estimated from sizes of pack indexes and a sample of loose objects */
	uint64_t refs;    /* loose refs, at most REPOSITORY_ENTRIES, and packed ones (estimated) */
	uint32_t loose_refs; /* the loose ones of these */
};

#define REPOSITORY_ENTRIES 5000 /* directory entries that are read at most, per kind */

/*
 * Examine the repository with this absolute path, which is not NUL-terminated: that of a worktree,
 * of a .git directory, or of a bare repository, whose path may lack ".git".
 */
void repository_look(const char *worktree, size_t len, struct repository_facts *facts);

#endif
