/* SPDX-License-Identifier: MIT */
/*
 * trace2.eventTarget in Git's global configuration, read and changed by `git config` alone: Git
 * locks, follows links, knows which file it is, and leaves everything else in it as it was.
 *
 * Git is run in `/`, without what a repository or a caller of ours may have put into the
 * environment, and untraced. Any thread, one at a time; each call takes some milliseconds, and
 * those that change something up to four seconds where somebody else holds the file's lock.
 */
#ifndef MONITOR_GIT_CONFIG_H
#define MONITOR_GIT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/buf.h"

/* What `why` has room for in all of these. */
#define GIT_WHY_BYTES 400

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

/* Add `value` behind the others. False with `why`, and nothing was changed. */
bool git_config_add(const char *value, char *why);

/* Take out each value that is `value`. True also where there is none. False with `why`. `made`: the
 * file that it stands in was made for it, and goes where nothing is left in it. */
bool git_config_unset(const char *value, bool made, char *why);

#endif
