/* SPDX-License-Identifier: MIT */
/*
 * Read and change trace2.eventTarget in Git's global configuration. `git config` reads it. A value
 * is appended, and the earlier bytes are restored, by this module under Git's own lock
 * (FILE.lock). A value in a file that changed meanwhile is removed by `git config --unset-all`.
 *
 * Only regular files, or links to regular files, are accepted. All functions that run git check
 * this first: `git config` would replace /dev/null by a file, and would wait for ever on a FIFO.
 *
 * Git runs in `/`, untraced, without environment variables that select another configuration. Any
 * thread, one at a time. Each call takes some milliseconds; changes take up to four seconds if
 * another process holds the file's lock.
 */
#ifndef MONITOR_GIT_CONFIG_H
#define MONITOR_GIT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "engine/base/buf.h"

/* Size of `why` in all functions of this header. */
#define GIT_WHY_BYTES 400

/* The bytes of the file before and after git_config_add(); kept in memory only. */
struct git_config_copy {
	char *path; /* path with links resolved; NULL: nothing was copied */
	struct tr2_buf before, after;
	mode_t mode;
	bool existed;
};

void git_config_copy_init(struct git_config_copy *copy);
void git_config_copy_release(struct git_config_copy *copy);

/* Return false with `why` if a global configuration file exists and is not a regular file. */
bool git_config_is_regular(char *why);

/* Return the path, with links resolved, of the file that `git config --global` writes to; the
 * file need not exist. The caller frees it. NULL with `why` if HOME is not set or the file is
 * not regular. */
char *git_config_path(char *why);

/* True if `git` can be run; else false with `why`. */
bool git_is_there(char *why);

/* True if a global configuration file exists. */
bool git_config_exists(void);

/* Append the values of trace2.eventTarget in the global file itself to `out`, each followed by a
 * NUL. Returns false with `why` on error. */
bool git_config_targets(struct tr2_buf *out, char *why);

/* Append the values of trace2.eventTarget in the global file and the files it includes, in order
 * of precedence, lowest first, each followed by a NUL. */
bool git_config_all_targets(struct tr2_buf *out, char *why);

/* Append the effective value of trace2.eventTarget in a scope ("--global", "--system"), with
 * included files, to `out`, and the file that has it to `origin` (may be NULL). Returns false if
 * there is none. */
bool git_config_target(const char *scope, struct tr2_buf *out, struct tr2_buf *origin);

/* Append `value` to the global file; `copy` gets its bytes before and after. On error returns false
 * with `why`, and the file is unchanged. */
bool git_config_add(const char *value, struct git_config_copy *copy, char *why);

/* Restore the bytes and mode that the file had before git_config_add() if nothing else changed
 * it since, and set `restored`. Returns false with `why` if the file could not be locked or
 * written. */
bool git_config_restore(const struct git_config_copy *copy, bool *restored, char *why);

/* Remove every value of trace2.eventTarget that equals `value`. Returns true also if there was
 * none, false with `why` on error. With `made` the file was created for the value and is removed
 * if it is empty afterwards. */
bool git_config_unset(const char *value, bool made, char *why);

/* Write to `out` what to do if git_config_unset() fails: "remove the line LINE from FILE". */
void git_config_format_removal(const char *value, char *out, size_t bytes);

#endif
