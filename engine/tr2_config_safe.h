/* SPDX-License-Identifier: MIT */
/*
 * Decides if Git would read a repository's own configuration. Git refuses a repository of another
 * user, or a bare one where bare ones are not allowed, unless safe.directory and
 * safe.bareRepository permit it. Only the system, global and environment configuration count for
 * these. As in Git 2.55.
 *
 * Any thread that may call getenv(). Allocates.
 */
#ifndef TR2_CONFIG_SAFE_H
#define TR2_CONFIG_SAFE_H

#include <stdbool.h>

/*
 * True if all given paths (`gitfile` and `worktree` may be NULL) belong to the user (also to
 * SUDO_UID if root runs us), or if the user trusts the worktree, or without a worktree its
 * directory.
 */
bool tr2_config_safe_owner(const char *gitfile, const char *worktree, const char *git_dir);

/* True if a bare repository at `dir`, above the current directory, may be used. */
bool tr2_config_safe_bare(const char *dir);

#endif
