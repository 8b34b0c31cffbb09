/* SPDX-License-Identifier: MIT */
/*
 * struct repository for hosts that have none of their own: what libtrace2 reads of a
 * repository, or of whatever else a host wants its regions and data to be told apart by. A host
 * with its own registers a reader (trace2_set_repo_reader) and leaves this header out.
 */
#ifndef TRACE2_REPO_H
#define TRACE2_REPO_H

struct repository {
	const char *worktree; /* the host's; read by trace2_def_repo() */
	int trace2_repo_id;   /* set by trace2_def_repo(): 1, 2, ...; begin with 0 */
};

#define TRACE2_REPOSITORY_INIT                                                                     \
	{                                                                                          \
		0, 0                                                                               \
	}

#endif
