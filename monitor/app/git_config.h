/* SPDX-License-Identifier: MIT */
/*
 * Read and change trace2.eventTarget in Git's global configuration. `git config` reads it. A value
 * is appended, and the earlier bytes are restored, by this module under Git's own lock (FILE.lock).
 * A value in a file that changed meanwhile is removed by `git config --unset-all`.
 *
 * Only regular files, or links to regular files, are accepted. All functions that run git check
 * this first: `git config` would replace /dev/null by a file, and would wait for ever on a FIFO.
 *
 * Git is run in `/`, without what a repository or a caller of ours may have put into the
 * environment, and untraced. Any thread, one at a time; each call takes some milliseconds, and
 * those that change something up to four seconds where somebody else holds the file's lock.
 */
#ifndef MONITOR_GIT_CONFIG_H
#define MONITOR_GIT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "engine/base/buf.h"

/* What `why` has room for in all of these. */
#define GIT_WHY_BYTES 400

/* The bytes of the file before and after git_config_add(); kept in memory only. */
struct git_config_copy {
	char *path; /* without links; NULL if there is no copy */
	struct tr2_buf before, after;
	mode_t mode;
	bool existed;
};

void git_config_copy_init(struct git_config_copy *copy);
void git_config_copy_release(struct git_config_copy *copy);

/* Return false with `why` if a global configuration file exists and is not a regular file. */
bool git_config_is_regular(char *why);

/* Return the path, without links, of the file that `git config --global` writes to, which need not
 * exist. The caller frees it. NULL with `why` if HOME is not set or the file is not regular. */
char *git_config_path(char *why);

/* Is there a `git` that can be run? False with `why`. */
bool git_is_there(char *why);

/* Is there a global configuration file at all? */
bool git_config_exists(void);

/* Which values there are in the file itself, a NUL behind each. False with `why`. */
bool git_config_targets(struct tr2_buf *out, char *why);

/* The same of the file and what it includes, in the order in which they count. */
bool git_config_all_targets(struct tr2_buf *out, char *why);

/* The last one of the files of the scope ("--global", "--system") and what they include; false
 * where there is none. `origin`: which file says so; NULL: not asked. */
bool git_config_target(const char *scope, struct tr2_buf *out, struct tr2_buf *origin);

/* Append `value` to the file and fill `copy`. False with `why`, and nothing was changed. */
bool git_config_add(const char *value, struct git_config_copy *copy, char *why);

/* Restore the bytes and mode from before git_config_add() if the file is unchanged since, and set
 * `restored`. False with `why` if the file could not be locked or written. */
bool git_config_restore(const struct git_config_copy *copy, bool *restored, char *why);

/* Take out each value that is `value`. True also where there is none. False with `why`. `made`: the
 * file that it stands in was made for it, and goes where nothing is left in it. */
bool git_config_unset(const char *value, bool made, char *why);

#endif
