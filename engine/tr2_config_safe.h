/* SPDX-License-Identifier: MIT */
/*
 * Whether Git would read a repository's own configuration: it belongs to somebody else, or lies
 * bare where that is not allowed, unless safe.directory and safe.bareRepository say otherwise.
 * Those count in the system's, the user's and the environment's configuration only. As Git 2.55.
 *
 * Any thread that may call getenv(). Allocates.
 */
#ifndef TR2_CONFIG_SAFE_H
#define TR2_CONFIG_SAFE_H

#include <stdbool.h>

/*
 * Whether all that there is of it (`gitfile`, `worktree` may be NULL) belongs to the user, who
 * may be SUDO_UID's where root asks, or the user trusts its worktree, or where there is none its
 * directory.
 */
bool tr2_config_safe_owner(const char *gitfile, const char *worktree, const char *git_dir);

/* Whether a repository that lies bare at `dir`, above the present directory, may be taken. */
bool tr2_config_safe_bare(const char *dir);

#endif
