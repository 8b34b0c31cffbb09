/* SPDX-License-Identifier: MIT */
/*
 * Read trace2.eventTarget in Git's configuration, and change it in the global file. `git config`
 * reads the values. This module itself appends a value and restores the earlier bytes, under Git's
 * own lock (FILE.lock). A value in a file that changed meanwhile is removed by `git config
 * --unset-all`.
 *
 * Only regular files, or links to regular files, are accepted, because `git config` would replace
 * /dev/null by a file, for example.
 *
 * Git runs in `/`, untraced, without some environment variables that select a repository or its
 * configuration. Any thread may call the functions, but only one at a time. A call that runs git
 * takes some milliseconds; changes take up to about four seconds more while another process has the
 * file's lock.
 */
#ifndef MONITOR_GIT_CONFIG_H
#define MONITOR_GIT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "engine/base/buf.h"

/* Bytes of each argument `why` of this header. */
#define GIT_WHY_BYTES 400

/* Contents of the configuration file before and after git_config_add(). */
struct git_config_copy {
	/* path with links resolved; NULL: nothing was added */
	char *path;
	struct tr2_buf before, after;
	mode_t mode;
	bool existed;
};

void git_config_copy_init(struct git_config_copy *copy);
void git_config_copy_release(struct git_config_copy *copy);

/* Return false with `why` if a global configuration file exists that is neither a regular file nor
 * a link to one. */
bool git_config_is_regular(char *why);

/* Return the path of the file that `git config --global` writes to, with links resolved if the file
 * exists. The caller frees the path. Returns NULL with `why` if there is no usable path. */
char *git_config_path(char *why);

bool git_is_there(char *why);

/* True if Git can read a global configuration file. */
bool git_config_exists(void);

/* Set `out` to the values of trace2.eventTarget in the global file itself, each followed by a NUL.
 * Returns false with `why` on error. */
bool git_config_targets(struct tr2_buf *out, char *why);

/* Set `out` to the values of trace2.eventTarget in the global file and in the files that it
 * includes, in order of precedence, lowest first, each followed by a NUL. Returns false with `why`
 * on error. */
bool git_config_all_targets(struct tr2_buf *out, char *why);

/* Set `out` to the effective value of trace2.eventTarget in a scope, such as "--global", with
 * included files, and `origin` (may be NULL) to the file that has it. Returns false if there is
 * none, or on error. */
bool git_config_target(const char *scope, struct tr2_buf *out, struct tr2_buf *origin);

/* Append `value` to the global configuration file. `copy` gets the bytes of the file before and
 * after. Returns false with `why` on error; the file is then unchanged. */
bool git_config_add(const char *value, struct git_config_copy *copy, char *why);

/*
 * Restore the content that the configuration file had before git_config_add(), or remove the file
 * if it did not exist; not if another program changed it since or it cannot be read. Sets
 * `*restored` accordingly. Returns false with `why` on error.
 */
bool git_config_restore(const struct git_config_copy *copy, bool *restored, char *why);

/*
 * Remove the values of trace2.eventTarget that equal `value`, if any. Returns false with `why` on
 * error. `made`: the file was created for the value; remove it if it is empty afterwards.
 */
bool git_config_unset(const char *value, bool made, char *why);

/* Write an instruction for a failure of git_config_unset() to `out`: "remove the line LINE from
 * FILE". */
void git_config_format_removal(const char *value, char *out, size_t bytes);

#endif
