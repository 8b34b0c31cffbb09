/* SPDX-License-Identifier: MIT */
/*
 * struct repository for host programs without their own (see trace2_set_repo_reader()): the members
 * of a repository that libtrace2 reads. It may also stand for another object, to distinguish the
 * object's regions and data.
 */
#ifndef TRACE2_REPO_H
#define TRACE2_REPO_H

struct repository {
	/* path of the worktree, which trace2_def_repo() reports; owned by the host program */
	const char *worktree;
	/* number of the repository, set by trace2_def_repo(): 1, 2, ...; initialise to 0 */
	int trace2_repo_id;
};

#define TRACE2_REPOSITORY_INIT                                                                     \
	{                                                                                          \
		0, 0                                                                               \
	}

#endif
