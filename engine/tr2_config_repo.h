/* SPDX-License-Identifier: MIT */
/*
 * The repository around the current directory, found and rejected as in Git 2.55: GIT_DIR, or else
 * the first `.git` directory, `.git` file or bare repository upwards, up to GIT_CEILING_DIRECTORIES
 * and the end of the file system. It is examined only as far as reading its configuration file and
 * evaluating the conditions of includes requires.
 *
 * Any thread that may call getenv(). The functions read a few small files and allocate memory.
 */
#ifndef TR2_CONFIG_REPO_H
#define TR2_CONFIG_REPO_H

#include <stdbool.h>

#include "engine/base/buf.h"

struct tr2_config_repo {
	/* absolute path of the repository, by the names under which it was found */
	struct tr2_buf git_dir;
	struct tr2_buf real_git_dir; /* absolute path of the repository, without symbolic links */
	/* the directory that contains the repository's file `config` */
	struct tr2_buf common_dir;
};

/*
 * Find the repository around the current directory. Returns false if there is none, or if Git would
 * reject it: its owner is another user (tr2_config_safe.h), or Git 2.55 does not support its
 * format. The caller releases `*repo` in either case.
 */
bool tr2_config_repo_find(struct tr2_config_repo *repo);
void tr2_config_repo_release(struct tr2_config_repo *repo);

#endif
