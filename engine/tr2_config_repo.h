/* SPDX-License-Identifier: MIT */
/*
 * The repository around the present directory, found the way Git finds it (GIT_DIR, then
 * `.git` as directory or file upwards, then a bare one), so far as its configuration files and
 * the conditions of includes need it. Reads a few small files; allocates nothing.
 */
#ifndef TR2_CONFIG_REPO_H
#define TR2_CONFIG_REPO_H

#include <limits.h>
#include <stdbool.h>

struct tr2_config_repo {
	char git_dir[PATH_MAX];	     /* absolute, as found */
	char real_git_dir[PATH_MAX]; /* the same without symbolic links */
	char common_dir[PATH_MAX];   /* where `config` is */
	char branch[512];	     /* "" where HEAD is detached */
	bool has_worktree_config;
};

/* False where the present directory is in no repository; `*repo` is undefined then. */
bool tr2_config_repo_find(struct tr2_config_repo *repo);

#endif
