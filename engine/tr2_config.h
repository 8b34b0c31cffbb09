/* SPDX-License-Identifier: MIT */
/*
 * Git's configuration, read the way Git reads it: the syntax, the list of files, includes and
 * their conditions. It is not a configuration API: entries are handed to a callback in reading
 * order and nothing is kept.
 *
 * Where Git dies (a bad line, a file that includes itself) this reader leaves the rest of that
 * file out and goes on with the next, since it runs inside other people's programs.
 *
 * Where the environment is not trusted (tr2_env.h) only the system's file is read, and what it
 * includes by name: neither a home nor a repository of the caller's choice.
 *
 * Any thread; every call opens, reads and closes its files. Allocates.
 */
#ifndef TR2_CONFIG_H
#define TR2_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* Where a setting stands; the numbers are those of trace2_param.h. */
enum tr2_scope {
	TR2_SCOPE_UNKNOWN,
	TR2_SCOPE_SYSTEM,
	TR2_SCOPE_GLOBAL,
	TR2_SCOPE_LOCAL,
	TR2_SCOPE_WORKTREE,
	TR2_SCOPE_COMMAND,
	TR2_SCOPE_SUBMODULE,
	TR2_NR_SCOPES
};

/* The word that def_param shows; "unknown" for a number that is no scope. */
const char *tr2_scope_name(int scope);

/*
 * One entry. `key` is canonical: section and name in lower case, the subsection as written.
 * `value` is NULL where the line had no '='. Both are valid during the call only.
 */
typedef void tr2_config_fn(void *data, const char *key, const char *value, int scope);

/*
 * Read `len` bytes of configuration text. True where all of it was well-formed; otherwise the
 * entries before the fault were reported and `*bad_line` (may be NULL) says where it stands.
 * Includes are reported as the entries they are, not followed.
 */
bool tr2_config_parse(const char *text, size_t len, tr2_config_fn *fn, void *data, int *bad_line);

/*
 * The files that may hold trace2.*: system, then global (XDG and home, or GIT_CONFIG_GLOBAL),
 * with includes. No repository is known: conditions on one are false.
 */
void tr2_config_read_early(tr2_config_fn *fn, void *data);

/*
 * What nobody but the user and the system says: system, global, and the environment's
 * (GIT_CONFIG_COUNT, GIT_CONFIG_PARAMETERS), with includes. No repository is known.
 */
void tr2_config_read_protected(tr2_config_fn *fn, void *data);

/*
 * What Git 2.55 reports to its traces: system, global, the own file of the repository around the
 * present directory (where Git would not refuse it), and the environment's, with includes.
 * Conditions on the branch are false and a worktree's own file is not read, as there.
 */
void tr2_config_read_all(tr2_config_fn *fn, void *data);

/* As Git 2.55 reads them: a number in C's notation with a suffix k, m or g that fits an int, and
 * a word or such a number. False where `value` is no such thing; `*out` is untouched then. */
bool tr2_config_int(const char *value, int *out);
bool tr2_config_bool(const char *value, bool *out);

/* A pattern as in trace2.configParams, where '*' matches any run. One that is malformed, or that
 * takes more than a million attempts, matches nothing. */
#define TR2_WILD_PATH 1 /* '*' stops at '/', only a whole "**" component passes */
#define TR2_WILD_FOLD 2 /* letter case does not matter */
bool tr2_wildmatch(const char *pattern, const char *text, unsigned flags);

#endif
