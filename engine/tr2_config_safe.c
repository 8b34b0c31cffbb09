/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_config_safe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/tr2_config.h"
#include "engine/tr2_env.h"
#include "engine/tr2_path.h"

/* True if the file at `path` belongs to the user or, for root, to the user who invoked sudo. */
static bool is_own_file(const char *path)
{
	uid_t uid = geteuid();
	const char *sudo;
	struct stat st;

	if (lstat(path, &st))
		return false;
	sudo = uid || !st.st_uid ? NULL : tr2_env("SUDO_UID");
	if (sudo && *sudo) {
		char *end;
		unsigned long id;

		errno = 0;
		id = strtoul(sudo, &end, 10);
		if (!*end && !errno)
			uid = (uid_t)id;
	}
	return st.st_uid == uid;
}

static bool is_assumed_foreign(void)
{
	const char *text = tr2_env("GIT_TEST_ASSUME_DIFFERENT_OWNER");
	bool yes = false;

	if (text)
		tr2_config_bool(text, &yes);
	return yes;
}

struct trust {
	struct tr2_buf path; /* path that safe.directory must cover */
	bool is_safe;
};

/* True if `allowed` is `path`, or if it ends with the component "*" and `path` is below its
 * directory. */
static bool path_is_covered(struct tr2_buf *allowed, struct tr2_buf *path)
{
	size_t len = allowed->len;

	if (len >= 2 && !memcmp(allowed->data + len - 2, "/*", 2))
		return path->len >= len - 1 && !memcmp(allowed->data, path->data, len - 1);
	return len == path->len && !memcmp(allowed->data, path->data, len);
}

static bool names_path(const char *value, struct tr2_buf *path)
{
	struct tr2_buf raw, allowed;
	bool optional = !strncmp(value, ":(optional)", 11), yes = false;

	tr2_buf_init(&raw, TR2_PATH_MAX_BYTES);
	tr2_buf_init(&allowed, TR2_PATH_MAX_BYTES);
	if (tr2_path_expand(&raw, value + (optional ? 11 : 0), false)) {
		const char *text = tr2_buf_cstr(&raw);

		if ((*text == '/' || !strcmp(text, ".")) && (!optional || !access(text, F_OK)) &&
		    tr2_path_real(&allowed, text))
			yes = path_is_covered(&allowed, path);
	}
	tr2_buf_release(&raw);
	tr2_buf_release(&allowed);
	return yes;
}

static void on_safe_directory(void *data, const char *key, const char *value, int scope)
{
	struct trust *trust = data;

	(void)scope;
	if (strcmp(key, "safe.directory"))
		return;
	if (!value || !*value)
		/* an empty safe.directory removes the directories that were listed before */
		trust->is_safe = false;
	else if (!strcmp(value, "*") || names_path(value, &trust->path))
		trust->is_safe = true;
}

bool tr2_config_safe_owner(const char *gitfile, const char *worktree, const char *git_dir)
{
	struct trust trust = { .is_safe = false };

	if (!is_assumed_foreign() && (!gitfile || is_own_file(gitfile)) &&
	    (!worktree || is_own_file(worktree)) && is_own_file(git_dir))
		return true;
	tr2_buf_init(&trust.path, TR2_PATH_MAX_BYTES);
	if (tr2_path_real(&trust.path, worktree ? worktree : git_dir))
		tr2_config_read_protected(on_safe_directory, &trust);
	tr2_buf_release(&trust.path);
	return trust.is_safe;
}

/* Callback for safe.bareRepository. A value that Git rejects counts as "explicit". */
static void on_safe_bare(void *data, const char *key, const char *value, int scope)
{
	bool *allowed = data;

	(void)scope;
	if (!strcmp(key, "safe.barerepository"))
		*allowed = value && !strcmp(value, "all");
}

static bool is_within_git(const char *dir)
{
	size_t len = strlen(dir);

	return (len >= 5 && !strcmp(dir + len - 5, "/.git")) || strstr(dir, "/.git/worktrees/") ||
	       strstr(dir, "/.git/modules/");
}

bool tr2_config_safe_bare(const char *dir)
{
	bool allowed = true;

	if (is_within_git(dir))
		return true;
	tr2_config_read_protected(on_safe_bare, &allowed);
	return allowed;
}
