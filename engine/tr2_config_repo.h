/* SPDX-License-Identifier: MIT */
/*
 * The repository around the current directory, found and rejected as in Git 2.55: GIT_DIR, or else
 * the first `.git` directory, `.git` file or bare repository upwards, up to GIT_CEILING_DIRECTORIES
 * and the end of the file system. Only as far as its configuration file and the conditions of
 * includes need it.
 *
 * Any thread that may call getenv(). Reads a few small files; allocates.
 */
#ifndef TR2_CONFIG_REPO_H
#define TR2_CONFIG_REPO_H

#include <stdbool.h>

#include "engine/base/buf.h"

struct tr2_config_repo {
	/* absolute path of the repository, by the names under which it was found */
	struct tr2_buf git_dir;
	struct tr2_buf real_git_dir; /* the same path without symbolic links */
	struct tr2_buf common_dir;   /* the directory that contains `config` */
};

/*
 * Find the repository around the current directory. Returns false if there is none, or if Git would
 * reject it: its owner is another user (tr2_config_safe.h), or Git 2.55 does not support its
 * format. The caller releases `*repo` in either case.
 */
bool tr2_config_repo_find(struct tr2_config_repo *repo);
void tr2_config_repo_release(struct tr2_config_repo *repo);

#endif
