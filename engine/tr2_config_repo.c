/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_config_repo.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/tr2_config.h"
#include "engine/tr2_env.h"

/* The first line of a small file without its line end; false where there is none. */
static bool first_line(char *out, size_t cap, const char *dir, const char *name)
{
	char path[PATH_MAX];
	int fd, len = snprintf(path, sizeof(path), "%s%s", dir, name);
	ssize_t n;

	if (len < 0 || (size_t)len >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, out, cap - 1);
	close(fd);
	if (n <= 0)
		return false;
	out[n] = '\0';
	out[strcspn(out, "\r\n")] = '\0';
	return true;
}

/* `path` as it is where absolute, else below `dir`. */
static bool resolve(char out[PATH_MAX], const char *dir, const char *path)
{
	int n;

	if (*path == '/')
		n = snprintf(out, PATH_MAX, "%s", path);
	else
		n = snprintf(out, PATH_MAX, "%s/%s", dir, path);
	return n > 0 && n < PATH_MAX;
}

static bool exists(const char *dir, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s", dir, name);

	return n > 0 && (size_t)n < sizeof(path) && !access(path, F_OK);
}

static bool is_git_dir(const char *dir)
{
	return exists(dir, "/HEAD") &&
	       (exists(dir, "/commondir") || (exists(dir, "/objects") && exists(dir, "/refs")));
}

/* `dir`/.git as a directory, or the one that a `.git` file names. */
static bool git_dir_of(char out[PATH_MAX], const char *dir)
{
	char line[PATH_MAX];
	int n = snprintf(out, PATH_MAX, "%s/.git", dir);

	if (n < 0 || n >= PATH_MAX)
		return false;
	if (is_git_dir(out))
		return true;
	return first_line(line, sizeof(line), dir, "/.git") && !strncmp(line, "gitdir: ", 8) &&
	       resolve(out, dir, line + 8) && is_git_dir(out);
}

static bool find_upwards(char out[PATH_MAX])
{
	char dir[PATH_MAX];

	if (!getcwd(dir, sizeof(dir)))
		return false;
	for (;;) {
		char *slash;

		if (git_dir_of(out, dir))
			return true;
		if (is_git_dir(dir)) {
			memcpy(out, dir, sizeof(dir));
			return true;
		}
		slash = strrchr(dir, '/');
		if (!slash || !slash[1])
			return false;
		slash[slash == dir ? 1 : 0] = '\0';
	}
}

static void note_worktree_config(void *data, const char *key, const char *value, int scope)
{
	struct tr2_config_repo *repo = data;

	(void)scope;
	if (!strcmp(key, "extensions.worktreeconfig"))
		tr2_config_bool(value, &repo->has_worktree_config);
}

static bool find_git_dir(struct tr2_config_repo *repo)
{
	const char *env = tr2_env("GIT_DIR");
	char cwd[PATH_MAX];

	if (!env || !*env)
		return find_upwards(repo->git_dir);
	return getcwd(cwd, sizeof(cwd)) && resolve(repo->git_dir, cwd, env) &&
	       is_git_dir(repo->git_dir);
}

bool tr2_config_repo_find(struct tr2_config_repo *repo)
{
	char line[PATH_MAX], path[PATH_MAX + 8];

	memset(repo, 0, sizeof(*repo));
	if (!find_git_dir(repo))
		return false;
	if (!realpath(repo->git_dir, repo->real_git_dir))
		memcpy(repo->real_git_dir, repo->git_dir, sizeof(repo->git_dir));
	if (!first_line(line, sizeof(line), repo->git_dir, "/commondir") ||
	    !resolve(repo->common_dir, repo->git_dir, line))
		memcpy(repo->common_dir, repo->git_dir, sizeof(repo->git_dir));
	if (first_line(line, sizeof(line), repo->git_dir, "/HEAD") &&
	    !strncmp(line, "ref: refs/heads/", 16))
		snprintf(repo->branch, sizeof(repo->branch), "%.500s", line + 16);
	snprintf(path, sizeof(path), "%s/config", repo->common_dir);
	tr2_config_read_file(path, TR2_SCOPE_LOCAL, note_worktree_config, repo);
	return true;
}
