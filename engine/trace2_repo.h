/* SPDX-License-Identifier: MIT */
/*
 * struct repository for hosts without their own: the members of a repository that libtrace2 reads.
 * A host may also use it to distinguish regions and data of other objects. A host with its own
 * structure registers a reader (trace2_set_repo_reader) and does not include this header.
 */
#ifndef TRACE2_REPO_H
#define TRACE2_REPO_H

struct repository {
	/* path of the worktree; owned by the host; read by trace2_def_repo() */
	const char *worktree;
	int trace2_repo_id; /* set by trace2_def_repo(): 1, 2, ...; initialise to 0 */
};

#define TRACE2_REPOSITORY_INIT                                                                     \
	{                                                                                          \
		0, 0                                                                               \
	}

#endif
