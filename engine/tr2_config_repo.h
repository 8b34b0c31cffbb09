/* SPDX-License-Identifier: MIT */
/*
 * The repository around the current directory, found and rejected as in Git 2.55: GIT_DIR, or else
 * the nearest `.git` directory, `.git` file or bare repository upwards, within the limits of
 * GIT_CEILING_DIRECTORIES and GIT_DISCOVERY_ACROSS_FILESYSTEM.
 *
 * Any thread that may call getenv(). Allocates memory.
 */
#ifndef TR2_CONFIG_REPO_H
#define TR2_CONFIG_REPO_H

#include <stdbool.h>

#include "engine/base/buf.h"

struct tr2_config_repo {
	/* absolute path of the repository, as it was found; without symbolic links if a `.git` file
	 * names it */
	struct tr2_buf git_dir;
	/* absolute path of the repository, without symbolic links; if that is unknown, `git_dir` */
	struct tr2_buf real_git_dir;
	/* the directory that contains the repository's file `config` */
	struct tr2_buf common_dir;
};

/* Find the repository; the one that GIT_DIR names need not exist. Returns false if there is none,
 * on errors, or if Git 2.55 would reject it. The caller releases `*repo` in either case. */
bool tr2_config_repo_find(struct tr2_config_repo *repo);
void tr2_config_repo_release(struct tr2_config_repo *repo);

#endif
