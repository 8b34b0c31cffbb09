/* SPDX-License-Identifier: MIT */
/*
 * Decide if Git would read a repository's own configuration. Git refuses a repository of another
 * user, unless safe.directory lists it, and a bare one if safe.bareRepository forbids it.
 *
 * Any thread that may call getenv(). Allocates memory.
 */
#ifndef TR2_CONFIG_SAFE_H
#define TR2_CONFIG_SAFE_H

#include <stdbool.h>

/*
 * True if all given paths (`gitfile` and `worktree` may be NULL) belong to the user (for root: or
 * to the user SUDO_UID) and GIT_TEST_ASSUME_DIFFERENT_OWNER is not true; or if safe.directory
 * covers the worktree, or `git_dir` if there is no worktree.
 */
bool tr2_config_safe_owner(const char *gitfile, const char *worktree, const char *git_dir);

/*
 * True if the bare repository at `dir` may be used: safe.bareRepository permits it, or `dir` is
 * a .git directory or below its worktrees or modules.
 */
bool tr2_config_safe_bare(const char *dir);

#endif
