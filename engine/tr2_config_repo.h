/* SPDX-License-Identifier: MIT */
/*
 * The repository around the present directory, found and refused the way Git 2.55 does it:
 * GIT_DIR; or upwards, up to GIT_CEILING_DIRECTORIES and the end of the file system, a `.git`
 * directory, a `.git` file, or a bare one. So far as its configuration file and the conditions
 * of includes need it.
 *
 * Any thread that may call getenv(). Reads a few small files; allocates.
 */
#ifndef TR2_CONFIG_REPO_H
#define TR2_CONFIG_REPO_H

#include <stdbool.h>

#include "engine/base/buf.h"

struct tr2_config_repo {
	struct tr2_buf git_dir;      /* absolute, by the names it was found by */
	struct tr2_buf real_git_dir; /* the same without symbolic links */
	struct tr2_buf common_dir;   /* where `config` is */
};

/*
 * False where the present directory is in no repository, or in one that Git would refuse: it
 * belongs to somebody else (tr2_config_safe.h), or its format is none that Git 2.55 knows. The
 * caller releases `*repo` in any case.
 */
bool tr2_config_repo_find(struct tr2_config_repo *repo);
void tr2_config_repo_release(struct tr2_config_repo *repo);

#endif
