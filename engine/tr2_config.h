/* SPDX-License-Identifier: MIT */
/*
 * Git's configuration, read the way Git reads it: syntax, list of files, includes and their
 * conditions.
 *
 * Git dies on a bad line or on a file that includes itself; this reader skips the rest of the file,
 * and ignores includes nested more than ten deep.
 *
 * If the environment is not trusted (tr2_env.h), only the system file and the files that it
 * includes are read.
 *
 * Any thread that may call getenv(). The tr2_config_read_ functions and tr2_config_parse() allocate
 * memory.
 */
#ifndef TR2_CONFIG_H
#define TR2_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* Origin of a configuration value. The numbers are those of enum trace2_scope in trace2_param.h. */
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

/* Return the name of a scope as the def_param event reports it; "unknown" if `scope` is invalid. */
const char *tr2_scope_name(int scope);

/*
 * Callback for one configuration entry. `key` is canonical: section and name in lower case, a
 * quoted subsection as written. `value` is NULL if the entry has none, such as a key without '='.
 * Both are valid during the call only.
 */
typedef void tr2_config_fn(void *data, const char *key, const char *value, int scope);

/*
 * Parse `len` bytes of configuration text. Returns false at the first error; the entries before it
 * are reported, and `*bad_line` (`bad_line` may be NULL) is the line at which parsing stopped.
 * Includes are reported, not followed.
 */
bool tr2_config_parse(const char *text, size_t len, tr2_config_fn *fn, void *data, int *bad_line);

/* Read the configuration files that may set trace2.*: system, then global, with includes. Includes
 * that depend on the repository's path or branch are skipped. */
void tr2_config_read_early(tr2_config_fn *fn, void *data);

/* Read Git's protected configuration: system, global and the environment, with the same includes as
 * tr2_config_read_early(). */
void tr2_config_read_protected(tr2_config_fn *fn, void *data);

/*
 * Read the configuration that Git 2.55 reports in its traces: system, global, the repository's
 * local file, and the environment, with includes. Includes that depend on the branch and a
 * worktree's own file are skipped.
 */
void tr2_config_read_all(tr2_config_fn *fn, void *data);

/*
 * Parse a configuration value as Git 2.55 does. An int may have a suffix k, m or g. A bool is a
 * word such as "true", an int, or NULL for true. Returns false and leaves `*out` unchanged if
 * `value` is not valid.
 */
bool tr2_config_int(const char *value, int *out);
bool tr2_config_bool(const char *value, bool *out);

/* Match text against a wildcard pattern such as those of trace2.configParams. A malformed pattern
 * matches nothing. Matching gives up, without a match, after about a million attempts. */
/* pattern for paths: '*' does not match '/', but the path component "**" does */
#define TR2_WILD_PATH 1
#define TR2_WILD_FOLD 2 /* ignore case */
bool tr2_wildmatch(const char *pattern, const char *text, unsigned flags);

#endif
